// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/joints/bones_fit.h"

#include <algorithm>
#include <array>

#include "checks.h"
#include "core/portable_math.h"

TEST_SUITE_BEGIN("tet_bake.bones_fit");

namespace {

using namespace clipmill;
using namespace clipmill::stages::tet_bake;

constexpr std::size_t kFrames = 30;
constexpr std::size_t kHelpers = 3;
constexpr std::size_t kAround = 6;
constexpr std::size_t kAlong = 31;

// A tube of one rotating joint, along which three rigid bodies are hidden: each has a part of it
// to itself, and between two of them weights go from one to the other.
struct HiddenBodies {
  SkinSurface surface;
  PointDisplacements world{kAround * kAlong, kFrames};
  MorphRegion region;

  HiddenBodies() {
    surface.bind_world_from_node = {{Mat3(1.0), Vec3(0.1, 0.2, 0.3)}};
    surface.influence_start = {0};
    for (std::size_t i = 0; i < kAround * kAlong; ++i) {
      const auto rotation =
          portable::sinCos(2.0 * kPi * static_cast<double>(i % kAround) / kAround);
      surface.positions.push_back({0.05 * rotation.cosine, 0.04 * rotation.sine, 0.01 * slice(i)});
      surface.influences.push_back({0, 1.0});
      surface.influence_start.push_back(surface.influences.size());
      surface.share.push_back(1.0);
      region.points.push_back(static_cast<std::uint32_t>(i));
      region.shares.push_back(1.0);
    }
    for (std::size_t f = 0; f < kFrames; ++f) {
      for (std::size_t p = 0; p < surface.pointCount(); ++p) world.set(p, f, wanted(p, f));
    }
  }

  BonesTarget target() const {
    return {surface, world, [this](std::size_t frame) { return worldsOfNodes(frame); }};
  }

  // All nodes move alike.
  std::vector<Affine> worldsOfNodes(std::size_t frame) const {
    return std::vector<Affine>(surface.bind_world_from_node.size(), worldsAt(frame)[0]);
  }

  // Gives points four influences, of which three hardly count.
  void addTinyWeights() {
    surface.bind_world_from_node.resize(4, surface.bind_world_from_node[0]);
    surface.influences.clear();
    for (std::size_t p = 0; p < surface.pointCount(); ++p) {
      surface.influence_start[p] = surface.influences.size();
      for (const Influence& i : {Influence{0, 0.999}, {1, 5e-4}, {2, 3e-4}, {3, 2e-4}}) {
        surface.influences.push_back(i);
      }
    }
    surface.influence_start.back() = surface.influences.size();
  }

  static double slice(std::size_t point) { return static_cast<double>(point / kAround); }

  static std::vector<Affine> worldsAt(std::size_t frame) {
    return {{glm::mat3_cast(rotationAbout(Vec3(0, 1, 0), 0.1 * static_cast<double>(frame))),
             Vec3(0, 0, 0.02 * static_cast<double>(frame))}};
  }

  // Each body swings about an axis of its own, at its own pace.
  static Affine motionOf(std::size_t body, std::size_t frame) {
    const double t = static_cast<double>(frame) / kFrames;
    const std::array<Vec3, kHelpers> axes = {Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)};
    const double angle = 0.6 * portable::sin(2.0 * kPi * t * static_cast<double>(body + 1));
    const Vec3 shift = Vec3(0.01, 0.02, -0.01) * portable::sin(5.0 * t + static_cast<double>(body));
    return {glm::mat3_cast(rotationAbout(axes[body], angle)), shift};
  }

  // Slices 0 to 7 follow the first body, 12 to 18 the second, 23 to 30 the third.
  static std::array<double, kHelpers> weightsOf(std::size_t point) {
    const double first = std::clamp((12.0 - slice(point)) / 5.0, 0.0, 1.0);
    const double last = std::clamp((slice(point) - 18.0) / 5.0, 0.0, 1.0);
    return {first, 1.0 - first - last, last};
  }

  Vec3 wanted(std::size_t point, std::size_t frame) const {
    const Affine owner = worldsAt(frame)[0];
    Vec3 sum(0.0);
    for (std::size_t body = 0; body < kHelpers; ++body) {
      sum += transformPoint(effectOf(owner, motionOf(body, frame)), surface.positions[point]) *
             weightsOf(point)[body];
    }
    return sum;
  }
};

BonesFitSettings exact(int threads = 1) {
  BonesFitSettings settings;
  settings.rms_m = settings.p99_m = 1e-7;
  settings.max_per_region = kHelpers;
  settings.threads = threads;
  return settings;
}

double worstOf(const HiddenBodies& bodies, const BonesFit& fit) {
  double worst = 0.0;
  std::vector<Vec3> positions(bodies.surface.pointCount()), plain(positions.size());
  for (std::size_t f = 0; f < kFrames; ++f) {
    const std::vector<Affine> worlds = bodies.worldsOfNodes(f);
    skinSurface(bodies.surface, worlds, plain);
    skinByHelpers(bodies.surface, fit, worlds, f, positions);
    for (std::size_t p = 0; p < positions.size(); ++p) {
      worst = std::max(worst, test::distance(positions[p] - plain[p], bodies.world.at(p, f)));
    }
  }
  return worst;
}

}  // namespace

TEST_CASE("A motion that three rigid bodies make is found again, to a tenth of a millimetre") {
  const HiddenBodies bodies;
  BonesFitSettings settings = exact(2);
  settings.max_iterations = 600;
  settings.min_gain = 0.0;
  const BonesFit fit = fitBones(bodies.target(), {&bodies.region, 1}, settings);
  CHECK(fit.bones.size() == kHelpers);
  // They move points by up to 20 cm.
  CHECK(worstOf(bodies, fit) <= 1e-4);
}

TEST_CASE("Influences are four at most, positive, and sum to 1") {
  const HiddenBodies bodies;
  BonesFitSettings settings = exact();
  settings.max_per_region = 8;
  const BonesFit fit = fitBones(bodies.target(), {&bodies.region, 1}, settings);
  REQUIRE(fit.influence_start.size() == bodies.surface.pointCount() + 1);
  for (std::size_t p = 0; p < bodies.surface.pointCount(); ++p) {
    double sum = 0.0;
    for (const Influence& influence : fit.influencesOf(p)) {
      CHECK(influence.weight > 0.0);
      CHECK(influence.joint <= fit.bones.size());
      sum += influence.weight;
    }
    CHECK(fit.influencesOf(p).size() <= kMaxInfluences);
    CHECK(sum == test::nearTo(1.0, 1e-9));
  }
}

TEST_CASE("Tiny weights do not displace helpers") {
  HiddenBodies bodies;
  const double alone = worstOf(bodies, fitBones(bodies.target(), {&bodies.region, 1}, exact()));
  bodies.addTinyWeights();
  const BonesFit fit = fitBones(bodies.target(), {&bodies.region, 1}, exact());
  // A five thousandth of what moves by 20 cm stays with the second node.
  CHECK(worstOf(bodies, fit) <= alone + 2e-4);
  // What follows no helper keeps all four.
  const BonesFitSettings lax{1.0, 1.0};
  const BonesFit still = fitBones(bodies.target(), {&bodies.region, 1}, lax);
  CHECK(still.bones.empty());
  CHECK(still.influences.size() == bodies.surface.influences.size());
}

TEST_CASE("The energy falls with every rotation, and with every helper") {
  const HiddenBodies bodies;
  const BonesTarget target = bodies.target();
  BonesFrames frames;
  for (std::size_t f = 0; f < kFrames; ++f) {
    frames.columns.push_back(f);
    frames.worlds.push_back(HiddenBodies::worldsAt(f));
  }
  double before = HUGE_VAL;
  for (std::size_t count = 1; count <= kHelpers; ++count) {
    BonesFitSettings settings = exact();
    settings.max_per_region = count;
    const RegionBones made = fitRegionBones(target, bodies.region, frames, {1}, settings);
    CHECK(made.bones.size() == count);
    for (std::size_t i = 1; i < made.energies.size(); ++i) {
      CHECK(made.energies[i] < made.energies[i - 1]);
    }
    CHECK(made.energies.back() < before);
    before = made.energies.back();
  }
  const BonesFit fit = fitBones(target, {&bodies.region, 1}, exact());
  for (std::size_t i = 1; i < fit.energies.size(); ++i) {
    CHECK(fit.energies[i] < fit.energies[i - 1]);
  }
}

TEST_CASE("Two threads fit the same bits as one") {
  const HiddenBodies bodies;
  const BonesFit one = fitBones(bodies.target(), {&bodies.region, 1}, exact(1));
  const BonesFit two = fitBones(bodies.target(), {&bodies.region, 1}, exact(2));
  REQUIRE(one.bones.size() == two.bones.size());
  REQUIRE(one.influences.size() == two.influences.size());
  for (std::size_t i = 0; i < one.influences.size(); ++i) {
    CHECK(one.influences[i].joint == two.influences[i].joint);
    CHECK(one.influences[i].weight == two.influences[i].weight);
  }
  for (std::size_t b = 0; b < one.bones.size(); ++b) {
    for (std::size_t f = 0; f < kFrames; ++f) {
      CHECK(one.bones[b].moved[f].linear == two.bones[b].moved[f].linear);
      CHECK(one.bones[b].moved[f].translation == two.bones[b].moved[f].translation);
    }
  }
}

TEST_CASE("Nothing to move needs no helper, and nor do points that keep their weights") {
  HiddenBodies bodies;
  BonesTarget kept = bodies.target();
  kept.is_kept.assign(bodies.surface.pointCount(), 1);
  CHECK(fitBones(kept, {&bodies.region, 1}, exact()).bones.empty());
  for (std::size_t p = 0; p < bodies.surface.pointCount(); ++p) {
    for (std::size_t f = 0; f < kFrames; ++f) bodies.world.set(p, f, Vec3(0.0));
  }
  const BonesFit fit = fitBones(bodies.target(), {&bodies.region, 1}, exact());
  CHECK(fit.bones.empty());
  CHECK(fit.influencesOf(5).size() == 1);
}

TEST_CASE("A joint that is bound with uneven scales gets no helper") {
  HiddenBodies bodies;
  bodies.surface.bind_world_from_node[0].linear[1] *= 1.5;
  CHECK(fitBones(bodies.target(), {&bodies.region, 1}, exact()).bones.empty());
}

TEST_CASE("Where no helper moves, points are where plain skinning has them") {
  const HiddenBodies bodies;
  BonesFit fit = fitBones(bodies.target(), {&bodies.region, 1}, exact());
  for (HelperBone& bone : fit.bones) bone.moved.assign(kFrames, {});
  std::vector<Vec3> positions(bodies.surface.pointCount()), plain(positions.size());
  skinSurface(bodies.surface, HiddenBodies::worldsAt(20), plain);
  skinByHelpers(bodies.surface, fit, HiddenBodies::worldsAt(20), 20, positions);
  for (std::size_t p = 0; p < positions.size(); ++p)
    CHECK(test::distance(positions[p], plain[p]) <= 1e-12);
}

TEST_CASE("points that one helper leaves far off count for more: the largest error falls") {
  const HiddenBodies bodies;
  BonesFitSettings settings = exact();
  settings.max_per_region = 1;
  // Against a metre nothing is far: what is left is the least squares.
  settings.p99_m = 1.0;
  const BonesFit squares = fitBones(bodies.target(), {&bodies.region, 1}, settings);
  settings.p99_m = 0.002;
  const BonesFit evened = fitBones(bodies.target(), {&bodies.region, 1}, settings);
  CHECK(squares.bones.size() == 1);
  CHECK(evened.bones.size() == 1);
  CHECK(worstOf(bodies, evened) < 0.97 * worstOf(bodies, squares));
}
