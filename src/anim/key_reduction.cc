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
// From this try on, windows that a cubic crosses are tightened together. That ends sooner, and
// costs some keys.
constexpr int kSharing = 7;
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

// Which forms of keys a reduction may choose: rotations are short where rounding them costs at most
// `short_part` of their share.
struct TriedForms {
  double short_part = 0.0;
  bool is_cubic = false;
};

// A track without sensitivity moves no tip and may lose all but its ends.
SharedTracks shareTolerance(const Skeleton& skeleton, const Motion& motion,
                            const KeyReductionSettings& settings, const TriedForms& forms) {
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
    const bool is_short =
        forms.short_part > 0.0 && sensitivity * kShortAngle <= forms.short_part * share;
    shared.budgets.emplace_back(windowCount(motion.grid.frame_count),
                                sensitivity > 0.0 ? share / sensitivity : HUGE_VAL);
    shared.tracks.emplace_back(std::move(track), skeleton.nodes[node].euler,
                               KeyForms{is_short, forms.is_cubic});
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

// Lets the windows that a cubic crosses share their worst error: all frames between its two keys
// decide on it.
void shareAlongCubics(const TrackKeys& keys, std::vector<double>& errors) {
  if (keys.interpolation != Interpolation::kCubicSpline) return;
  const std::vector<double> own = errors;
  for (std::size_t k = 0; k + 1 < keys.frames.size(); ++k) {
    const std::size_t first = keys.frames[k] / kFramesPerWindow;
    const std::size_t end = (keys.frames[k + 1] - 1) / kFramesPerWindow + 1;
    const double worst = *std::max_element(own.data() + first, own.data() + end);
    for (std::size_t w = first; w < end; ++w) errors[w] = std::max(errors[w], worst);
  }
}

// Scales each budget by `factor` of the worst error below its track in its window; where `keys` are
// given, in all windows that it shares a cubic with.
template <class Factor>
void scaleBudgets(std::span<const KeyedTrack> tracks, std::span<const TrackKeys> keys,
                  const TipErrors& errors, const Factor& factor, std::vector<Budgets>& budgets) {
  for (std::size_t i = 0; i < tracks.size(); ++i) {
    if (tracks[i].path() == TrackPath::kWeights) continue;
    const std::size_t windows = budgets[i].size();
    const double* own = &errors.below[toSize(tracks[i].node()) * windows];
    std::vector<double> below(own, own + windows);
    if (!keys.empty()) shareAlongCubics(keys[i], below);
    for (std::size_t w = 0; w < windows; ++w) budgets[i][w] *= factor(below[w]);
  }
}

// What is to be few: keys, or bytes of a glTF file.
enum class Price { kKeys, kBytes };

// Cubic keys of nodes that are kept as angles are for people who edit curves: few keys count there.
Price priceOf(const Skeleton& skeleton, const KeyReductionSettings& settings) {
  const auto has_angles = [](const Node& node) { return node.euler.has_value(); };
  if (settings.cubic_keys) {
    return std::ranges::any_of(skeleton.nodes, has_angles) ? Price::kKeys : Price::kBytes;
  }
  return settings.short_rotations ? Price::kBytes : Price::kKeys;
}

// Bytes of a track's keys in a glTF file. Tracks with a key at every frame share their times.
std::size_t linearBytes(const KeyedTrack& track, std::size_t key_count) {
  const std::size_t number = track.isShort() ? sizeof(std::int16_t) : sizeof(float);
  const std::size_t time = key_count == track.frameCount() ? 0 : sizeof(float);
  return key_count * (track.valueAt(0).size() * number + time);
}

// A time, and a value with two slopes.
std::size_t bytesOfCubicKey(const KeyedTrack& track) {
  return (3 * track.valueAt(0).size() + 1) * sizeof(float);
}

// The keys of one track and what they cost.
struct PricedKeys {
  TrackKeys keys;
  std::size_t price = 0;
};

PricedKeys linearKeys(const KeyedTrack& track, const Budgets& budgets, Price price) {
  KeyFrames frames = track.chooseKeys(budgets);
  if (price == Price::kKeys) return {{frames}, frames.size()};
  const std::size_t all = linearBytes(track, track.frameCount());
  const std::size_t few = linearBytes(track, frames.size());
  if (few <= all) return {{std::move(frames)}, few};
  frames.resize(track.frameCount());
  std::iota(frames.begin(), frames.end(), std::size_t{0});
  return {{std::move(frames)}, all};
}

// Cubic keys where a track may have them and they cost less. Two linear keys are always as good.
PricedKeys cheapestKeys(const KeyedTrack& track, const Budgets& budgets, Price price) {
  PricedKeys linear = linearKeys(track, budgets, price);
  if (!track.mayBeCubic() || linear.keys.frames.size() <= 2) return linear;
  const std::size_t each = price == Price::kKeys ? 1 : bytesOfCubicKey(track);
  auto cubic = track.chooseCubicKeys(budgets, (linear.price - 1) / each);
  if (!cubic) return linear;
  const std::size_t cost = cubic->size() * each;
  return {{std::move(*cubic), Interpolation::kCubicSpline}, cost};
}

// A choice of keys and what it costs.
struct Choice {
  std::vector<TrackKeys> keys;  // one item a track
  std::size_t price = 0;
  TipErrors errors;
};

Choice chooseKeys(std::span<const KeyedTrack> tracks, std::span<const Budgets> budgets,
                  Price price) {
  Choice choice;
  for (std::size_t i = 0; i < tracks.size(); ++i) {
    pollCancel();
    PricedKeys keys = cheapestKeys(tracks[i], budgets[i], price);
    choice.keys.push_back(std::move(keys.keys));
    choice.price += keys.price;
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
    const std::span<const TrackKeys> crossed(next.keys.data(), i < kSharing ? 0 : next.keys.size());
    if (i < kSearches) {
      scaleBudgets(tracks, crossed, next.errors, search, budgets);
    } else {
      scaleBudgets(tracks, crossed, next.errors, repair, budgets);
    }
    const bool is_better = is_within && next.price < best.price;
    if (is_better) best = std::move(next);
    if (i >= kSearches && is_within) break;
  }
  return best;
}

// True for two equal linear keys: no time in between or after gives another value than the first.
bool isConstantPair(const Track& track) {
  if (track.times_s->size() != 2 || track.interpolation != Interpolation::kLinear) return false;
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

Reduction reduceWith(const TriedForms& forms, const Skeleton& skeleton, const Motion& motion,
                     const KeyReductionSettings& settings) {
  auto [tracks, budgets] = shareTolerance(skeleton, motion, settings, forms);
  const ErrorMetric meter(skeleton, motion, settings.shell_distances, settings.tolerance,
                          settings.held);
  for (std::size_t i = 0; i < tracks.size(); ++i) {
    tightenForHeld(skeleton, settings, tracks[i], budgets[i]);
    holdIfConstant(skeleton, budgets[i], tracks[i]);
  }
  const Price price = priceOf(skeleton, settings);
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
  std::vector<TriedForms> others;
  if (settings.cubic_keys) others.push_back({0.0, true});
  if (settings.short_rotations) {
    for (const double part : kShortLimits) others.push_back({part, settings.cubic_keys});
  }
  Reduction best = reduceWith({}, skeleton, motion, settings);
  for (const TriedForms& forms : others) {
    Reduction next = reduceWith(forms, skeleton, motion, settings);
    const bool is_within = next.worst <= settings.tolerance;
    if (is_within && next.price < best.price) best = std::move(next);
  }
  return std::move(best.keys);
}

}  // namespace clipmill
