// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <vector>

#include "anim/skeleton.h"
#include "scene/pose_driver.h"
#include "stages/tet_bake/drivers/region_joints.h"

namespace clipmill::stages::tet_bake {

/// The JSON text of drivers (docs/tet-bake.md): for players, on one line or with a line per center.
/// `constant`: names of morphs with weight 1 in every pose.
std::string driversJson(const Skeleton& skeleton, const BindRotations& bind,
                        std::span<const PoseDriver> drivers, std::span<const std::string> constant,
                        bool with_lines);

}  // namespace clipmill::stages::tet_bake
