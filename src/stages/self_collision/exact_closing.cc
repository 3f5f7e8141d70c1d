// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact_closing.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "stages/self_collision/exact_push.h"
#include "stages/self_collision/exact_search.h"

namespace clipmill::collision {
namespace {

constexpr double kClosed = 0.6;  // of the distance that counts as near; the envelope closes more
constexpr double kSlack = 0.3;   // likewise: closed with no more room than this will do
constexpr double kReach = 15.0;  // likewise: gaps that are wider are not closed
constexpr double kMost = 1.5;    // of the whole gap
constexpr double kPrecision = 0.02;
// Shifts forward, away from the trunk, as shares of the gap.
constexpr double kForwardShares[] = {0.0, 0.5, 1.0, 2.0};
constexpr std::size_t kMostCompared = 6;    // samples at which shifts are compared
constexpr std::size_t kMostFinalists = 12;  // shifts that are compared there
constexpr std::size_t kMostWays = 8;        // that are worth trying on the whole clip

double lengthOf(const Vec3& v) { return std::sqrt(glm::dot(v, v)); }

std::vector<std::size_t> someOf(std::span<const std::size_t> samples) {
  std::vector<std::size_t> some;
  const std::size_t count = std::min(samples.size(), kMostCompared);
  for (std::size_t k = 0; k < count; ++k) {
    some.push_back(samples[(2 * k + 1) * samples.size() / (2 * count)]);
  }
  return some;
}

}  // namespace

const char* textOf(ClosingOutcome outcome) {
  switch (outcome) {
    case ClosingOutcome::kTooRough:
      return "closing it would exceed jerk_ratio";
    case ClosingOutcome::kNotFree:
      return "closing it would leave a limb deeper inside";
    case ClosingOutcome::kClosed:
      return "closed in part";
    case ClosingOutcome::kNoWay:
      break;
  }
  return "no way was found to close it with all limbs free";
}

TouchCloser::TouchCloser(const LimbPoser& poser, const SourceMeasures& source, ClipSamples& base,
                         SkinTrial& trial, const LayerStack& stack)
    : poser_(poser), source_(source), base_(base), trial_(trial), stack_(stack) {}

// The widest of the touches of the group, in the pose that is being tried; 0 where there are none.
double TouchCloser::gap_m(const PairGroup& group, std::size_t sample, double reach_m) const {
  double gap = 0.0;
  for (const std::size_t pair : group.pairs) {
    if (source_.touches[pair][sample]) gap = std::max(gap, trial_.clearance_m(pair, reach_m));
  }
  return gap;
}

std::vector<bool> TouchCloser::lostTouches(const PairGroup& group) {
  std::vector<bool> is_lost(base_.count(), false);
  for (std::size_t sample = 0; sample < is_lost.size(); ++sample) {
    if (!source_.touchesAt(group.pairs, sample)) continue;
    const std::vector<LimbChange> changes = stack_.at(sample);
    const bool is_changed = std::any_of(changes.begin(), changes.end(),
                                        [](const auto& change) { return !(change == kNoChange); });
    if (!is_changed) continue;
    trial_.begin(base_.at(sample), changes);
    is_lost[sample] = !(gap_m(group, sample, source_.near_m) < source_.near_m);
  }
  return is_lost;
}

double TouchCloser::lengthOfLimb(std::size_t index) const {
  const MovableLimb& limb = poser_.limb(index);
  const Vec3 middle = trial_.placeOf(limb.lower);
  return lengthOf(middle - trial_.placeOf(limb.upper)) +
         lengthOf(trial_.placeOf(limb.end) - middle);
}

// In the axes of the body, for the first limb of the group: to the nearest place of what it
// touched, and to where its wrist was in the clip as the other wrist sees it.
std::vector<Vec3> TouchCloser::waysTogether(const PairGroup& group, std::size_t sample) const {
  const auto axes = poser_.axesOf(group.limbs[0], trial_.baseWorlds());
  if (!axes) return {};
  const Mat3 body_from_world = glm::transpose(*axes);
  std::vector<Vec3> ways;
  for (const std::size_t pair : group.pairs) {
    if (!source_.touches[pair][sample]) continue;
    const PairClearance gap = trial_.clearance(pair, kReach * source_.near_m);
    if (!gap.is_within_reach || gap.clearance_m < source_.near_m) continue;
    const double sign = isLimbOf(poser_.limb(group.limbs[0]), trial_.pairs()[pair]) ? 1.0 : -1.0;
    ways.push_back(body_from_world * (gap.nearest_m - gap.place_m) * sign);
  }
  if (group.limbs.size() == 2 && !ways.empty()) {
    const int own = poser_.limb(group.limbs[0]).end, other = poser_.limb(group.limbs[1]).end;
    const auto baseOf = [&](int node) {
      return trial_.baseWorlds()[static_cast<std::size_t>(node)].translation;
    };
    ways.push_back(body_from_world *
                   (baseOf(own) - baseOf(other) - (trial_.placeOf(own) - trial_.placeOf(other))));
  }
  return ways;
}

// An amount of 1 closes the gap of the sample.
std::vector<Mode> TouchCloser::candidates(const PairGroup& group, std::size_t sample) const {
  const Vec3 forward(0, 0, 1);
  const bool are_two = group.limbs.size() == 2;
  std::vector<std::pair<double, double>> shares = {{1.0, 0.0}};
  if (are_two) shares = {{0.5, -0.5}, {1.0, 0.0}, {0.0, -1.0}};
  std::vector<Mode> modes;
  for (const Vec3& way : waysTogether(group, sample)) {
    for (const double forward_share : kForwardShares) {
      for (const auto& [first, second] : shares) {
        Mode mode{{}, {}, kMost};
        const double of_limbs[] = {first, second};
        for (std::size_t i = 0; i < group.limbs.size(); ++i) {
          const double length = lengthOfLimb(group.limbs[i]);
          if (of_limbs[i] == 0.0 || !(length > 0.0)) continue;
          LimbChange unit;
          unit.shift = (way * of_limbs[i] + forward * (forward_share * lengthOf(way))) / length;
          mode.limbs.push_back(group.limbs[i]);
          mode.units.push_back(unit);
        }
        if (!mode.limbs.empty()) modes.push_back(std::move(mode));
      }
    }
  }
  return modes;
}

// What brings all touches of the group together at once, with no part deeper than allowed.
std::vector<Mode> TouchCloser::pushesOf(const PairGroup& group, std::size_t sample) {
  PushPose pose = pushPoseAt(base_, stack_, sample);
  for (const std::size_t pair : pairsOf(group.limbs, poser_, trial_.pairs())) {
    ClearanceLimits limit{pair,
                          -std::min(source_.depthAllowed_m(sample, pair), source_.depthMost_m())};
    if (source_.touches[pair][sample]) limit.most_m = kClosed * source_.near_m;
    pose.limits.push_back(limit);
  }
  std::vector<Mode> modes;
  for (auto& push : leastPushes(trial_, group.limbs, {&pose, 1}, source_.near_m)) {
    modes.push_back({group.limbs, std::move(push), kMost});
  }
  return modes;
}

double TouchCloser::room_m(const PairGroup& group, const Mode& mode, std::size_t sample) const {
  double room = kClosed * source_.near_m - gap_m(group, sample, kReach * source_.near_m);
  for (const std::size_t pair : pairsOf(mode.limbs, poser_, trial_.pairs())) {
    if (room < 0.0) break;  // not closed anyway
    const double allowed_m = std::min(source_.depthAllowed_m(sample, pair), source_.depthMost_m());
    room = std::min(room, allowed_m - trial_.measure(pair).depth_m);
    if (!source_.touches[pair][sample]) continue;
    room = std::min(room, source_.near_m - trial_.clearance_m(pair, 2.0 * source_.near_m));
  }
  return room;
}

// Negative where there is none.
double TouchCloser::amountAt(const PairGroup& group, const Mode& mode, std::size_t sample,
                             double guess) {
  const std::vector<LimbChange> present = stack_.at(sample);
  trial_.begin(base_.at(sample), present);
  std::vector<LimbChange> changes(mode.limbs.size());
  const FreeAmount found = leastFree(
      [&](double amount) {
        for (std::size_t i = 0; i < changes.size(); ++i) {
          changes[i] = present[mode.limbs[i]];
          changes[i] += mode.units[i] * amount;
        }
        trial_.change(mode.limbs, changes);
        return room_m(group, mode, sample);
      },
      {0.0, mode.most, guess, kPrecision, kSlack * source_.near_m});
  return found.is_free ? found.amount : -1.0;
}

TouchCloser::Closing TouchCloser::closingOf(const PairGroup& group, const Mode& mode,
                                            std::span<const std::size_t> samples, double guess) {
  Closing closing;
  double unit_cost = 0.0;
  for (const LimbChange& unit : mode.units) {
    unit_cost += glm::dot(unit.shift, unit.shift) + glm::dot(unit.turn, unit.turn) +
                 unit.swivel * unit.swivel;
  }
  for (const std::size_t sample : samples) {
    const double amount = amountAt(group, mode, sample, guess);
    if (amount < 0.0) continue;
    ++closing.closed;
    closing.cost += unit_cost * amount * amount;
  }
  return closing;
}

std::vector<Layer> TouchCloser::waysToClose(const PairGroup& group,
                                            std::span<const std::size_t> samples) {
  std::size_t widest = samples[0];
  double most_m = 0.0;
  for (const std::size_t sample : samples) {
    trial_.begin(base_.at(sample), stack_.at(sample));
    const double gap = gap_m(group, sample, kReach * source_.near_m);
    if (gap > most_m) {
      most_m = gap;
      widest = sample;
    }
  }
  const double guess = 1.0 - kClosed * source_.near_m / most_m;
  trial_.begin(base_.at(widest), stack_.at(widest));
  std::vector<Mode> modes = candidates(group, widest);
  for (Mode& push : pushesOf(group, widest)) modes.push_back(std::move(push));
  std::vector<std::pair<Closing, Mode>> closings;
  const auto compareAt = [&](std::span<const std::size_t> at) {
    for (auto& [closing, mode] : closings) closing = closingOf(group, mode, at, guess);
    std::erase_if(closings, [](const auto& pair) { return pair.first.closed == 0; });
    std::stable_sort(closings.begin(), closings.end(),
                     [](const auto& a, const auto& b) { return a.first.isBetterThan(b.first); });
  };
  for (Mode& mode : modes) closings.emplace_back(Closing{}, std::move(mode));
  compareAt({&widest, 1});
  if (closings.size() > kMostFinalists) closings.resize(kMostFinalists);
  compareAt(someOf(samples));
  if (closings.size() > kMostWays) closings.resize(kMostWays);
  std::vector<Layer> layers;
  for (auto& [closing, mode] : closings) {
    Layer layer;
    layer.required.assign(base_.count(), 0.0);
    for (const std::size_t sample : samples) {
      layer.required[sample] = std::max(0.0, amountAt(group, mode, sample, guess));
    }
    layer.amounts = layer.required;
    layer.mode = std::move(mode);
    layers.push_back(std::move(layer));
  }
  return layers;
}

}  // namespace clipmill::collision
