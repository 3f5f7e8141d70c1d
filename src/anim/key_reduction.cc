// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "anim/key_reduction.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>
#include <utility>

#include "anim/error_metric.h"
#include "anim/error_sensitivity.h"
#include "anim/keyed_track.h"
#include "anim/pose.h"
#include "core/cancel.h"
#include "core/integer_rounding.h"
#include "core/to_size.h"

// How it works. A tip moves by at most the sum of what each track above it contributes: the change
// of the track's value times an error sensitivity (telescoping the chain one track at a time). Each
// track gets a share of the tolerance as its budget and drops the keys that fit. That sum is a
// bound, and errors rarely add up so badly: the true error is measured, the budgets are scaled,
// track by track and window by window, by what is left of the tolerance below each node, and the
// cheapest try that keeps the bound wins.

namespace clipmill {
namespace {

// Tries that search for better budgets, then tries that only tighten those that are too wide.
constexpr int kSearches = 3;
constexpr int kRepairs = 9;
// The part of the tolerance to which errors are steered, and the part that may be measured: what is
// left is for the instants between the samples.
constexpr double kSearchAim = 0.93;
constexpr double kRepairAim = 0.75;
constexpr double kAllowed = 0.99;
constexpr double kFrames[] = {0.0};
constexpr double kBetween[] = {0.25, 0.5, 0.75};

// For every node the number of modified tracks on the longest chain from a root through it to a
// leaf: among so many the tolerance is shared.
std::vector<double> tracksAlongChains(const Skeleton& skeleton, std::span<const Track> tracks) {
  std::vector<double> own(skeleton.size(), 0.0);
  for (const Track& track : tracks) {
    if (track.path != TrackPath::kWeights) own[toSize(track.node)] += 1.0;
  }
  return mostAlongChains(skeleton, own);
}

// The budgets of one track, one a window, in the measure of KeyedTrack::chooseKeys().
using Budgets = std::vector<double>;

// The largest error of a rotation as 16-bit integers, in radians: four components of a quaternion,
// each off by half a part of 1, and the angle is twice what the quaternion is off.
constexpr double kShortAngle = 2.0 / kShortParts;

// Which rotations are tried as 16-bit integers: all, then those whose rounding costs at most this
// part of their share. Errors rarely add up, so that more than the share may do.
constexpr double kShortLimits[] = {HUGE_VAL, 2.0, 0.5};

// The tracks of a motion with what each may be off if errors add up in the worst case: its share.
struct SharedTracks {
  std::vector<KeyedTrack> tracks;
  std::vector<Budgets> budgets;
};

// A track without sensitivity moves no tip and may lose all but its ends. Rotations are short where
// rounding them costs at most `short_part` of their share.
SharedTracks shareTolerance(const Skeleton& skeleton, const Motion& motion,
                            const KeyReductionSettings& settings, double short_part) {
  const std::vector<ErrorSensitivity> sensitivities =
      errorSensitivityOf(skeleton, motion, settings.shell_distances);
  std::vector<Track> every_frame = tracksOf(skeleton, motion);
  const std::vector<double> sharers = tracksAlongChains(skeleton, every_frame);
  SharedTracks shared;
  for (Track& track : every_frame) {
    const std::size_t node = toSize(track.node);
    const bool is_weights = track.path == TrackPath::kWeights;
    const double sensitivity = is_weights ? 1.0 : sensitivities[node].of(track.path);
    const double of_weights = settings.weight_tolerances.empty() ? settings.weight_tolerance
                                                                 : settings.weight_tolerances[node];
    const double share = is_weights ? of_weights : settings.tolerance / sharers[node];
    const bool is_short = short_part > 0.0 && sensitivity * kShortAngle <= short_part * share;
    shared.budgets.emplace_back(windowCount(motion.grid.frame_count),
                                sensitivity > 0.0 ? share / sensitivity : HUGE_VAL);
    shared.tracks.emplace_back(std::move(track), skeleton.nodes[node].euler, is_short);
  }
  return shared;
}

// Tracks that move a held point start with its share of the tolerance, in the windows in which it
// is held.
void tightenForHeld(const Skeleton& skeleton, const KeyReductionSettings& settings,
                    const KeyedTrack& track, Budgets& budgets) {
  if (track.path() == TrackPath::kWeights) return;
  std::vector<double> shares(budgets.size(), 1.0);
  for (const HeldPoint& point : settings.held) {
    if (!isAtOrBelow(skeleton, static_cast<int>(point.node), track.node())) continue;
    const std::size_t end = std::min(point.last_frame / kFramesPerWindow + 1, shares.size());
    for (std::size_t w = point.first_frame / kFramesPerWindow; w < end; ++w) {
      shares[w] = std::min(shares[w], point.tolerance / settings.tolerance);
    }
  }
  for (std::size_t w = 0; w < budgets.size(); ++w) budgets[w] *= shares[w];
}

// The value of the track's property in the rest pose.
std::vector<double> restValueOf(const Skeleton& skeleton, const KeyedTrack& track) {
  const Node& node = skeleton.nodes[toSize(track.node())];
  const Transform& rest = node.rest;
  switch (track.path()) {
    case TrackPath::kTranslation:
      return {rest.translation.x, rest.translation.y, rest.translation.z};
    case TrackPath::kRotation:
      return {rest.rotation.x, rest.rotation.y, rest.rotation.z, rest.rotation.w};
    case TrackPath::kScale:
      return {rest.scale.x, rest.scale.y, rest.scale.z};
    case TrackPath::kWeights:
      break;
  }
  const auto start = skeleton.rest_weights.begin() + node.weights_start;
  return {start, start + node.weights_count};
}

// Holds a track that hardly moves at one value: that of the rest pose, which other clips and
// tracks often have too, or its own first one. (ACL calls these default and constant tracks.)
void holdIfConstant(const Skeleton& skeleton, const Budgets& budgets, KeyedTrack& track) {
  if (!track.holdAt(restValueOf(skeleton, track), budgets)) {
    track.holdAt(track.valueAt(0), budgets);
  }
}

// Scales each budget by `factor` of the worst error below its track in its window.
template <class Factor>
void scaleBudgets(std::span<const KeyedTrack> tracks, const TipErrors& errors, const Factor& factor,
                  std::vector<Budgets>& budgets) {
  for (std::size_t i = 0; i < tracks.size(); ++i) {
    if (tracks[i].path() == TrackPath::kWeights) continue;
    const std::size_t windows = budgets[i].size();
    const double* below = &errors.below[toSize(tracks[i].node()) * windows];
    for (std::size_t w = 0; w < windows; ++w) budgets[i][w] *= factor(below[w]);
  }
}

// What is to be few: keys, or bytes of a glTF file.
enum class Price { kKeys, kBytes };

// Bytes of a track's keys in a glTF file. Tracks with a key at every frame share their times.
std::size_t bytesOf(const KeyedTrack& track, std::size_t key_count) {
  const std::size_t number = track.isShort() ? sizeof(std::int16_t) : sizeof(float);
  const std::size_t time = key_count == track.frameCount() ? 0 : sizeof(float);
  return key_count * (track.valueAt(0).size() * number + time);
}

// A choice of keys and what it costs.
struct Choice {
  std::vector<KeyFrames> keys;  // one list a track
  std::size_t price = 0;
  TipErrors errors;
};

Choice chooseKeys(std::span<const KeyedTrack> tracks, std::span<const Budgets> budgets,
                  Price price) {
  Choice choice;
  for (std::size_t i = 0; i < tracks.size(); ++i) {
    pollCancel();
    const KeyedTrack& track = tracks[i];
    KeyFrames& keys = choice.keys.emplace_back(track.chooseKeys(budgets[i]));
    const std::size_t all = bytesOf(track, track.frameCount());
    if (price == Price::kBytes && bytesOf(track, keys.size()) > all) {
      keys.resize(track.frameCount());
      std::iota(keys.begin(), keys.end(), std::size_t{0});
    }
    choice.price += price == Price::kKeys ? keys.size() : bytesOf(track, keys.size());
  }
  return choice;
}

// Every frame a key, except in weight tracks: those move no tip and have a bound of their own.
Choice chooseAll(std::span<const KeyedTrack> tracks, std::span<const Budgets> budgets,
                 Price price) {
  std::vector<Budgets> none(budgets.begin(), budgets.end());
  for (std::size_t i = 0; i < tracks.size(); ++i) {
    if (tracks[i].path() != TrackPath::kWeights) none[i].assign(none[i].size(), -1.0);
  }
  return chooseKeys(tracks, none, price);
}

// Measures at the frames, and between them too where that can still matter: `choice` is within the
// tolerance at the frames and costs less than `lowest`.
void measureChoice(std::span<const KeyedTrack> tracks, const ErrorMetric& meter, double allowed,
                   std::size_t lowest, Choice& choice) {
  choice.errors = meter.measure(tracks, choice.keys, kFrames);
  if (choice.price >= lowest || !(choice.errors.worst <= allowed)) return;
  choice.errors = worseOf(choice.errors, meter.measure(tracks, choice.keys, kBetween));
}

Choice searchLowestPrice(std::span<const KeyedTrack> tracks, const ErrorMetric& meter,
                         double tolerance, Price price, std::vector<Budgets> budgets) {
  const double allowed = kAllowed * tolerance;
  const auto search = [&](double error) {
    return error > 0.0 ? std::clamp(kSearchAim * tolerance / error, 0.25, 4.0) : 4.0;
  };
  const auto repair = [&](double error) {
    return error <= allowed ? 1.0 : std::max(kRepairAim * tolerance / error, 0.1);
  };
  Choice best = chooseAll(tracks, budgets, price);
  best.errors = worseOf(meter.measure(tracks, best.keys, kFrames),
                        meter.measure(tracks, best.keys, kBetween));
  for (int i = 0; i < kSearches + kRepairs; ++i) {
    Choice next = chooseKeys(tracks, budgets, price);
    measureChoice(tracks, meter, allowed, best.price, next);
    const bool is_within = next.errors.worst <= allowed;
    if (i < kSearches) {
      scaleBudgets(tracks, next.errors, search, budgets);
    } else {
      scaleBudgets(tracks, next.errors, repair, budgets);
    }
    const bool is_better = is_within && next.price < best.price;
    if (is_better) best = std::move(next);
    if (i >= kSearches && is_within) break;
  }
  return best;
}

// True for two equal keys: no time in between or after gives another value than the first.
bool isConstantPair(const Track& track) {
  if (track.times_s->size() != 2) return false;
  const auto middle = track.values.begin() + track.width;
  return std::equal(track.values.begin(), middle, middle, track.values.end());
}

// Leaves out the last key of constant tracks. If no other track has the time of that key, the first
// track keeps it, so that the clip ends where it did.
void keepOneKeyOfConstants(std::vector<Track>& tracks) {
  const bool all_are_constant = std::all_of(tracks.begin(), tracks.end(), isConstantPair);
  for (std::size_t i = all_are_constant ? 1 : 0; i < tracks.size(); ++i) {
    Track& track = tracks[i];
    if (!isConstantPair(track)) continue;
    track.times_s = std::make_shared<const std::vector<double>>(1, track.times_s->front());
    track.values.resize(toSize(track.width));
    if (!track.angles_deg.empty()) track.angles_deg.resize(1);
  }
}

// A result, and what decides between two.
struct Reduction {
  ReducedKeys keys;
  double worst = 0.0;  // TipErrors::worst
  std::size_t price = 0;
};

// `short_part` as for shareTolerance().
Reduction reduceWith(double short_part, const Skeleton& skeleton, const Motion& motion,
                     const KeyReductionSettings& settings) {
  auto [tracks, budgets] = shareTolerance(skeleton, motion, settings, short_part);
  const ErrorMetric meter(skeleton, motion, settings.shell_distances, settings.tolerance,
                          settings.held);
  for (std::size_t i = 0; i < tracks.size(); ++i) {
    tightenForHeld(skeleton, settings, tracks[i], budgets[i]);
    holdIfConstant(skeleton, budgets[i], tracks[i]);
  }
  const Price price = settings.short_rotations ? Price::kBytes : Price::kKeys;
  const Choice chosen =
      searchLowestPrice(tracks, meter, settings.tolerance, price, std::move(budgets));
  Reduction result{{}, chosen.errors.worst, chosen.price};
  ReducedKeys& keys = result.keys;
  for (std::size_t i = 0; i < tracks.size(); ++i) {
    pollCancel();
    keys.tracks.push_back(tracks[i].withKeys(chosen.keys[i]));
    keys.keys_before += tracks[i].frameCount();
  }
  keepOneKeyOfConstants(keys.tracks);
  for (const Track& track : keys.tracks) keys.keys_after += track.times_s->size();
  keys.worst_error = chosen.errors.worst_tip;
  keys.worst_held_error = chosen.errors.worst_held;
  keys.error_histogram = meter.histogram(tracks, chosen.keys, settings.tolerance, kErrorBins);
  return result;
}

}  // namespace

ReducedKeys reduceKeys(const Skeleton& skeleton, const Motion& motion,
                       const KeyReductionSettings& settings) {
  assert(settings.shell_distances.empty() || settings.shell_distances.size() == skeleton.size());
  assert(settings.weight_tolerances.empty() ||
         settings.weight_tolerances.size() == skeleton.size());
  Reduction best = reduceWith(0.0, skeleton, motion, settings);
  if (!settings.short_rotations) return std::move(best.keys);
  for (const double short_part : kShortLimits) {
    Reduction next = reduceWith(short_part, skeleton, motion, settings);
    const bool is_within = next.worst <= settings.tolerance;
    if (is_within && next.price < best.price) best = std::move(next);
  }
  return std::move(best.keys);
}

}  // namespace clipmill
