// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/dynamic_bones.h"

#include <cmath>
#include <string>
#include <utility>

#include "core/parallel.h"
#include "stages/dynamic_bones/measures.h"
#include "stages/dynamic_bones/prior.h"
#include "stages/dynamic_bones/reference.h"
#include "stages/dynamic_bones/rig/rig.h"
#include "stages/dynamic_bones/springs/spring.h"
#include "stages/dynamic_bones/vrm/vrm_run.h"

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
    const std::string place = "collider '" + collider.node + "': ";
    CLIPMILL_CHECK(checkVector(collider.tail_m, place + "tail_m"));
    CLIPMILL_CHECK(checkVector(collider.half_size_m, place + "half_size_m"));
    CLIPMILL_CHECK(checkVector(collider.rotation_deg, place + "rotation_deg"));
    CLIPMILL_CHECK(checkVector(collider.normal, place + "normal"));
  }
  for (const ChainSettings& chain : settings.chain) {
    CLIPMILL_CHECK(checkVector(chain.limit_rotation_deg, "limit_rotation_deg"));
  }
  return {};
}

// The published method knows spheres and capsules on nodes that only follow the clip.
Status checkReference(const bones::Rig& rig) {
  for (const bones::RigCollider& collider : rig.colliders) {
    const bones::Solid& solid = collider.solid;
    const bool is_known =
        !solid.inside && solid.head_radius_m == solid.tail_radius_m &&
        (solid.shape == ColliderShape::kSphere || solid.shape == ColliderShape::kCapsule);
    const bool follows = static_cast<std::size_t>(collider.slot) < rig.following_count;
    if (is_known && follows) continue;
    return Error{ErrorCode::kUnsupported, "collider '" + collider.name + "'",
                 is_known ? "its node is moved by a chain"
                          : "the reference method has only spheres and capsules of one radius",
                 "use method = \"spring\""};
  }
  return {};
}

bones::SimulationCounts simulate(const bones::Rig& rig, const DynamicBonesSettings& settings,
                                 const StageInput& input, Motion& motion) {
  if (settings.method == DynamicBonesMethod::kReference) {
    return bones::simulateReference(rig, settings, input.scene.metric_from_file, motion, motion);
  }
  const double step_s = bones::gridStep_s(settings.quality);
  const auto prior = bones::endsOfPrior(rig, input.scene, motion, input.files, step_s);
  return bones::simulateSpring(rig, settings, input.scene, motion, prior, step_s, motion);
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
    // Only what a capsule shows; boxes and planes have no picture yet.
    const bones::Solid& solid = collider.solid;
    const bool is_round =
        solid.shape == ColliderShape::kSphere || solid.shape == ColliderShape::kCapsule;
    if (!is_round || collider.bone >= 0) continue;
    result.shapes.push_back({"collider", collider.name, node, nameOf(node), solid.head, solid.tail,
                             solid.head_radius_m});
  }
  for (std::size_t b : bones::tipsOf(rig)) {
    const bones::Bone& bone = rig.bones[b];
    const int joint_node = nodeOf(rig.joints[static_cast<std::size_t>(bone.joint)].slot);
    const int node = bone.tail_node < 0 ? joint_node : bone.tail_node;
    const Vec3 offset = bone.tail_node < 0 ? bone.tip_offset : Vec3(0.0);
    result.points.push_back({nameOf(node), node, nameOf(node), offset});
  }
}

void addMetrics(const bones::Rig& rig, const bones::SimulationCounts& counts,
                const bones::Comparison& found, std::vector<Metric>& metrics) {
  constexpr double kMillimetres = 1e3;
  metrics = {
      {"joints", {}, static_cast<double>(rig.joints.size())},
      {"joint_steps", {}, static_cast<double>(counts.joint_steps)},
      {"max_bone_length_error_mm", {}, found.length_error_m * kMillimetres},
      {"deepest_penetration_mm", found.before.penetration_m * kMillimetres,
       found.after.penetration_m * kMillimetres},
      {"max_speed_mps", found.before.speed_mps, found.after.speed_mps},
  };
  if (found.has_limits) {
    metrics.push_back({"limit_violation_deg", found.before.limit_excess_rad / kDegree,
                       found.after.limit_excess_rad / kDegree});
  }
  if (counts.cycles > 0) {
    metrics.push_back({"loop_cycles", {}, static_cast<double>(counts.cycles)});
    metrics.push_back({"loop_cycles_predicted", {}, static_cast<double>(counts.predicted_cycles)});
    metrics.push_back({"loop_seam_deg", {}, counts.seam_deg});
    metrics.push_back({"loop_seam_degps", {}, counts.seam_degps});
  }
}

void addWarnings(const DynamicBonesSettings& settings, const std::string& clip,
                 const bones::SimulationCounts& counts, const bones::Comparison& found,
                 Warnings& warnings) {
  const auto warn = [&](const char* code, const char* text, std::size_t count) {
    if (count > 0) warnings.add(code, text, clip, count);
  };
  warn("joint_reset", "a joint's position was not finite and was put back", counts.resets);
  warn("bone_length_changes",
       "a bone changes its length as it swings, under a scale that is not uniform",
       found.length_error_m > kLengthTolerance_m && !found.has_stretches ? 1 : 0);
  warn("teleport", "the carrier of a chain jumps, and the chain goes along", counts.teleports);
  warn("squeezed", "a bone has no place outside of all colliders within its limits",
       counts.squeezed);
  warn("rope_unsolved", "the lengths of a rope had no common solution and were restored one by one",
       counts.unsolved);
  warn("loop_not_closed", "a cycle does not close by itself; what is left is spread over it",
       counts.cycles > 0 && counts.seam_deg > settings.loop_tolerance_deg ? 1 : 0);
}

void addReport(const bones::Rig& rig, const DynamicBonesSettings& settings, const Scene& scene,
               bones::ClipMeasures clip, const bones::SimulationCounts& counts,
               StageResult& result) {
  bones::Comparison found = bones::compareWithClip(
      rig, settings, scene.skeleton, scene.metric_from_file, std::move(clip), result.motion);
  addMetrics(rig, counts, found, result.metrics);
  addWarnings(settings, result.motion.clip_name, counts, found, result.warnings);
  addSeries(settings, found, result);
  addPicture(rig, scene.skeleton, result);
}

// Marks what the simulation writes.
void touchTracks(const bones::Rig& rig, const DynamicBonesSettings& settings, Motion& motion) {
  for (const bones::Joint& joint : rig.joints) {
    const bones::Slot& slot = rig.slots[static_cast<std::size_t>(joint.slot)];
    motion.touched.set(slot.node, TrackPath::kRotation);
  }
  for (const bones::Bone& bone : rig.bones) {
    if (bones::stretches(bone, settings)) {
      motion.touched.set(bone.tail_node, TrackPath::kTranslation);
    }
  }
}

StageResult runOnClip(const bones::Rig& rig, const DynamicBonesSettings& settings,
                      const StageInput& input, Motion motion) {
  StageResult result;
  result.motion = std::move(motion);
  const Scene& scene = input.scene;
  bones::ClipMeasures clip =
      bones::measureClip(rig, settings, scene.skeleton, scene.metric_from_file, result.motion);
  bones::SimulationCounts counts;
  if (result.motion.grid.frame_count > 1) {
    counts = simulate(rig, settings, input, result.motion);
    touchTracks(rig, settings, result.motion);
  }
  addReport(rig, settings, scene, std::move(clip), counts, result);
  return result;
}

}  // namespace

Result<std::vector<StageResult>> runDynamicBones(const StageInput& input,
                                                 const DynamicBonesSettings& settings) {
  if (bones::isVrmMethod(settings.method)) return bones::runVrmSprings(input, settings);
  CLIPMILL_CHECK(checkVectors(settings));
  CLIPMILL_TRY(const bones::Rig rig, bones::makeRig(input.scene, settings));
  if (settings.method == DynamicBonesMethod::kReference) CLIPMILL_CHECK(checkReference(rig));
  for (const Motion& motion : input.motions) {
    CLIPMILL_CHECK(bones::checkPrior(motion, input.files));
  }
  std::vector<StageResult> results(input.motions.size());
  parallelFor(results.size(), 1, input.threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      results[i] = runOnClip(rig, settings, input, motionToChange(input, i));
    }
  });
  return results;
}

}  // namespace clipmill
