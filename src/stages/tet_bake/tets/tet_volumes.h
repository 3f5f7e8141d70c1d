// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/math.h"
#include "stages/tet_bake/tets/tet_mesh.h"

namespace clipmill::stages::tet_bake {

/// How far tetrahedra are from their volume at rest.
struct VolumeStats {
  double share = 1.0;  ///< Of all of them together.
  /// As in FrameStats.
  double j_min = 1.0, j_p1 = 1.0, j_p99 = 1.0;
  std::size_t inverted = 0;
};

/// Measures the tetrahedra of a mesh that have a volume at rest.
class TetVolumes {
 public:
  /// `mesh` at rest; those that are held at all corners count for the whole alone.
  explicit TetVolumes(const TetMesh& mesh);

  /// With the corners at `corners`, one position per corner of the mesh.
  VolumeStats at(std::span<const Vec3> corners) const;

 private:
  struct Solid {
    Tet corners;
    double rest_m3;
    bool moves;
  };

  std::vector<Solid> solids_;
  double rest_m3_ = 0.0;
};

}  // namespace clipmill::stages::tet_bake
