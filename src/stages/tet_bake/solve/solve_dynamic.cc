// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/solve/solve_dynamic.h"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/parallel.h"
#include "core/to_size.h"
#include "stages/tet_bake/solve/descent_run.h"
#include "stages/tet_bake/solve/frame_block.h"
#include "stages/tet_bake/solve/frame_stats.h"
#include "stages/tet_bake/solve/tissue_lane.h"

namespace clipmill::stages::tet_bake {

namespace {

// A step starts near its solution: more over-relaxation slows convergence.
constexpr double kStepRelaxation = 1.6;
// A thread that solves so many clips needs no longer than for one.
constexpr std::size_t kFewLanes = 4;

// What all clips share.
struct Solver {
  SolveSettings settings;
  DynamicSettings dynamic;
  TissueSteps steps;
  TetSystem still;   // Without inertia.
  TetSystem system;  // Holds include inertia.
  MeasureSystem measures;
  DescentSystem still_descent, descent;
};

Result<Solver> makeSolver(const TetMesh& mesh, double frame_s, const SolveSettings& settings,
                          const DynamicSettings& dynamic) {
  CLIPMILL_CHECK(checkSettings(settings));
  CLIPMILL_TRY(TetSystem still, makeTetSystem(mesh));
  CLIPMILL_TRY(TissueSteps steps, makeTissueSteps(still, frame_s, dynamic));
  Solver solver{settings, dynamic, std::move(steps), std::move(still), {}, {}, {}, {}};
  solver.system = solver.still;
  for (std::uint32_t v : solver.system.movable) solver.system.hold[v] += solver.steps.inertia[v];
  solver.measures = makeMeasureSystem(solver.still, settings.material);
  solver.still_descent = makeDescentSystem(solver.still, settings.material);
  solver.descent = makeDescentSystem(solver.system, settings.material);
  return solver;
}

// The equilibria of the first frames of all clips, which they start in. Single precision is that of
// the solver.
struct FirstFrames {
  std::vector<std::vector<float>> positions;
  std::vector<FrameStats> stats;
};

using Faults = std::vector<std::optional<Error>>;  // one per clip

void settleBlock(const Solver& solver, std::span<const DynamicClip> clips, std::size_t start,
                 std::size_t end, FirstFrames& first, Faults& faults) {
  const FrameSource source = [&](std::size_t clip, std::span<Vec3> from, std::span<Vec3> target) {
    clips[clip].source(0, from, target);
  };
  Result<FrameBlock> block = readFrames(solver.still, start, end - start, source);
  if (!block) {
    // One of them is faulty: each by itself.
    for (std::size_t i = start; i < end; ++i) {
      if (end - start > 1) settleBlock(solver, clips, i, i + 1, first, faults);
    }
    if (end - start == 1) {
      Error error = block.error();
      error.location = "frame 0";
      faults[start] = std::move(error);
    }
    return;
  }
  const auto energy = measureFrames(solver.measures, block->positions, nullptr).energy;
  runDescent(solver.still_descent, solver.settings.descent, energy, *block);
  measureStats(solver.still, solver.measures, *block);
  writeFrames(solver.still, *block, source,
              [&](std::size_t i, std::span<const Vec3> solved, const FrameStats& stats) {
                first.stats[i] = stats;
                for (const Vec3& position : solved) {
                  for (int k = 0; k < 3; ++k) {
                    first.positions[i].push_back(static_cast<float>(position[k]));
                  }
                }
              });
}

FirstFrames settleAll(const Solver& solver, std::span<const DynamicClip> clips, Faults& faults) {
  FirstFrames first;
  first.positions.resize(clips.size());
  first.stats.resize(clips.size());
  parallelFor(clips.size(), kFrameLanes, solver.settings.threads,
              [&](std::size_t start, std::size_t end) {
                settleBlock(solver, clips, start, end, first, faults);
              });
  return first;
}

// Clips in the order in which lanes take them: the longest first, so that no thread is left with
// it alone.
class ClipQueue {
 public:
  explicit ClipQueue(std::span<const DynamicClip> clips) : order_(clips.size()) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
      return clips[a].frame_count > clips[b].frame_count;
    });
  }
  std::optional<std::size_t> next() {
    const std::size_t at = next_++;
    return at < order_.size() ? std::optional(order_[at]) : std::nullopt;
  }

 private:
  std::vector<std::size_t> order_;
  std::atomic<std::size_t> next_{0};
};

// Clips that are solved side by side; a clip that ends leaves its lane to the next one.
class LaneBlock {
 public:
  LaneBlock(const Solver& solver, std::span<const DynamicClip> clips, const FirstFrames& first,
            ClipQueue& queue, Faults& faults)
      : solver_(solver), clips_(clips), first_(first), queue_(queue), faults_(faults) {}

  void run(std::size_t lane_count) {
    while (fill(lane_count)) {
      readNext();
      if (lanes_.empty()) continue;
      for (int step = 1; step <= solver_.dynamic.substeps; ++step) solveStep(step);
      finishFrame();
    }
  }

 private:
  bool fill(std::size_t lane_count) {
    while (lanes_.size() < lane_count) {
      const auto clip = queue_.next();
      if (!clip) break;
      if (faults_[*clip] || clips_[*clip].frame_count == 0) continue;
      TissueLane lane(clips_[*clip], solver_.still.corner_count);
      const Status status = lane.startAt(first_.positions[*clip]);
      if (!status) {
        faults_[*clip] = status.error();
      } else if (lane.finishFrame(first_.stats[*clip])) {
        lanes_.push_back(std::move(lane));
      }
    }
    return !lanes_.empty();
  }

  void readNext() {
    keepLanes([&](TissueLane& lane, std::size_t) {
      const Status status = lane.readNext(solver_.steps);
      if (!status) faults_[toSize(&lane.clip() - clips_.data())] = status.error();
      return status.ok();
    });
  }

  void solveStep(int step) {
    const double share = static_cast<double>(step) / solver_.dynamic.substeps;
    const FrameSource source = [&](std::size_t i, std::span<Vec3> start, std::span<Vec3> target) {
      lanes_[i].predict(solver_.steps, solver_.system, share, start, target);
    };
    const DescentSettings settings{kStepRelaxation, solver_.dynamic.step_tolerance, 0.0,
                                   solver_.dynamic.max_sweeps};
    Result<FrameBlock> block = readFrames(solver_.system, 0, lanes_.size(), source);
    if (!block) return failAll(block.error());
    runDescent(solver_.descent, settings, {}, *block);
    writeFrames(solver_.system, *block, source,
                [&](std::size_t i, std::span<const Vec3> solved, const FrameStats& stats) {
                  FrameStats own = stats;
                  own.has_converged = stats.has_converged ||
                                      stats.last_step < solver_.settings.descent.step_tolerance;
                  lanes_[i].take(solver_.steps, share, solved, own);
                });
  }

  // Calls `keeps` for each lane, and drops those for which it returns false.
  template <class Keeps>
  void keepLanes(const Keeps& keeps) {
    std::vector<TissueLane> kept;
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      if (keeps(lanes_[i], i)) kept.push_back(std::move(lanes_[i]));
    }
    lanes_ = std::move(kept);
  }

  // Positions of a step are finite unless the clip's are not.
  void failAll(const Error& error) {
    for (const TissueLane& lane : lanes_) faults_[toSize(&lane.clip() - clips_.data())] = error;
    lanes_.clear();
  }

  void finishFrame() {
    const FrameSource source = [&](std::size_t i, std::span<Vec3> start, std::span<Vec3> target) {
      const TissueLane& lane = lanes_[i];
      std::copy(lane.positions().begin(), lane.positions().end(), start.begin());
      std::copy(lane.targets().begin(), lane.targets().end(), target.begin());
    };
    Result<FrameBlock> block = readFrames(solver_.still, 0, lanes_.size(), source);
    if (!block) return failAll(block.error());
    measureStats(solver_.still, solver_.measures, *block);
    keepLanes([&](TissueLane& lane, std::size_t i) { return lane.finishFrame(block->stats[i]); });
  }

  const Solver& solver_;
  std::span<const DynamicClip> clips_;
  const FirstFrames& first_;
  ClipQueue& queue_;
  Faults& faults_;
  std::vector<TissueLane> lanes_;
};

SolveSummary dynamicSummaryOf(const Solver& solver) {
  SolveSummary summary;
  summary.edge_m = solver.still.tets.empty() ? 0.0 : solver.still.edge_m;
  summary.free_corners = solver.still.movable.size();
  summary.reoriented = solver.still.reoriented;
  summary.flat = solver.still.flat;
  // A lane's positions in double; the block's, and ratios, in single precision.
  const std::size_t corners = solver.still.corner_count;
  summary.block_bytes = kFrameLanes * 15 * corners * sizeof(Vec3) + 3 * corners * sizeof(Vec3) +
                        (2 * 3 * corners + solver.still.tets.size()) * sizeof(FloatLanes);
  summary.system_bytes = bytesOf(solver.still) + bytesOf(solver.system) + bytesOf(solver.measures) +
                         bytesOf(solver.still_descent) + bytesOf(solver.descent);
  return summary;
}

}  // namespace

Result<SolveSummary> solveDynamic(const TetMesh& mesh, std::span<const DynamicClip> clips,
                                  double frame_s, const SolveSettings& settings,
                                  const DynamicSettings& dynamic) {
  CLIPMILL_TRY(const Solver solver, makeSolver(mesh, frame_s, settings, dynamic));
  Faults faults(clips.size());
  const FirstFrames first = settleAll(solver, clips, faults);
  const std::size_t threads = toSize(threadCount(settings.threads));
  const std::size_t lanes =
      std::clamp((clips.size() + threads - 1) / threads, kFewLanes, kFrameLanes);
  ClipQueue queue(clips);
  parallelFor(
      std::min(threads, (clips.size() + lanes - 1) / lanes), 1, settings.threads,
      [&](std::size_t, std::size_t) { LaneBlock(solver, clips, first, queue, faults).run(lanes); });
  for (std::size_t clip = 0; clip < faults.size(); ++clip) {
    if (faults[clip]) return within("clip " + std::to_string(clip), *faults[clip]);
  }
  return dynamicSummaryOf(solver);
}

}  // namespace clipmill::stages::tet_bake
