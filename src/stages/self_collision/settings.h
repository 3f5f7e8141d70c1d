// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "core/settings.h"
#include "stages/self_collision/exact_settings.h"

namespace clipmill {

/// kExact frees every frame, measured on the skin itself; kReference is the method as published
/// (SOURCES S2): boxes and spheres, every third frame, slerp between.
enum class SelfCollisionMethod { kExact, kReference };

struct SelfCollisionSettings : ExactSettings {
  SelfCollisionMethod method = SelfCollisionMethod::kExact;
  std::vector<std::string> map;  ///< "role=node" pairs; see humanoidFromPairs().
  double min_confidence = 0.6;
};

/// Names, units, bounds and meaning of all settings.
const SettingsTable& selfCollisionTable();

}  // namespace clipmill
