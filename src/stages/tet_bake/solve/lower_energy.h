// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "core/math.h"
#include "core/result.h"
#include "stages/tet_bake/solve/solve_clip.h"

/// A fold may have several equilibria, and each frame finds one of them independently: similar
/// poses then get different shapes, and skin jumps between them. Beside such jumps frames are
/// solved again from the shape of their neighbour, and keep the lower-energy equilibrium.
namespace clipmill::stages::tet_bake {

/// A solved frame.
struct SolvedFrame {
  std::vector<float> positions;  ///< Of the corners, x, y and z in a row, metres.
  double energy = 0.0;  ///< FrameStats::held_energy; infinity for frames that are not solved.
};

/// From the arguments of a solver's sink.
SolvedFrame solvedFrame(std::span<const Vec3> solved, const FrameStats& stats);

/// Writes what a FrameSource does, and the rotation of each corner from the bind pose to `start`.
/// Called from several threads at once.
using RotatedSource = std::function<void(std::size_t frame, std::span<Vec3> start,
                                         std::span<Vec3> target, std::span<Quat> rotations)>;

/// Finds equilibria of lower energy beside jumps. The frames of all clips are numbered in
/// succession; `start` is the first frame of each clip, and the end. `jumps` are the first frames
/// of pairs (f, f + 1) of one clip with different shapes, ascending; a shape is the displacement of
/// a frame's corners from its start. From either side of a jump frames are solved again, where the
/// two differ, from the shape on the other side, farther and farther from it as long as their
/// energy falls. So where two shapes remain in a clip, each has the lower energy on its side of the
/// jump. `frames` receive the new positions; `sink` is called for every frame that changes, once or
/// more often, for those of a clip by one thread at a time. Energies never rise. The same for any
/// number of threads. Errors: those of solveClip().
Status findLowerEnergy(const ClipSolver& solver, std::span<const std::size_t> start,
                       std::span<const std::size_t> jumps, int threads, const RotatedSource& source,
                       std::span<SolvedFrame> frames, const FrameSink& sink);

}  // namespace clipmill::stages::tet_bake
