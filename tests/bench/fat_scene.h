// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "scene/scene.h"

namespace clipmill {

/// The fat figure of the samples, each triangle cut into four until there are at least so many.
Scene makeFatScene(std::size_t least_triangles);

std::size_t triangleCount(const Scene& scene);

}  // namespace clipmill
