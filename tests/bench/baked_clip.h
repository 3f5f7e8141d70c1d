// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/file.h"

namespace clipmill::bench {

inline constexpr int kBakedJoints = 65, kBakedFrames = 1000;

/// An FBX as exporters bake it: a clip of 1,000 frames at 30 a second, with a key on every frame
/// for all nine channels of 65 joints: a root with chains of four. No mesh.
Bytes bakedFbx();

}  // namespace clipmill::bench
