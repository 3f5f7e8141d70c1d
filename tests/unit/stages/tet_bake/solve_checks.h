// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "checks.h"
#include "stages/tet_bake/solve/solve_clip.h"

/// Clips solved whole, for tests.
namespace clipmill::test {

using stages::tet_bake::FrameSource;
using stages::tet_bake::FrameStats;
using stages::tet_bake::SolveSettings;
using stages::tet_bake::SolveSummary;
using stages::tet_bake::TetMesh;

struct Solved {
  std::vector<std::vector<Vec3>> positions;
  std::vector<FrameStats> stats;
  SolveSummary summary;
};

inline Solved solve(const TetMesh& mesh, std::size_t frames, const SolveSettings& settings,
                    const FrameSource& source) {
  Solved solved{std::vector<std::vector<Vec3>>(frames), std::vector<FrameStats>(frames), {}};
  const auto summary =
      solveClip(mesh, frames, settings, source,
                [&](std::size_t frame, std::span<const Vec3> positions, const FrameStats& stats) {
                  solved.positions[frame].assign(positions.begin(), positions.end());
                  solved.stats[frame] = stats;
                });
  CHECK_OK(summary);
  solved.summary = *summary;
  return solved;
}

inline Status solveClips(const TetMesh& mesh, std::span<const stages::tet_bake::ClipToSolve> clips,
                         const SolveSettings& settings) {
  CLIPMILL_TRY(const stages::tet_bake::ClipSolver solver,
               stages::tet_bake::ClipSolver::make(mesh, settings));
  return solver.solve(clips);
}

inline double farthest(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  REQUIRE(a.size() == b.size());
  double most = 0.0;
  for (std::size_t v = 0; v < a.size(); ++v) most = std::max(most, distance(a[v], b[v]));
  return most;
}

// Held by all corners but the last.
inline TetMesh cubeCorner() {
  TetMesh mesh;
  mesh.positions = {Vec3(0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)};
  mesh.tets = {{0, 1, 2, 3}};
  mesh.hold = {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity(),
               std::numeric_limits<double>::infinity(), 0.0};
  return mesh;
}

inline FrameSource still(const TetMesh& mesh) {
  return [&mesh](std::size_t, std::span<Vec3> start, std::span<Vec3> target) {
    std::copy(mesh.positions.begin(), mesh.positions.end(), start.begin());
    std::copy(mesh.positions.begin(), mesh.positions.end(), target.begin());
  };
}

}  // namespace clipmill::test
