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

/// A fold may have several shapes of rest, of which each frame finds one by itself: like poses then
/// come out unlike, and skin jumps from one shape to another. Where it does, frames are solved
/// again from the shape of their neighbour, and rest where the energy is lower.
namespace clipmill::tet_bake {

/// A frame as it was solved.
struct RestFrame {
  std::vector<float> places;  ///< Of the corners, x, y and z in a row, metres.
  double energy = 0.0;        ///< FrameStats::held_energy; infinity for frames that are not solved.
};

/// What a solver's sink was given.
RestFrame restFrame(std::span<const Vec3> solved, const FrameStats& stats);

/// Writes what a FrameSource does, and by how much `start` turns each corner from the bind pose.
/// Called from several threads at once.
using TurnedSource = std::function<void(std::size_t frame, std::span<Vec3> start,
                                        std::span<Vec3> target, std::span<Quat> turns)>;

/// Looks for shapes of lower energy beside jumps. The frames of all clips stand in a row; `begin`
/// is where each clip begins, and the end. `jumps` are first frames of pairs (f, f + 1) of one clip
/// that rest in different shapes, ascending; a shape is what a frame's corners do beyond its start.
/// From either side of a jump frames are solved anew, where the two differ, from the shape on the
/// other side, farther and farther from it as long as their energy falls. So where two shapes are
/// left in a clip, each is the lower one on its side of the jump, as far as the two were known.
/// `frames` take the new places; `sink` is told of every frame that has changed, once or more
/// often, those of a clip by one thread at a time. Energies never rise. The same for any number of
/// threads. Errors: those of solveClip().
Status seekLowerRest(const ClipSolver& solver, std::span<const std::size_t> begin,
                     std::span<const std::size_t> jumps, int threads, const TurnedSource& source,
                     std::span<RestFrame> frames, const FrameSink& sink);

}  // namespace clipmill::tet_bake
