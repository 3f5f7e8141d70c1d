// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

/// Stiffness of elastic rods from values that artists know: how far a rod droops, or how fast it
/// swings. All functions solve the discrete rod, so that the result is exact for any number of
/// bones.
namespace clipmill::stages::dynamic_bones {

/// A tree of rigid bones with bending springs between them. Indices are ascending from the root to
/// the tips. Several bones at one joint rotate together.
struct RodShape {
  struct Joint {
    int parent_bone = -1;  ///< The bone whose end the joint is on; -1: it is clamped.
    std::size_t bones_start = 0, bones_end = 0;
    double bend = 0.0;  ///< Moment by a unit of angle, for a flexural rigidity of 1 [1/m].
  };
  struct Bone {
    int joint = 0;
    double length_m = 0.0;
    double mass = 0.0;  ///< Uniform along the bone; any unit.
  };
  std::vector<Joint> joints;
  std::vector<Bone> bones;
};

/// Moment of a joint of stiffness 1 that is bent by `angle_rad`: 2 tan(angle / 2) (the curvature of
/// discrete elastic rods, Bergou et al. 2008). It is the angle for small angles and grows without
/// bound towards 180 degrees, so that no joint folds through.
double bendingMoment(double angle_rad);

/// Angular frequency of the first mode, small angles, no gravity, flexural rigidity 1 [rad/s], by
/// inverse iteration. 0 for a shape without mass.
double firstMode_radps(const RodShape& shape);

/// The first mode of a rod that hangs at rest.
struct HangingMode {
  double angular_radps = 0.0;
  /// By how much the strain rate has to count, over the strain, for a damping ratio of 1 [s]: modal
  /// damping, 2 w m / sum of k d^2 with the mass m of the mode and the bends d of its joints. 2 / w
  /// without gravity.
  double damping_s = 0.0;
};
/// Small angles; the weight draws every bone down. Zeros for a shape without mass and stiffness.
HangingMode hangingMode(const RodShape& shape, double rigidity, double gravity_mps2);

/// The flexural rigidity with which the straight chain of the bones `path` (indices from root to
/// tip), clamped level at its root, hangs so that the chord from root to tip is `droop_rad` below
/// the level, under standard gravity. Large angles (the heavy elastica). In (0, pi/2).
double rigidityForDroop(const RodShape& shape, std::span<const std::size_t> path, double droop_rad);

/// The least flexural rigidity with which a shape does not buckle under gravity. `rises`: the
/// vertical component of the direction of each bone; bones that hang down do not help. 0 where no
/// bone points up.
double leastStableRigidity(const RodShape& shape, std::span<const double> rises,
                           double gravity_mps2);

}  // namespace clipmill::stages::dynamic_bones
