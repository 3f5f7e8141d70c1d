// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "make_samples/poser.h"

namespace clipmill::samples {

inline constexpr double kLeap_m = 3.0;
inline constexpr double kLunge_m = 0.3;
/// Frames of the leap between which Root does not move at all, both included.
inline constexpr int kHangStart = 27, kHangEnd = 33;

/// Crouch, take-off, a flight with a hang, landing: Root goes from z = 0 to kLeap_m exactly.
KeyframeClip leapClip(const Rig& rig);

/// A lunge with a thrust of the right arm and the return, which ends kLunge_m before the start.
KeyframeClip lungeClip(const Rig& rig);

}  // namespace clipmill::samples
