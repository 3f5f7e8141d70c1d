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

/// Broad phase: which bones can penetrate which solids, on as many lanes at once as the processor
/// has. Every processor gives the same bits. Excluded pairs have no contact; bone_distance.h
/// decides on the others.
namespace clipmill::stages::dynamic_bones {

/// Solids per 64-bit integer of a bit set.
inline constexpr std::size_t kSolidBlock = 64;

/// What each bone avoids: bit i % 64 of element i / 64 * bones + b is set if bone b avoids solid i.
std::vector<std::uint64_t> allowedSolids(const Rig& rig);

/// Capsules around solids as a structure of arrays (PathCapsule).
struct Capsules {
  Column x, y, z, axis_x, axis_y, axis_z;
  Column inverse_square;  ///< 1 / |axis|^2; 0 for spheres.
  Column radius_m;        ///< Around the motion in the step.
  Column body_m;          ///< Around the solid at the end of the step.

  void resize(std::size_t count);
  void set(std::size_t k, const PathCapsule& capsule);
  std::size_t size() const { return x.size(); }
};

/// Motion of solids in the step. It decides whether a bone is swept against a solid; see mustSweep
/// in contact.cc.
struct SolidMotions {
  Column x, y, z;  ///< The position of the solid before the step.
  Column shift_m, rotation;
  Column least_radius_m;

  void resize(std::size_t count);
  void set(std::size_t k, const MovingSolid& solid);
};

/// One bit set a lane.
struct NearBits {
  std::span<std::uint64_t> near, overlapping, passing;
};

/// For lanes [start, end): bit k of near[i] is set if the bone's motion can come near capsule first
/// + k, for up to 64 of them. Of these, bit k of passing[i] is set unless the bone is too slow to
/// pass through the solid, and bit k of overlapping[i] unless, in addition, the bone is clear of
/// the solid at the end of the step.
void findNearCapsules(const SpringLanes& lanes, std::size_t start, std::size_t end,
                      const Capsules& capsules, const SolidMotions& motions, std::size_t first,
                      const NearBits& bits);

/// Bones as segments with a radius, the larger of their two. Filled up to whole blocks of lanes.
struct ThickSegments {
  explicit ThickSegments(std::size_t count);

  Vec3Lanes head, end;
  Column radius_m;
};

/// Bit k of overlapping[i] is set if segment i can overlap solid first + k at the end of the step.
void findOverlappingCapsules(const ThickSegments& segments, const Capsules& capsules,
                             std::size_t first, std::span<std::uint64_t> overlapping);

}  // namespace clipmill::stages::dynamic_bones
