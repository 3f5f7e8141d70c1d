// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "anim/error_metric.h"
#include "anim/motion.h"
#include "humanoid/humanoid.h"
#include "scene/scene.h"

namespace clipmill::pipeline {

/// Heels and balls of the feet, each for the frames of a contact (traceFeet()), with that tolerance
/// in file units. Empty where the map has no feet or nothing is planted.
std::vector<HeldPoint> plantedPoints(const Scene& scene, const humanoid::HumanoidMap& map,
                                     const Motion& motion, double tolerance);

}  // namespace clipmill::pipeline
