// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "core/math.h"

namespace clipmill::stages::dynamic_bones {

/// Steps per second at which the springs of engines are simulated and compared.
inline constexpr double kProbeRate_hz = 60.0;

/// A rigid position in metric world space.
struct CenterPose {
  Quat rotation = kIdentityRotation;
  Vec3 position_m{0.0};
};

/// A row of joints in one motion, once every 1/60 s: what the springs of an engine get, and where
/// the bones of the rod end. Metric world space. Lists per step and bone are ordered by steps.
struct RowProbe {
  std::vector<Vec3> vectors_m;       ///< From each joint to the end of its bone, in its own axes.
  std::vector<Quat> rest_rotations;  ///< Of each joint in the axes of the one before, at rest.
  Quat rest_attachment = kIdentityRotation;  ///< Of the parent of the first joint, at rest.
  bool has_virtual_tip = false;              ///< The last bone ends at no node.
  std::vector<Vec3> heads_m;                 ///< Position of the first joint, one a step.
  std::vector<Quat> attachments;             ///< Rotation of its parent, one a step.
  std::vector<CenterPose> centers;  ///< Joint with the root motion, one a step; may be empty.
  std::vector<Quat> rotations;      ///< As rest_rotations, of the motion: steps x bones.
  std::vector<Vec3> ends_m;         ///< Ends of the bones of the rod: steps x bones.

  std::size_t boneCount() const { return vectors_m.size(); }
  std::size_t stepCount() const { return heads_m.size(); }
};

/// Depth of the far end of each bone: its distance from the first joint along the row, over the
/// length of the row.
std::vector<double> depthsOfBones(const RowProbe& probe);

/// Ends of the bones of the animated pose in one step, without any simulation. With `at_rest`, of
/// the rest pose on the animated parent.
void posedEnds(const RowProbe& probe, std::size_t step, bool at_rest, std::vector<Vec3>& ends_m);

}  // namespace clipmill::stages::dynamic_bones
