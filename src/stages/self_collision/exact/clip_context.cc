// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact/clip_context.h"

#include <algorithm>
#include <utility>

#include "core/to_size.h"
#include "locomotion/foot_contacts.h"

namespace clipmill::stages::self_collision {
namespace {

constexpr double kPerPercent = 0.01;

Motion linearBetweenFrames(Motion motion, const LimbPoser& poser) {
  for (std::size_t i = 0; i < poser.limbCount(); ++i) {
    for (const int joint : poser.limb(i).joints()) {
      motion.modified.set(joint, TrackPath::kRotation);
    }
  }
  return motion;
}

bool limbDiffers(const MovableLimb& limb, const PoseSpans& a, const PoseSpans& b) {
  const std::vector<int> joints = limb.joints();
  return std::any_of(joints.begin(), joints.end(), [&](int joint) {
    const std::size_t j = toSize(joint);
    return !(a.locals[j].rotation == b.locals[j].rotation);
  });
}

}  // namespace

ClipContext::ClipContext(const Scene& the_scene, const humanoid::HumanoidMap& map,
                         const penetration::SelfPenetration& the_skin,
                         const SelfCollisionSettings& the_settings, const Motion& motion)
    : scene(the_scene),
      skin(the_skin),
      settings(the_settings),
      source_motion(motion),
      poser(scene, map, movableLimbs(scene.skeleton, map)),
      trial(scene, skin, poser),
      is_cycle(motion.grid.frame_count > 1 &&
               locomotion::isCycle(scene.skeleton, map[humanoid::HumanoidRole::kHips], motion)),
      source(measureClip(scene, skin, poser, motion,
                         settings.tolerance_percent * kPerPercent * skin.height_m(), trial)),
      is_pinned(pinnedEnds(scene, map, poser, motion)),
      stack(scene, poser, motion, settings, is_cycle),
      result(motion),
      depths(source.depths),
      base_motion(linearBetweenFrames(motion, poser)),
      base(scene, base_motion) {}

std::vector<std::size_t> ClipContext::pairsOf(std::span<const std::size_t> limbs) const {
  return self_collision::pairsOf(limbs, poser, skin.pairs());
}

std::vector<std::vector<std::size_t>> ClipContext::windowsOf(
    const std::vector<bool>& is_marked) const {
  std::vector<std::vector<std::size_t>> windows;
  for (const Window& window :
       findWindows(is_marked, base.step_s(), settings.merge_gap_s, is_cycle)) {
    windows.push_back(markedSamplesOf(window, is_marked));
  }
  return windows;
}

void ClipContext::update() {
  Motion changed = stack.apply();
  ClipSamples before(scene, result), after(scene, changed);
  for (std::size_t sample = 0; sample < after.count(); ++sample) {
    const PoseSpans pose = after.at(sample), last = before.at(sample);
    std::vector<bool> is_stale(skin.pairs().size(), false);
    bool is_any = false;
    for (std::size_t limb = 0; limb < poser.limbCount(); ++limb) {
      if (!limbDiffers(poser.limb(limb), pose, last)) continue;
      is_any = true;
      for (std::size_t pair = 0; pair < is_stale.size(); ++pair) {
        if (takesPart(poser.limb(limb), skin.pairs()[pair])) is_stale[pair] = true;
      }
    }
    if (!is_any) continue;
    trial.setPose(pose, {});
    for (std::size_t pair = 0; pair < is_stale.size(); ++pair) {
      if (is_stale[pair]) depths.at(sample, pair) = trial.measure(pair);
    }
  }
  result = std::move(changed);
}

}  // namespace clipmill::stages::self_collision
