// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/dynamic_bones.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "core/parallel.h"
#include "core/to_size.h"
#include "stages/dynamic_bones/chains/chain_presets.h"
#include "stages/dynamic_bones/clip_rigs.h"
#include "stages/dynamic_bones/measures.h"
#include "stages/dynamic_bones/prior.h"
#include "stages/dynamic_bones/reference.h"
#include "stages/dynamic_bones/resolve.h"
#include "stages/dynamic_bones/rig/rig.h"
#include "stages/dynamic_bones/skin/first_joints.h"
#include "stages/dynamic_bones/skin/skin_measures.h"
#include "stages/dynamic_bones/springs/clip_cycle.h"
#include "stages/dynamic_bones/springs/open_cycle.h"
#include "stages/dynamic_bones/springs/spring.h"
#include "stages/dynamic_bones/vrm/vrm_run.h"

namespace clipmill::stages::dynamic_bones {
namespace {

// A larger change of a bone's length under rotation is reported: the scale above its joint is not
// uniform.
constexpr double kLengthTolerance_m = 1e-6;
// A larger seam is visible where a cycle repeats.
constexpr double kVisibleSeam_deg = 1.0;

Status checkVector(const std::vector<double>& numbers, const std::string& location) {
  bool good = numbers.size() == 3;
  for (double number : numbers) good = good && std::isfinite(number);
  if (good) return {};
  return Error{ErrorCode::kRecipe, location, "is not a list of 3 finite numbers",
               "give three numbers, for x, y and z"};
}

Status checkVectors(const DynamicBonesSettings& settings) {
  CLIPMILL_CHECK(checkVector(settings.wind_mps2, "wind_mps2"));
  for (const ColliderSettings& collider : settings.collider) {
    const std::string location = "collider '" + collider.node + "': ";
    CLIPMILL_CHECK(checkVector(collider.offset_m, location + "offset_m"));
    CLIPMILL_CHECK(checkVector(collider.tail_m, location + "tail_m"));
    CLIPMILL_CHECK(checkVector(collider.half_size_m, location + "half_size_m"));
    CLIPMILL_CHECK(checkVector(collider.rotation_deg, location + "rotation_deg"));
    CLIPMILL_CHECK(checkVector(collider.normal, location + "normal"));
  }
  for (const ChainSettings& chain : settings.chain) {
    CLIPMILL_CHECK(checkVector(chain.limit_rotation_deg, "limit_rotation_deg"));
  }
  return {};
}

// The published method supports spheres and capsules on nodes that no chain moves.
Status checkReference(const dynamic_bones::Rig& rig) {
  for (const dynamic_bones::RigCollider& collider : rig.colliders) {
    const dynamic_bones::Solid& solid = collider.solid;
    const bool is_known =
        !solid.inside && solid.head_radius_m == solid.tail_radius_m &&
        (solid.shape == ColliderShape::kSphere || solid.shape == ColliderShape::kCapsule);
    const bool follows = collider.slot < static_cast<int>(rig.following_count);
    if (is_known && follows) continue;
    return Error{ErrorCode::kUnsupported, "collider '" + collider.name + "'",
                 is_known ? "is on a node that a chain moves"
                          : "has a shape that the reference method does not support",
                 "use method = \"rod\", or a sphere or capsule of one radius on another node"};
  }
  return {};
}

Status checkSkin(const DynamicBonesSettings& settings) {
  if (settings.colliders != ColliderSource::kSkin) return {};
  if (settings.method == DynamicBonesMethod::kRod) return {};
  return Error{ErrorCode::kUnsupported, "colliders", "the skin is a collider for rods alone",
               "use method = \"rod\", or colliders = \"auto\""};
}

dynamic_bones::CycleDecision decideCycle(const dynamic_bones::Rig& rig,
                                         const DynamicBonesSettings& settings,
                                         const StageInput& input, const Motion& motion) {
  if (input.files.empty()) {
    return dynamic_bones::judgeCycle(rig, settings, input.scene, motion);
  }
  dynamic_bones::CycleDecision decision;
  decision.reason = "continues another clip";
  return decision;
}

// Simulates all parts; `loop` replaces that of their settings.
dynamic_bones::SimulationCounts simulate(const dynamic_bones::ClipRig& of_clip, LoopPolicy loop,
                                         const StageInput& input, int threads, Motion& motion) {
  dynamic_bones::SimulationCounts counts;
  for (const dynamic_bones::RigPart& part : of_clip.parts) {
    DynamicBonesSettings settings = *part.settings;
    settings.loop = loop;
    const auto prior =
        dynamic_bones::endsOfPrior(*part.rig, input.scene, motion, input.files, part.step_s);
    counts.add(dynamic_bones::simulateSpring(*part.rig, settings, input.scene, motion, prior,
                                             part.step_s, motion, threads));
  }
  return counts;
}

// A cycle without its last step is simulated with it.
dynamic_bones::SimulationCounts simulateCycle(const dynamic_bones::ClipRig& of_clip,
                                              const StageInput& input,
                                              const dynamic_bones::CycleDecision& decision,
                                              int threads, Motion& motion) {
  const LoopPolicy loop = decision.is_cycle ? LoopPolicy::kOn : LoopPolicy::kOff;
  std::optional<Motion> whole;
  if (decision.is_open) {
    whole = dynamic_bones::withMissingStep(decision, input.scene, motion);
  }
  if (!whole) return simulate(of_clip, loop, input, threads, motion);
  const auto counts = simulate(of_clip, loop, input, threads, *whole);
  dynamic_bones::removeMissingStep(motion, *whole);
  motion = std::move(*whole);
  return counts;
}

void addSeries(const DynamicBonesSettings& settings, dynamic_bones::Comparison& found,
               StageResult& result) {
  for (std::size_t i = 0; i < found.curves_after.size(); ++i) {
    const std::string& chain = settings.chain[i].root;
    dynamic_bones::ChainCurves &before = found.curves_before[i], &after = found.curves_after[i];
    const auto add = [&](const char* name, std::vector<double>& was, std::vector<double>& is) {
      if (!is.empty()) result.series.push_back({name, chain, std::move(was), std::move(is)});
    };
    add("tip_speed_mps", before.tip_speed_mps, after.tip_speed_mps);
    add("angle_to_rest_deg", before.rest_angle_deg, after.rest_angle_deg);
    add("penetration_mm", before.penetration_mm, after.penetration_mm);
  }
}

// Colliders and chain tips for the preview.
void addPreviewShapes(const dynamic_bones::Rig& rig, const Skeleton& skeleton,
                      StageResult& result) {
  const auto nodeOf = [&](int slot) { return rig.slots[toSize(slot)].node; };
  const auto nameOf = [&](int node) { return skeleton.nodes[toSize(node)].name; };
  for (const dynamic_bones::RigCollider& collider : rig.colliders) {
    if (collider.isFixed()) continue;  // the preview draws what moves with a node
    const int node = nodeOf(collider.slot);
    // The preview draws spheres and capsules only.
    const dynamic_bones::Solid& solid = collider.solid;
    const bool is_round =
        solid.shape == ColliderShape::kSphere || solid.shape == ColliderShape::kCapsule;
    if (!is_round || collider.bone >= 0) continue;
    result.shapes.push_back({"collider", collider.name, node, nameOf(node), solid.head, solid.tail,
                             solid.head_radius_m});
  }
  for (std::size_t b : dynamic_bones::tipsOf(rig)) {
    const dynamic_bones::Bone& bone = rig.bones[b];
    const int joint_node = nodeOf(rig.joints[toSize(bone.joint)].slot);
    const int node = bone.tail_node < 0 ? joint_node : bone.tail_node;
    const Vec3 offset = bone.tail_node < 0 ? bone.tip_offset : Vec3(0.0);
    result.points.push_back({nameOf(node), node, nameOf(node), offset});
  }
}

void addMetrics(const dynamic_bones::Rig& rig, const dynamic_bones::SimulationCounts& counts,
                const dynamic_bones::Comparison& found, std::vector<Metric>& metrics) {
  constexpr double kMillimetres = 1e3;
  metrics = {
      {"joints", {}, static_cast<double>(rig.joints.size())},
      {"joint_steps", {}, static_cast<double>(counts.joint_steps)},
      {"max_bone_length_error_mm", {}, found.length_error_m * kMillimetres},
      {"max_penetration_mm", found.before.penetration_m * kMillimetres,
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

void addDecision(const dynamic_bones::CycleDecision& decision, StageResult& result) {
  result.metrics.push_back({"loop", {}, decision.is_cycle ? 1.0 : 0.0});
  if (decision.is_measured) {
    result.metrics.push_back({"loop_clip_seam_steps", {}, decision.seam_steps});
    result.metrics.push_back({"loop_clip_speed_steps", {}, decision.speed_steps});
  }
  result.notes.push_back((decision.is_cycle ? "loop on: " : "loop off: ") + decision.reason);
}

void addWarnings(const DynamicBonesSettings& settings, const std::string& clip,
                 const dynamic_bones::SimulationCounts& counts,
                 const dynamic_bones::Comparison& found, Warnings& warnings) {
  const auto warn = [&](const char* code, const char* text, std::size_t count) {
    if (count > 0) warnings.add(code, text, clip, count);
  };
  warn("joint_reset", "a joint's position was not finite and was reset to the clip's pose",
       counts.resets);
  warn("bone_length_changes",
       "a bone changes its length as it rotates, because the scale of a parent is not uniform",
       found.length_error_m > kLengthTolerance_m && !found.has_stretches ? 1 : 0);
  warn("teleport",
       "the attachment joint of a chain jumps, and the chain moves along without reaction",
       counts.teleports);
  warn("penetration_remains",
       "a bone still penetrates a collider: no position within its limits is outside of all",
       counts.unresolved_contacts);
  warn("rod_not_converged", "a time step of a rod was not solved to full precision",
       counts.unsolved);
  warn("chain_stiffened",
       "a chain is too soft to bear its weight in the rest pose and was stiffened; raise "
       "frequency_hz, lower droop_deg, or set rest_includes_gravity = false",
       counts.stiffened);
  const double visible_deg = std::max(kVisibleSeam_deg, settings.loop_tolerance_deg);
  warn("loop_not_closed",
       "chains do not repeat from cycle to cycle: one cycle is led into the end of the one before",
       counts.cycles > 0 && counts.seam_deg > visible_deg ? 1 : 0);
}

void addReport(const dynamic_bones::Rig& rig, const DynamicBonesSettings& settings,
               const Scene& scene, dynamic_bones::ClipMeasures clip,
               const dynamic_bones::SimulationCounts& counts, StageResult& result) {
  dynamic_bones::Comparison found = dynamic_bones::compareWithClip(
      rig, settings, scene.skeleton, scene.metric_from_file, std::move(clip), result.motion);
  addMetrics(rig, counts, found, result.metrics);
  addWarnings(settings, result.motion.clip_name, counts, found, result.warnings);
  for (const std::string& joint : rig.joints_in_no_chain) {
    result.warnings.add("joint_in_no_chain",
                        "the values of a joint have no effect: no chain has it", joint);
  }
  addSeries(settings, found, result);
  addPreviewShapes(rig, scene.skeleton, result);
}

// Marks the tracks that the simulation writes.
void markModified(const dynamic_bones::Rig& rig, const DynamicBonesSettings& settings,
                  Motion& motion) {
  for (const dynamic_bones::Joint& joint : rig.joints) {
    const dynamic_bones::Slot& slot = rig.slots[toSize(joint.slot)];
    motion.modified.set(slot.node, TrackPath::kRotation);
  }
  for (const dynamic_bones::Bone& bone : rig.bones) {
    if (dynamic_bones::stretches(bone, settings)) {
      motion.modified.set(bone.tail_node, TrackPath::kTranslation);
    }
  }
}

// What the skin is in before and after the simulation.
void addSkinMetrics(const std::optional<dynamic_bones::SkinMeasures>& before,
                    const dynamic_bones::Rig& rig, const Scene& scene, StageResult& result) {
  constexpr double kPercent = 100.0, kMillimetres = 1e3;
  if (!before) return;
  const auto after = dynamic_bones::measureSkin(*rig.skin, scene, result.motion);
  const auto add = [&](const char* share_name, const char* depth_name,
                       const dynamic_bones::SkinMeasure& was,
                       const dynamic_bones::SkinMeasure& is) {
    result.metrics.push_back(
        {share_name, was.penetrating_share * kPercent, is.penetrating_share * kPercent});
    result.metrics.push_back({depth_name, was.depth_m * kMillimetres, is.depth_m * kMillimetres});
  };
  add("skin_penetrating_percent", "max_skin_penetration_mm", before->all, after.all);
  add("movable_skin_penetrating_percent", "max_movable_skin_penetration_mm", before->movable,
      after.movable);
}

// Where chains meet the skin.
dynamic_bones::MovedJoints movedJoints(const dynamic_bones::Rig& rig,
                                       const DynamicBonesSettings& settings, const Scene& scene,
                                       const dynamic_bones::CycleDecision& decision,
                                       Motion& motion) {
  const bool meets_skin = rig.skin && settings.colliders == ColliderSource::kSkin;
  if (!meets_skin || !settings.move_first_joints) return {};
  std::optional<std::size_t> period;
  if (decision.is_cycle) period = motion.grid.frame_count - (decision.is_open ? 0 : 1);
  return dynamic_bones::moveFirstJoints(rig, settings, scene, period, motion);
}

void addMovedJoints(const dynamic_bones::MovedJoints& moved, StageResult& result) {
  constexpr double kMillimetres = 1e3;
  if (moved.nodes.empty()) return;
  for (const int node : moved.nodes) result.motion.modified.set(node, TrackPath::kTranslation);
  result.metrics.push_back(
      {"max_first_joint_shift_mm", std::nullopt, moved.max_shift_m * kMillimetres});
}

StageResult runOnClip(const dynamic_bones::ClipRig& of_clip, const StageInput& input, int threads,
                      Motion motion) {
  const dynamic_bones::Rig& rig = *of_clip.rig;
  const DynamicBonesSettings& settings = *of_clip.settings;
  StageResult result;
  result.motion = std::move(motion);
  const Scene& scene = input.scene;
  dynamic_bones::ClipMeasures clip = dynamic_bones::measureClip(
      rig, settings, scene.skeleton, scene.metric_from_file, result.motion);
  std::optional<dynamic_bones::SkinMeasures> skin;
  if (rig.skin) skin = dynamic_bones::measureSkin(*rig.skin, scene, result.motion);
  const bool has_loop = settings.method != DynamicBonesMethod::kReference;
  dynamic_bones::CycleDecision decision;
  dynamic_bones::SimulationCounts counts;
  dynamic_bones::MovedJoints moved;
  if (result.motion.grid.frame_count > 1) {
    if (has_loop) {
      decision = decideCycle(rig, settings, input, result.motion);
      moved = movedJoints(rig, settings, scene, decision, result.motion);
      counts = simulateCycle(of_clip, input, decision, threads, result.motion);
    } else {
      counts = dynamic_bones::simulateReference(rig, settings, scene.metric_from_file,
                                                result.motion, result.motion);
    }
    markModified(rig, settings, result.motion);
  }
  addReport(rig, settings, scene, std::move(clip), counts, result);
  addSkinMetrics(skin, rig, scene, result);
  addMovedJoints(moved, result);
  if (!decision.reason.empty()) addDecision(decision, result);
  return result;
}

// Of a clip that animates all chains that are left out where they are animated.
StageResult unchanged(Motion motion) {
  StageResult result;
  result.motion = std::move(motion);
  result.metrics.push_back({"joints", {}, 0.0});
  return result;
}

}  // namespace

Result<std::vector<StageResult>> runDynamicBones(const StageInput& input,
                                                 const DynamicBonesSettings& settings) {
  if (dynamic_bones::isVrmMethod(settings.method))
    return dynamic_bones::runVrmSprings(input, settings);
  CLIPMILL_CHECK(checkVectors(settings));
  CLIPMILL_CHECK(checkSkin(settings));
  CLIPMILL_TRY(const auto rigs, dynamic_bones::makeClipRigs(input, settings));
  for (const dynamic_bones::ClipRig& of_clip : rigs) {
    const bool is_reference = settings.method == DynamicBonesMethod::kReference;
    if (is_reference && of_clip.rig) CLIPMILL_CHECK(checkReference(*of_clip.rig));
  }
  for (const Motion& motion : input.motions) {
    CLIPMILL_CHECK(dynamic_bones::checkPrior(motion, input.files));
  }
  std::vector<StageResult> results(input.motions.size());
  const int clips = static_cast<int>(results.size());
  const int threads_of_clip = std::max(1, threadCount(input.threads) / std::max(1, clips));
  parallelFor(results.size(), 1, input.threads, [&](std::size_t start, std::size_t end) {
    for (std::size_t i = start; i < end; ++i) {
      const dynamic_bones::ClipRig& of_clip = rigs[i];
      Motion motion = input.motions.take(i);
      results[i] = of_clip.rig ? runOnClip(of_clip, input, threads_of_clip, std::move(motion))
                               : unchanged(std::move(motion));
      results[i].notes.insert(results[i].notes.end(), of_clip.notes.begin(), of_clip.notes.end());
    }
  });
  return results;
}

StageType dynamicBonesType() {
  StageType type = makeStageType<DynamicBonesSettings>(
      "dynamic-bones",
      "Simulates hair, tails and skirts as secondary motion and bakes them to keys",
      dynamicBonesTable(), runDynamicBones);
  type.algorithm_version = 13;
  const auto settingsOf = [](const void* settings) -> const DynamicBonesSettings& {
    return *static_cast<const DynamicBonesSettings*>(settings);
  };
  type.needs_meshes = [settingsOf](const void* settings) {
    return settingsOf(settings).find_chains ||
           settingsOf(settings).colliders != ColliderSource::kGiven ||
           settingsOf(settings).measures_skin;
  };
  type.files_of = [settingsOf](const void* settings) {
    const std::optional<std::string>& prior = settingsOf(settings).continue_from;
    return prior ? std::vector<std::string>{*prior} : std::vector<std::string>();
  };
  type.resolve = [settingsOf](const Scene& scene, std::span<const Motion> motions,
                              const void* settings) {
    DynamicBonesSettings named = settingsOf(settings);
    for (ChainSettings& chain : named.chain) applyNamedPreset(chain);
    return resolveDynamicBones(scene, motions, named);
  };
  return type;
}

}  // namespace clipmill::stages::dynamic_bones
