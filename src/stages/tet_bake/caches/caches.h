// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "scene/additions.h"
#include "stages/tet_bake/bake.h"

/// Point caches: the positions of all vertices at every frame.
namespace clipmill::stages::tet_bake {

/// Positions at equal time steps.
struct PointCache {
  std::vector<double> times_s;  ///< One per frame.
  std::size_t vertex_count = 0;
  std::vector<float> positions;  ///< Frames x vertices x 3.
  std::vector<float> normals;    ///< Likewise, or empty.
};

/// MDD as LightWave has it: big-endian; numbers of frames and points as 32-bit integers, the times
/// in seconds and the positions as 32-bit floats.
Bytes mddOf(const PointCache& cache);

/// PC2 as 3ds Max has it, version 1: little-endian; a mark of 12 bytes, version, number of points,
/// start in frames (0) and frames per sample (1) as floats, number of samples; then the positions.
Bytes pc2Of(const PointCache& cache);

/// The nodes that show skinned meshes, ascending.
std::vector<int> skinnedNodes(const Scene& scene, const BakeRig& rig);

/// What the names of files about one clip start with, behind the output's stem: "_<clip>", as
/// fitForFileName() has it.
std::string clipSuffix(const Motion& motion);

/// What the names of files about one node in one clip start with, behind the output's stem:
/// "_<clip>_<node>".
std::string clipSuffix(const Scene& scene, const Motion& motion, int node);

/// The solved surface of one node in clip `index` of a bake. Vertices as AddedMorph counts them, in
/// the world, axes and unit of the file. Normals are those of skinning, rotated with the solved
/// surface relative to it; vertices of meshes without normals have those of the surface.
PointCache cacheNode(const Scene& scene, const BakeRig& rig, const Motion& motion,
                     const Baked& baked, std::size_t index, int node, bool with_normals);

/// The caches of all skinned meshes in one clip of a bake, one file for every node that shows
/// some: clipSuffix() and `extension`.
std::vector<AddedFile> cacheClip(const Scene& scene, const BakeRig& rig, const Motion& motion,
                                 const Baked& baked, std::size_t index,
                                 Bytes (*format)(const PointCache&), const std::string& extension);

}  // namespace clipmill::stages::tet_bake
