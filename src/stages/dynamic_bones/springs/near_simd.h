// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "stages/dynamic_bones/colliders/contact.h"
#include "stages/dynamic_bones/rig/rig.h"
#include "stages/dynamic_bones/springs/spring_lanes.h"

/// Which bones can be in which solids, on as many lanes at once as the processor has. Every
/// processor gives the same bits. What is left out here does not touch; what is left in is for
/// touch.h to tell.
namespace clipmill::bones {

/// Solids whose bits stand in one word.
inline constexpr std::size_t kSolidBlock = 64;

/// What each bone avoids: bit i % 64 of word i / 64 * bones + b is set where bone b avoids solid i.
std::vector<std::uint64_t> allowedSolids(const Rig& rig);

/// Capsules around solids as a structure of arrays (WayCapsule).
struct Capsules {
  Column x, y, z, axis_x, axis_y, axis_z;
  Column inverse_square;  ///< 1 / |axis|^2; 0 for spheres.
  Column radius_m;        ///< Around the way through the step.
  Column body_m;          ///< Around the solid at the end of the step.

  void resize(std::size_t count);
  void set(std::size_t k, const WayCapsule& capsule);
  std::size_t size() const { return x.size(); }
};

/// What tells whether a bone has to be swept against a solid: see mustSweep in contact.cc.
struct Ways {
  Column x, y, z;  ///< The place of the solid before the step.
  Column shift_m, turn;
  Column least_radius_m;

  void resize(std::size_t count);
  void set(std::size_t k, const MovingSolid& solid);
};

/// One word a lane.
struct NearBits {
  std::span<std::uint64_t> near, touching, passing;
};

/// For lanes [begin, end): bit k of near[i] is set where the bone's way may come near to capsule
/// first + k, for up to 64 of them. Of these, that of passing[i] is set unless the bone is too slow
/// to pass through the solid, and that of touching[i] unless it is also clear of it at the end of
/// the step with nothing to push it.
void findNearCapsules(const SpringLanes& lanes, std::size_t begin, std::size_t end,
                      const Capsules& capsules, const Ways& ways, std::size_t first,
                      const NearBits& bits);

/// Bones as segments with a radius, the larger of their two. Filled up to whole blocks of lanes.
struct ThickSegments {
  explicit ThickSegments(std::size_t count);

  Vec3Lanes head, end;
  Column radius_m;
};

/// Bit k of touching[i] is set where segment i may overlap solid first + k as it stands at the end
/// of its step.
void findTouchingCapsules(const ThickSegments& segments, const Capsules& capsules,
                          std::size_t first, std::span<std::uint64_t> touching);

}  // namespace clipmill::bones
