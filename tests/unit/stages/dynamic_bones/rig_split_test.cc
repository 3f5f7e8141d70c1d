// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/rig/rig_split.h"

#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "stages/dynamic_bones/chains/file_springs.h"
#include "stages/dynamic_bones/random_springs.h"
#include "stages/dynamic_bones/rig/coupled_chains.h"
#include "stages/dynamic_bones/springs/grid_step.h"
#include "stages/dynamic_bones/springs/spring.h"
#include "stages/dynamic_bones/swing_scene.h"

using namespace clipmill;
using namespace clipmill::stages::dynamic_bones;
using namespace clipmill::test;

TEST_SUITE_BEGIN("dynamic_bones.rig_split");

namespace {

constexpr int kChains = 70;
constexpr std::size_t kParts = 3;

// Chains of all sorts, of which about half act on each other.
struct ManyChains {
  explicit ManyChains(std::uint64_t seed) : scene(randomScene(seed, kChains)) {
    REQUIRE(addFileSprings(scene, settings));
  }

  Rig rig() const {
    auto made = makeRig(scene, settings);
    CHECK_OK(made);
    return std::move(*made);
  }

  Scene scene;
  DynamicBonesSettings settings;
};

int nodeOf(const Rig& rig, const Bone& bone) {
  return rig.slots[toSize(rig.joints[toSize(bone.joint)].slot)].node;
}

// Of a bone: where it starts and ends.
using BoneKey = std::pair<int, int>;
BoneKey keyOf(const Rig& rig, const Bone& bone) { return {nodeOf(rig, bone), bone.tail_node}; }

// What a bone hangs on and avoids, by nodes and names.
struct Surroundings {
  int parent_node = -1, attachment_node = -1, inertia_node = -1;
  BoneKey parent_bone = {-1, -1};
  std::vector<std::string> colliders;
  std::vector<int> collider_nodes;

  bool operator==(const Surroundings&) const = default;
};

std::map<BoneKey, Surroundings> surroundingsOf(const Rig& rig) {
  const auto nodeOfSlot = [&](int slot) { return slot < 0 ? -1 : rig.slots[toSize(slot)].node; };
  std::map<BoneKey, Surroundings> all;
  for (std::size_t b = 0; b < rig.bones.size(); ++b) {
    const Bone& bone = rig.bones[b];
    const Joint& joint = rig.joints[toSize(bone.joint)];
    CHECK(joint.bones_start <= b);
    CHECK(b < joint.bones_end);
    CHECK(rig.slots[toSize(joint.slot)].joint == bone.joint);
    Surroundings around;
    around.parent_node = nodeOfSlot(rig.slots[toSize(joint.slot)].parent);
    around.attachment_node = nodeOfSlot(rig.attachment_slots[toSize(bone.chain)]);
    around.inertia_node = nodeOfSlot(rig.inertia_slots[toSize(bone.chain)]);
    if (bone.parent >= 0) around.parent_bone = keyOf(rig, rig.bones[toSize(bone.parent)]);
    for (const int i : rig.colliders_of_bone[b]) {
      around.colliders.push_back(rig.colliders[toSize(i)].name);
      around.collider_nodes.push_back(nodeOfSlot(rig.colliders[toSize(i)].slot));
    }
    CHECK(all.emplace(keyOf(rig, bone), around).second);
  }
  return all;
}

// What a bake writes and counts.
struct Baked {
  std::vector<Transform> locals;
  std::array<std::size_t, 4> counts;

  bool operator==(const Baked&) const = default;
};

// The clip baked with these chains on that many threads.
Baked baked(const ManyChains& many, const Rig& rig, int threads) {
  const double step_s = gridStep_s(rig, many.settings, many.scene);
  const Motion clip = motionOf(many.scene, 0.3, 30.0, [&](double time_s, PoseView pose) {
    randomMotion(many.scene, time_s, pose);
  });
  Motion out = clip;
  const SimulationCounts counts =
      simulateSpring(rig, many.settings, many.scene, clip, {}, step_s, out, threads);
  return {out.locals,
          {counts.joint_steps, counts.resets, counts.unresolved_contacts, counts.unsolved}};
}

}  // namespace

TEST_CASE("parts of a rig have each bone once, with what it hangs on and avoids") {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const ManyChains many(seed);
    const Rig rig = many.rig();
    const std::vector<Rig> parts = splitRig(rig, kParts);
    REQUIRE(parts.size() > 1);
    CHECK(parts.size() <= kParts);
    std::map<BoneKey, Surroundings> all;
    for (const Rig& part : parts) all.merge(surroundingsOf(part));
    CHECK(all == surroundingsOf(rig));
  }
}

TEST_CASE("chains that act on each other are in one part") {
  const ManyChains many(1);
  const Rig rig = many.rig();
  const std::vector<std::size_t> first_of = coupledChains(rig);
  std::map<int, std::size_t> part_of;
  const std::vector<Rig> parts = splitRig(rig, kParts);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    for (const Bone& bone : parts[i].bones) {
      CHECK(part_of.try_emplace(bone.chain, i).first->second == i);
    }
  }
  std::size_t coupled = 0;
  for (std::size_t chain = 0; chain < first_of.size(); ++chain) {
    coupled += first_of[chain] != chain ? 1 : 0;
    CHECK(part_of.at(static_cast<int>(chain)) == part_of.at(static_cast<int>(first_of[chain])));
  }
  CHECK(coupled > 5);
}

TEST_CASE("a rig of few trees is not split, nor for one thread") {
  const ManyChains many(1);
  CHECK(splitRig(many.rig(), 1).empty());
  ManyChains few(1);
  few.settings.chain.resize(2 * kLeastTrees - 1);
  CHECK(splitRig(few.rig(), kParts).empty());
}

TEST_CASE("chains on several threads move as on one, bit for bit") {
  for (const DynamicBonesMethod method : {DynamicBonesMethod::kRod, DynamicBonesMethod::kSpring}) {
    for (const LoopPolicy loop : {LoopPolicy::kOff, LoopPolicy::kOn}) {
      ManyChains many(4);
      many.settings.method = method;
      many.settings.loop = loop;
      many.settings.wind_mps2 = {1.0, 0.0, 2.0};
      many.settings.preroll_s = 0.05;
      many.settings.max_loop_cycles = 3;
      const Rig rig = many.rig();
      REQUIRE(splitRig(rig, 2).size() == 2);
      const Baked one = baked(many, rig, 1);
      CHECK(baked(many, rig, 2) == one);
      CHECK(baked(many, rig, 3) == one);
    }
  }
}

TEST_SUITE_END();
