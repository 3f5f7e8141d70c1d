// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "anim/key_reduction.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "anim/error_metric.h"
#include "anim/error_sensitivity.h"
#include "anim/keyed_track.h"
#include "anim/pose.h"
#include "core/cancel.h"
#include "core/to_size.h"

// How it works. A tip moves by at most the sum of what each track above it contributes: the change
// of the track's value times an error sensitivity (telescoping the chain one track at a time). Each
// track gets a share of the tolerance as its budget and drops the keys that fit. That sum is a
// bound, and errors rarely add up so badly: the true error is measured, the budgets are scaled,
// track by track and window by window, by what is left of the tolerance below each node, and the
// try with the fewest keys that keeps the bound wins.

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
std::vector<double> tracksAlongChains(const Skeleton& skeleton,
                                      std::span<const KeyedTrack> tracks) {
  std::vector<double> own(skeleton.size(), 0.0);
  for (const KeyedTrack& track : tracks) {
    if (track.path() != TrackPath::kWeights) own[toSize(track.node())] += 1.0;
  }
  return mostAlongChains(skeleton, own);
}

// The budgets of one track, one a window, in the measure of KeyedTrack::chooseKeys().
using Budgets = std::vector<double>;

std::vector<KeyedTrack> keyedTracksOf(const Skeleton& skeleton, const Motion& motion,
                                      bool short_rotations) {
  std::vector<KeyedTrack> tracks;
  for (Track& track : tracksOf(skeleton, motion)) {
    const auto node = toSize(track.node);
    tracks.emplace_back(std::move(track), skeleton.nodes[node].euler, short_rotations);
  }
  return tracks;
}

// What each track may be off if errors add up in the worst case. A track without sensitivity moves
// no tip and may lose all but its ends.
std::vector<Budgets> initialBudgets(const Skeleton& skeleton, const Motion& motion,
                                    std::span<const KeyedTrack> tracks,
                                    const KeyReductionSettings& settings) {
  const std::vector<ErrorSensitivity> sensitivities =
      errorSensitivityOf(skeleton, motion, settings.shell_distances);
  const std::vector<double> sharers = tracksAlongChains(skeleton, tracks);
  std::vector<Budgets> budgets;
  for (const KeyedTrack& track : tracks) {
    const std::size_t node = toSize(track.node());
    const bool is_weights = track.path() == TrackPath::kWeights;
    const double sensitivity = is_weights ? 1.0 : sensitivities[node].of(track.path());
    const double of_weights = settings.weight_tolerances.empty() ? settings.weight_tolerance
                                                                 : settings.weight_tolerances[node];
    const double share = is_weights ? of_weights : settings.tolerance / sharers[node];
    budgets.emplace_back(windowCount(track.frameCount()),
                         sensitivity > 0.0 ? share / sensitivity : HUGE_VAL);
  }
  return budgets;
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

// A choice of keys and what it costs.
struct Choice {
  std::vector<KeyFrames> keys;  // one list a track
  std::size_t key_count = 0;
  TipErrors errors;
};

Choice chooseKeys(std::span<const KeyedTrack> tracks, std::span<const Budgets> budgets) {
  Choice choice;
  for (std::size_t i = 0; i < tracks.size(); ++i) {
    pollCancel();
    choice.keys.push_back(tracks[i].chooseKeys(budgets[i]));
    choice.key_count += choice.keys.back().size();
  }
  return choice;
}

// Every frame a key, except in weight tracks: those move no tip and have a bound of their own.
Choice chooseAll(std::span<const KeyedTrack> tracks, std::span<const Budgets> budgets) {
  std::vector<Budgets> none(budgets.begin(), budgets.end());
  for (std::size_t i = 0; i < tracks.size(); ++i) {
    if (tracks[i].path() != TrackPath::kWeights) none[i].assign(none[i].size(), -1.0);
  }
  return chooseKeys(tracks, none);
}

// Measures at the frames, and between them too where that can still matter: `choice` is within the
// tolerance at the frames and has fewer keys than `best`.
void measureChoice(std::span<const KeyedTrack> tracks, const ErrorMetric& meter, double allowed,
                   std::size_t fewest, Choice& choice) {
  choice.errors = meter.measure(tracks, choice.keys, kFrames);
  if (choice.key_count >= fewest || !(choice.errors.worst <= allowed)) return;
  choice.errors = worseOf(choice.errors, meter.measure(tracks, choice.keys, kBetween));
}

Choice searchFewestKeys(std::span<const KeyedTrack> tracks, const ErrorMetric& meter,
                        double tolerance, std::vector<Budgets> budgets) {
  const double allowed = kAllowed * tolerance;
  const auto search = [&](double error) {
    return error > 0.0 ? std::clamp(kSearchAim * tolerance / error, 0.25, 4.0) : 4.0;
  };
  const auto repair = [&](double error) {
    return error <= allowed ? 1.0 : std::max(kRepairAim * tolerance / error, 0.1);
  };
  Choice best = chooseAll(tracks, budgets);
  best.errors = worseOf(meter.measure(tracks, best.keys, kFrames),
                        meter.measure(tracks, best.keys, kBetween));
  for (int i = 0; i < kSearches + kRepairs; ++i) {
    Choice next = chooseKeys(tracks, budgets);
    measureChoice(tracks, meter, allowed, best.key_count, next);
    const bool is_within = next.errors.worst <= allowed;
    if (i < kSearches) {
      scaleBudgets(tracks, next.errors, search, budgets);
    } else {
      scaleBudgets(tracks, next.errors, repair, budgets);
    }
    const bool is_better = is_within && next.key_count < best.key_count;
    if (is_better) best = std::move(next);
    if (i >= kSearches && is_within) break;
  }
  return best;
}

}  // namespace

ReducedKeys reduceKeys(const Skeleton& skeleton, const Motion& motion,
                       const KeyReductionSettings& settings) {
  assert(settings.shell_distances.empty() || settings.shell_distances.size() == skeleton.size());
  assert(settings.weight_tolerances.empty() ||
         settings.weight_tolerances.size() == skeleton.size());
  const std::vector<KeyedTrack> tracks = keyedTracksOf(skeleton, motion, settings.short_rotations);
  const ErrorMetric meter(skeleton, motion, settings.shell_distances, settings.tolerance,
                          settings.held);
  std::vector<Budgets> budgets = initialBudgets(skeleton, motion, tracks, settings);
  for (std::size_t i = 0; i < tracks.size(); ++i) {
    tightenForHeld(skeleton, settings, tracks[i], budgets[i]);
  }
  const Choice chosen = searchFewestKeys(tracks, meter, settings.tolerance, std::move(budgets));
  ReducedKeys reduced;
  for (std::size_t i = 0; i < tracks.size(); ++i) {
    pollCancel();
    reduced.tracks.push_back(tracks[i].withKeys(chosen.keys[i]));
    reduced.keys_before += tracks[i].frameCount();
  }
  reduced.keys_after = chosen.key_count;
  reduced.worst_error = chosen.errors.worst_tip;
  reduced.worst_held_error = chosen.errors.worst_held;
  reduced.error_histogram = meter.histogram(tracks, chosen.keys, settings.tolerance, kErrorBins);
  return reduced;
}

}  // namespace clipmill
