// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "stages/dynamic_bones/colliders/contact.h"
#include "stages/dynamic_bones/rig/carrier.h"
#include "stages/dynamic_bones/rig/rig.h"
#include "stages/dynamic_bones/springs/near_simd.h"
#include "stages/dynamic_bones/springs/spring_bones.h"

namespace clipmill::bones {

/// Contacts and limits of the bones of a spring simulation. Knows where all solids are at the begin
/// and at the end of a step.
class SpringContacts {
 public:
  SpringContacts(const Rig& rig, const SpringLayout& layout, const std::vector<SpringBone>& bones);

  bool empty() const { return !has_limits_ && solids_.empty(); }

  /// Puts all solids where the first pose has them, at rest.
  void start(std::span<const Affine> worlds);
  /// The same for solids on slots that swing, once these are posed.
  void start(std::span<const int> colliders, std::span<const Affine> worlds);
  /// Begins a step: solids on slots that follow the clip move to where `worlds` has them, others
  /// stay until move().
  void beginStep(std::span<const Affine> worlds);
  /// Moves solids on slots that swing.
  void move(std::span<const int> colliders, std::span<const Affine> worlds);
  /// Carries the solids' last places along, as the state of the simulation was (loops).
  void carry(const Carry& map);

  /// Moves the points of a level to where limits and solids allow. `carries`: one a chain setting;
  /// what the chain goes along with in this step. `is_first`: pushes give no speed.
  /// Returns how many points could not be put outside of all solids.
  std::size_t resolve(const SpringLevel& level, SpringLanes& lanes,
                      std::span<const std::optional<Carry>> carries, bool is_first);

 private:
  void findNear(const SpringLevel& level, const SpringLanes& lanes);
  PlacedLimit limitOf(std::size_t bone, const SpringLanes& lanes, std::size_t lane) const;
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
  Ways ways_;
  std::vector<std::uint64_t> near_, can_touch_, can_pass_;  // one a lane
  std::vector<std::uint64_t> allowed_;                      // blocks of 64 solids x bones
  std::vector<MovingSolid> carried_;                        // scratch
  std::vector<const MovingSolid*> touching_;                // scratch
  std::vector<std::vector<const MovingSolid*>> of_bone_;    // scratch, one a bone of the level
  std::vector<char> is_clear_, is_slow_;                    // scratch, likewise
};

}  // namespace clipmill::bones
