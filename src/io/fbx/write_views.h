// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "io/fbx/file_builder.h"
#include "io/fbx/write_nodes.h"
#include "scene/scene.h"

namespace clipmill::io::fbx {

/// The attributes of cameras and lights, whose axes are fbxViewAxes(). An infinite far distance is
/// written as 10^5 times the near one, a camera without aspect ratio as 16:9; both are losses.
void writeViews(const Scene& scene, const WrittenIds& ids, FileBuilder& file);

}  // namespace clipmill::io::fbx
