// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "io/io.h"

namespace clipmill::io {

/// An asset that comes from no file: save() writes its scene, whatever was put into it, as a new
/// file with all its clips (convertScene()).
Asset newAsset(Scene scene, const Limits& limits);

}  // namespace clipmill::io
