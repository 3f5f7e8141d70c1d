// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "stages/dynamic_bones/colliders/contact.h"
#include "stages/dynamic_bones/rig/attachment.h"
#include "stages/dynamic_bones/rig/rig.h"
#include "stages/dynamic_bones/springs/near_simd.h"
#include "stages/dynamic_bones/springs/spring_bones.h"

namespace clipmill::stages::dynamic_bones {

/// Contacts and limits of the bones of a spring simulation, with the poses of all solids at the
/// start and at the end of a step.
class SpringContacts {
 public:
  SpringContacts(const Rig& rig, const SpringLayout& layout, const std::vector<SpringBone>& bones);

  bool empty() const { return !has_limits_ && solids_.empty(); }

  /// In their pose at the end of the step.
  std::span<const MovingSolid> solids() const { return solids_; }
  const Capsules& capsules() const { return capsules_; }

  /// Sets all solids to their first pose, at rest.
  void start(std::span<const Affine> worlds);
  /// The same for solids on slots that swing, once these are posed.
  void start(std::span<const int> colliders, std::span<const Affine> worlds);
  /// Starts a step: solids on slots that follow the clip move to their pose in `worlds`; others do
  /// not change until move().
  void startStep(std::span<const Affine> worlds);
  /// Moves solids on slots that swing.
  void move(std::span<const int> colliders, std::span<const Affine> worlds);
  /// Applies `map` to the last poses of the solids, as for the state of the simulation (loops).
  void carry(const Carry& map);

  /// Moves the points of a level into their limits and out of solids. `carries`: one a chain
  /// setting; the motion that the chain takes part in without inertia in this step. `is_first`:
  /// pushes give no velocity. Returns how many points still penetrate a solid.
  std::size_t resolve(const SpringLevel& level, SpringLanes& lanes,
                      std::span<const std::optional<Carry>> carries, bool is_first);

  /// Moves the points of a level into their limits alone.
  void limit(const SpringLevel& level, SpringLanes& lanes) const;

 private:
  void findNear(const SpringLevel& level, const SpringLanes& lanes);
  PosedLimit limitOf(std::size_t bone, const SpringLanes& lanes, std::size_t lane) const;
  BoneStep stepOf(std::size_t bone, const SpringLanes& lanes, std::size_t lane) const;
  std::span<const MovingSolid* const> carriedAlong(std::span<const MovingSolid* const> solids,
                                                   const Carry& map);
  void encloseAll();

  const Rig& rig_;
  const std::vector<SpringBone>& bones_;
  std::vector<char> limited_;  // one a bone: whether it has a limit
  bool has_limits_ = false;
  std::vector<Solid> bodies_;
  std::vector<MovingSolid> solids_;
  std::vector<bool> follows_;  // one a solid
  Capsules capsules_;
  SolidMotions motions_;
  std::vector<std::uint64_t> near_, can_overlap_, can_pass_;  // one a lane
  std::vector<std::uint64_t> allowed_;                        // blocks of 64 solids x bones
  std::vector<MovingSolid> carried_;                          // scratch
  std::vector<const MovingSolid*> carried_solids_;            // scratch
  std::vector<std::vector<const MovingSolid*>> of_bone_;      // scratch, one a bone of the level
  std::vector<char> is_clear_, is_slow_;                      // scratch, likewise
};

}  // namespace clipmill::stages::dynamic_bones
