// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/solve/solve_clip.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/parallel.h"
#include "core/to_size.h"
#include "stages/tet_bake/solve/descent_run.h"
#include "stages/tet_bake/solve/frame_block.h"
#include "stages/tet_bake/solve/frame_measures_simd.h"
#include "stages/tet_bake/solve/frame_stats.h"
#include "stages/tet_bake/solve/pbd_reference.h"
#include "stages/tet_bake/solve/xpbd_simd.h"

namespace clipmill::stages::tet_bake {

// What all blocks share.
struct SolverParts {
  SolveSettings settings;
  TetSystem system;
  MeasureSystem measures;
  DescentSystem descent;  // Empty but for kNeoHookean.
  XpbdSystem xpbd;        // Empty but for kXpbd.
};

namespace {

Result<SolverParts> makeParts(const TetMesh& mesh, const SolveSettings& settings) {
  CLIPMILL_CHECK(checkSettings(settings));
  CLIPMILL_TRY(TetSystem system, makeTetSystem(mesh));
  SolverParts solver{settings, std::move(system), {}, {}, {}};
  solver.measures = makeMeasureSystem(solver.system, settings.material);
  if (settings.method == SolveMethod::kNeoHookean) {
    solver.descent = makeDescentSystem(solver.system, settings.material);
  }
  if (settings.method == SolveMethod::kXpbd) {
    solver.xpbd = makeXpbdSystem(solver.system, settings.xpbd);
  }
  return solver;
}

void solveReferenceLane(const SolverParts& solver, std::size_t lane, FrameBlock& block) {
  const TetSystem& system = solver.system;
  std::vector<Vec3> positions(system.corner_count), targets(system.corner_count);
  for (std::size_t v = 0; v < positions.size(); ++v)
    positions[v] = positionOf(&block.positions[3 * v], lane);
  const FloatLanes* row = block.targets.data();
  for (std::uint32_t v : system.movable) {
    if (!(system.hold[v] > 0.0)) continue;
    targets[v] = positionOf(row, lane);
    row += 3;
  }
  const ReferenceSettings& settings = solver.settings.reference;
  FrameStats& stats = block.stats[lane];
  stats.sweeps = settings.iterations;
  stats.last_step = solveReference(system, settings, solver.settings.material, targets, positions);
  for (std::size_t v = 0; v < positions.size(); ++v)
    setPosition(positions[v], lane, &block.positions[3 * v]);
}

void runReference(const SolverParts& solver, FrameBlock& block) {
  for (std::size_t lane = 0; lane < block.count; ++lane) {
    if (block.stats[lane].is_solved) solveReferenceLane(solver, lane, block);
  }
}

double farthest(const PositionLanes& a, const PositionLanes& b, std::size_t lane) {
  double square = 0.0;
  for (std::size_t row = 0; row < a.size(); row += 3) {
    const Vec3 path = positionOf(&a[row], lane) - positionOf(&b[row], lane);
    square = std::max(square, glm::dot(path, path));
  }
  return std::sqrt(square);
}

void runXpbd(const SolverParts& solver, FrameBlock& frames) {
  XpbdBlock block =
      makeXpbdBlock(solver.xpbd, std::move(frames.positions), std::move(frames.targets));
  PositionLanes before;
  for (int i = 0; i < solver.settings.xpbd.iterations; ++i) {
    if (i + 1 == solver.settings.xpbd.iterations) before = block.positions;
    projectConstraints(solver.xpbd, block);
  }
  frames.positions = std::move(block.positions);
  frames.targets = std::move(block.targets);
  for (std::size_t lane = 0; lane < frames.count; ++lane) {
    frames.stats[lane].sweeps = solver.settings.xpbd.iterations;
    if (!before.empty()) frames.stats[lane].last_step = farthest(frames.positions, before, lane);
  }
}

void solveBlock(const SolverParts& solver, FrameBlock& block) {
  const BlockMeasures start = measureFrames(solver.measures, block.positions, nullptr);
  for (std::size_t i = 0; i < block.count; ++i) block.stats[i].start_energy = start.energy[i];
  switch (solver.settings.method) {
    case SolveMethod::kNeoHookean:
      runDescent(solver.descent, solver.settings.descent, start.energy, block);
      break;
    case SolveMethod::kReference:
      runReference(solver, block);
      break;
    case SolveMethod::kXpbd:
      runXpbd(solver, block);
      break;
  }
  measureStats(solver.system, solver.measures, block);
}

// Of a block's lanes: positions before and after the last iteration, targets, multipliers, ratios;
// and of one frame at a time, in double.
std::size_t blockBytes(const SolverParts& solver) {
  const std::size_t corners = solver.system.corner_count, tets = solver.system.tets.size();
  const std::size_t rows = 3 * (3 * corners) + tets + solver.xpbd.edges.size() +
                           solver.xpbd.tets.size() + 3 * solver.xpbd.holds.size();
  return rows * sizeof(FloatLanes) + 4 * corners * sizeof(Vec3) + tets * sizeof(float);
}

SolveSummary summaryOf(const SolverParts& solver) {
  SolveSummary summary;
  summary.edge_m = solver.system.tets.empty() ? 0.0 : solver.system.edge_m;
  summary.free_corners = solver.system.movable.size();
  summary.reoriented = solver.system.reoriented;
  summary.flat = solver.system.flat;
  summary.block_bytes = blockBytes(solver);
  summary.system_bytes = bytesOf(solver.system) + bytesOf(solver.measures) +
                         bytesOf(solver.descent) + bytesOf(solver.xpbd);
  return summary;
}

void lowerTo(std::atomic<std::size_t>& least, std::size_t value) {
  std::size_t seen = least;
  while (value < seen && !least.compare_exchange_weak(seen, value)) {
  }
}

// The frames of all clips in a row.
class FrameRow {
 public:
  explicit FrameRow(std::span<const ClipToSolve> clips) : clips_(clips) {
    for (const ClipToSolve& clip : clips) start_.push_back(start_.back() + clip.frame_count);
  }

  std::size_t frameCount() const { return start_.back(); }

  FrameSource source() const {
    return [this](std::size_t frame, std::span<Vec3> start, std::span<Vec3> target) {
      const std::size_t clip = clipOf(frame);
      clips_[clip].source(frame - start_[clip], start, target);
    };
  }

  FrameSink sink() const {
    return [this](std::size_t frame, std::span<const Vec3> solved, const FrameStats& stats) {
      const std::size_t clip = clipOf(frame);
      clips_[clip].sink(frame - start_[clip], solved, stats);
    };
  }

  // The fault of the first frame from `start` on that has one, by its number in its clip.
  Error faultFrom(std::size_t start, std::size_t corner_count) const {
    std::vector<Vec3> from(corner_count), target(corner_count);
    for (std::size_t frame = start; frame < frameCount(); ++frame) {
      const std::size_t clip = clipOf(frame);
      clips_[clip].source(frame - start_[clip], from, target);
      const Status status = checkFinite(from, target, frame - start_[clip]);
      if (status) continue;
      return clips_.size() > 1 ? within("clip " + std::to_string(clip), status.error())
                               : status.error();
    }
    return {ErrorCode::kInternal, "", "frames differ each time they are read", ""};
  }

 private:
  std::size_t clipOf(std::size_t frame) const {
    const auto after = std::upper_bound(start_.begin(), start_.end(), frame);
    return toSize(after - start_.begin()) - 1;
  }

  std::span<const ClipToSolve> clips_;
  std::vector<std::size_t> start_ = {0};
};

}  // namespace

Result<ClipSolver> ClipSolver::make(const TetMesh& mesh, const SolveSettings& settings) {
  CLIPMILL_TRY(SolverParts parts, makeParts(mesh, settings));
  return ClipSolver(std::make_shared<const SolverParts>(std::move(parts)));
}

Status ClipSolver::solve(std::span<const ClipToSolve> clips) const {
  const TetSystem& system = parts_->system;
  const FrameRow row(clips);
  const FrameSource source = row.source();
  const FrameSink sink = row.sink();
  const std::size_t end_of_row = row.frameCount();
  std::atomic<std::size_t> first_faulty{end_of_row};  // where its block starts
  parallelFor(end_of_row, kFrameLanes, parts_->settings.threads,
              [&](std::size_t start, std::size_t end) {
                // Blocks before the first faulty one are read all the same: one of them may have a
                // fault too.
                if (start > first_faulty) return;
                Result<FrameBlock> block = readFrames(system, start, end - start, source);
                if (!block) {
                  lowerTo(first_faulty, start);
                  return;
                }
                solveBlock(*parts_, *block);
                writeFrames(system, *block, source, sink);
              });
  if (first_faulty == end_of_row) return {};
  return row.faultFrom(first_faulty, system.corner_count);
}

SolveSummary ClipSolver::summary() const { return summaryOf(*parts_); }

Result<SolveSummary> solveClip(const TetMesh& mesh, std::size_t frame_count,
                               const SolveSettings& settings, const FrameSource& source,
                               const FrameSink& sink) {
  CLIPMILL_TRY(const ClipSolver solver, ClipSolver::make(mesh, settings));
  CLIPMILL_CHECK(solver.solve(std::vector<ClipToSolve>{{frame_count, source, sink}}));
  return solver.summary();
}

}  // namespace clipmill::stages::tet_bake
