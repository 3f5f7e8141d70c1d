// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/tets/material.h"

#include <algorithm>

#include "core/portable_math.h"

namespace clipmill::stages::tet_bake {

namespace {

constexpr double kLooseLambda = 2.0;  // Poisson's ratio 0.25
constexpr double kFirmLambda = 50.0;  // Poisson's ratio 0.49

}  // namespace

Material materialOfPoisson(double poisson) {
  return {1.0 / (1.0 - 2.0 * std::clamp(poisson, 0.0, kHighestPoisson))};
}

Material materialOfVolume(double volume) {
  const double share = std::clamp(volume, 0.0, 1.0);
  return {kLooseLambda * portable::pow(kFirmLambda / kLooseLambda, share)};
}

}  // namespace clipmill::stages::tet_bake
