// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// A skirt, a ring of chains, about two legs.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/portable_math.h"
#include "stages/dynamic_bones/chains/chain_presets.h"
#include "stages/dynamic_bones/skinned_scene.h"

using namespace clipmill;
using namespace clipmill::stages;
using namespace clipmill::stages::dynamic_bones;
using namespace clipmill::test;

TEST_SUITE_BEGIN("dynamic_bones.skirt");

namespace {

constexpr int kChains = 12, kJoints = 6;
constexpr double kTop_m = 0.95, kBone_m = 0.08;
constexpr double kStride_deg = 50.0;  // of each leg, to the front and to the back

// The joint at one depth of a chain, at rest: the hem is 1.8 m around.
Vec3 skirtPoint(int chain, int depth) {
  const double angle = 2.0 * kPi * chain / kChains;
  const double radius_m = 0.2 + 0.018 * depth;
  return {radius_m * portable::sin(angle), kTop_m - kBone_m * depth,
          radius_m * portable::cos(angle)};
}

int skirtNode(int chain, int depth) { return 3 + (chain % kChains) * kJoints + depth; }

// The strip between the chains, a vertex a joint.
void addStrip(Scene& scene) {
  Surface strip;
  for (int chain = 0; chain < kChains; ++chain) {
    for (int depth = 0; depth < kJoints; ++depth) {
      strip.positions.push_back(skirtPoint(chain, depth));
      if (depth == 0) continue;
      const auto at = [&](int c, int d) { return static_cast<std::uint32_t>(skirtNode(c, d) - 3); };
      const std::uint32_t a = at(chain, depth - 1), b = at(chain + 1, depth - 1);
      const std::uint32_t c = at(chain, depth), d = at(chain + 1, depth);
      strip.triangles.insert(strip.triangles.end(), {a, b, c, b, d, c});
    }
  }
  int next = 3;
  addSkinned(scene, strip, [&](const Vec3&) { return next++; });
}

// Two legs below "body", and the skirt about them.
Scene skirtScene() {
  Scene scene;
  const int body = addNode(scene, "body", -1, Vec3(0.0));
  for (const double side : {-1.0, 1.0}) {
    addNode(scene, side < 0.0 ? "right" : "left", body, Vec3(0.09 * side, 0.9, 0.0));
  }
  for (int chain = 0; chain < kChains; ++chain) {
    int parent = body;
    for (int depth = 0; depth < kJoints; ++depth) {
      const Vec3 above = depth == 0 ? Vec3(0.0) : skirtPoint(chain, depth - 1);
      const std::string name = "skirt" + std::to_string(chain) + "_" + std::to_string(depth);
      parent = addNode(scene, name, parent, skirtPoint(chain, depth) - above);
    }
  }
  for (const int leg : {1, 2}) {
    const Vec3 top = scene.skeleton.nodes[toSize(leg)].rest.translation;
    Surface thigh = ballSurface(Vec3(0.0), 0.08, 24, 24);
    for (Vec3& p : thigh.positions) p = top + Vec3(p.x, 5.5 * p.y - 0.4, p.z);
    addSkinned(scene, thigh, [&](const Vec3&) { return leg; });
  }
  addStrip(scene);
  return scene;
}

// The legs go into a stride within half a second and stay there.
Motion stride(const Scene& scene) {
  return motionOf(scene, 1.5, 60.0, [](double time_s, PoseView pose) {
    const double share = 0.5 - 0.5 * portable::cos(kPi * std::min(1.0, 2.0 * time_s));
    const double angle = kStride_deg * kDegree * share;
    pose.locals[1].rotation = glm::angleAxis(angle, Vec3(1, 0, 0));
    pose.locals[2].rotation = glm::angleAxis(-angle, Vec3(1, 0, 0));
  });
}

DynamicBonesSettings skirtSettings() {
  DynamicBonesSettings settings = settingsFor("skirt*_0", DynamicBonesMethod::kRod);
  settings.loop = LoopPolicy::kOff;
  settings.colliders = ColliderSource::kSkin;
  settings.chain[0].preset = ChainPreset::kSkirt;
  settings.chain[0].cross = CrossShape::kRing;
  settings.chain[0].radius_m = 0.015;
  applyNamedPreset(settings.chain[0]);
  return settings;
}

// Distance from the first to the last joint over the length of the chain, in the last frame: the
// median of all chains.
double medianStraightness(const Scene& scene, const Motion& motion) {
  std::vector<double> shares;
  for (int chain = 0; chain < kChains; ++chain) {
    const int first = skirtNode(chain, 0);
    const Vec3 top = pathOfNode(scene, motion, first).back();
    const Vec3 tip = pathOfNode(scene, motion, first + kJoints - 1).back();
    double length_m = 0.0;
    for (int depth = 1; depth < kJoints; ++depth) {
      length_m += glm::length(skirtPoint(chain, depth) - skirtPoint(chain, depth - 1));
    }
    shares.push_back(glm::length(tip - top) / length_m);
  }
  std::nth_element(shares.begin(), shares.begin() + kChains / 2, shares.end());
  return shares[kChains / 2];
}

}  // namespace

TEST_CASE(
    "a skirt widens in a stride and hangs down; with a rigid hem it is gathered at the hips") {
  const Scene scene = skirtScene();
  DynamicBonesSettings settings = skirtSettings();
  CHECK(medianStraightness(scene, bake(scene, stride(scene), settings).motion) > 0.95);
  const ChainSettings rigid;
  ChainSettings& chain = settings.chain[0];
  chain.cross_compliance = rigid.cross_compliance;
  chain.shear_compliance = rigid.shear_compliance;
  chain.slack_share = rigid.slack_share;
  CHECK(medianStraightness(scene, bake(scene, stride(scene), settings).motion) < 0.7);
}

TEST_SUITE_END();
