// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "core/math.h"
#include "io/arrays/body_model.h"

namespace clipmill::io::arrays {

/// The rotation R that minimises sum w |R from - to|^2: the eigenvector of the largest eigenvalue
/// of Davenport's 4 x 4 matrix (B. Horn, "Closed-form solution of absolute orientation using unit
/// quaternions", 1987), by Jacobi rotations.
Quat bestRotation(std::span<const Vec3> from, std::span<const Vec3> to,
                  std::span<const double> weights);

/// A skeleton with bones of constant lengths that follows given joint positions.
struct FittedMotion {
  std::vector<Vec3> offsets;  ///< From parent to child at rest; of the root zero.
  std::vector<Vec3> roots;    ///< Position of the root, one a frame.
  std::vector<Quat> locals;   ///< Frames x joints: rotations relative to the parents.
  double max_error = 0.0;     ///< Largest distance of a joint from its given position.
  double mean_error = 0.0;
};

/// `points`: frames x joints of the model, y up. Bone lengths are the medians over the frames.
/// Joints with several children get the rotation of bestRotation(), after the positions of children
/// in their parent's space were averaged over the clip. Other bones rotate from their rest pose by
/// the shortest arc, hips and shoulders also about their own axis such that knees and elbows bend
/// about theirs. The rotation of a bone about itself never exceeds 15 rad/s, so that it cannot
/// flip.
FittedMotion fitMotion(const BodyModel& model, std::span<const Vec3> points, double fps);

}  // namespace clipmill::io::arrays
