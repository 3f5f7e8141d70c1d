// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "stages/tet_bake/drivers/driver_fit.h"
#include "stages/tet_bake/drivers/region_joints.h"

namespace clipmill::stages::tet_bake {

/// The driver that predicts unknown examples best (fitDriver()): of the angle about one axis of the
/// first joint, or of the rotations of some joints, as a whole or swing and twist apart. The first
/// joint is always among these; others are added one by one as long as unknown examples gain by
/// them.
FittedDriver fitBestDriver(const DriverExamples& examples, const BindRotations& bind);

}  // namespace clipmill::stages::tet_bake
