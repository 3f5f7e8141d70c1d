// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mesh/skinned_mesh.h"

namespace clipmill {

/// The mesh with one vertex for all that agree in every bit of every attribute, influences and
/// morph deltas too: vertices that lie on each other and part when the mesh moves stay apart.
/// Vertices stay in the order of their first use; those that no triangle uses are left out. Corner
/// attributes stay as they are.
SkinnedMesh weldVertices(const SkinnedMesh& mesh);

/// For every position the index of the first that is equal to it.
std::vector<std::uint32_t> firstAtPosition(std::span<const Vec3> positions);

}  // namespace clipmill
