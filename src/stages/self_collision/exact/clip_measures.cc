// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact/clip_measures.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>

#include "stages/self_collision/exact/clip_samples.h"
#include "stages/self_collision/exact/limb_groups.h"

namespace clipmill::stages::self_collision {
namespace {

// Shares of the tolerance.
constexpr double kTargetDepth = 0.25, kContactDepth = 0.5, kBystanderDepth = 0.5,
                 kRestoredDepth = 0.7;

// Shares of the character's height, the second one per second.
constexpr double kContactDistanceHeights = 0.02, kContactSpeedHeights_ps = 0.1;
constexpr double kMinContact_s = 0.15;

// The arm of a pair and the other arm that it is tested against, if any. Upper arms have no
// contacts: they are near the trunk wherever arms hang.
struct ContactLimbs {
  std::size_t own = 0;
  std::optional<std::size_t> other;
};

std::optional<ContactLimbs> contactLimbs(const penetration::PartPair& pair,
                                         const LimbPoser& poser) {
  std::optional<ContactLimbs> found;
  for (std::size_t i = 0; i < poser.limbCount(); ++i) {
    const MovableLimb& limb = poser.limb(i);
    if (limb.parts[1] == pair.limb && !limb.is_leg) found = ContactLimbs{i, {}};
  }
  for (std::size_t i = 0; found && i < poser.limbCount(); ++i) {
    if (i != found->own && !poser.limb(i).is_leg && takesPart(poser.limb(i), pair))
      found->other = i;
  }
  return found;
}

// Position of the hand in the axes of the body, relative to the body or to the other hand.
Vec3 relativePosition(const ContactLimbs& limbs, const LimbPoser& poser, const SkinTrial& trial) {
  const auto axes = poser.axesOf(limbs.own, trial.baseWorlds());
  const Mat3 body_from_world = axes ? glm::transpose(*axes) : Mat3(1.0);
  const int from = limbs.other ? poser.limb(*limbs.other).end : poser.axesNodeOf(limbs.own);
  return body_from_world * (trial.positionOf(poser.limb(limbs.own).end) - trial.positionOf(from));
}

std::vector<double> speedsOf(std::span<const Vec3> positions_m, double step_s) {
  std::vector<double> speeds(positions_m.size(), 0.0);
  for (std::size_t i = 0; i < positions_m.size(); ++i) {
    const std::size_t a = i > 0 ? i - 1 : i, b = std::min(i + 1, positions_m.size() - 1);
    if (a == b) continue;
    const Vec3 step_m = positions_m[b] - positions_m[a];
    speeds[i] = std::sqrt(glm::dot(step_m, step_m)) / (static_cast<double>(b - a) * step_s);
  }
  return speeds;
}

}  // namespace

double DepthTable::maxDepth_m(std::span<const std::size_t> pairs, std::size_t sample) const {
  double max_m = 0.0;
  for (const std::size_t pair : pairs) max_m = std::max(max_m, at(sample, pair).depth_m);
  return max_m;
}

double DepthTable::maxDepth_m(std::size_t sample) const {
  double max_m = 0.0;
  for (std::size_t pair = 0; pair < pair_count_; ++pair) {
    max_m = std::max(max_m, at(sample, pair).depth_m);
  }
  return max_m;
}

double ClipMeasures::targetDepth_m(std::size_t sample, std::size_t pair) const {
  return tolerance_m * (contacts[pair][sample] ? kContactDepth : kTargetDepth);
}

double ClipMeasures::allowedDepth_m(std::size_t sample, std::size_t pair) const {
  return std::max(kBystanderDepth * tolerance_m, depths.at(sample, pair).depth_m);
}

bool ClipMeasures::hasContactAt(std::span<const std::size_t> pairs, std::size_t sample) const {
  return std::any_of(pairs.begin(), pairs.end(),
                     [&](std::size_t pair) { return contacts[pair][sample]; });
}

bool ClipMeasures::isLinkedAt(const PairGroup& group, std::size_t sample) const {
  return is_gripped[sample] || hasContactAt(group.links, sample);
}

std::vector<bool> ClipMeasures::linkedNear(const PairGroup& group, std::size_t reach) const {
  std::vector<bool> is_near(depths.sampleCount(), false);
  for (std::size_t sample = 0; sample < is_near.size(); ++sample) {
    if (!isLinkedAt(group, sample)) continue;
    const std::size_t first = sample - std::min(sample, reach),
                      end = std::min(is_near.size(), sample + reach + 1);
    for (std::size_t s = first; s < end; ++s) is_near[s] = true;
  }
  return is_near;
}

LinkedSamples ClipMeasures::splitByLinks(const PairGroup& group,
                                         std::span<const std::size_t> samples) const {
  LinkedSamples sorted;
  for (const std::size_t sample : samples) {
    const bool is_linked = group.links.empty() || isLinkedAt(group, sample);
    (is_linked ? sorted.linked : sorted.others).push_back(sample);
  }
  return sorted;
}

double ClipMeasures::restoredDepth_m() const { return tolerance_m * kRestoredDepth; }

bool SpanMeasure::isBetterThan(const SpanMeasure& before) const {
  return penetrating_samples <= before.penetrating_samples &&
         penetrating_vertices <= before.penetrating_vertices && max_depth_m <= before.max_depth_m &&
         (penetrating_samples < before.penetrating_samples || max_depth_m < before.max_depth_m);
}

SpanMeasure measureOf(const DepthTable& depths, std::span<const std::size_t> pairs,
                      std::span<const std::size_t> samples, double tolerance_m) {
  SpanMeasure measure;
  for (const std::size_t sample : samples) {
    bool is_penetrating = false;
    for (const std::size_t pair : pairs) {
      const penetration::PairDepth& depth = depths.at(sample, pair);
      is_penetrating = is_penetrating || depth.depth_m > tolerance_m;
      measure.penetrating_vertices += depth.penetrating_count;
      measure.max_depth_m = std::max(measure.max_depth_m, depth.depth_m);
    }
    measure.penetrating_samples += is_penetrating ? 1 : 0;
  }
  return measure;
}

bool isAsFree(const ClipMeasures& source, std::span<const std::size_t> pairs,
              const DepthTable& before, const DepthTable& after) {
  const std::vector<std::size_t> all = samplesOf({0, after.sampleCount() - 1}, after.sampleCount());
  const SpanMeasure was = measureOf(before, pairs, all, source.tolerance_m),
                    is = measureOf(after, pairs, all, source.tolerance_m),
                    authored = measureOf(source.depths, pairs, all, source.tolerance_m);
  return is.penetrating_samples <= was.penetrating_samples &&
         is.penetrating_vertices <= authored.penetrating_vertices &&
         is.max_depth_m <= std::max(was.max_depth_m, source.tolerance_m);
}

std::vector<bool> findDeliberateContacts(std::span<const double> distance_m,
                                         std::span<const double> speed_mps, double step_s,
                                         const ContactLimits& limits) {
  const std::size_t count = distance_m.size();
  std::vector<bool> contacts(count, false);
  for (std::size_t i = 0; i < count; ++i) {
    contacts[i] = distance_m[i] < limits.distance_m && speed_mps[i] < limits.speed_mps;
  }
  for (const Window& run : findWindows(contacts, step_s, 0.0, limits.is_cycle)) {
    const std::size_t length = run.last - run.first + 1;
    const bool is_cut = run.first == 0 || run.last + 1 == count;
    const bool lasts = limits.is_cycle ? length + 1 >= count : is_cut && length < count;
    if (lasts || static_cast<double>(length - 1) * step_s >= limits.min_duration_s) continue;
    for (const std::size_t sample : samplesOf(run, count)) contacts[sample] = false;
    if (limits.is_cycle && (run.first == 0 || run.last + 1 >= count)) {
      contacts.front() = contacts.back() = false;  // one moment
    }
  }
  return contacts;
}

ClipMeasures measureClip(const Scene& scene, const penetration::SelfPenetration& skin,
                         const LimbPoser& poser, const Motion& motion, double tolerance_m,
                         bool is_cycle, SkinTrial& trial) {
  const std::size_t pair_count = skin.pairs().size();
  ClipSamples samples(scene, motion);
  ClipMeasures source{DepthTable(samples.count(), pair_count),
                      {},
                      tolerance_m,
                      kContactDistanceHeights * skin.height_m(),
                      findHandGrips(scene, poser, motion, skin.height_m()),
                      {},
                      {},
                      {},
                      skin.height_m()};
  source.is_gripped = grippedSamples(source.grips, samples.count());
  std::vector<std::optional<ContactLimbs>> limbs;
  for (const penetration::PartPair& pair : skin.pairs()) limbs.push_back(contactLimbs(pair, poser));
  std::vector<std::vector<double>> distances(pair_count);
  std::vector<std::vector<Vec3>> positions(pair_count);
  for (std::size_t sample = 0; sample < samples.count(); ++sample) {
    trial.setPose(samples.at(sample), {});
    source.hands.push_back(relativeHands(poser, trial.baseWorlds()));
    for (std::size_t pair = 0; pair < pair_count; ++pair) {
      penetration::PairDepth& depth = source.depths.at(sample, pair) = trial.measure(pair);
      if (!limbs[pair]) continue;
      distances[pair].push_back(depth.penetrating_count > 0
                                    ? -depth.depth_m
                                    : trial.clearance_m(pair, source.contact_distance_m));
      positions[pair].push_back(relativePosition(*limbs[pair], poser, trial));
    }
  }
  const ContactLimits limits{source.contact_distance_m, kContactSpeedHeights_ps * skin.height_m(),
                             kMinContact_s, is_cycle};
  for (std::size_t pair = 0; pair < pair_count; ++pair) {
    source.contacts.push_back(
        limbs[pair]
            ? findDeliberateContacts(distances[pair], speedsOf(positions[pair], samples.step_s()),
                                     samples.step_s(), limits)
            : std::vector<bool>(samples.count(), false));
  }
  source.clearance_m = std::move(distances);
  return source;
}

std::vector<std::vector<bool>> contactsKept(const Scene& scene,
                                            const penetration::SelfPenetration& skin,
                                            const ClipMeasures& source, const Motion& result,
                                            SkinTrial& trial) {
  ClipSamples samples(scene, result);
  std::vector<std::vector<bool>> kept(skin.pairs().size(),
                                      std::vector<bool>(samples.count(), false));
  for (std::size_t sample = 0; sample < samples.count(); sample += 2) {
    bool is_posed = false;
    for (std::size_t pair = 0; pair < kept.size(); ++pair) {
      if (!source.contacts[pair][sample]) continue;
      if (!is_posed) trial.setPose(samples.at(sample), {});
      is_posed = true;
      const std::optional<ContactLimbs> limbs = contactLimbs(skin.pairs()[pair], trial.poser());
      const bool is_let_go =
          limbs && limbs->other && source.is_gripped[sample] &&
          !isGripKept(
              gripError(source.hands[sample], relativeHands(trial.poser(), trial.baseWorlds())),
              source.height_m);
      kept[pair][sample] = !is_let_go && trial.clearance_m(pair, source.contact_distance_m) <
                                             source.contact_distance_m;
    }
  }
  return kept;
}

std::vector<std::vector<bool>> pinnedEnds(const Scene& scene, const humanoid::HumanoidMap& map,
                                          const LimbPoser& poser, const Motion& motion) {
  const locomotion::FeetTrace feet = locomotion::traceFeet(scene, map, motion);
  ClipSamples samples(scene, motion);
  std::vector<std::vector<bool>> is_pinned(poser.limbCount(),
                                           std::vector<bool>(samples.count(), false));
  for (std::size_t limb = 0; limb < is_pinned.size(); ++limb) {
    if (!poser.limb(limb).is_leg) continue;
    for (const locomotion::FootTrace& foot : feet.feet) {
      if (foot.marks.side != poser.limb(limb).side) continue;
      const auto spans =
          locomotion::unionOf(foot.heel_on, foot.ball_on, 0.5 * feet.contact.shortest_s);
      for (std::size_t sample = 0; sample < samples.count(); ++sample) {
        const double time_s = samples.timeOf(sample);
        is_pinned[limb][sample] =
            std::any_of(spans.begin(), spans.end(),
                        [&](const locomotion::TimeSpan& span) { return span.holds(time_s); });
      }
    }
  }
  return is_pinned;
}

}  // namespace clipmill::stages::self_collision
