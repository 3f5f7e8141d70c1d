// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/self_collision.h"

#include <memory>
#include <optional>
#include <utility>

#include "anim/pose.h"
#include "core/parallel.h"
#include "scene/self_penetration.h"
#include "stages/self_collision/exact.h"
#include "stages/self_collision/figure_map.h"
#include "stages/self_collision/proxies.h"
#include "stages/self_collision/reference.h"
#include "stages/self_collision/reference_report.h"

namespace clipmill {
namespace {

using namespace collision;  // NOLINT: this file is the room's front

// What all clips of a scene share.
struct Figure {
  const Scene& scene;
  const SelfCollisionSettings& settings;
  HumanoidMap map;
  SelfPenetration skin;
};

// At which frames a limb is deeper inside than the tolerance, by the skin.
std::vector<bool> deepFrames(const Figure& figure, const Motion& motion) {
  constexpr double kPercent = 0.01;
  const double tolerance_m = kPercent * figure.settings.tolerance_percent * figure.skin.height_m();
  const auto pose = figure.skin.makePose();
  std::vector<bool> is_deep(motion.grid.frame_count, false);
  std::vector<Affine> worlds;
  for (std::size_t i = 0; i < is_deep.size(); ++i) {
    computeWorlds(figure.scene.skeleton, motion.localsOf(i), Affine{}, worlds);
    figure.skin.pose(worlds, motion.weightsOf(i), *pose);
    for (std::size_t pair = 0; pair < figure.skin.pairs().size() && !is_deep[i]; ++pair) {
      is_deep[i] = figure.skin.measure(pair, *pose).depth_m > tolerance_m;
    }
  }
  return is_deep;
}

StageResult runReference(const Figure& figure, const Proxies& proxies,
                         const ReferenceSolver& solver, const Motion& motion) {
  StageResult result;
  result.motion = motion;
  const ReferenceCounts counts = solver.solveClip(result.motion);
  addFrameHits({deepFrames(figure, motion), deepFrames(figure, result.motion)},
               {framesThatHit(proxies, motion), framesThatHit(proxies, result.motion)}, result);
  addReferenceWarnings(proxies, figure.map, counts, result);
  return result;
}

}  // namespace

Result<ResolvedSettings> resolveSelfCollision(const Scene& scene,
                                              const SelfCollisionSettings& settings) {
  CLIPMILL_TRY(const HumanoidMap map, chooseFigure(scene, settings));
  return ResolvedSettings{std::make_shared<SelfCollisionSettings>(settings),
                          {describeFigure(scene.skeleton, map)}};
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
