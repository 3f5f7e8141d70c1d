// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact/obstacle_report.h"

#include <algorithm>
#include <string>

#include "core/text.h"
#include "core/to_size.h"
#include "core/units.h"

namespace clipmill::stages::self_collision {
namespace {

struct ObstacleText {
  bool Obstacles::*is_met;
  const char* code;
  const char* message;
  int LimitUse::*joint = &LimitUse::joint;
};

const ObstacleText kTexts[] = {
    {&Obstacles::rotation, "rotation_limit",
     "a limb penetrates because a joint is not rotated by more than max_rotation_deg"},
    {&Obstacles::depth, "leg_move_limit",
     "a leg penetrates because resolving it would move the leg much farther than its depth"},
    {&Obstacles::planted_foot, "planted_foot_kept",
     "a leg penetrates because resolving it would move a planted foot"},
    {&Obstacles::grip, "grip_kept",
     "a limb penetrates because both hands hold one thing, and moving them as one does not free "
     "it"},
    {&Obstacles::range, "anatomical_limit",
     "a limb penetrates because a joint is not moved beyond its anatomical range",
     &LimitUse::range_joint},
    {&Obstacles::jerk, "jerk_above_limit",
     "a limb penetrates because resolving it would exceed max_jerk_ratio"},
};

// Whether corrections of the limb resolve the pair.
bool resolves(const LimbPoser& poser, std::size_t limb, const penetration::PartPair& pair) {
  if (!takesPart(poser.limb(limb), pair)) return false;
  if (isLimbOf(poser.limb(limb), pair)) return true;
  for (std::size_t i = 0; i < poser.limbCount(); ++i) {
    if (isLimbOf(poser.limb(i), pair)) return poser.limb(i).is_leg == poser.limb(limb).is_leg;
  }
  return false;
}

std::size_t sampleOfMaxDepth(const DepthTable& depths, std::size_t pair, const Window& window) {
  std::size_t max_sample = window.first;
  for (std::size_t s = window.first; s <= window.last; ++s) {
    if (depths.at(s, pair).depth_m > depths.at(max_sample, pair).depth_m) max_sample = s;
  }
  return max_sample;
}

void warnOfWindow(ClipContext& clip, std::size_t pair, const Window& window, ClipSamples& result,
                  Warnings& warnings) {
  const std::size_t max_sample = sampleOfMaxDepth(clip.depths, pair, window);
  const std::string frame_and_depth =
      ", frame " + std::to_string(max_sample / 2) + ", " +
      fixedText(kPercent * clip.depths.at(max_sample, pair).depth_m / clip.skin.height_m(), 1) +
      " % of the height left";
  for (std::size_t limb = 0; limb < clip.poser.limbCount(); ++limb) {
    if (!resolves(clip.poser, limb, clip.skin.pairs()[pair])) continue;
    Obstacles met;
    for (std::size_t s = window.first; s <= window.last; ++s) met |= clip.obstacles[limb][s];
    const LimitUse use = clip.limitUse(result, limb, max_sample);
    for (const ObstacleText& text : kTexts) {
      if (!(met.*text.is_met)) continue;
      const int limited = use.*text.joint;
      const int joint = limited >= 0 ? limited : clip.poser.limb(limb).upper;
      warnings.add(text.code, text.message,
                   clip.source_motion.clip_name + ": " + clip.skin.pairs()[pair].name + ", " +
                       clip.scene.skeleton.nodes[toSize(joint)].name + frame_and_depth);
    }
  }
}

}  // namespace

void reportLimits(ClipContext& clip, StageResult& report) {
  ClipSamples result(clip.scene, clip.result);
  double max_rad = 0.0;
  for (std::size_t s = 0; s < result.count(); ++s) {
    for (std::size_t limb = 0; limb < clip.poser.limbCount(); ++limb) {
      max_rad = std::max(max_rad, clip.limitUse(result, limb, s).rotation_rad);
    }
  }
  report.metrics.push_back({"max_rotation_deg", 0.0, max_rad / kDegree});
  for (std::size_t pair = 0; pair < clip.skin.pairs().size(); ++pair) {
    std::vector<bool> is_penetrating;
    for (std::size_t s = 0; s < clip.depths.sampleCount(); ++s) {
      is_penetrating.push_back(clip.depths.at(s, pair).depth_m > clip.source.tolerance_m);
    }
    for (const Window& window : findWindows(is_penetrating, clip.base.step_s(), 0.0, false)) {
      warnOfWindow(clip, pair, window, result, report.warnings);
    }
  }
}

}  // namespace clipmill::stages::self_collision
