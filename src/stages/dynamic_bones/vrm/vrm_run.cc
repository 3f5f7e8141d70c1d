// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/vrm/vrm_run.h"

#include <string>
#include <utility>

#include "core/parallel.h"
#include "core/to_size.h"
#include "stages/dynamic_bones/vrm/vrm_springs.h"

namespace clipmill::stages::dynamic_bones {
namespace {

Status checkSprings(const SpringSetup& springs, DynamicBonesMethod method) {
  const bool is_vrm1 = method == DynamicBonesMethod::kVrm1;
  const auto wanted = is_vrm1 ? SpringSetup::Kind::kVrm1 : SpringSetup::Kind::kVrm0;
  if (springs.kind == wanted && !springs.chains.empty()) return {};
  const bool has_other = springs.kind != wanted && !springs.chains.empty();
  return Error{
      ErrorCode::kRecipe, is_vrm1 ? "method 'vrm1'" : "method 'vrm0'",
      is_vrm1 ? "the file has no springs of VRM 1.0" : "the file has no springs of VRM 0.x",
      has_other ? (is_vrm1 ? "use method = \"vrm0\"" : "use method = \"vrm1\"")
                : "use method = \"spring\" and add chains"};
}

const std::string& nodeNameOf(const Scene& scene, int node) {
  return scene.skeleton.nodes[toSize(node)].name;
}

// Spheres and capsules that keep chains out, in the space of their nodes. Radii are in metres.
void addShapes(const VrmRig& rig, const Scene& scene, StageResult& result) {
  for (const SpringCollider& collider : rig.colliders) {
    const std::size_t node = toSize(collider.node);
    const bool is_used = node < rig.slot_of_node.size() && rig.slot_of_node[node] >= 0;
    if (!is_used || collider.inside || collider.kind == SpringCollider::Kind::kPlane) continue;
    const bool is_capsule = collider.kind == SpringCollider::Kind::kCapsule;
    const std::string& name = nodeNameOf(scene, collider.node);
    result.shapes.push_back({"collider", name, collider.node, name, collider.offset,
                             is_capsule ? collider.tail : collider.offset, collider.radius});
  }
}

void addTips(const VrmRig& rig, const Scene& scene, StageResult& result) {
  for (const VrmChain& chain : rig.chains) {
    const int node = chain.bones.back().joint.node;
    const std::string& name = nodeNameOf(scene, node);
    result.points.push_back({name, node, name, chain.bones.back().tip});
  }
}

// Warns of settings that are not at their defaults and that these methods do not read.
void warnOfIgnored(const DynamicBonesSettings& settings, const std::string& clip,
                   Warnings& warnings) {
  const DynamicBonesSettings defaults;
  std::string names;
  std::size_t count = 0;
  for (const SettingField& field : dynamicBonesTable().fields) {
    if (field.name == "method" || field.name == "preroll_s" ||
        field.get(&settings) == field.get(&defaults))
      continue;
    names += (names.empty() ? "" : ", ") + field.name;
    ++count;
  }
  if (count == 0) return;
  warnings.add("settings_ignored", "the methods vrm1 and vrm0 do not use " + names, clip, count);
}

StageResult runVrmOnClip(const VrmRig& rig, const DynamicBonesSettings& settings,
                         const Scene& scene, Motion motion) {
  StageResult result;
  result.motion = std::move(motion);
  result.warnings = rig.warnings;
  const std::string& clip_name = result.motion.clip_name;
  const SimulationCounts counts =
      simulateVrm(rig, scene, result.motion, result.motion, settings.preroll_s);
  result.metrics = {{"chains", {}, static_cast<double>(rig.chains.size())},
                    {"joints", {}, static_cast<double>(rig.bone_count)},
                    {"joint_steps", {}, static_cast<double>(counts.joint_steps)}};
  if (counts.resets > 0) {
    result.warnings.add("joint_reset",
                        "a joint's position was not finite and was reset to its rest direction",
                        clip_name, counts.resets);
  }
  if (!settings.chain.empty() || !settings.collider.empty() || !settings.joint.empty()) {
    result.warnings.add(
        "chain_settings_ignored",
        "the methods vrm1 and vrm0 use the chains, joints and colliders of the file only",
        clip_name);
  }
  warnOfIgnored(settings, clip_name, result.warnings);
  addShapes(rig, scene, result);
  addTips(rig, scene, result);
  return result;
}

}  // namespace

Result<std::vector<StageResult>> runVrmSprings(const StageInput& input,
                                               const DynamicBonesSettings& settings) {
  CLIPMILL_CHECK(checkSprings(input.scene.springs, settings.method));
  const VrmRig rig = makeVrmRig(input.scene.springs, input.scene);
  std::vector<StageResult> results(input.motions.size());
  parallelFor(results.size(), 1, input.threads, [&](std::size_t start, std::size_t end) {
    for (std::size_t i = start; i < end; ++i) {
      results[i] = runVrmOnClip(rig, settings, input.scene, input.motions.take(i));
    }
  });
  return results;
}

}  // namespace clipmill::stages::dynamic_bones
