// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "core/result.h"
#include "scene/additions.h"
#include "stages/tet_bake/bake.h"

/// Vertex-animation textures: a clip as images that a shader reads by vertex and frame.
namespace clipmill::stages::tet_bake {

/// The textures of one clip.
struct VatClip {
  std::vector<AddedFile> files;
  double rounding_m = 0.0;  ///< Largest rounding error of 16-bit floats over all vertices.
};

/// For every node that shows skinned meshes, behind clipSuffix(): ".positions.exr", ".normals.exr"
/// and ".vat.json" with all data that a shader needs. Texels are 16-bit floats (see
/// half_exr.h): vertex v of frame f is at x = v % width, y = f * rows_per_frame + v / width, lines
/// from the top; vertices as AddedMorph counts them, with as many rows per frame as 4096 texels a
/// row ask for. Positions are offsets from the vertex in its mesh, without node, skin and morphs,
/// to its position in the world of the file; normals are of that world; alpha is 1.
///
/// Error: kLimit where a texture would be higher than 16384 lines.
Result<VatClip> vatClip(const Scene& scene, const BakeRig& rig, const Motion& motion,
                        const Baked& baked, std::size_t index);

}  // namespace clipmill::stages::tet_bake
