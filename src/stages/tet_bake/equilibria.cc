// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/equilibria.h"

#include <algorithm>
#include <utility>

#include "core/parallel.h"
#include "core/to_size.h"
#include "stages/tet_bake/solve/lower_energy.h"

namespace clipmill::stages::tet_bake {
namespace {

// Clips that are solved together, their frames in a row.
struct SolveRun {
  const ClipSolver& solver;
  std::vector<ClipBaker*> bakers;
  std::vector<std::size_t> start = {0};  // of each clip in the row, and the end
  std::vector<SolvedFrame> frames = {};

  SolveRun(const ClipSolver& own_solver, std::vector<ClipBaker*> clips)
      : solver(own_solver), bakers(std::move(clips)) {
    for (const ClipBaker* baker : bakers) start.push_back(start.back() + baker->frameCount());
    frames.resize(start.back());
  }

  // The clip of a frame of the row, and the number of the frame in it.
  std::pair<ClipBaker*, std::size_t> at(std::size_t frame) const {
    const auto after = std::upper_bound(start.begin(), start.end(), frame);
    const std::size_t clip = toSize(after - start.begin()) - 1;
    return {bakers[clip], frame - start[clip]};
  }
};

// Solves all frames independently; frames of all clips share the blocks of the solver.
Status solveAlone(SolveRun& run) {
  std::vector<ClipToSolve> clips;
  for (std::size_t c = 0; c < run.bakers.size(); ++c) {
    ClipBaker& baker = *run.bakers[c];
    const auto source = [&baker](std::size_t frame, std::span<Vec3> from, std::span<Vec3> target) {
      baker.carry(frame, from, target);
    };
    const auto sink =
        [&baker, own = std::span(run.frames).subspan(run.start[c], baker.frameCount())](
            std::size_t frame, std::span<const Vec3> solved, const FrameStats& stats) {
          baker.keep(frame, solved, stats);
          own[frame] = solvedFrame(solved, stats);
        };
    clips.push_back({baker.frameCount(), source, sink});
  }
  return run.solver.solve(clips);
}

// Finds the lower-energy equilibrium for frames of similar poses.
Status matchSimilarPoses(int threads, SolveRun& run) {
  std::vector<std::vector<std::size_t>> found(run.bakers.size());
  parallelFor(run.bakers.size(), 1, threads, [&](std::size_t clip, std::size_t) {
    found[clip] = run.bakers[clip]->jumps(run.solver.summary().edge_m);
  });
  std::vector<std::size_t> jumps;
  for (std::size_t clip = 0; clip < found.size(); ++clip) {
    for (const std::size_t frame : found[clip]) jumps.push_back(run.start[clip] + frame);
  }
  const auto source = [&](std::size_t frame, std::span<Vec3> from, std::span<Vec3> target,
                          std::span<Quat> rotations) {
    const auto [baker, own] = run.at(frame);
    baker->carry(own, from, target, rotations);
  };
  const auto sink = [&](std::size_t frame, std::span<const Vec3> solved, const FrameStats& stats) {
    const auto [baker, own] = run.at(frame);
    baker->keep(own, solved, stats);
  };
  return findLowerEnergy(run.solver, run.start, jumps, threads, source, run.frames, sink);
}

}  // namespace

Status solveEquilibria(const TetMesh& mesh, const TetBakeSettings& settings, int threads,
                       std::vector<ClipBaker*> bakers) {
  CLIPMILL_TRY(const ClipSolver solver, ClipSolver::make(mesh, solveSettings(settings, threads)));
  SolveRun run(solver, std::move(bakers));
  CLIPMILL_CHECK(solveAlone(run));
  // The other methods do not minimize the energy.
  if (settings.method == SolveMethod::kNeoHookean) CLIPMILL_CHECK(matchSimilarPoses(threads, run));
  if (!settings.keep_tets) return {};
  for (std::size_t f = 0; f < run.frames.size(); ++f) {
    const auto [baker, own] = run.at(f);
    baker->keepCorners(own, std::move(run.frames[f].positions));
  }
  return {};
}

}  // namespace clipmill::stages::tet_bake
