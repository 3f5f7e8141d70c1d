// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/solve/dynamic_tissue.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/portable_math.h"
#include "core/to_size.h"
#include "mesh/triangle_bvh.h"
#include "stages/tet_bake/solve/solve_dynamic.h"
#include "stages/tet_bake/tets/tet_shape.h"

namespace clipmill::stages::tet_bake {
namespace {

constexpr double kSteps_hz = 240.0;
// Speed of shear waves in a reference character, decimal exponents: at jiggle 0, and the decrease
// at jiggle 1. A run swings the softest tissue by a centimetre on average.
constexpr double kFirmest = 1.25, kSoftening = 0.75;
// Share of the character's size: two frames have the same shape where no corner differs by more.
constexpr double kSameShape = 0.005;
constexpr int kMaxPasses = 16;

// Sweeps of a step for each edge that a shear wave crosses in it, and the fewest.
constexpr double kSweepsPerEdge = 24.0, kMinStepSweeps = 12.0, kMaxStepSweeps = 100.0;

DynamicSettings dynamicSettings(const SoftTissueSettings& tissue, double frame_s, double edge_m) {
  DynamicSettings dynamic;
  dynamic.shear_speed_mps = portable::pow(10.0, kFirmest - kSoftening * tissue.jiggle) *
                            (tissue.character_m / kReferenceHeight_m);
  // The amplitude falls by exp(-damping t / 2).
  dynamic.damping_per_s = 2.0 * portable::log(10.0) / tissue.settle_s;
  dynamic.substeps = std::max(1, static_cast<int>(std::floor(kSteps_hz * frame_s + 0.5)));
  const double crossed = dynamic.shear_speed_mps * frame_s / dynamic.substeps / edge_m;
  const double sweeps =
      std::clamp(std::ceil(kSweepsPerEdge * crossed), kMinStepSweeps, kMaxStepSweeps);
  dynamic.sweeps = static_cast<int>(sweeps);
  return dynamic;
}

// A clip that is solved several times in succession, each pass from the state after the last one.
class Playback {
 public:
  Playback(const TetMesh& mesh, const SoftTissueClip& clip, double settle_s)
      : clip_(clip), corner_count_(mesh.vertexCount()) {
    if (clip.frame_count < 3 || !isCycle(mesh)) return;
    const double pass_s = static_cast<double>(period()) * clip.frame_s;
    const double settling = std::min<double>(kMaxPasses - 1, std::ceil(settle_s / pass_s));
    run_.passes = 1 + std::max(1, static_cast<int>(settling));
  }

  DynamicClip clip() {
    const auto passes = toSize(run_.passes);
    return {run_.passes == 1 ? clip_.frame_count : passes * period() + 1,
            [this](std::size_t frame, std::span<Vec3> start, std::span<Vec3> target) {
              const auto [pass, own] = positionOf(frame);
              clip_.source(own, start, target);
              const Vec3 path = static_cast<double>(pass) * path_m_;
              for (Vec3& position : start) position += path;
              for (Vec3& position : target) position += path;
            },
            [this](std::size_t frame, std::span<const Vec3> solved, const FrameStats& stats) {
              keep(frame, solved, stats);
            }};
  }

  const SoftTissueRun& run() const { return run_; }

 private:
  std::size_t period() const { return clip_.frame_count - 1; }

  // The pass and the frame in it; the last frame of one pass is the first of the next.
  std::pair<std::size_t, std::size_t> positionOf(std::size_t frame) const {
    if (frame == 0 || run_.passes == 1) return {0, frame};
    return {(frame - 1) / period(), (frame - 1) % period() + 1};
  }

  bool isCycle(const TetMesh& mesh) {
    std::vector<Vec3> first(corner_count_), last(corner_count_), target(corner_count_);
    clip_.source(0, first, target);
    clip_.source(period(), last, target);
    Box box;
    for (const Vec3& position : mesh.positions) box.add(position);
    for (std::size_t v = 0; v < corner_count_; ++v) path_m_ += last[v] - first[v];
    path_m_ = path_m_ / static_cast<double>(corner_count_);
    const double near_m = kSameShape * glm::length(box.high - box.low);
    for (std::size_t v = 0; v < corner_count_; ++v) {
      if (!(glm::distance(first[v] + path_m_, last[v]) <= near_m)) return false;
    }
    return true;
  }

  void keep(std::size_t frame, std::span<const Vec3> solved, const FrameStats& stats) {
    if (run_.passes == 1) return clip_.sink(frame, solved, stats);
    const std::size_t last_pass = toSize(run_.passes) - 1;
    const std::size_t start = last_pass * period();
    if (frame < start) return;
    std::vector<Vec3> positions(solved.begin(), solved.end());
    const Vec3 path = static_cast<double>(last_pass) * path_m_;
    for (Vec3& position : positions) position -= path;
    clip_.sink(frame - start, positions, stats);
    if (frame == start) first_ = std::move(positions);
    if (frame < start + period()) return;
    for (std::size_t v = 0; v < positions.size(); ++v) {
      run_.loop_gap_m = std::max(run_.loop_gap_m, glm::distance(first_[v] + path_m_, positions[v]));
    }
    first_ = {};
  }

  const SoftTissueClip& clip_;
  std::size_t corner_count_;
  Vec3 path_m_{0.0};  // from the first frame to the last
  SoftTissueRun run_;
  std::vector<Vec3> first_;
};

}  // namespace

Vec3 boundedSwing(const Vec3& swing, double max_m) {
  if (!(max_m > 0.0)) return Vec3(0.0);
  const Vec3 part = swing / max_m;
  return swing / std::sqrt(1.0 + glm::dot(part, part));
}

Result<std::vector<SoftTissueRun>> solveSoftTissue(const TetMesh& mesh,
                                                   std::span<const SoftTissueClip> clips,
                                                   const SolveSettings& settings,
                                                   const SoftTissueSettings& tissue) {
  if (settings.method != SolveMethod::kNeoHookean) {
    return Error{ErrorCode::kRecipe, "tet-bake",
                 "does not support soft_tissue = \"dynamic\" with this method",
                 "set method = \"neo_hookean\", or soft_tissue = \"quasistatic\""};
  }
  std::vector<Playback> playing;
  playing.reserve(clips.size());
  for (const SoftTissueClip& clip : clips) playing.emplace_back(mesh, clip, tissue.settle_s);
  std::vector<double> rates;
  for (const SoftTissueClip& clip : clips) rates.push_back(clip.frame_s);
  std::sort(rates.begin(), rates.end());
  rates.erase(std::unique(rates.begin(), rates.end()), rates.end());
  const double edge_m = std::max(meanEdge(mesh), std::numeric_limits<double>::min());
  for (const double frame_s : rates) {
    std::vector<DynamicClip> of_rate;
    for (std::size_t i = 0; i < clips.size(); ++i) {
      if (clips[i].frame_s == frame_s) of_rate.push_back(playing[i].clip());
    }
    CLIPMILL_CHECK(
        solveDynamic(mesh, of_rate, frame_s, settings, dynamicSettings(tissue, frame_s, edge_m)));
  }
  std::vector<SoftTissueRun> runs;
  for (const Playback& clip : playing) runs.push_back(clip.run());
  return runs;
}

}  // namespace clipmill::stages::tet_bake
