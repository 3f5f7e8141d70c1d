// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "scene/scene.h"

namespace clipmill {

/// The fat character of the samples with its triangles cut so that there are so many, or one more.
Scene makeFatScene(std::size_t least_triangles);

std::size_t triangleCount(const Scene& scene);

}  // namespace clipmill
