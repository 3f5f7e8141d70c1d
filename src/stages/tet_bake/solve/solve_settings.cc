// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/solve/solve_settings.h"

#include <cmath>
#include <string>

namespace clipmill::stages::tet_bake {

namespace {

Status checkRange(bool is_good, const std::string& name, const std::string& range) {
  if (is_good) return {};
  return Error{ErrorCode::kRecipe, "tet-bake", name + " is out of range", "give " + range};
}

bool isShare(double x) { return x >= 0.0 && x <= 1.0; }

}  // namespace

Status checkSettings(const SolveSettings& s) {
  const DescentSettings& descent = s.descent;
  CLIPMILL_CHECK(checkRange(s.material.lambda >= 1.0 && std::isfinite(s.material.lambda),
                            "the material's lambda", "a number of 1 or more"));
  CLIPMILL_CHECK(checkRange(descent.over_relaxation > 0.0 && descent.over_relaxation < 2.0,
                            "over-relaxation", "a number between 0 and 2"));
  CLIPMILL_CHECK(checkRange(descent.step_tolerance >= 0.0 && descent.energy_tolerance >= 0.0,
                            "a tolerance", "0 or more"));
  CLIPMILL_CHECK(
      checkRange(descent.max_sweeps >= 0 && s.reference.iterations >= 0 && s.xpbd.iterations >= 0,
                 "a number of iterations", "0 or more"));
  CLIPMILL_CHECK(checkRange(isShare(s.reference.edge_stiffness) &&
                                isShare(s.reference.volume_stiffness) &&
                                isShare(s.reference.energy_stiffness),
                            "a stiffness", "0 to 1"));
  return checkRange(
      std::isfinite(s.xpbd.edge_compliance) && std::isfinite(s.xpbd.volume_compliance),
      "a compliance", "a finite number");
}

}  // namespace clipmill::stages::tet_bake
