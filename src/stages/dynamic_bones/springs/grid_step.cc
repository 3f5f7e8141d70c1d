// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/springs/grid_step.h"

#include <algorithm>
#include <limits>

#include "core/to_size.h"
#include "stages/dynamic_bones/rig/cross.h"
#include "stages/dynamic_bones/rods/rod_build.h"
#include "stages/dynamic_bones/springs/spring_bones.h"

namespace clipmill::stages::dynamic_bones {
namespace {

// Of a bone and a solid, relative to each other; limbs in a run reach it.
constexpr double kFastest_mps = 8.0;

// By how far a point has to go to pass from one side of a solid to its middle.
double halfThickness_m(const Solid& solid) {
  constexpr double kThick_m = std::numeric_limits<double>::infinity();
  if (solid.inside) return kThick_m;
  switch (solid.shape) {
    case ColliderShape::kBox:
      return std::min({solid.half_size.x, solid.half_size.y, solid.half_size.z});
    case ColliderShape::kPlane:
      return kThick_m;
    case ColliderShape::kSphere:
      return solid.head_radius_m;
    case ColliderShape::kCapsule:
      return std::min(solid.head_radius_m, solid.tail_radius_m);
  }
  return 0.0;
}

bool hasThinContacts(const Rig& rig, const DynamicBonesSettings& settings) {
  const std::vector<SpringBone> bones = springBones(rig, settings);
  for (std::size_t b = 0; b < rig.bones.size(); ++b) {
    const double radius_m = std::min(bones[b].head_radius_m, bones[b].end_radius_m);
    for (const int collider : rig.colliders_of_bone[b]) {
      const double solid_m = halfThickness_m(rig.colliders[toSize(collider)].solid);
      if (solid_m + radius_m < kFastest_mps * kCoarseGridStep_s) return true;
    }
  }
  return false;
}

bool isSlow(const Rig& rig, const DynamicBonesSettings& settings, const Scene& scene) {
  const SpringLayout layout = makeSpringLayout(rig, settings.chain.size());
  const RodSystem system = makeRods(rig, settings, scene, layout);
  return std::all_of(system.trees.begin(), system.trees.end(), [](const RodTree& tree) {
    const bool is_damped = tree.damping_ratio >= kLeastCoarseDamping;
    const double max_hz = is_damped ? kMaxCoarseFrequency_hz : kMaxCoarseUndamped_hz;
    const bool may_fold = tree.is_limp && tree.damping_ratio < 1.0;
    return !may_fold && tree.angular_radps <= 2.0 * kPi * max_hz;
  });
}

}  // namespace

double gridStep_s(const Rig& rig, const DynamicBonesSettings& settings, const Scene& scene) {
  if (settings.quality == GridQuality::kHigh) return kFineGridStep_s;
  if (settings.method != DynamicBonesMethod::kRod) return kGridStep_s;
  if (settings.colliders == ColliderSource::kSkin) return kGridStep_s;
  if (!makeCrossConstraints(scene, rig, settings).empty()) return kGridStep_s;
  if (hasThinContacts(rig, settings) || !isSlow(rig, settings, scene)) return kGridStep_s;
  return kCoarseGridStep_s;
}

}  // namespace clipmill::stages::dynamic_bones
