// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "core/math.h"
#include "core/result.h"
#include "stages/tet_bake/tets/tet_mesh.h"

namespace clipmill::stages::tet_bake {

/// Tetrahedra as another program made them.
struct TetFile {
  std::vector<Vec3> positions;     ///< In the file's own unit and axes.
  std::vector<Tet> tets;           ///< Each of positive orientation.
  std::size_t inverted_count = 0;  ///< Inverted in the file, and reoriented.
  std::size_t flat_count = 0;      ///< Without volume, and left out.
};

/// Reads the two texts that TetGen writes: .node (points) and .ele (tetrahedra of 4 or 10 points,
/// of which the corners count). Numbers of points start where those of the .node file start.
/// Errors: kMalformed with the line; kUnsupported for other dimensions.
Result<TetFile> parseTetGen(std::string_view node_text, std::string_view ele_text);

/// Reads a Gmsh file, versions 2.2 and 4.1, text. Elements that are no tetrahedra do not count.
/// Errors: kMalformed with the line; kUnsupported for binary files and other versions.
Result<TetFile> parseGmsh(std::string_view text);

}  // namespace clipmill::stages::tet_bake
