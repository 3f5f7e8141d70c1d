// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/self_collision.h"

#include <memory>
#include <optional>
#include <utility>

#include "core/parallel.h"
#include "scene/self_penetration.h"
#include "stages/self_collision/exact.h"
#include "stages/self_collision/exact_depths.h"
#include "stages/self_collision/exact_report.h"
#include "stages/self_collision/exact_samples.h"
#include "stages/self_collision/exact_skin.h"
#include "stages/self_collision/exact_source.h"
#include "stages/self_collision/figure_map.h"
#include "stages/self_collision/proxies.h"
#include "stages/self_collision/reference.h"
#include "stages/self_collision/reference_report.h"

namespace clipmill {
namespace {

using namespace collision;  // NOLINT: this file is the room's front

constexpr double kPercent = 0.01;

// What all clips of a scene share.
struct Figure {
  const Scene& scene;
  const SelfCollisionSettings& settings;
  HumanoidMap map;
  SelfPenetration skin;
};

// At which frames a limb is deeper inside than the tolerance, by the skin.
std::vector<bool> deepFrames(const DepthTable& depths, double tolerance_m) {
  std::vector<bool> is_deep;
  for (std::size_t sample = 0; sample < depths.sampleCount(); ++sample) {
    if (!ClipSamples::isFrame(sample)) continue;
    bool any = false;
    for (std::size_t pair = 0; pair < depths.pairCount(); ++pair) {
      any = any || depths.at(sample, pair).depth_m > tolerance_m;
    }
    is_deep.push_back(any);
  }
  return is_deep;
}

StageResult runReference(const Figure& figure, const Proxies& proxies,
                         const ReferenceSolver& solver, const Motion& motion) {
  StageResult result;
  result.motion = motion;
  const ReferenceCounts counts = solver.solveClip(result.motion);

  const LimbPoser poser(figure.scene, figure.map, movableLimbs(figure.scene.skeleton, figure.map));
  SkinTrial trial(figure.scene, figure.skin, poser);
  const double tolerance_m = kPercent * figure.settings.tolerance_percent * figure.skin.height_m();
  const auto measured = [&](const Motion& clip) {
    return measureSource(figure.scene, figure.skin, poser, clip, tolerance_m, trial);
  };
  const SourceMeasures before = measured(motion);
  const DepthTable after = measured(result.motion).depths;
  reportFreedClip({poser, motion, result.motion, before, after,
                   touchesKept(figure.scene, figure.skin, before, result.motion, trial)},
                  figure.skin, result);
  addFrameHits({deepFrames(before.depths, tolerance_m), deepFrames(after, tolerance_m)},
               {framesThatHit(proxies, motion), framesThatHit(proxies, result.motion)}, result);
  addReferenceWarnings(proxies, figure.map, counts, result);
  return result;
}

}  // namespace

Result<ResolvedSettings> resolveSelfCollision(const Scene& scene,
                                              const SelfCollisionSettings& settings) {
  CLIPMILL_TRY(const HumanoidMap map, chooseFigure(scene, settings));
  return ResolvedSettings{std::make_shared<SelfCollisionSettings>(settings), {figureNote(map)}};
}

Result<std::vector<StageResult>> runSelfCollision(const StageInput& input,
                                                  const SelfCollisionSettings& settings) {
  CLIPMILL_TRY(const HumanoidMap map, chooseFigure(input.scene, settings));
  CLIPMILL_TRY(SelfPenetration skin, SelfPenetration::make(input.scene, map));
  const Figure figure{input.scene, settings, map, std::move(skin)};
  const bool is_reference = settings.method == SelfCollisionMethod::kReference;
  std::optional<Proxies> proxies;
  std::optional<ReferenceSolver> solver;
  if (is_reference) {
    proxies.emplace(input.scene, map);
    CLIPMILL_TRY(solver, ReferenceSolver::make(input.scene, map, *proxies));
  }
  std::vector<std::optional<Result<StageResult>>> done(input.motions.size());
  parallelFor(done.size(), 1, input.threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Motion& motion = input.motions[i];
      if (is_reference) {
        done[i] = runReference(figure, *proxies, *solver, motion);
      } else {
        done[i] = freeClip(input.scene, map, figure.skin, settings, motion);
      }
    }
  });
  std::vector<StageResult> results;
  for (auto& one : done) {
    CLIPMILL_TRY(StageResult result, std::move(*one));
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace clipmill
