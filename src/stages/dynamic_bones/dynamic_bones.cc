// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/dynamic_bones.h"

#include <cmath>
#include <string>

#include "core/parallel.h"
#include "stages/dynamic_bones/measures.h"
#include "stages/dynamic_bones/reference.h"
#include "stages/dynamic_bones/rig.h"
#include "stages/dynamic_bones/spring.h"

namespace clipmill {
namespace {

// A bone that grows by more than this under rotation is told of: its joint's parents are scaled
// differently along their axes.
constexpr double kLengthTolerance_m = 1e-6;

Status checkVector(const std::vector<double>& numbers, const std::string& place) {
  bool good = numbers.size() == 3;
  for (double number : numbers) good = good && std::isfinite(number);
  if (good) return {};
  return Error{ErrorCode::kRecipe, place, "needs 3 finite numbers", ""};
}

Status checkVectors(const DynamicBonesSettings& settings) {
  CLIPMILL_CHECK(checkVector(settings.wind_mps2, "wind_mps2"));
  for (const ColliderSettings& collider : settings.collider) {
    CLIPMILL_CHECK(checkVector(collider.offset_m, "collider '" + collider.node + "': offset_m"));
    CLIPMILL_CHECK(checkVector(collider.tail_m, "collider '" + collider.node + "': tail_m"));
  }
  return {};
}

bones::SimulationCounts simulate(const bones::Rig& rig, const DynamicBonesSettings& settings,
                                 const Scene& scene, const Motion& clip, Motion& out) {
  switch (settings.method) {
    case DynamicBonesMethod::kReference:
      return bones::simulateReference(rig, settings, scene.metric_from_file, clip, out);
    case DynamicBonesMethod::kSpring:
    case DynamicBonesMethod::kRope:
    case DynamicBonesMethod::kVrm1:
    case DynamicBonesMethod::kVrm0:
      break;
  }
  return bones::simulateSpring(rig, settings, scene.skeleton, scene.metric_from_file, clip, out);
}

void addSeries(const DynamicBonesSettings& settings, bones::Comparison& found,
               StageResult& result) {
  for (std::size_t i = 0; i < found.curves_after.size(); ++i) {
    const std::string& chain = settings.chain[i].root;
    bones::ChainCurves &before = found.curves_before[i], &after = found.curves_after[i];
    const auto add = [&](const char* name, std::vector<double>& was, std::vector<double>& is) {
      if (!is.empty()) result.series.push_back({name, chain, std::move(was), std::move(is)});
    };
    add("tip_speed_mps", before.tip_speed_mps, after.tip_speed_mps);
    add("angle_to_rest_deg", before.rest_angle_deg, after.rest_angle_deg);
    add("penetration_mm", before.penetration_mm, after.penetration_mm);
  }
}

// Colliders, and the ends of the chains.
void addPicture(const bones::Rig& rig, const Skeleton& skeleton, StageResult& result) {
  const auto nodeOf = [&](int slot) { return rig.slots[static_cast<std::size_t>(slot)].node; };
  const auto nameOf = [&](int node) { return skeleton.nodes[static_cast<std::size_t>(node)].name; };
  for (const bones::RigCollider& collider : rig.colliders) {
    const int node = nodeOf(collider.slot);
    result.shapes.push_back({"collider", collider.name, node, nameOf(node), collider.head_m,
                             collider.tail_m, collider.radius_m});
  }
  for (std::size_t b : bones::tipsOf(rig)) {
    const bones::Bone& bone = rig.bones[b];
    const int joint_node = nodeOf(rig.joints[static_cast<std::size_t>(bone.joint)].slot);
    const int node = bone.tail_node < 0 ? joint_node : bone.tail_node;
    const Vec3 offset = bone.tail_node < 0 ? bone.tip_offset : Vec3(0.0);
    result.points.push_back({nameOf(node), node, nameOf(node), offset});
  }
}

void addReport(const bones::Rig& rig, const DynamicBonesSettings& settings, const Scene& scene,
               const Motion& clip, const bones::SimulationCounts& counts, StageResult& result) {
  constexpr double kMillimetres = 1e3;
  bones::Comparison found = bones::compareMotions(rig, settings, scene.skeleton,
                                                  scene.metric_from_file, clip, result.motion);
  result.metrics = {
      {"joints", {}, static_cast<double>(rig.joints.size())},
      {"joint_steps", {}, static_cast<double>(counts.joint_steps)},
      {"max_bone_length_error_mm", {}, found.length_error_m * kMillimetres},
      {"deepest_penetration_mm", found.before.penetration_m * kMillimetres,
       found.after.penetration_m * kMillimetres},
      {"max_speed_mps", found.before.speed_mps, found.after.speed_mps},
  };
  addSeries(settings, found, result);
  addPicture(rig, scene.skeleton, result);
  if (counts.resets > 0) {
    result.warnings.add("joint_reset", "a joint's position was not finite and was put back",
                        clip.clip_name, counts.resets);
  }
  if (found.length_error_m > kLengthTolerance_m) {
    result.warnings.add("bone_length_changes",
                        "a bone changes its length as it swings, under a scale that is not uniform",
                        clip.clip_name);
  }
}

StageResult runOnClip(const bones::Rig& rig, const DynamicBonesSettings& settings,
                      const Scene& scene, const Motion& clip) {
  StageResult result;
  result.motion = clip;
  bones::SimulationCounts counts;
  if (clip.grid.frame_count > 1) {
    counts = simulate(rig, settings, scene, clip, result.motion);
    for (const bones::Joint& joint : rig.joints) {
      const bones::Slot& slot = rig.slots[static_cast<std::size_t>(joint.slot)];
      result.motion.touched.set(slot.node, TrackPath::kRotation);
    }
  }
  addReport(rig, settings, scene, clip, counts, result);
  return result;
}

}  // namespace

Result<std::vector<StageResult>> runDynamicBones(const StageInput& input,
                                                 const DynamicBonesSettings& settings) {
  CLIPMILL_CHECK(checkVectors(settings));
  CLIPMILL_TRY(const bones::Rig rig, bones::makeRig(input.scene, settings));
  std::vector<StageResult> results(input.motions.size());
  parallelFor(results.size(), 1, input.threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      results[i] = runOnClip(rig, settings, input.scene, input.motions[i]);
    }
  });
  return results;
}

}  // namespace clipmill
