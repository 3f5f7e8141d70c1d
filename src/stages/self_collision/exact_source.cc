// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact_source.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "stages/self_collision/exact_contacts.h"
#include "stages/self_collision/exact_pairs.h"
#include "stages/self_collision/exact_samples.h"

namespace clipmill::collision {
namespace {

// Shares of the figure's height, and of it a second.
constexpr double kNearHeights = 0.02, kSlowHeights_ps = 0.1;
constexpr double kShortestTouch_s = 0.15;

// The hand of a pair and what it moves against: another hand, or the body (no limb).
struct TouchingLimbs {
  std::size_t own = 0;
  std::optional<std::size_t> other;
};

std::optional<TouchingLimbs> touchingLimbs(const PartPair& pair, const LimbPoser& poser) {
  std::optional<TouchingLimbs> found;
  for (std::size_t i = 0; i < poser.limbCount(); ++i) {
    const MovableLimb& limb = poser.limb(i);
    if (isLimbOf(limb, pair) && !limb.is_leg) found = TouchingLimbs{i, {}};
  }
  for (std::size_t i = 0; found && i < poser.limbCount(); ++i) {
    if (i != found->own && !poser.limb(i).is_leg && takesPart(poser.limb(i), pair))
      found->other = i;
  }
  return found;
}

// Where the hand is, as the body or the other hand sees it.
Vec3 seenPlace(const TouchingLimbs& limbs, const LimbPoser& poser, const SkinTrial& trial) {
  const auto axes = poser.axesOf(limbs.own, trial.baseWorlds());
  const Mat3 body_from_world = axes ? glm::transpose(*axes) : Mat3(1.0);
  const int from = limbs.other ? poser.limb(*limbs.other).end : poser.carrierOf(limbs.own);
  return body_from_world * (trial.placeOf(poser.limb(limbs.own).end) - trial.placeOf(from));
}

std::vector<double> speedsOf(std::span<const Vec3> places_m, double step_s) {
  std::vector<double> speeds(places_m.size(), 0.0);
  for (std::size_t i = 0; i < places_m.size(); ++i) {
    const std::size_t a = i > 0 ? i - 1 : i, b = std::min(i + 1, places_m.size() - 1);
    if (a == b) continue;
    const Vec3 way = places_m[b] - places_m[a];
    speeds[i] = std::sqrt(glm::dot(way, way)) / (static_cast<double>(b - a) * step_s);
  }
  return speeds;
}

}  // namespace

SourceMeasures measureSource(const Scene& scene, const SelfPenetration& skin,
                             const LimbPoser& poser, const Motion& motion, double tolerance_m,
                             SkinTrial& trial) {
  const std::size_t pair_count = skin.pairs().size();
  ClipSamples samples(scene, motion);
  SourceMeasures source{
      DepthTable(samples.count(), pair_count), {}, tolerance_m, kNearHeights * skin.height_m()};
  std::vector<std::optional<TouchingLimbs>> limbs;
  for (const PartPair& pair : skin.pairs()) limbs.push_back(touchingLimbs(pair, poser));
  std::vector<std::vector<double>> distances(pair_count);
  std::vector<std::vector<Vec3>> places(pair_count);
  for (std::size_t sample = 0; sample < samples.count(); ++sample) {
    trial.begin(samples.at(sample), {});
    for (std::size_t pair = 0; pair < pair_count; ++pair) {
      PairDepth& depth = source.depths.at(sample, pair) = trial.measure(pair);
      if (!limbs[pair]) continue;
      distances[pair].push_back(depth.inside_count > 0 ? -depth.depth_m
                                                       : trial.clearance_m(pair, source.near_m));
      places[pair].push_back(seenPlace(*limbs[pair], poser, trial));
    }
  }
  const TouchLimits limits{source.near_m, kSlowHeights_ps * skin.height_m(), kShortestTouch_s};
  for (std::size_t pair = 0; pair < pair_count; ++pair) {
    source.touches.push_back(limbs[pair] ? findTouches(distances[pair],
                                                       speedsOf(places[pair], samples.step_s()),
                                                       samples.step_s(), limits)
                                         : std::vector<bool>(samples.count(), false));
  }
  return source;
}

std::vector<std::vector<bool>> touchesKept(const Scene& scene, const SelfPenetration& skin,
                                           const SourceMeasures& source, const Motion& result,
                                           SkinTrial& trial) {
  ClipSamples samples(scene, result);
  std::vector<std::vector<bool>> kept(skin.pairs().size(),
                                      std::vector<bool>(samples.count(), false));
  for (std::size_t sample = 0; sample < samples.count(); sample += 2) {
    bool is_posed = false;
    for (std::size_t pair = 0; pair < kept.size(); ++pair) {
      if (!source.touches[pair][sample]) continue;
      if (!is_posed) trial.begin(samples.at(sample), {});
      is_posed = true;
      kept[pair][sample] = trial.clearance_m(pair, source.near_m) < source.near_m;
    }
  }
  return kept;
}

std::vector<std::vector<bool>> heldEnds(const Scene& scene, const HumanoidMap& map,
                                        const LimbPoser& poser, const Motion& motion) {
  const FeetTrace feet = traceFeet(scene, map, motion);
  const ContactSettings settings;
  ClipSamples samples(scene, motion);
  std::vector<std::vector<bool>> held(poser.limbCount(), std::vector<bool>(samples.count(), false));
  for (std::size_t limb = 0; limb < held.size(); ++limb) {
    if (!poser.limb(limb).is_leg) continue;
    for (const FootTrace& foot : feet.feet) {
      if (foot.marks.side != poser.limb(limb).side) continue;
      const auto spans = unionOf(foot.heel_on, foot.ball_on, 0.5 * settings.shortest_s);
      for (std::size_t sample = 0; sample < samples.count(); ++sample) {
        const double time_s = samples.timeOf(sample);
        held[limb][sample] = std::any_of(spans.begin(), spans.end(),
                                         [&](const TimeSpan& span) { return span.holds(time_s); });
      }
    }
  }
  return held;
}

}  // namespace clipmill::collision
