// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "mesh/skinned_mesh.h"

namespace clipmill {

/// Whether splitCorners() has anything to do: the mesh has corner attributes or materials of
/// triangles.
bool needsSplit(const SkinnedMesh& mesh);

/// The same surface with attributes of vertices only, for formats without corner attributes: one
/// mesh for each material that triangles have, in the order of first use, its vertices in the order
/// in which its triangles first name them. A vertex occurs once for each different set of
/// attributes that its corners have (compared exactly, 0 like -0), with the influences and morph
/// deltas of the one it comes from. Vertices that no triangle names are dropped.
///
/// `primitive` counts on from that of `mesh`. A mesh for which needsSplit() is false comes back as
/// it is. Where all corner attributes and `triangle_materials` have the lengths that their
/// declarations ask for, so has what comes out.
std::vector<SkinnedMesh> splitCorners(const SkinnedMesh& mesh);

}  // namespace clipmill
