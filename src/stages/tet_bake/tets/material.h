// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

namespace clipmill::stages::tet_bake {

/// Poisson's ratios for which the solver is made: beyond the highest, sweeps no longer converge in
/// any useful number.
inline constexpr double kDefaultPoisson = 0.45;
inline constexpr double kFirmPoisson = 0.49;
inline constexpr double kHighestPoisson = 0.499;

/// The log-free stable Neo-Hookean material (Smith, de Goes and Kim 2018, section 3.3, with its
/// logarithmic term left out): energy density
///   Psi = mu/2 (|F|^2 - 3) + lambda/2 (J - a)^2,  a = 1 + mu/lambda,
/// of the deformation gradient F with J = det F. Bones set positions, not forces, so only the ratio
/// of the two moduli matters: mu is 1.
struct Material {
  double lambda = 10.0;  ///< In units of mu; at least 1.

  /// The volume ratio J at which the second term is 0; it lets the sum be stationary at rest.
  double restRatio() const { return 1.0 + 1.0 / lambda; }
};

/// The material whose Poisson's ratio for small strains is `poisson`, clamped to
/// 0..kHighestPoisson. Expanding Psi about F = I gives the Lame parameters mu and lambda - mu of
/// linear elasticity, hence lambda/mu = 1 / (1 - 2 poisson).
Material materialOfPoisson(double poisson);

/// The material for a setting "how well volume is kept" in 0..1: 0.5 is Poisson's ratio 0.45, 1 is
/// 0.49, 0 is 0.25; lambda grows by the same factor over equal parts.
Material materialOfVolume(double volume);

}  // namespace clipmill::stages::tet_bake
