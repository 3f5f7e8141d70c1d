// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>

#include "anim/track.h"
#include "core/math.h"
#include "io/fbx/channel_keys.h"

namespace clipmill::io::fbx {

/// Largest deviation of the angles from their rotation between two keys.
inline constexpr double kRotationTolerance_rad = 1e-5;

/// The Euler angles (order x, y, z, in degrees) of a rotation track, near `start_deg` at
/// first and then without jumps. Players interpolate angle by angle, which is not the arc that the
/// track means. So the curves are linear where that keeps within the tolerance everywhere, else
/// cubic with the angular velocity of the track as slopes, and intervals are halved where that
/// still deviates too far (at most 12 times; near 90 degrees of the middle angle the others may
/// have no slope). Track::angles_deg, where given, are taken as they are.
std::array<NewCurve, 3> rotationCurves(const Track& track, const Vec3& start_deg);

}  // namespace clipmill::io::fbx
