// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <utility>

#include "core/result.h"
#include "stages/tet_bake/solve/frame_lanes.h"
#include "stages/tet_bake/solve/solve_settings.h"
#include "stages/tet_bake/tets/tet_mesh.h"

/// Solves the elastic equilibrium of tetrahedra between the bones that hold them, frame by frame.
namespace clipmill::stages::tet_bake {

/// Results of a solved frame.
struct FrameStats {
  int sweeps = 0;
  bool is_solved = true;      ///< False where positions are extreme: the start is kept.
  bool has_converged = true;  ///< False where the cap on sweeps ended it.
  double last_step = 0.0;     ///< Largest step of the last sweep, in lengths of an edge.
  double energy = 0.0;        ///< Above that at rest, in units of mu times edge^3.
  double start_energy = 0.0;  ///< The same of the start.
  double held_energy = 0.0;   ///< `energy` and that of the springs that hold corners.
  double volume_share = 1.0;  ///< Volume of all tetrahedra over that at rest.
  /// Volume of a tetrahedron over that at rest, of those that have a corner that moves.
  double j_min = 1.0, j_p1 = 1.0, j_p99 = 1.0;
  std::size_t inverted = 0;  ///< Of these, with j <= 0.
};

/// Properties of the tetrahedra, the same for all frames.
struct SolveSummary {
  double edge_m = 0.0;           ///< Mean length of the edges at rest; 0 without tetrahedra.
  std::size_t free_corners = 0;  ///< Corners that move.
  std::size_t reoriented = 0;    ///< Inverted tetrahedra, reoriented.
  std::size_t flat = 0;          ///< Tetrahedra without volume, left out.
  std::size_t block_bytes = 0;   ///< Working memory of each thread, without that of the callbacks.
  std::size_t system_bytes = 0;  ///< Memory shared by all threads.
};

/// Writes the start positions of the corners of frame `frame` (near the result: dual quaternion
/// skinning) and the targets that TetMesh::hold holds them to. Spans have one position per corner,
/// metres. Called once for every frame, twice for those that are not solved, from several threads
/// at once.
using FrameSource =
    std::function<void(std::size_t frame, std::span<Vec3> start, std::span<Vec3> target)>;

/// Receives the solved positions of a frame; the span is valid during the call. Called once for
/// every frame, in no order, from several threads at once.
using FrameSink =
    std::function<void(std::size_t frame, std::span<const Vec3> solved, const FrameStats& stats)>;

/// Frames of one clip, 0..frame_count.
struct ClipToSolve {
  std::size_t frame_count = 0;
  FrameSource source;
  FrameSink sink;
};

struct SolverParts;

/// A mesh laid out for a solver, to solve frames as often as is wanted.
class ClipSolver {
 public:
  /// Errors: indices, holds or settings out of range, positions of the mesh that are not finite.
  static Result<ClipSolver> make(const TetMesh& mesh, const SolveSettings& settings);

  /// Solves all frames of all clips in blocks of kFrameLanes, side by side in the lanes of vectors;
  /// yet none depends on another, and a frame has the same result in any clip. Clips share blocks.
  /// Memory is summary().system_bytes and summary().block_bytes a thread, whatever the number of
  /// frames. Error: the first frame that has a position that is not finite, and of several clips
  /// the number of its clip; sinks may have had other frames by then.
  Status solve(std::span<const ClipToSolve> clips) const;
  SolveSummary summary() const;

 private:
  explicit ClipSolver(std::shared_ptr<const SolverParts> parts) : parts_(std::move(parts)) {}

  std::shared_ptr<const SolverParts> parts_;
};

/// Solves one clip. Errors: those of ClipSolver.
Result<SolveSummary> solveClip(const TetMesh& mesh, std::size_t frame_count,
                               const SolveSettings& settings, const FrameSource& source,
                               const FrameSink& sink);

}  // namespace clipmill::stages::tet_bake
