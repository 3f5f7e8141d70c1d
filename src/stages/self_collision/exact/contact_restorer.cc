// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact/contact_restorer.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/math.h"
#include "stages/self_collision/exact/amount_search.h"
#include "stages/self_collision/exact/least_norm_correction.h"

namespace clipmill::stages::self_collision {
namespace {

// Shares of the contact distance.
constexpr double kTargetGap = 0.6;  // less than 1 because the envelope shifts farther
constexpr double kSlack = 0.3;      // accepted margin of a restored contact
constexpr double kMaxGap = 15.0;    // wider gaps stay open
constexpr double kMaxAmount = 1.5;  // of the whole gap
constexpr double kPrecision = 0.02;
// Shifts forward, away from the trunk, as shares of the gap.
constexpr double kForwardShares[] = {0.0, 0.5, 1.0, 2.0};
constexpr std::size_t kMaxCompared = 6;    // samples at which modes are compared
constexpr std::size_t kMaxFinalists = 12;  // modes that are compared there
constexpr std::size_t kMaxLayers = 8;      // modes that are tried on the whole clip

std::vector<std::size_t> spreadOf(std::span<const std::size_t> samples) {
  std::vector<std::size_t> spread;
  const std::size_t count = std::min(samples.size(), kMaxCompared);
  for (std::size_t k = 0; k < count; ++k) {
    spread.push_back(samples[(2 * k + 1) * samples.size() / (2 * count)]);
  }
  return spread;
}

}  // namespace

const char* textOf(RestoreOutcome outcome) {
  switch (outcome) {
    case RestoreOutcome::kTooMuchJerk:
      return "restoring it would exceed max_jerk_ratio";
    case RestoreOutcome::kPenetrates:
      return "restoring it would increase the penetration depth of a limb";
    case RestoreOutcome::kRestored:
      return "restored in part";
    case RestoreOutcome::kNoCandidate:
      break;
  }
  return "no correction restores it without penetration";
}

// The widest gap of the group's contacts in the trial's pose; 0 without contacts.
double ContactRestorer::gap_m(const PairGroup& group, std::size_t sample, double reach_m) const {
  double gap = 0.0;
  for (const std::size_t pair : group.pairs) {
    if (!clip_.source.contacts[pair][sample]) continue;
    gap = std::max(gap, clip_.trial.clearance_m(pair, reach_m));
  }
  return gap;
}

std::vector<bool> ContactRestorer::openContacts(const PairGroup& group) {
  const double contact_m = clip_.source.contact_distance_m;
  std::vector<bool> is_open(clip_.base.count(), false);
  for (std::size_t sample = 0; sample < is_open.size(); ++sample) {
    if (!clip_.source.hasContactAt(group.pairs, sample)) continue;
    const std::vector<LimbChange> changes = clip_.stack.at(sample);
    const bool is_changed = std::any_of(changes.begin(), changes.end(),
                                        [](const auto& change) { return !(change == kNoChange); });
    if (!is_changed) continue;
    clip_.trial.setPose(clip_.base.at(sample), changes);
    is_open[sample] = !(gap_m(group, sample, contact_m) < contact_m);
  }
  return is_open;
}

double ContactRestorer::limbLength_m(std::size_t index) const {
  const MovableLimb& limb = clip_.poser.limb(index);
  const Vec3 middle = clip_.trial.positionOf(limb.lower);
  return lengthOf(middle - clip_.trial.positionOf(limb.upper)) +
         lengthOf(clip_.trial.positionOf(limb.end) - middle);
}

// For the first limb of the group, in the axes of the body: to the nearest point of the other part,
// and, of two limbs, to the position that its wrist had relative to the other wrist in the source.
std::vector<Vec3> ContactRestorer::closingDirections(const PairGroup& group,
                                                     std::size_t sample) const {
  const SkinTrial& trial = clip_.trial;
  const double contact_m = clip_.source.contact_distance_m;
  const auto axes = clip_.poser.axesOf(group.limbs[0], trial.baseWorlds());
  if (!axes) return {};
  const Mat3 body_from_world = glm::transpose(*axes);
  std::vector<Vec3> directions;
  for (const std::size_t pair : group.pairs) {
    if (!clip_.source.contacts[pair][sample]) continue;
    const penetration::PairClearance gap = trial.clearance(pair, kMaxGap * contact_m);
    if (!gap.is_within_reach || gap.clearance_m < contact_m) continue;
    const double sign =
        isLimbOf(clip_.poser.limb(group.limbs[0]), trial.pairs()[pair]) ? 1.0 : -1.0;
    directions.push_back(body_from_world * (gap.nearest_m - gap.position_m) * sign);
  }
  if (group.limbs.size() == 2 && !directions.empty()) {
    const int own = clip_.poser.limb(group.limbs[0]).end,
              other = clip_.poser.limb(group.limbs[1]).end;
    directions.push_back(body_from_world *
                         (trial.basePositionOf(own) - trial.basePositionOf(other) -
                          (trial.positionOf(own) - trial.positionOf(other))));
  }
  return directions;
}

// An amount of 1 closes the gap of the sample.
std::vector<CorrectionMode> ContactRestorer::shiftModes(const PairGroup& group,
                                                        std::size_t sample) const {
  const Vec3 forward(0, 0, 1);
  std::vector<std::pair<double, double>> shares = {{1.0, 0.0}};
  if (group.limbs.size() == 2) shares = {{0.5, -0.5}, {1.0, 0.0}, {0.0, -1.0}};
  std::vector<CorrectionMode> modes;
  for (const Vec3& direction : closingDirections(group, sample)) {
    for (const double forward_share : kForwardShares) {
      for (const auto& [first, second] : shares) {
        CorrectionMode mode{{}, {}, kMaxAmount};
        const double of_limbs[] = {first, second};
        for (std::size_t i = 0; i < group.limbs.size(); ++i) {
          const double length = limbLength_m(group.limbs[i]);
          if (of_limbs[i] == 0.0 || !(length > 0.0)) continue;
          LimbChange unit;
          unit.shift =
              (direction * of_limbs[i] + forward * (forward_share * lengthOf(direction))) / length;
          mode.limbs.push_back(group.limbs[i]);
          mode.units.push_back(unit);
        }
        if (!mode.limbs.empty()) modes.push_back(std::move(mode));
      }
    }
  }
  return modes;
}

double ContactRestorer::maxDepth_m(std::size_t sample, std::size_t pair) const {
  return std::min(clip_.source.allowedDepth_m(sample, pair), clip_.source.restoredDepth_m());
}

// Modes that restore all contacts of the group at once, with no pair above its allowed depth.
std::vector<CorrectionMode> ContactRestorer::leastNormModes(const PairGroup& group,
                                                            std::size_t sample) {
  const double contact_m = clip_.source.contact_distance_m;
  ConstrainedPose pose = constrainedPoseAt(clip_, sample);
  for (const std::size_t pair : clip_.pairsOf(group.limbs)) {
    ClearanceLimits limit{pair, -maxDepth_m(sample, pair)};
    if (clip_.source.contacts[pair][sample]) limit.max_m = kTargetGap * contact_m;
    pose.limits.push_back(limit);
  }
  std::vector<CorrectionMode> modes;
  for (auto& units : leastNormCorrections(clip_.trial, group.limbs, {&pose, 1}, contact_m)) {
    modes.push_back({group.limbs, std::move(units), kMaxAmount});
  }
  return modes;
}

double ContactRestorer::margin_m(const PairGroup& group, const CorrectionMode& mode,
                                 std::size_t sample) const {
  const double contact_m = clip_.source.contact_distance_m;
  double margin = kTargetGap * contact_m - gap_m(group, sample, kMaxGap * contact_m);
  for (const std::size_t pair : clip_.pairsOf(mode.limbs)) {
    if (margin < 0.0) break;  // not restored anyway
    margin = std::min(margin, maxDepth_m(sample, pair) - clip_.trial.measure(pair).depth_m);
    if (!clip_.source.contacts[pair][sample]) continue;
    margin = std::min(margin, contact_m - clip_.trial.clearance_m(pair, 2.0 * contact_m));
  }
  return margin;
}

// Negative if no amount restores the contacts of the sample.
double ContactRestorer::amountAt(const PairGroup& group, const CorrectionMode& mode,
                                 std::size_t sample, double guess) {
  const std::vector<LimbChange> present = clip_.stack.at(sample);
  clip_.trial.setPose(clip_.base.at(sample), present);
  std::vector<LimbChange> changes(mode.limbs.size());
  const FoundAmount found = leastFreeAmount(
      [&](double amount) {
        for (std::size_t i = 0; i < changes.size(); ++i) {
          changes[i] = present[mode.limbs[i]];
          changes[i] += mode.units[i] * amount;
        }
        clip_.trial.setChanges(mode.limbs, changes);
        return margin_m(group, mode, sample);
      },
      {0.0, mode.max_amount, guess, kPrecision, kSlack * clip_.source.contact_distance_m});
  return found.is_free ? found.amount : -1.0;
}

ContactRestorer::Score ContactRestorer::scoreOf(const PairGroup& group, const CorrectionMode& mode,
                                                std::span<const std::size_t> samples,
                                                double guess) {
  Score score;
  double unit_cost = 0.0;
  for (const LimbChange& unit : mode.units) {
    unit_cost += glm::dot(unit.shift, unit.shift) + glm::dot(unit.rotation, unit.rotation) +
                 unit.swivel * unit.swivel;
  }
  for (const std::size_t sample : samples) {
    const double amount = amountAt(group, mode, sample, guess);
    if (amount < 0.0) continue;
    ++score.restored;
    score.cost += unit_cost * amount * amount;
  }
  return score;
}

std::size_t ContactRestorer::widestGap(const PairGroup& group, std::span<const std::size_t> samples,
                                       double& max_gap_m) {
  std::size_t widest = samples.front();
  max_gap_m = 0.0;
  for (const std::size_t sample : samples) {
    clip_.setTrial(sample);
    const double gap = gap_m(group, sample, kMaxGap * clip_.source.contact_distance_m);
    if (gap > max_gap_m) {
      max_gap_m = gap;
      widest = sample;
    }
  }
  return widest;
}

// Compared first at the widest gap, the best of them then over the samples.
std::vector<CorrectionMode> ContactRestorer::bestModes(const PairGroup& group,
                                                       std::vector<CorrectionMode> modes,
                                                       std::span<const std::size_t> samples,
                                                       std::size_t widest, double guess) {
  std::vector<std::pair<Score, CorrectionMode>> scored;
  for (CorrectionMode& mode : modes) scored.emplace_back(Score{}, std::move(mode));
  const auto compareAt = [&](std::span<const std::size_t> at, std::size_t max_count) {
    for (auto& [score, mode] : scored) score = scoreOf(group, mode, at, guess);
    std::erase_if(scored, [](const auto& pair) { return pair.first.restored == 0; });
    std::stable_sort(scored.begin(), scored.end(),
                     [](const auto& a, const auto& b) { return a.first.isBetterThan(b.first); });
    if (scored.size() > max_count) scored.resize(max_count);
  };
  compareAt({&widest, 1}, kMaxFinalists);
  compareAt(spreadOf(samples), kMaxLayers);
  std::vector<CorrectionMode> best;
  for (auto& [score, mode] : scored) best.push_back(std::move(mode));
  return best;
}

std::vector<CorrectionLayer> ContactRestorer::candidateLayers(
    const PairGroup& group, std::span<const std::size_t> samples) {
  if (samples.empty()) return {};
  double max_gap_m = 0.0;
  const std::size_t widest = widestGap(group, samples, max_gap_m);
  const double guess = 1.0 - kTargetGap * clip_.source.contact_distance_m / max_gap_m;
  clip_.setTrial(widest);
  std::vector<CorrectionMode> modes = shiftModes(group, widest);
  for (CorrectionMode& mode : leastNormModes(group, widest)) modes.push_back(std::move(mode));
  std::vector<CorrectionLayer> layers;
  for (CorrectionMode& mode : bestModes(group, std::move(modes), samples, widest, guess)) {
    CorrectionLayer layer;
    layer.required.assign(clip_.base.count(), 0.0);
    for (const std::size_t sample : samples) {
      layer.required[sample] = std::max(0.0, amountAt(group, mode, sample, guess));
    }
    layer.amounts = layer.required;
    layer.mode = std::move(mode);
    layers.push_back(std::move(layer));
  }
  return layers;
}

}  // namespace clipmill::stages::self_collision
