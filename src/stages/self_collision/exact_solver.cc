// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact_solver.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "stages/self_collision/exact_push.h"

namespace clipmill::collision {
namespace {

// A limb that is free and still this near to the depth wanted, as a share of the tolerance, is as
// far out as it has to be.
constexpr double kSlack = 0.2;
constexpr double kChoosePrecision = 0.03, kPrecision = 0.01;  // of amounts
constexpr std::size_t kMostKeys = 4;                          // samples at which modes are compared
constexpr std::size_t kMostPushes = 2;                        // samples from which pushes are taken
constexpr std::size_t kMostFinalists = 4;  // modes that are compared at all of them

// Cost: squared degrees of each joint, and the squared way of the wrist in limb lengths, of which
// a quarter counts as much as 15 degrees.
constexpr double kShiftCost = 15.0 * 15.0 / (0.25 * 0.25);
// What does not get free costs more than any change, the more the deeper it stays.
constexpr double kStuckCost = 1e5;
// A touch on purpose that is lost, as a turn of 25 degrees.
constexpr double kLostTouchCost = 90.0 * 90.0;
// Beyond the largest turn allowed, a degree.
constexpr double kExcessCost = 1e4;

// How near a push keeps what touches, of the distance that counts as a touch.
constexpr double kTouchClearance = 0.6, kLinkShare = 0.5;
constexpr double kMostPush = 1.5;  // of what frees one sample

// Where the trial said free and the written motion is not: between frames they differ a little.
constexpr double kRaise = 1.1, kLeastRaise = 0.02;

double lengthOf(const Vec3& v) { return std::sqrt(glm::dot(v, v)); }

// Spread over the window, the deepest first.
std::vector<std::size_t> keySamples(std::span<const std::size_t> samples, std::size_t deepest) {
  std::vector<std::size_t> keys = {deepest};
  for (std::size_t k = 0; k + 1 < kMostKeys; ++k) {
    const std::size_t at = (2 * k + 1) * samples.size() / (2 * (kMostKeys - 1));
    const std::size_t sample = samples[std::min(at, samples.size() - 1)];
    if (std::find(keys.begin(), keys.end(), sample) == keys.end()) keys.push_back(sample);
  }
  return keys;
}

}  // namespace

double excess_m(const PairGroup& group, const DepthTable& depths, std::size_t sample,
                double tolerance_m) {
  double deepest = 0.0;
  for (const std::size_t pair : group.pairs) {
    deepest = std::max(deepest, depths.at(sample, pair).depth_m);
  }
  return deepest - tolerance_m;
}

WindowSolver::WindowSolver(const LimbPoser& poser, const ExactSettings& settings,
                           const SourceMeasures& source, const DepthTable& now,
                           const std::vector<std::vector<bool>>& is_held, ClipSamples& base,
                           SkinTrial& trial, LayerStack& stack)
    : poser_(poser),
      settings_(settings),
      source_(source),
      now_(now),
      is_held_(is_held),
      base_(base),
      trial_(trial),
      stack_(stack) {}

double WindowSolver::slack_m() const { return kSlack * source_.tolerance_m; }

// Of all pairs the least, or, where `first_will_do`, that of the first which is not free.
double WindowSolver::room_m(std::span<const PairLimit> limits, bool first_will_do) const {
  double room = std::numeric_limits<double>::infinity();
  for (const PairLimit& limit : limits) {
    if (room < 0.0 && (first_will_do || limit.is_bystander)) break;
    room = std::min(room, limit.most_m - trial_.measure(limit.pair).depth_m);
  }
  return room;
}

// How deep pairs may be: first those of the group, the deepest first, since it most likely is the
// last to get free.
std::vector<WindowSolver::PairLimit> WindowSolver::limitsAt(const PairGroup& group,
                                                            const Mode& mode,
                                                            std::size_t sample) const {
  std::vector<PairLimit> limits;
  for (const std::size_t pair : group.pairs) {
    limits.push_back({pair, source_.depthWanted_m(sample, pair), false});
  }
  std::stable_sort(limits.begin(), limits.end(), [&](const PairLimit& a, const PairLimit& b) {
    return now_.at(sample, a.pair).depth_m > now_.at(sample, b.pair).depth_m;
  });
  for (const std::size_t pair : pairsOf(mode.limbs, poser_, trial_.pairs())) {
    if (std::find(group.pairs.begin(), group.pairs.end(), pair) != group.pairs.end()) continue;
    limits.push_back({pair, source_.depthAllowed_m(sample, pair), true});
  }
  return limits;
}

// Pairs that touch on purpose and, with the change that is being tried, no longer do.
std::size_t WindowSolver::lostTouches(const Mode& mode, std::size_t sample) const {
  std::size_t lost = 0;
  for (const std::size_t pair : pairsOf(mode.limbs, poser_, trial_.pairs())) {
    if (!source_.touches[pair][sample]) continue;
    lost += trial_.clearance_m(pair, source_.near_m) < source_.near_m ? 0 : 1;
  }
  return lost;
}

FreeAmount WindowSolver::amountOf(const PairGroup& group, const Mode& mode, std::size_t sample,
                                  double present, const SearchRange& range, bool likely_free) {
  std::vector<LimbChange> start;
  for (const std::size_t limb : mode.limbs) start.push_back(trial_.changes()[limb]);
  std::vector<LimbChange> changes(start.size());
  const auto set = [&](double amount) {
    for (std::size_t i = 0; i < start.size(); ++i) {
      changes[i] = start[i];
      changes[i] += mode.units[i] * (amount - present);
    }
    trial_.change(mode.limbs, changes);
  };
  const std::vector<PairLimit> limits = limitsAt(group, mode, sample);
  const auto search = [&](bool first_will_do) {
    return leastFree(
        [&](double amount) {
          set(amount);
          return room_m(limits, first_will_do);
        },
        range);
  };
  FreeAmount found = search(likely_free);
  if (likely_free && !found.is_free) found = search(false);  // how much is missing matters now
  set(found.amount);
  return found;
}

// As it was measured last: that of a group that is too deep.
double WindowSolver::measuredRoom_m(const PairGroup& group, std::size_t sample) const {
  double room = std::numeric_limits<double>::infinity();
  for (const std::size_t pair : group.pairs) {
    room = std::min(room, source_.depthWanted_m(sample, pair) - now_.at(sample, pair).depth_m);
  }
  return room;
}

double WindowSolver::costOf(const PairGroup& group, const Mode& mode, std::size_t sample) {
  const std::vector<LimbChange> present = trial_.changes();
  const FreeAmount found = amountOf(
      group, mode, sample, 0.0,
      {0.0, mode.most, mode.guess, kChoosePrecision, slack_m(), measuredRoom_m(group, sample)},
      false);
  double cost = kLostTouchCost * static_cast<double>(lostTouches(mode, sample));
  if (!found.is_free) {
    const double missing = -found.room_m / source_.tolerance_m;
    cost += kStuckCost * (1.0 + missing * missing);
  }
  for (const std::size_t index : mode.limbs) {
    const MovableLimb& limb = poser_.limb(index);
    for (const int joint : limb.joints()) {
      const std::size_t j = static_cast<std::size_t>(joint);
      const double turn_deg = angleBetween(normalizedOrIdentity(trial_.baseLocals()[j].rotation),
                                           normalizedOrIdentity(trial_.locals()[j].rotation)) /
                              kDegree;
      cost += turn_deg * turn_deg + kExcessCost * std::max(0.0, turn_deg - settings_.most_turn_deg);
    }
    const auto baseOf = [&](int node) {
      return trial_.baseWorlds()[static_cast<std::size_t>(node)].translation;
    };
    const double length = lengthOf(baseOf(limb.lower) - baseOf(limb.upper)) +
                          lengthOf(baseOf(limb.end) - baseOf(limb.lower));
    if (!(length > 0.0)) continue;
    const double shift = lengthOf(trial_.placeOf(limb.end) - baseOf(limb.end)) / length;
    cost += kShiftCost * shift * shift;
  }
  std::vector<LimbChange> restored;
  for (const std::size_t limb : mode.limbs) restored.push_back(present[limb]);
  trial_.change(mode.limbs, restored);
  return cost;
}

// The other arm, where a single one touches it on purpose.
std::optional<std::size_t> WindowSolver::companionOf(const PairGroup& group,
                                                     std::size_t sample) const {
  if (group.limbs.size() != 1) return std::nullopt;
  for (const std::size_t pair : pairsOf(group.limbs, poser_, trial_.pairs())) {
    if (!source_.touches[pair][sample]) continue;
    for (std::size_t i = 0; i < poser_.limbCount(); ++i) {
      const MovableLimb& limb = poser_.limb(i);
      if (i != group.limbs[0] && !limb.is_leg && takesPart(limb, trial_.pairs()[pair])) return i;
    }
  }
  return std::nullopt;
}

DeepPlace WindowSolver::deepPlace(const PairGroup& group, std::size_t deepest,
                                  std::span<const std::size_t> samples) const {
  DeepPlace place;
  const auto axes = poser_.axesOf(group.limbs[0], trial_.baseWorlds());
  const Mat3 body_from_world = axes ? glm::transpose(*axes) : Mat3(1.0);
  Vec3 at(0.0);
  double most = -1.0;
  for (const std::size_t pair : group.pairs) {
    const PairDepth depth = trial_.measure(pair);
    if (!(depth.depth_m > most)) continue;
    most = depth.depth_m;
    at = depth.deepest_m;
    place.way_out = body_from_world * depth.way_out_m;
    const bool is_first = isLimbOf(poser_.limb(group.limbs[0]), trial_.pairs()[pair]);
    if (!is_first) place.way_out *= -1.0;
  }
  for (const std::size_t index : group.limbs) {
    const MovableLimb& limb = poser_.limb(index);
    const auto leverFrom = [&](int node) {
      return node < 0 ? Vec3(0.0) : body_from_world * (at - trial_.placeOf(node));
    };
    place.lever.push_back(leverFrom(limb.upper));
    place.collar_lever.push_back(leverFrom(limb.collar));
    place.end_lever.push_back(leverFrom(limb.end));
    place.is_held.push_back(std::any_of(samples.begin(), samples.end(), [&](std::size_t sample) {
      return is_held_[index][sample];
    }));
    const std::vector<std::size_t> near = pairsOf({&index, 1}, poser_, trial_.pairs());
    place.is_busy.push_back(std::any_of(near.begin(), near.end(), [&](std::size_t pair) {
      const bool is_own = isLimbOf(limb, trial_.pairs()[pair]);
      const bool is_freed =
          std::find(group.pairs.begin(), group.pairs.end(), pair) != group.pairs.end();
      return is_own && !is_freed && source_.touches[pair][deepest];
    }));
  }
  place.companion = companionOf(group, deepest);
  return place;
}

// Those at which the limbs of the group touch each other, and the others.
WindowSolver::LinkedSamples WindowSolver::linkedFirst(const PairGroup& group,
                                                      std::span<const std::size_t> samples) const {
  LinkedSamples sorted;
  for (const std::size_t sample : samples) {
    const bool is_linked = group.links.empty() || source_.touchesAt(group.links, sample);
    (is_linked ? sorted.linked : sorted.others).push_back(sample);
  }
  return sorted;
}

PushPose WindowSolver::pushPose(const PairGroup& group, std::size_t sample) {
  PushPose pose = pushPoseAt(base_, stack_, sample);
  for (const std::size_t pair : pairsOf(group.limbs, poser_, trial_.pairs())) {
    // What is not freed gets less than it is allowed, as the others do.
    const bool is_link =
        std::find(group.links.begin(), group.links.end(), pair) != group.links.end();
    ClearanceLimits limit{pair,
                          -(is_link ? kLinkShare : 1.0) * source_.depthWanted_m(sample, pair)};
    if (source_.touches[pair][sample]) limit.most_m = kTouchClearance * source_.near_m;
    pose.limits.push_back(limit);
  }
  return pose;
}

std::vector<Mode> WindowSolver::pushesOf(const PairGroup& group,
                                         std::span<const std::size_t> keys) {
  std::vector<Mode> modes;
  const auto add = [&](std::span<const PushPose> poses) {
    for (auto& push : leastPushes(trial_, group.limbs, poses, source_.near_m)) {
      modes.push_back({group.limbs, std::move(push), kMostPush, 1.0});
    }
  };
  std::vector<PushPose> poses;
  for (const std::size_t sample : keys) poses.push_back(pushPose(group, sample));
  add(poses);
  if (!modes.empty()) return modes;
  for (std::size_t k = 0; k < std::min(poses.size(), kMostPushes); ++k) add({&poses[k], 1});
  return modes;
}

WindowSolver::Keys WindowSolver::keysOf(const PairGroup& group,
                                        std::span<const std::size_t> all_samples) const {
  Keys keys;
  keys.linked = linkedFirst(group, all_samples).linked;
  if (keys.linked.empty()) return keys;
  const std::size_t deepest =
      *std::max_element(keys.linked.begin(), keys.linked.end(), [&](std::size_t a, std::size_t b) {
        return excess_m(group, now_, a, 0.0) < excess_m(group, now_, b, 0.0);
      });
  keys.samples = keySamples(keys.linked, deepest);
  return keys;
}

std::vector<Mode> WindowSolver::chooseModes(const PairGroup& group,
                                            std::span<const std::size_t> all_samples) {
  const Keys keys = keysOf(group, all_samples);
  if (keys.linked.empty()) return {};
  const std::size_t deepest = keys.samples.front();
  trial_.begin(base_.at(deepest), stack_.at(deepest));
  const DeepPlace place = deepPlace(group, deepest, keys.linked);
  return cheapest(group, candidateModes(group, poser_, place, settings_.most_turn_deg * kDegree),
                  keys);
}

std::vector<Mode> WindowSolver::choosePushes(const PairGroup& group,
                                             std::span<const std::size_t> all_samples) {
  const Keys keys = keysOf(group, all_samples);
  if (keys.linked.empty()) return {};
  return cheapest(group, pushesOf(group, keys.samples), keys);
}

std::vector<Mode> WindowSolver::cheapest(const PairGroup& group, std::vector<Mode> candidates,
                                         const Keys& keys) {
  std::vector<std::pair<double, Mode>> modes;
  trial_.begin(base_.at(keys.samples[0]), stack_.at(keys.samples[0]));
  for (Mode& mode : candidates) {
    const double cost = costOf(group, mode, keys.samples[0]);
    modes.emplace_back(cost, std::move(mode));
  }
  const auto isCheaper = [](const auto& a, const auto& b) { return a.first < b.first; };
  std::stable_sort(modes.begin(), modes.end(), isCheaper);
  if (modes.size() > kMostFinalists) modes.resize(kMostFinalists);
  for (std::size_t k = 1; k < keys.samples.size(); ++k) {
    trial_.begin(base_.at(keys.samples[k]), stack_.at(keys.samples[k]));
    for (auto& [cost, mode] : modes) cost += costOf(group, mode, keys.samples[k]);
  }
  std::stable_sort(modes.begin(), modes.end(), isCheaper);
  std::vector<Mode> chosen;
  for (auto& [cost, mode] : modes) {
    if (cost < modes.front().first + kLostTouchCost) chosen.push_back(std::move(mode));
  }
  return chosen;
}

std::size_t WindowSolver::require(const PairGroup& group, std::size_t index,
                                  std::span<const std::size_t> samples, bool was_measured) {
  Layer& layer = stack_.layers()[index];
  const LinkedSamples sorted = linkedFirst(group, samples);
  const std::size_t stuck = requireAt(group, layer, sorted.linked, was_measured, layer.mode.most);
  const double most = *std::max_element(layer.required.begin(), layer.required.end());
  requireAt(group, layer, sorted.others, was_measured, most);
  return stuck;
}

std::size_t WindowSolver::requireAt(const PairGroup& group, Layer& layer,
                                    std::span<const std::size_t> samples, bool was_measured,
                                    double most_amount) {
  std::size_t stuck = 0;
  double guess = layer.mode.guess;
  for (const std::size_t sample : samples) {
    trial_.begin(base_.at(sample), stack_.at(sample));
    const double present = layer.amounts[sample];
    const double most = std::max(present, most_amount);
    std::optional<double> known_room_m;
    if (!was_measured && !layer.isActive(sample)) known_room_m = measuredRoom_m(group, sample);
    const FreeAmount found =
        amountOf(group, layer.mode, sample, present,
                 {present, most, guess, kPrecision, slack_m(), known_room_m}, true);
    double amount = found.amount;
    if (was_measured && found.is_free && amount <= present) {
      amount = std::min(most, kRaise * present + kLeastRaise);
    }
    if (!found.is_free) {
      ++stuck;
      if (!group.links.empty()) continue;  // left to each arm on its own
    }
    layer.required[sample] = std::max(layer.required[sample], amount);
    guess = amount;
  }
  return stuck;
}

}  // namespace clipmill::collision
