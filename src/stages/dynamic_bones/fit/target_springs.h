// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "core/math.h"
#include "stages/dynamic_bones/fit/row_probe.h"

/// The springs of engines, each by its own rules, in steps of 1/60 s (docs/springs.md has the
/// formulas and their sources). A row of bones starts in the pose of the first step and at the
/// velocity of the animated pose. No colliders, no limits but DynamicBone's own.
namespace clipmill::stages::dynamic_bones {

enum class SpringTarget { kVrm1, kKawaii, kGodot, kUnity };

/// How a parameter is spread over the range that is searched.
enum class ParameterScale { kLinear, kSquare, kLogarithmic };

/// A parameter that is fitted.
struct TargetParameter {
  const char* name;  ///< As the target calls it; of the second one: kTipRatio.
  double low = 0.0, high = 1.0;
  ParameterScale scale = ParameterScale::kLinear;
};

/// The name of the second parameter of every target: the first one, a stiffness, varies linearly
/// from its value at the first joint to this multiple of it at the tip.
inline constexpr const char* kTipRatio = "tip_ratio";

/// The parameters of a target, in the order in which their values are listed. Gravity of kawaii is
/// in m/s^2, of unity in m per step, of vrm1 and godot in their own unit (m/s per step).
std::span<const TargetParameter> parametersOf(SpringTarget target);

/// The stiffness of the bone that ends at `depth`; `first` is that at depth 0.
double stiffnessAt(SpringTarget target, double first, double tip_ratio, double depth);

/// Ends of the bones in every step, as in RowProbe::ends_m. `values`: one a parameter. With
/// `uses_center` the bones do not react to the motion of RowProbe::centers: vrm1, godot and kawaii
/// keep their state in the space of that joint; unity's component is on it, instead of on the first
/// joint of the row.
std::vector<Vec3> simulateTarget(SpringTarget target, std::span<const double> values,
                                 const RowProbe& probe, bool uses_center = false);

}  // namespace clipmill::stages::dynamic_bones
