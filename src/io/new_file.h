// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "io/document.h"

namespace clipmill::io {

/// An asset without an input file: save() writes `scene` as a new file with all its clips
/// (convertScene()).
Asset newAsset(Scene scene, const Limits& limits);

}  // namespace clipmill::io
