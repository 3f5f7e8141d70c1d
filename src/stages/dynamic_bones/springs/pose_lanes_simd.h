// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stages/dynamic_bones/springs/near_simd.h"
#include "stages/dynamic_bones/springs/spring_lanes.h"

/// Where bones are in a pose, on as many lanes at once as the processor has.
/// Every processor gives the same bits.
namespace clipmill::stages::dynamic_bones {

struct PoseLanes {
  /// Unit bones along +Y at the origin of world `idle_world`.
  PoseLanes(std::size_t lane_count, std::size_t idle_world);

  std::size_t count = 0;

  // Offsets into an array of Affine, in doubles.
  std::vector<std::int64_t> parent_world;  ///< metric_from_parent of the bone's joint.
  std::vector<std::int64_t> own_world;     ///< Where metric_from_joint goes.

  // The pose.
  Vec3Lanes translation, scale;  ///< Of the joint.
  QuatLanes rotation;            ///< Of the joint, of any length.
  QuatLanes rest;                ///< The same at rest, of unit length.
  Vec3Lanes offset;              ///< The bone in the axes of its joint.

  // Computed from it alone; in the axes of the joint's parent.
  QuatLanes animated;  ///< `rotation` at unit length.
  Vec3Lanes bone;
  Mat3Lanes linear;    ///< Of the joint's map.
  Column rest_cosine;  ///< Of the angle between the bone and itself at rest.

  // In metric world space.
  ThickSegments segments;
  Column length_m;
};

/// Computes the members that depend on the pose alone.
void rotatePoseLanes(PoseLanes& lanes);

/// For lanes [start, end): computes the bones under the `worlds` of their parents, and writes the
/// worlds of their joints.
void carryPoseLanes(PoseLanes& lanes, double* worlds, std::size_t start, std::size_t end);

}  // namespace clipmill::stages::dynamic_bones
