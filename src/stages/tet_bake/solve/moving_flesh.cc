// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/solve/moving_flesh.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/portable_math.h"
#include "mesh/triangle_bvh.h"
#include "stages/tet_bake/solve/solve_moving.h"
#include "stages/tet_bake/tets/tet_shape.h"

namespace clipmill::tet_bake {
namespace {

constexpr double kSteps_hz = 240.0;
// Of shear waves in a grown figure, powers of ten: at jiggle 0, and what jiggle takes away. A run
// swings the softest flesh by a centimetre on average.
constexpr double kFirmest = 1.25, kSoftening = 0.75;
// Of the size of the figure: corners that are no farther from where the first frame has them make
// the same shape.
constexpr double kSameShape = 0.005;
constexpr int kMostPasses = 16;

// Sweeps of a step for each edge that a shear wave crosses in it, and the fewest.
constexpr double kSweepsPerEdge = 24.0, kLeastSweeps = 12.0, kMostSweeps = 100.0;

MovingSettings movingSettings(const FleshSettings& flesh, double frame_s, double edge_m) {
  MovingSettings moving;
  moving.shear_speed_mps =
      portable::pow(10.0, kFirmest - kSoftening * flesh.jiggle) * (flesh.figure_m / kGrownFigure_m);
  // The amplitude falls by exp(-damping t / 2).
  moving.damping_per_s = 2.0 * portable::log(10.0) / flesh.settle_s;
  moving.substeps = std::max(1, static_cast<int>(std::floor(kSteps_hz * frame_s + 0.5)));
  const double crossed = moving.shear_speed_mps * frame_s / moving.substeps / edge_m;
  const double sweeps = std::clamp(std::ceil(kSweepsPerEdge * crossed), kLeastSweeps, kMostSweeps);
  moving.sweeps = static_cast<int>(sweeps);
  return moving;
}

// A clip that is played several times, each time from where the one before has left it.
class Playing {
 public:
  Playing(const TetMesh& mesh, const FleshClip& clip, double settle_s)
      : clip_(clip), corner_count_(mesh.vertexCount()) {
    if (clip.frame_count < 3 || !isCycle(mesh)) return;
    const double pass_s = static_cast<double>(period()) * clip.frame_s;
    const double settling = std::min<double>(kMostPasses - 1, std::ceil(settle_s / pass_s));
    run_.passes = 1 + std::max(1, static_cast<int>(settling));
  }

  MovingClip clip() {
    const auto passes = static_cast<std::size_t>(run_.passes);
    return {run_.passes == 1 ? clip_.frame_count : passes * period() + 1,
            [this](std::size_t frame, std::span<Vec3> start, std::span<Vec3> target) {
              const auto [pass, own] = placeOf(frame);
              clip_.source(own, start, target);
              const Vec3 way = static_cast<double>(pass) * way_m_;
              for (Vec3& place : start) place += way;
              for (Vec3& place : target) place += way;
            },
            [this](std::size_t frame, std::span<const Vec3> solved, const FrameStats& stats) {
              keep(frame, solved, stats);
            }};
  }

  const FleshRun& run() const { return run_; }

 private:
  std::size_t period() const { return clip_.frame_count - 1; }

  // The pass and the frame in it; the last frame of one pass is the first of the next.
  std::pair<std::size_t, std::size_t> placeOf(std::size_t frame) const {
    if (frame == 0 || run_.passes == 1) return {0, frame};
    return {(frame - 1) / period(), (frame - 1) % period() + 1};
  }

  bool isCycle(const TetMesh& mesh) {
    std::vector<Vec3> first(corner_count_), last(corner_count_), target(corner_count_);
    clip_.source(0, first, target);
    clip_.source(period(), last, target);
    Box box;
    for (const Vec3& place : mesh.positions) box.add(place);
    for (std::size_t v = 0; v < corner_count_; ++v) way_m_ += last[v] - first[v];
    way_m_ = way_m_ / static_cast<double>(corner_count_);
    const double near_m = kSameShape * glm::length(box.high - box.low);
    for (std::size_t v = 0; v < corner_count_; ++v) {
      if (!(glm::distance(first[v] + way_m_, last[v]) <= near_m)) return false;
    }
    return true;
  }

  void keep(std::size_t frame, std::span<const Vec3> solved, const FrameStats& stats) {
    if (run_.passes == 1) return clip_.sink(frame, solved, stats);
    const std::size_t last_pass = static_cast<std::size_t>(run_.passes) - 1;
    const std::size_t begin = last_pass * period();
    if (frame < begin) return;
    std::vector<Vec3> places(solved.begin(), solved.end());
    const Vec3 way = static_cast<double>(last_pass) * way_m_;
    for (Vec3& place : places) place -= way;
    clip_.sink(frame - begin, places, stats);
    if (frame == begin) first_ = std::move(places);
    if (frame < begin + period()) return;
    for (std::size_t v = 0; v < places.size(); ++v) {
      run_.seam_m = std::max(run_.seam_m, glm::distance(first_[v] + way_m_, places[v]));
    }
    first_ = {};
  }

  const FleshClip& clip_;
  std::size_t corner_count_;
  Vec3 way_m_{0.0};  // from the first frame to the last
  FleshRun run_;
  std::vector<Vec3> first_;
};

}  // namespace

Vec3 boundedSwing(const Vec3& swing, double most_m) {
  if (!(most_m > 0.0)) return Vec3(0.0);
  const Vec3 part = swing / most_m;
  return swing / std::sqrt(1.0 + glm::dot(part, part));
}

Result<std::vector<FleshRun>> moveFlesh(const TetMesh& mesh, std::span<const FleshClip> clips,
                                        const SolveSettings& settings, const FleshSettings& flesh) {
  if (settings.method != SolveMethod::kNeoHookean) {
    return Error{ErrorCode::kRecipe, "tet-bake", "flesh that moves has one method",
                 "give method = \"neo-hookean\", or flesh = \"settled\""};
  }
  std::vector<Playing> playing;
  playing.reserve(clips.size());
  for (const FleshClip& clip : clips) playing.emplace_back(mesh, clip, flesh.settle_s);
  std::vector<double> rates;
  for (const FleshClip& clip : clips) rates.push_back(clip.frame_s);
  std::sort(rates.begin(), rates.end());
  rates.erase(std::unique(rates.begin(), rates.end()), rates.end());
  const double edge_m = std::max(meanEdge(mesh), std::numeric_limits<double>::min());
  for (const double frame_s : rates) {
    std::vector<MovingClip> of_rate;
    for (std::size_t i = 0; i < clips.size(); ++i) {
      if (clips[i].frame_s == frame_s) of_rate.push_back(playing[i].clip());
    }
    CLIPMILL_CHECK(
        solveMoving(mesh, of_rate, frame_s, settings, movingSettings(flesh, frame_s, edge_m)));
  }
  std::vector<FleshRun> runs;
  for (const Playing& clip : playing) runs.push_back(clip.run());
  return runs;
}

}  // namespace clipmill::tet_bake
