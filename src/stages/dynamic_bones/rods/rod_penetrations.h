// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "scene/scene.h"
#include "stages/dynamic_bones/colliders/moving_solid.h"
#include "stages/dynamic_bones/rig/attachment.h"
#include "stages/dynamic_bones/rig/rig.h"
#include "stages/dynamic_bones/rods/rod_body.h"
#include "stages/dynamic_bones/rods/rod_contact.h"
#include "stages/dynamic_bones/rods/rod_near_simd.h"
#include "stages/dynamic_bones/springs/spring_bones.h"

namespace clipmill::stages::dynamic_bones {

/// The colliders of a rig in one step.
struct SteppedSolids {
  std::span<const MovingSolid> solids;
  const Capsules& capsules;                       ///< Around them.
  std::span<const std::optional<Carry>> carries;  ///< One a chain setting: the motion that the
                                                  ///< chain takes part in without inertia.
  double step_s = 0.0;
};

/// Where rods are in solids. The depth of a bone in the bind pose is no penetration.
class RodPenetrations {
 public:
  RodPenetrations(const Rig& rig, const Scene& scene, const std::vector<SpringBone>& bones,
                  const RodSystem& system);

  /// Appends where bones of that batch penetrate solids at the end of a step. What a bone was in at
  /// its start it leaves slowly, so that it does not jump out. Of trees none of whose bones
  /// penetrates by more than `beyond_m` there are none.
  void find(const RodSystem& system, std::size_t batch, double beyond_m,
            const SteppedSolids& stepped, std::vector<RodContact>& contacts);

 private:
  std::uint32_t lanesBeyond(double depth_m, const RodBatch& batch, const RodReach& reach,
                            const SteppedSolids& stepped);
  void addContact(const RodBatch& batch, const RodBatch::Joint& joint, std::size_t at,
                  std::size_t solid, double rest_m, const SteppedSolids& stepped,
                  std::vector<RodContact>& contacts) const;
  double restDepth_m(std::size_t bone, std::size_t solid, std::span<const Affine> worlds) const;

  const Rig& rig_;
  const std::vector<SpringBone>& bones_;
  std::vector<RodReach> reaches_;           // one a batch
  std::vector<std::uint64_t> penetrating_;  // scratch
};

}  // namespace clipmill::stages::dynamic_bones
