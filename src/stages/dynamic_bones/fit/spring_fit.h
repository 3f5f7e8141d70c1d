// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "stages/dynamic_bones/fit/row_probe.h"
#include "stages/dynamic_bones/fit/target_springs.h"

namespace clipmill::stages::dynamic_bones {

/// Distances of tips over all steps of all probes [m].
struct TipError {
  double rms_m = 0.0, max_m = 0.0;              ///< From the tip of the rod to that of the target.
  double swing_rms_m = 0.0, swing_max_m = 0.0;  ///< From the tip of the rod to the animated one.

  /// In per cent of the swing; 0 without a swing.
  double rmsPercent() const { return swing_rms_m > 0.0 ? 100.0 * rms_m / swing_rms_m : 0.0; }
  double maxPercent() const { return swing_max_m > 0.0 ? 100.0 * max_m / swing_max_m : 0.0; }
};

/// Parameters of a target's springs for a row of bones.
struct SpringFit {
  std::vector<double> values;  ///< In the order of parametersOf().
  bool uses_center = false;    ///< As of simulateTarget().
  TipError error;
};

/// The error of given values.
TipError tipError(SpringTarget target, std::span<const double> values,
                  std::span<const RowProbe> probes, bool uses_center = false);

/// The values with which the springs of the target come nearest to the rod: the least mean square
/// of the distances of all bone ends, over all steps of all probes. One bone has the tip ratio 1.
/// Where the probes have centers, they are used if that brings the springs nearer.
SpringFit fitSprings(SpringTarget target, std::span<const RowProbe> probes);

}  // namespace clipmill::stages::dynamic_bones
