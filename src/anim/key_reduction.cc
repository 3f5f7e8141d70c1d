// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "anim/key_reduction.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "anim/keyed_track.h"
#include "anim/pose.h"
#include "anim/tip_meter.h"

// How it works. A tip moves by at most the sum of what each track above it contributes: the change
// of the track's value times a lever (telescoping the chain one track at a time). Each track gets a
// share of the tolerance as its budget and drops the keys that fit. That sum is a bound, and errors
// rarely add up so badly: the true error is measured, the budgets are scaled by what is left of the
// tolerance below each node, and the try with the fewest keys that keeps the bound wins.

namespace clipmill {
namespace {

constexpr int kTries = 12;
// Errors are steered to this part of the tolerance, less after each try that broke it.
constexpr double kAim = 0.95;
constexpr double kAimAfterMiss = 0.93;
// What the measurement may show at most: the rest is left for the instants between its samples.
constexpr double kAllowed = 0.99;
constexpr double kSearchFractions[] = {0.0, 0.5};
constexpr double kProofFractions[] = {0.25, 0.75};

double lengthOf(const Vec3& v) { return std::sqrt(glm::dot(v, v)); }

double largestColumn(const Mat3& m) {
  return std::max({lengthOf(m[0]), lengthOf(m[1]), lengthOf(m[2])});
}

// What a unit of change in a node's local transform moves at its tips, largest over all frames.
struct Levers {
  double translation = 0.0;
  double rotation = 0.0;
  double scale = 0.0;

  double of(TrackPath path) const {
    return path == TrackPath::kTranslation ? translation
           : path == TrackPath::kRotation  ? rotation
                                           : scale;
  }
};

// Distance from every node's origin to its farthest tip in one pose, measured along the bones.
std::vector<double> reachBelow(const Skeleton& skeleton, std::span<const double> tip_reach,
                               const std::vector<Affine>& worlds) {
  std::vector<double> reach(skeleton.size(), 0.0);
  for (std::size_t i = skeleton.size(); i-- > 0;) {
    if (!tip_reach.empty()) {
      reach[i] = std::max(reach[i], tip_reach[i] * largestColumn(worlds[i].linear));
    }
    const int parent = skeleton.nodes[i].parent;
    if (parent < 0) continue;
    const std::size_t p = static_cast<std::size_t>(parent);
    reach[p] =
        std::max(reach[p], lengthOf(worlds[i].translation - worlds[p].translation) + reach[i]);
  }
  return reach;
}

std::vector<Levers> leversOf(const Skeleton& skeleton, const Motion& motion,
                             std::span<const double> tip_reach) {
  std::vector<Levers> levers(skeleton.size());
  std::vector<Affine> worlds;
  for (std::size_t frame = 0; frame < motion.grid.frame_count; ++frame) {
    const auto locals = motion.localsOf(frame);
    computeWorlds(skeleton, locals, {}, worlds);
    const std::vector<double> reach = reachBelow(skeleton, tip_reach, worlds);
    for (std::size_t i = 0; i < skeleton.size(); ++i) {
      const int parent = skeleton.nodes[i].parent;
      const double parent_scale =
          parent < 0 ? 1.0 : largestColumn(worlds[static_cast<std::size_t>(parent)].linear);
      const Vec3& s = locals[i].scale;
      const double scale = std::max({std::abs(s.x), std::abs(s.y), std::abs(s.z)});
      Levers& lever = levers[i];
      lever.translation = std::max(lever.translation, parent_scale);
      lever.rotation = std::max(lever.rotation, reach[i]);
      if (scale > 0.0) lever.scale = std::max(lever.scale, reach[i] / scale);
    }
  }
  return levers;
}

// For every node the number of touched tracks on the longest way from a root through it to a leaf:
// among so many the tolerance is shared.
std::vector<double> tracksAlongChains(const Skeleton& skeleton,
                                      std::span<const KeyedTrack> tracks) {
  std::vector<double> own(skeleton.size(), 0.0);
  for (const KeyedTrack& track : tracks) {
    if (track.path() != TrackPath::kWeights) own[static_cast<std::size_t>(track.node())] += 1.0;
  }
  std::vector<double> above(skeleton.size(), 0.0), below(skeleton.size(), 0.0);
  for (std::size_t i = 0; i < skeleton.size(); ++i) {
    const int parent = skeleton.nodes[i].parent;
    above[i] = own[i] + (parent < 0 ? 0.0 : above[static_cast<std::size_t>(parent)]);
  }
  for (std::size_t i = skeleton.size(); i-- > 0;) {
    const int parent = skeleton.nodes[i].parent;
    if (parent < 0) continue;
    double& deepest = below[static_cast<std::size_t>(parent)];
    deepest = std::max(deepest, own[i] + below[i]);
  }
  for (std::size_t i = 0; i < skeleton.size(); ++i) above[i] += below[i];
  return above;
}

struct Candidate {
  std::vector<KeyFrames> keys;  // one list a track
  double worst_error = 0.0;
  std::size_t keyCount() const {
    std::size_t count = 0;
    for (const KeyFrames& frames : keys) count += frames.size();
    return count;
  }
};

std::vector<KeyedTrack> keyedTracksOf(const Skeleton& skeleton, const Motion& motion) {
  std::vector<KeyedTrack> tracks;
  for (Track& track : tracksOf(skeleton, motion)) tracks.emplace_back(std::move(track));
  return tracks;
}

// The budget of each track in its own measure (KeyedTrack::chooseKeys) if errors add up in the
// worst way. A track without lever moves no tip and may lose all but its ends.
std::vector<double> initialBudgets(const Skeleton& skeleton, const Motion& motion,
                                   std::span<const KeyedTrack> tracks,
                                   const KeyReductionSettings& settings) {
  const std::vector<Levers> levers = leversOf(skeleton, motion, settings.tip_reach);
  const std::vector<double> sharers = tracksAlongChains(skeleton, tracks);
  std::vector<double> budgets;
  for (const KeyedTrack& track : tracks) {
    const std::size_t node = static_cast<std::size_t>(track.node());
    const bool is_weights = track.path() == TrackPath::kWeights;
    const double lever = is_weights ? 1.0 : levers[node].of(track.path());
    const double share =
        is_weights ? settings.weight_tolerance : settings.tolerance / sharers[node];
    budgets.push_back(lever > 0.0 ? share / lever : HUGE_VAL);
  }
  return budgets;
}

// Scales the budgets so that the worst tip below each track comes near to `target`.
void steer(std::span<const KeyedTrack> tracks, const TipErrors& errors, double target,
           std::vector<double>& budgets) {
  for (std::size_t i = 0; i < tracks.size(); ++i) {
    if (tracks[i].path() == TrackPath::kWeights) continue;
    const double error = errors.below[static_cast<std::size_t>(tracks[i].node())];
    budgets[i] *= error > 0.0 ? std::clamp(target / error, 0.25, 4.0) : 4.0;
  }
}

std::vector<KeyFrames> chooseAllKeys(std::span<const KeyedTrack> tracks,
                                     std::span<const double> budgets) {
  std::vector<KeyFrames> keys;
  for (std::size_t i = 0; i < tracks.size(); ++i) keys.push_back(tracks[i].chooseKeys(budgets[i]));
  return keys;
}

// Every frame a key, except in weight tracks: those move no tip and have a bound of their own.
Candidate allKeys(std::span<const KeyedTrack> tracks, std::span<const double> budgets) {
  Candidate all;
  for (std::size_t i = 0; i < tracks.size(); ++i) {
    const bool is_weights = tracks[i].path() == TrackPath::kWeights;
    all.keys.push_back(tracks[i].chooseKeys(is_weights ? budgets[i] : -1.0));
  }
  return all;
}

Candidate searchFewest(std::span<const KeyedTrack> tracks, const TipMeter& meter, double tolerance,
                       std::vector<double> budgets) {
  Candidate best = allKeys(tracks, budgets);
  std::size_t fewest = best.keyCount();
  bool is_reduced = false;
  double target = kAim * tolerance;
  for (int i = 0; i < kTries; ++i) {
    Candidate next{chooseAllKeys(tracks, budgets), 0.0};
    const TipErrors errors = meter.measure(tracks, next.keys, kSearchFractions);
    next.worst_error = errors.worst;
    const std::size_t count = next.keyCount();
    if (errors.worst <= kAllowed * tolerance && count < fewest) {
      const TipErrors between = meter.measure(tracks, next.keys, kProofFractions);
      next.worst_error = std::max(errors.worst, between.worst);
      if (next.worst_error <= kAllowed * tolerance) {
        best = std::move(next);
        fewest = count;
        is_reduced = true;
      }
    }
    if (!(errors.worst <= kAllowed * tolerance)) target *= kAimAfterMiss;
    steer(tracks, errors, target, budgets);
  }
  if (!is_reduced) {
    best.worst_error = std::max(meter.measure(tracks, best.keys, kSearchFractions).worst,
                                meter.measure(tracks, best.keys, kProofFractions).worst);
  }
  return best;
}

}  // namespace

ReducedKeys reduceKeys(const Skeleton& skeleton, const Motion& motion,
                       const KeyReductionSettings& settings) {
  assert(settings.tip_reach.empty() || settings.tip_reach.size() == skeleton.size());
  const std::vector<KeyedTrack> tracks = keyedTracksOf(skeleton, motion);
  const TipMeter meter(skeleton, motion, settings.tip_reach);
  const Candidate chosen = searchFewest(tracks, meter, settings.tolerance,
                                        initialBudgets(skeleton, motion, tracks, settings));
  ReducedKeys reduced;
  for (std::size_t i = 0; i < tracks.size(); ++i) {
    reduced.tracks.push_back(tracks[i].withKeys(chosen.keys[i]));
    reduced.keys_before += tracks[i].frameCount();
  }
  reduced.keys_after = chosen.keyCount();
  reduced.worst_error = chosen.worst_error;
  return reduced;
}

}  // namespace clipmill
