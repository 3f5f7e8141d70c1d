// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/self_collision.h"

#include <memory>
#include <optional>
#include <utility>

#include "core/parallel.h"
#include "penetration/self_penetration.h"
#include "stages/self_collision/character_map.h"
#include "stages/self_collision/exact/clip_measures.h"
#include "stages/self_collision/exact/clip_report.h"
#include "stages/self_collision/exact/clip_samples.h"
#include "stages/self_collision/exact/contact_list.h"
#include "stages/self_collision/exact/contact_report.h"
#include "stages/self_collision/exact/resolve_clip.h"
#include "stages/self_collision/exact/skin_trial.h"
#include "stages/self_collision/missing_limbs.h"
#include "stages/self_collision/proxies.h"
#include "stages/self_collision/reference.h"
#include "stages/self_collision/reference_report.h"

namespace clipmill::stages::self_collision {
namespace {

constexpr double kPerPercent = 0.01;

// What all clips of a scene share.
struct Character {
  const Scene& scene;
  const SelfCollisionSettings& settings;
  humanoid::HumanoidMap map;
  penetration::SelfPenetration skin;
};

// The frames at which a limb penetrates by more than the tolerance, measured on the skin.
std::vector<bool> penetratingFrames(const DepthTable& depths, double tolerance_m) {
  std::vector<bool> is_penetrating;
  for (std::size_t sample = 0; sample < depths.sampleCount(); ++sample) {
    if (!ClipSamples::isFrame(sample)) continue;
    is_penetrating.push_back(depths.maxDepth_m(sample) > tolerance_m);
  }
  return is_penetrating;
}

StageResult runReference(const Character& character, const Proxies& proxies,
                         const ReferenceSolver& solver, const Motion& motion) {
  StageResult result;
  result.motion = motion;
  const ReferenceCounts counts = solver.solveClip(result.motion);

  const LimbPoser poser(character.scene, character.map,
                        movableLimbs(character.scene.skeleton, character.map));
  SkinTrial trial(character.scene, character.skin, poser);
  const double tolerance_m =
      kPerPercent * character.settings.tolerance_percent * character.skin.height_m();
  const auto measured = [&](const Motion& clip) {
    // The published method knows no cycles.
    return measureClip(character.scene, character.skin, poser, clip, tolerance_m, false, trial);
  };
  ClipMeasures before = measured(motion);
  useListedContacts(character.settings.contact, character.scene, character.skin, motion, before);
  const DepthTable after = measured(result.motion).depths;
  reportClip({poser, motion, result.motion, before, after,
              contactsKept(character.scene, character.skin, before, result.motion, trial)},
             character.skin, result);
  reportContacts(character.scene, character.skin, before, result.motion, trial, result);
  addFrameShares(
      {penetratingFrames(before.depths, tolerance_m), penetratingFrames(after, tolerance_m)},
      {overlappingFrames(proxies, motion), overlappingFrames(proxies, result.motion)}, result);
  addReferenceWarnings(proxies, counts, result);
  return result;
}

}  // namespace

Result<ResolvedSettings> resolveSelfCollision(const Scene& scene,
                                              const SelfCollisionSettings& settings) {
  CLIPMILL_TRY(const humanoid::HumanoidMap map, chooseCharacter(scene, settings));
  return ResolvedSettings{std::make_shared<SelfCollisionSettings>(settings), {characterNote(map)}};
}

Result<std::vector<StageResult>> runSelfCollision(const StageInput& input,
                                                  const SelfCollisionSettings& settings) {
  CLIPMILL_TRY(const humanoid::HumanoidMap map, chooseCharacter(input.scene, settings));
  const bool has_goals = input.contacts && !input.contacts->empty();
  CLIPMILL_TRY(
      penetration::SelfPenetration skin,
      penetration::SelfPenetration::make(input.scene, map, settings.upper_arms || has_goals));
  CLIPMILL_CHECK(
      checkListedContacts(settings.contact, skin,
                          LimbPoser(input.scene, map, movableLimbs(input.scene.skeleton, map))));
  const Character character{input.scene, settings, map, std::move(skin)};
  const bool is_reference = settings.method == SelfCollisionMethod::kReference;
  std::optional<Proxies> proxies;
  std::optional<ReferenceSolver> solver;
  if (is_reference) {
    proxies.emplace(input.scene, map);
    CLIPMILL_TRY(solver, ReferenceSolver::make(input.scene, map, *proxies));
  }
  std::vector<std::optional<Result<StageResult>>> done(input.motions.size());
  parallelFor(done.size(), 1, input.threads, [&](std::size_t first, std::size_t end) {
    for (std::size_t i = first; i < end; ++i) {
      const Motion& motion = input.motions[i];
      if (is_reference) {
        done[i] = runReference(character, *proxies, *solver, motion);
      } else {
        const auto contacts = sourceContactsOf(input.contacts, settings.contact, motion);
        done[i] = resolveClip(input.scene, map, character.skin, settings, motion,
                              contacts ? &*contacts : nullptr);
      }
    }
  });
  std::vector<StageResult> results;
  for (auto& one : done) {
    CLIPMILL_TRY(StageResult result, std::move(*one));
    warnOfMissingLimbs(character.map, character.skin.pairs(), result.motion.clip_name,
                       result.warnings);
    results.push_back(std::move(result));
  }
  return results;
}

StageType selfCollisionType() {
  StageType type = makeStageType<SelfCollisionSettings>(
      "self-collision", "resolve penetration of arms and legs with the body and with each other",
      selfCollisionTable(), runSelfCollision);
  type.algorithm_version = 12;
  type.needs_meshes = [](const void*) { return true; };
  type.resolve = [](const Scene& scene, std::span<const Motion>, const void* settings) {
    return resolveSelfCollision(scene, *static_cast<const SelfCollisionSettings*>(settings));
  };
  return type;
}

}  // namespace clipmill::stages::self_collision
