// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact/clip_context.h"

#include <algorithm>
#include <utility>

#include "core/to_size.h"
#include "locomotion/pose_cycle.h"
#include "stages/self_collision/exact/contact_list.h"

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

// The largest depth of each leg against the other within `reach` samples; empty for arms.
std::vector<std::vector<double>> legDepths_m(const LimbPoser& poser,
                                             const penetration::SelfPenetration& skin,
                                             const DepthTable& depths, std::size_t reach) {
  std::vector<std::vector<double>> depth_m(poser.limbCount());
  const std::size_t count = depths.sampleCount();
  for (const PairGroup& group : groupPairs(skin.pairs(), poser)) {
    for (const std::size_t limb : group.limbs) {
      if (!poser.limb(limb).is_leg) continue;
      depth_m[limb].resize(count, 0.0);
      for (std::size_t sample = 0; sample < count; ++sample) {
        const double here_m = depths.maxDepth_m(group.pairs, sample);
        const std::size_t first = sample - std::min(sample, reach),
                          end = std::min(count, sample + reach + 1);
        for (std::size_t s = first; here_m > 0.0 && s < end; ++s) {
          depth_m[limb][s] = std::max(depth_m[limb][s], here_m);
        }
      }
    }
  }
  return depth_m;
}

ClipMeasures measuresOf(const Scene& scene, const LimbPoser& poser,
                        const penetration::SelfPenetration& skin,
                        const SelfCollisionSettings& settings, const Motion& motion, bool is_cycle,
                        const retarget::ClipContacts* contacts, SkinTrial& trial) {
  ClipMeasures source =
      measureClip(scene, skin, poser, motion,
                  settings.tolerance_percent * kPerPercent * skin.height_m(), is_cycle, trial);
  if (contacts && !areContactsListed(settings.contact, motion)) {
    useSourceContacts(*contacts, scene, skin, poser, motion, source);
  }
  useListedContacts(settings.contact, scene, skin, motion, source);
  return source;
}

// Whether a contact of the source character has a part of the limb.
bool hasGoal(const MovableLimb& limb, const retarget::ClipContacts& contacts) {
  return std::any_of(
      contacts.goals.begin(), contacts.goals.end(), [&](const retarget::ContactGoal& goal) {
        return (goal.is_grip && !limb.is_leg) || goal.parts.starts_with(limb.name + " - ") ||
               (!limb.is_leg && std::find(limb.parts.begin(), limb.parts.end(), goal.other_part) !=
                                    limb.parts.end());
      });
}

}  // namespace

void Obstacles::add(PoseLimit limit) {
  rotation = rotation || limit == PoseLimit::kRotation;
  depth = depth || limit == PoseLimit::kDepth;
  planted_foot = planted_foot || limit == PoseLimit::kPlantedFoot;
  grip = grip || limit == PoseLimit::kGrip;
  range = range || limit == PoseLimit::kRange;
}

Obstacles& Obstacles::operator|=(const Obstacles& other) {
  rotation = rotation || other.rotation;
  depth = depth || other.depth;
  planted_foot = planted_foot || other.planted_foot;
  grip = grip || other.grip;
  range = range || other.range;
  jerk = jerk || other.jerk;
  return *this;
}

ClipContext::ClipContext(const Scene& the_scene, const humanoid::HumanoidMap& map,
                         const penetration::SelfPenetration& the_skin,
                         const SelfCollisionSettings& the_settings, const Motion& motion,
                         const retarget::ClipContacts* source_contacts)
    : scene(the_scene),
      skin(the_skin),
      settings(the_settings),
      source_motion(motion),
      contacts(source_contacts),
      poser(scene, map, movableLimbs(scene.skeleton, map)),
      trial(scene, skin, poser),
      is_cycle(motion.grid.frame_count > 1 &&
               locomotion::isCycle(scene.skeleton, map[humanoid::HumanoidRole::kHips], motion)),
      source(measuresOf(scene, poser, skin, settings, motion, is_cycle, contacts, trial)),
      is_pinned(pinnedEnds(scene, map, poser, motion)),
      base_motion(linearBetweenFrames(motion, poser)),
      base(scene, base_motion),
      limits(scene, poser, base_motion,
             {settings.max_rotation_deg * kDegree, skin.height_m(),
              legDepths_m(poser, skin, source.depths, toSize(settings.max_ease_s / base.step_s())),
              is_pinned, source.is_gripped,
              settings.anatomical_ranges ? std::optional(JointRanges(scene, map, poser))
                                         : std::nullopt}),
      stack(scene, poser, motion, settings, is_cycle, limits, contacts != nullptr),
      result(motion),
      depths(source.depths),
      obstacles(poser.limbCount(), std::vector<Obstacles>(source.depths.sampleCount())) {}

void ClipContext::lowerToleranceWhere(double asked_m) {
  limb_tolerance_m.clear();
  for (std::size_t limb = 0; limb < poser.limbCount(); ++limb) {
    const std::vector<std::size_t> pairs = pairsOf({&limb, 1});
    bool is_lower = contacts && hasGoal(poser.limb(limb), *contacts);
    for (std::size_t s = 0; s < source.depths.sampleCount() && !is_lower; ++s) {
      is_lower = source.depths.maxDepth_m(pairs, s) > asked_m;
    }
    limb_tolerance_m.push_back(is_lower ? source.tolerance_m : asked_m);
  }
}

double ClipContext::toleranceOf_m(std::span<const std::size_t> limbs) const {
  double tolerance_m = source.tolerance_m;
  if (limb_tolerance_m.empty()) return tolerance_m;
  for (const std::size_t limb : limbs) tolerance_m = std::max(tolerance_m, limb_tolerance_m[limb]);
  return tolerance_m;
}

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

LimitUse ClipContext::limitUse(ClipSamples& of_result, std::size_t limb, std::size_t sample) {
  const std::vector<int> joints = poser.limb(limb).joints();
  const bool is_changed = std::any_of(joints.begin(), joints.end(), [&](int joint) {
    return result.modified.has(joint, TrackPath::kRotation);
  });
  return is_changed ? limits.use(limb, sample, of_result.at(sample).locals) : LimitUse{};
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
