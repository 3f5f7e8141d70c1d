// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "anim/motion.h"
#include "scene/scene.h"

namespace clipmill::stages::dynamic_bones {

/// Frames per second of the made motion.
inline constexpr double kMadeRate_hz = 240.0;

/// A motion that shows what springs do, for a file without clips: the character in its rest pose is
/// pushed forward by a fifth of its height and stops, rotates by 90 degrees about the vertical,
/// leans forward by 45 degrees, and straightens up; each within 0.5 s, at rest for 0.7 s after it.
/// It starts at rest. Every motion has the acceleration of a sine over one period.
Motion madeProbe(const Scene& scene);

}  // namespace clipmill::stages::dynamic_bones
