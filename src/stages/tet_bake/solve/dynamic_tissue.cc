// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/solve/dynamic_tissue.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>

#include "core/portable_math.h"
#include "stages/tet_bake/solve/solve_dynamic.h"
#include "stages/tet_bake/solve/tissue_knots.h"
#include "stages/tet_bake/solve/tissue_playback.h"
#include "stages/tet_bake/tets/tet_shape.h"

namespace clipmill::stages::tet_bake {
namespace {

constexpr double kSteps_hz = 120.0;
// Speed of shear waves in a reference character, decimal exponents: at jiggle 0, and the decrease
// at jiggle 1. A run swings the softest tissue by a centimetre on average.
constexpr double kFirmest = 1.25, kSoftening = 0.75;
// Most sweeps of a step for each edge that a shear wave crosses in it, and their limits.
constexpr double kSweepsPerEdge = 12.0, kMinStepSweeps = 12.0, kMaxStepSweeps = 100.0;

// The amplitude falls by exp(-damping t / 2).
double dampingOf_per_s(double settle_s) { return 2.0 * portable::log(10.0) / settle_s; }

DynamicSettings dynamicSettings(const TetMesh& mesh, const SoftTissueSettings& tissue,
                                double frame_s, double edge_m) {
  DynamicSettings dynamic;
  dynamic.shear_speed_mps = shearSpeed_mps(tissue.jiggle, tissue.character_m);
  dynamic.damping_per_s = dampingOf_per_s(tissue.settle_s);
  for (const double settle_s : tissue.corner_settle_s) {
    dynamic.corner_damping_per_s.push_back(dampingOf_per_s(settle_s));
  }
  dynamic.substeps = std::max(1, static_cast<int>(std::floor(kSteps_hz * frame_s + 0.5)));
  double stiffest = mesh.stiffness.empty() ? 1.0 : 0.0;
  for (const double stiffness : mesh.stiffness) stiffest = std::max(stiffest, stiffness);
  const double crossed =
      dynamic.shear_speed_mps * std::sqrt(stiffest) * frame_s / dynamic.substeps / edge_m;
  const double sweeps =
      std::clamp(std::ceil(kSweepsPerEdge * crossed), kMinStepSweeps, kMaxStepSweeps);
  dynamic.max_sweeps = static_cast<int>(sweeps);
  return dynamic;
}

}  // namespace

double shearSpeed_mps(double jiggle, double character_m) {
  return portable::pow(10.0, kFirmest - kSoftening * jiggle) * (character_m / kReferenceHeight_m);
}

double stiffnessOfJiggle(double jiggle, double other_jiggle) {
  return portable::pow(10.0, 2.0 * kSoftening * (other_jiggle - jiggle));
}

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
  std::deque<TissueKnots> knots;
  std::vector<SoftTissueClip> at_knots;
  for (const SoftTissueClip& clip : clips) knots.emplace_back(clip, mesh.vertexCount());
  for (TissueKnots& clip : knots) at_knots.push_back(clip.clip());
  std::deque<TissuePlayback> playing;
  std::vector<double> rates;
  for (const SoftTissueClip& clip : at_knots) {
    playing.emplace_back(clip, mesh.vertexCount(), tissue);
    rates.push_back(clip.frame_s);
  }
  std::sort(rates.begin(), rates.end());
  rates.erase(std::unique(rates.begin(), rates.end()), rates.end());
  const double edge_m = std::max(meanEdge(mesh), std::numeric_limits<double>::min());
  for (const double frame_s : rates) {
    std::vector<DynamicClip> of_rate;
    for (std::size_t i = 0; i < at_knots.size(); ++i) {
      if (at_knots[i].frame_s == frame_s) of_rate.push_back(playing[i].clip());
    }
    CLIPMILL_CHECK(solveDynamic(mesh, of_rate, frame_s, settings,
                                dynamicSettings(mesh, tissue, frame_s, edge_m)));
  }
  for (const TissueKnots& clip : knots) clip.write();
  std::vector<SoftTissueRun> runs;
  for (const TissuePlayback& clip : playing) runs.push_back(clip.run());
  return runs;
}

}  // namespace clipmill::stages::tet_bake
