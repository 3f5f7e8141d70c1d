// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact/goal_choice.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "anim/pose.h"
#include "core/to_size.h"
#include "stages/self_collision/exact/contact_goals.h"

namespace clipmill::stages::self_collision {
namespace {

// Of the arms' vertices: so many within the body cost as much as goals that are as far as in the
// clip.
constexpr double kCostlyShare = 0.02;
// Contacts yield to freedom beyond this share of the vertices: each so many more cost as much as
// goals that are as far as in the clip.
constexpr double kFewShare = 0.003, kExcessShare = 0.001;
constexpr double kNearHeights = 0.02;  // goals that are nearer in the clip count as so far
constexpr double kToPercent = 100.0, kToMillimetre = 1000.0;

// A resolved clip, and from what it started.
struct Resolution {
  StageResult report;
  std::vector<CorrectionLayer> layers;
  Motion result;
  DepthTable depths, start_depths;
  std::vector<std::vector<Obstacles>> obstacles;
  std::size_t penetrating = 0;
  double cost = 0.0;
  bool has_goals = false;

  bool isBetterThan(const Resolution& other) const {
    return penetrating < other.penetrating ||
           (penetrating == other.penetrating && cost < other.cost);
  }
};

bool isArm(humanoid::BodyPart part) {
  return part == humanoid::BodyPart::kLeftUpperArm || part == humanoid::BodyPart::kLeftForearm ||
         part == humanoid::BodyPart::kRightUpperArm || part == humanoid::BodyPart::kRightForearm;
}

// Both hands with the layers of the goals at a sample.
PoseLimits::Hands handsOf(ClipContext& clip, std::size_t sample) {
  std::vector<LimbChange> changes(clip.poser.limbCount());
  for (const CorrectionLayer& layer : clip.stack.layers()) {
    if (!layer.is_goal || !layer.isActive(sample)) continue;
    for (std::size_t i = 0; i < layer.mode.limbs.size(); ++i) {
      changes[layer.mode.limbs[i]] += layer.mode.units[i] * layer.amounts[sample];
    }
  }
  const auto base = clip.base.at(sample).locals;
  std::vector<Transform> locals(base.begin(), base.end());
  std::vector<Affine> worlds;
  computeWorlds(clip.scene.skeleton, base, clip.scene.metric_from_file, worlds);
  for (std::size_t limb = 0; limb < changes.size(); ++limb) {
    clip.poser.apply(limb, changes[limb], worlds, locals);
  }
  computeWorlds(clip.scene.skeleton, locals, clip.scene.metric_from_file, worlds);
  const auto& [left, right] = *clip.poser.hands();
  return {worlds[toSize(clip.poser.limb(left).end)], worlds[toSize(clip.poser.limb(right).end)]};
}

}  // namespace

double goalErrorOf(const ClipContext& clip) {
  if (!clip.contacts) return 0.0;
  return goalErrors(clip.scene, clip.poser, *clip.contacts, clip.result).mean_m;
}

double shareOfVerticesWithin(const ClipContext& clip) {
  const auto pairs = clip.skin.pairs();
  std::size_t within = 0, all = 0;
  for (std::size_t s = 0; s < clip.depths.sampleCount(); ++s) {
    std::array<std::size_t, humanoid::kBodyPartCount + 1> of_part{};
    for (std::size_t pair = 0; pair < clip.depths.pairCount(); ++pair) {
      if (!isArm(pairs[pair].limb)) continue;
      const penetration::PairDepth& depth = clip.depths.at(s, pair);
      within += depth.penetrating_count;
      std::size_t& count = of_part[toSize(pairs[pair].limb)];
      count = std::max(count, depth.vertex_count);
    }
    for (const std::size_t count : of_part) all += count;
  }
  return static_cast<double>(within) / static_cast<double>(std::max<std::size_t>(1, all));
}

double goalCostOf(const ClipContext& clip) {
  const double share = shareOfVerticesWithin(clip);
  const double within = share / kCostlyShare + std::max(0.0, share - kFewShare) / kExcessShare;
  if (!clip.contacts) return within;
  const GoalErrors before = goalErrors(clip.scene, clip.poser, *clip.contacts, clip.source_motion);
  return goalErrorOf(clip) / std::max(before.mean_m, kNearHeights * clip.skin.height_m()) + within;
}

void GoalGrips::hold() {
  if (!clip_.contacts || clip_.source.grips.empty()) return;
  clip_.limits.hold({});
  clip_.source.hands = unchanged_;
  const std::vector<CorrectionLayer>& layers = clip_.stack.layers();
  const bool has_goals = std::any_of(layers.begin(), layers.end(),
                                     [](const CorrectionLayer& layer) { return layer.is_goal; });
  if (!has_goals) return;
  std::vector<PoseLimits::Hands> hands(clip_.base.count());
  for (std::size_t s = 0; s < hands.size(); ++s) {
    if (!clip_.source.is_gripped[s]) continue;
    hands[s] = handsOf(clip_, s);
    clip_.source.hands[s] = relativeHands(hands[s][0], hands[s][1]);
  }
  clip_.limits.hold(std::move(hands));
}

void resolveFromGoals(ClipContext& clip, std::span<const PairGroup> groups, const GoalSteps& steps,
                      DepthTable& start_depths, StageResult& report) {
  std::vector<std::vector<CorrectionLayer>> candidates;
  if (clip.contacts) candidates = goalCandidates(clip, *clip.contacts, groups);
  if (candidates.empty()) return steps.resolve(report);
  candidates.emplace_back();
  std::optional<Resolution> best;
  const auto obstacles = clip.obstacles;
  for (std::vector<CorrectionLayer>& layers : candidates) {
    const bool has_goals = !layers.empty();
    clip.stack.layers() = std::move(layers);
    clip.obstacles = obstacles;
    steps.start();
    clip.update();
    const DepthTable start = clip.depths;
    start_depths = start;
    StageResult own;
    steps.resolve(own);
    Resolution now{std::move(own), clip.stack.layers(), clip.result,      clip.depths, start,
                   clip.obstacles, steps.penetrating(), goalCostOf(clip), has_goals};
    if (!best || now.isBetterThan(*best)) best = std::move(now);
  }
  report = std::move(best->report);
  clip.stack.layers() = std::move(best->layers);
  clip.result = std::move(best->result);
  clip.depths = std::move(best->depths);
  clip.obstacles = std::move(best->obstacles);
  start_depths = std::move(best->start_depths);
  if (best->has_goals || clip.contacts->goals.empty()) return;
  report.warnings.add("contact_goals_dropped",
                      "with the contacts of the source as goals, more penetration remains or they "
                      "are farther away than without",
                      clip.source_motion.clip_name);
}

void reportGoals(const ClipContext& clip, StageResult& report) {
  if (!clip.contacts) return;
  const GoalErrors before = goalErrors(clip.scene, clip.poser, *clip.contacts, clip.source_motion),
                   after = goalErrors(clip.scene, clip.poser, *clip.contacts, clip.result);
  if (before.count == 0) return;
  const double to_percent = kToPercent / clip.skin.height_m();
  report.metrics.push_back(
      {"contact_error_mm", kToMillimetre * before.mean_m, kToMillimetre * after.mean_m});
  report.metrics.push_back(
      {"contact_error_percent", to_percent * before.mean_m, to_percent * after.mean_m});
  report.metrics.push_back(
      {"max_contact_error_mm", kToMillimetre * before.max_m, kToMillimetre * after.max_m});
}

}  // namespace clipmill::stages::self_collision
