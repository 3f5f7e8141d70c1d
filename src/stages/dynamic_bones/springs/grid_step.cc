// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/springs/grid_step.h"

#include <algorithm>
#include <limits>

#include "core/to_size.h"
#include "stages/dynamic_bones/rig/coupled_chains.h"
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

// Whether neither the bone nor a collider that it meets passes the other in a coarse step.
bool hasThickContacts(const Rig& rig, const SpringBone& spring, std::size_t bone) {
  const double radius_m = std::min(spring.head_radius_m, spring.end_radius_m);
  for (const int collider : rig.colliders_of_bone[bone]) {
    const double solid_m = halfThickness_m(rig.colliders[toSize(collider)].solid);
    if (solid_m + radius_m < kFastest_mps * kCoarseGridStep_s) return false;
  }
  return true;
}

bool isSlow(const RodTree& tree) {
  const bool is_damped = tree.damping_ratio >= kLeastCoarseDamping;
  const double max_hz = is_damped ? kMaxCoarseFrequency_hz : kMaxCoarseUndamped_hz;
  const bool may_fold = tree.is_limp && tree.damping_ratio < 1.0;
  return !may_fold && tree.angular_radps <= 2.0 * kPi * max_hz;
}

// Whether each chain setting may take coarse steps by itself.
std::vector<bool> mayBeCoarse(const Rig& rig, const DynamicBonesSettings& settings,
                              const Scene& scene) {
  std::vector<bool> may(settings.chain.size(), true);
  const SpringLayout layout = makeSpringLayout(rig, settings.chain.size());
  for (const RodTree& tree : makeRods(rig, settings, scene, layout).trees) {
    if (!isSlow(tree)) may[toSize(tree.chain)] = false;
  }
  const std::vector<SpringBone> bones = springBones(rig, settings);
  for (std::size_t b = 0; b < rig.bones.size(); ++b) {
    if (!hasThickContacts(rig, bones[b], b)) may[toSize(rig.bones[b].chain)] = false;
  }
  for (const CrossConstraint& pair : makeCrossConstraints(scene, rig, settings).all) {
    may[toSize(rig.bones[pair.a].chain)] = may[toSize(rig.bones[pair.b].chain)] = false;
  }
  return may;
}

// Coupled chains are coarse together or not at all.
void matchCoupled(const Rig& rig, std::vector<bool>& may) {
  const std::vector<std::size_t> first_of = coupledChains(rig);
  for (std::size_t chain = 0; chain < may.size(); ++chain) {
    if (!may[chain]) may[first_of[chain]] = false;
  }
  for (std::size_t chain = 0; chain < may.size(); ++chain) may[chain] = may[first_of[chain]];
}

}  // namespace

std::vector<double> gridSteps_s(const Rig& rig, const DynamicBonesSettings& settings,
                                const Scene& scene) {
  std::vector<double> steps_s(settings.chain.size(), kGridStep_s);
  if (settings.quality == GridQuality::kHigh) steps_s.assign(steps_s.size(), kFineGridStep_s);
  if (settings.quality == GridQuality::kHigh || settings.method != DynamicBonesMethod::kRod ||
      settings.colliders == ColliderSource::kSkin) {
    return steps_s;
  }
  std::vector<bool> may = mayBeCoarse(rig, settings, scene);
  matchCoupled(rig, may);
  for (std::size_t i = 0; i < steps_s.size(); ++i) {
    if (may[i]) steps_s[i] = kCoarseGridStep_s;
  }
  return steps_s;
}

double gridStep_s(const Rig& rig, const DynamicBonesSettings& settings, const Scene& scene) {
  const std::vector<double> steps_s = gridSteps_s(rig, settings, scene);
  return *std::min_element(steps_s.begin(), steps_s.end());
}

}  // namespace clipmill::stages::dynamic_bones
