// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/solve/solve_dynamic.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/parallel.h"
#include "core/portable_math.h"
#include "core/to_size.h"
#include "stages/tet_bake/solve/descent_run.h"
#include "stages/tet_bake/solve/frame_block.h"
#include "stages/tet_bake/solve/frame_stats.h"

namespace clipmill::stages::tet_bake {

namespace {

// A step starts near its solution: more over-relaxation slows convergence.
constexpr double kStepRelaxation = 1.4;

// What all clips share.
struct Solver {
  SolveSettings settings;
  DynamicSettings dynamic;
  double frame_s, step_s;
  TetSystem still;   // Without inertia.
  TetSystem system;  // Holds include inertia.
  MeasureSystem measures;
  DescentSystem still_descent, descent;
  double kept = 1.0;  // Share of the velocity against the bones after a step.
};

// State of one clip.
struct Lane {
  const DynamicClip* clip = nullptr;
  std::vector<Vec3> start_before, target_before, start, target;  // Of the last frame and this.
  std::vector<Vec3> position, velocity_mps;
  FrameStats stats;
};

Status checkDynamic(double frame_s, const DynamicSettings& dynamic) {
  const bool is_good = frame_s > 0.0 && std::isfinite(frame_s) && dynamic.shear_speed_mps > 0.0 &&
                       std::isfinite(dynamic.shear_speed_mps) && dynamic.damping_per_s >= 0.0 &&
                       dynamic.substeps > 0 && dynamic.sweeps > 0;
  if (is_good) return {};
  return Error{ErrorCode::kRecipe, "tet-bake", "a setting of the dynamics is out of range",
               "use times, speeds and counts above 0"};
}

// Mass over the squared time step, in units of mu times the edge. (Without tetrahedra, none.)
double inertiaOf(const Solver& solver, std::size_t corner) {
  const double weight = solver.still.inverse_mass[corner];
  if (!(weight > 0.0)) return 0.0;
  const double crossed = solver.dynamic.shear_speed_mps * solver.step_s / solver.still.edge_m;
  return solver.still.mean_mass / weight / (crossed * crossed);
}

Result<Solver> makeSolver(const TetMesh& mesh, double frame_s, const SolveSettings& settings,
                          const DynamicSettings& dynamic) {
  CLIPMILL_CHECK(checkSettings(settings));
  CLIPMILL_CHECK(checkDynamic(frame_s, dynamic));
  CLIPMILL_TRY(TetSystem still, makeTetSystem(mesh));
  Solver solver{settings, dynamic, frame_s, frame_s / dynamic.substeps, std::move(still), {}, {},
                {},       {},      1.0};
  solver.system = solver.still;
  for (std::uint32_t v : solver.system.movable) solver.system.hold[v] += inertiaOf(solver, v);
  solver.measures = makeMeasureSystem(solver.still, settings.material);
  solver.still_descent = makeDescentSystem(solver.still, settings.material);
  solver.descent = makeDescentSystem(solver.system, settings.material);
  solver.kept = portable::exp(-dynamic.damping_per_s * solver.step_s);
  return solver;
}

Lane makeLane(const Solver& solver, const DynamicClip& clip) {
  Lane lane;
  lane.clip = &clip;
  for (std::vector<Vec3>* positions : {&lane.start_before, &lane.target_before, &lane.start,
                                       &lane.target, &lane.position, &lane.velocity_mps}) {
    positions->resize(solver.still.corner_count);
  }
  return lane;
}

Vec3 carriedVelocity(const Solver& solver, const Lane& lane, std::size_t v) {
  return (lane.start[v] - lane.start_before[v]) / solver.frame_s;
}

Status readFrame(Lane& lane, std::size_t frame) {
  std::swap(lane.start, lane.start_before);
  std::swap(lane.target, lane.target_before);
  lane.clip->source(frame, lane.start, lane.target);
  return checkFinite(lane.start, lane.target, frame);
}

// Start of a step, and the common target of inertia and hold of each corner.
void predict(const Solver& solver, const Lane& lane, double share, std::span<Vec3> start,
             std::span<Vec3> target) {
  const auto between = [](const Vec3& a, const Vec3& b, double t) { return a + t * (b - a); };
  for (std::size_t v = 0; v < start.size(); ++v) {
    const Vec3 held = between(lane.target_before[v], lane.target[v], share);
    const Vec3 carried = carriedVelocity(solver, lane, v);
    start[v] = lane.position[v] +
               solver.step_s * (carried + solver.kept * (lane.velocity_mps[v] - carried));
    const double hold = solver.still.hold[v], both = solver.system.hold[v];
    target[v] =
        solver.still.isFixed(v) || !(both > 0.0) ? held : between(start[v], held, hold / both);
  }
}

// Takes the solved corners of a step.
void take(const Solver& solver, std::span<const Vec3> solved, const FrameStats& stats, Lane& lane) {
  for (std::size_t v = 0; v < solved.size(); ++v) {
    // Corners that diverged are reset to the bones.
    lane.velocity_mps[v] = stats.is_solved ? (solved[v] - lane.position[v]) / solver.step_s
                                           : carriedVelocity(solver, lane, v);
    lane.position[v] = stats.is_solved ? solved[v] : lane.start[v];
  }
  const int sweeps = lane.stats.sweeps + stats.sweeps;
  const bool was_solved = lane.stats.is_solved, had_converged = lane.stats.has_converged;
  lane.stats = stats;
  lane.stats.sweeps = sweeps;
  lane.stats.is_solved = was_solved && stats.is_solved;
  lane.stats.has_converged =
      had_converged &&
      (stats.has_converged || stats.last_step < solver.settings.descent.step_tolerance);
}

using Lanes = std::vector<Lane>;

// Solves all lanes once, from `source` (whose frame is the lane), with measures if it `is_last`.
Status solveOnce(const Solver& solver, const TetSystem& system, const DescentSystem& descent,
                 const DescentSettings& settings, const FrameSource& source, bool is_last,
                 Lanes& lanes) {
  CLIPMILL_TRY(FrameBlock block, readFrames(system, 0, lanes.size(), source));
  const std::array<double, kFrameLanes> start_energy =
      settings.energy_tolerance > 0.0
          ? measureFrames(solver.measures, block.positions, nullptr).energy
          : std::array<double, kFrameLanes>{};
  runDescent(descent, settings, start_energy, block);
  if (is_last) measureStats(solver.still, solver.measures, block);
  writeFrames(system, block, source,
              [&](std::size_t i, std::span<const Vec3> solved, const FrameStats& stats) {
                take(solver, solved, stats, lanes[i]);
              });
  return {};
}

Status settleFirst(const Solver& solver, Lanes& lanes) {
  const FrameSource at_frame = [&](std::size_t i, std::span<Vec3> start, std::span<Vec3> target) {
    std::copy(lanes[i].start.begin(), lanes[i].start.end(), start.begin());
    std::copy(lanes[i].target.begin(), lanes[i].target.end(), target.begin());
  };
  CLIPMILL_CHECK(solveOnce(solver, solver.still, solver.still_descent, solver.settings.descent,
                           at_frame, true, lanes));
  for (Lane& lane : lanes) lane.clip->sink(0, lane.position, lane.stats);
  return {};
}

Status stepFrame(const Solver& solver, std::size_t frame, Lanes& lanes) {
  for (Lane& lane : lanes) {
    lane.stats = FrameStats{};
    if (frame > 1) continue;
    for (std::size_t v = 0; v < lane.position.size(); ++v) {
      lane.velocity_mps[v] = carriedVelocity(solver, lane, v);
    }
  }
  // No early stop: within a short time even a strong force makes a small step.
  const DescentSettings settings{kStepRelaxation, 0.0, 0.0, solver.dynamic.sweeps};
  const int substeps = solver.dynamic.substeps;
  for (int step = 1; step <= substeps; ++step) {
    const double share = static_cast<double>(step) / substeps;
    const FrameSource predicted = [&](std::size_t i, std::span<Vec3> start,
                                      std::span<Vec3> target) {
      predict(solver, lanes[i], share, start, target);
    };
    CLIPMILL_CHECK(solveOnce(solver, solver.system, solver.descent, settings, predicted,
                             step == substeps, lanes));
  }
  for (Lane& lane : lanes) lane.clip->sink(frame, lane.position, lane.stats);
  return {};
}

Status runClips(const Solver& solver, std::span<const DynamicClip> clips, std::size_t first) {
  Lanes lanes;
  for (const DynamicClip& clip : clips) lanes.push_back(makeLane(solver, clip));
  for (std::size_t frame = 0; true; ++frame) {
    std::erase_if(lanes, [&](const Lane& lane) { return frame >= lane.clip->frame_count; });
    if (lanes.empty()) return {};
    for (Lane& lane : lanes) {
      const Status read = readFrame(lane, frame);
      if (read) continue;
      const auto clip = first + toSize(lane.clip - clips.data());
      return within("clip " + std::to_string(clip), read.error());
    }
    CLIPMILL_CHECK(frame == 0 ? settleFirst(solver, lanes) : stepFrame(solver, frame, lanes));
  }
}

SolveSummary dynamicSummaryOf(const Solver& solver) {
  SolveSummary summary;
  summary.edge_m = solver.still.tets.empty() ? 0.0 : solver.still.edge_m;
  summary.free_corners = solver.still.movable.size();
  summary.reoriented = solver.still.reoriented;
  summary.flat = solver.still.flat;
  // A lane's positions in double; the block's, and ratios, in single precision.
  const std::size_t corners = solver.still.corner_count;
  summary.block_bytes = kFrameLanes * 6 * corners * sizeof(Vec3) + 3 * corners * sizeof(Vec3) +
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
  std::vector<std::optional<Error>> faults((clips.size() + kFrameLanes - 1) / kFrameLanes);
  parallelFor(clips.size(), kFrameLanes, settings.threads, [&](std::size_t start, std::size_t end) {
    const Status status = runClips(solver, clips.subspan(start, end - start), start);
    if (!status) faults[start / kFrameLanes] = status.error();
  });
  for (const std::optional<Error>& fault : faults) {
    if (fault) return *fault;
  }
  return dynamicSummaryOf(solver);
}

}  // namespace clipmill::stages::tet_bake
