// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact/goal_clearance.h"

#include <algorithm>
#include <cstddef>

#include "core/to_size.h"
#include "stages/self_collision/exact/limb_groups.h"
#include "stages/self_collision/exact/pair_separation.h"

namespace clipmill::stages::self_collision {
namespace {

using Index = Eigen::Index;

constexpr Index kMaxNumbers = GoalTrack::kNumberCount;
// Weights relative to goals: of penetration, and of pairs that penetrated before.
constexpr double kClearanceOfGoal = 4.0, kKeptOfGoal = 0.5;
// Of one pair: so many penetrating points count, so far apart in units of the error.
constexpr std::size_t kMaxSites = 8;
constexpr std::size_t kKeptVertices = 150'000;  // of poses that are kept, about 0.7 kB each
constexpr double kSiteUnits = 1.5;
constexpr double kUpperArmDepth = 0.5, kArmpitClearance = 0.1;  // of the tolerance

}  // namespace

GoalClearance::GoalClearance(ClipContext& clip, const retarget::ClipContacts& contacts)
    : clip_(clip),
      trial_(clip.scene, *contacts.with_upper_arms, clip.poser),
      base_trial_(trial_.withoutPose()),
      trials_(clip.base.count()),
      free_trials_(kKeptVertices / std::max<std::size_t>(1, contacts.skin->vertexCount())) {}

SkinTrial& GoalClearance::trialOf(std::size_t sample) {
  std::unique_ptr<SkinTrial>& own = trials_[sample];
  if (!own && free_trials_ > 0) {
    --free_trials_;
    own = std::make_unique<SkinTrial>(trial_.withoutPose());
  }
  return own ? *own : trial_;
}

bool GoalClearance::isUpperArm(std::size_t pair) const {
  const humanoid::BodyPart limb = trial_.pairs()[pair].limb;
  return limb == humanoid::BodyPart::kLeftUpperArm || limb == humanoid::BodyPart::kRightUpperArm;
}

bool GoalClearance::isUpperArmAndHead(std::size_t pair) const {
  return isUpperArm(pair) && trial_.pairs()[pair].others == std::vector{humanoid::BodyPart::kHead};
}

// The depth at which goals leave a pair; negative for a clearance. Upper arms are as in the clip
// where the others may penetrate a little.
double GoalClearance::allowedDepth_m(std::size_t pair, std::size_t sample) {
  const auto is_known = [&](const penetration::PartPair& known) {
    return known.name == trial_.pairs()[pair].name;
  };
  const auto same = std::find_if(clip_.skin.pairs().begin(), clip_.skin.pairs().end(), is_known);
  if (!isUpperArm(pair) && same != clip_.skin.pairs().end()) {
    const auto index = toSize(same - clip_.skin.pairs().begin());
    return depth_share_ * clip_.source.targetDepth_m(sample, index);
  }
  const double least_m = kUpperArmDepth * clip_.source.tolerance_m;
  if (depth_share_ < 0.0) {
    return (counts_head_ ? -kArmpitClearance : depth_share_) * clip_.source.tolerance_m;
  }
  upper_depth_m_.resize(trial_.pairs().size());
  std::vector<double>& depths = upper_depth_m_[pair];
  if (depths.empty()) depths.assign(clip_.base.count(), -1.0);
  if (depths[sample] < 0.0) {
    base_trial_.setPose(clip_.base.at(sample), {});
    depths[sample] = base_trial_.measure(pair).depth_m;
  }
  return std::max(least_m, depths[sample]);
}

// The pose of the trial with each number of all tracks a little larger; none for numbers that do
// not count.
std::vector<std::vector<Affine>> GoalClearance::probedWorlds(std::size_t sample,
                                                             std::span<const GoalTrack> tracks) {
  const std::vector<LimbChange> changes = changesOf(tracks, sample, clip_.poser.limbCount());
  const SkinTrial& trial = trialOf(sample);
  std::vector<std::vector<Affine>> probed(tracks.size() * toSize(static_cast<int>(kMaxNumbers)));
  for (std::size_t t = 0; t < tracks.size(); ++t) {
    const GoalTrack& track = tracks[t];
    for (Index n = 0; n < track.size(); ++n) {
      GoalTrack::Values probe = track.values[sample];
      probe[n] += kGoalProbe;
      std::vector<LimbChange> other = changes;
      other[track.limb] = GoalTrack::changeOf(probe);
      probed[t * kMaxNumbers + toSize(static_cast<int>(n))] = trial.worldsWith(other);
    }
  }
  return probed;
}

// Points by descending depth, some distance apart; of a pair that does not penetrate the
// nearest one.
void GoalClearance::addSites(std::size_t pair, const SkinTrial& trial, double allowed_m,
                             bool was_violated, std::vector<ClearanceSite>& sites) {
  std::vector<penetration::PenetratingPoint> points = trial.penetratingPoints(pair);
  if (points.empty()) {
    if (allowed_m >= 0.0 && !was_violated) return;
    const penetration::PairClearance at = trial.clearance(pair, unit_m());
    const double excess_m = -at.clearance_m - allowed_m;
    if (at.is_within_reach && (excess_m > 0.0 || was_violated)) {
      sites.push_back({pair, at, excess_m});
    }
    return;
  }
  std::stable_sort(points.begin(), points.end(), [](const auto& a, const auto& b) {
    return glm::dot(a.exit_m, a.exit_m) > glm::dot(b.exit_m, b.exit_m);
  });
  const std::size_t first = sites.size();
  for (const penetration::PenetratingPoint& point : points) {
    const double depth_m = lengthOf(point.exit_m);
    const bool is_first = sites.size() == first;
    if (!(depth_m > allowed_m) && !(is_first && was_violated)) break;
    const bool is_near = std::any_of(sites.begin() + static_cast<std::ptrdiff_t>(first),
                                     sites.end(), [&](const ClearanceSite& site) {
                                       return lengthOf(site.at.position_m - point.position_m) <
                                              kSiteUnits * unit_m();
                                     });
    if (is_near) continue;
    sites.push_back({pair,
                     {-depth_m, true, point.position_m, point.position_m + point.exit_m},
                     depth_m - allowed_m});
    if (sites.size() == first + kMaxSites) break;
  }
}

std::vector<ClearanceSite> GoalClearance::sitesAt(std::size_t sample,
                                                  std::span<const GoalTrack> tracks,
                                                  const std::vector<bool>& was_violated) {
  SkinTrial& trial = trialOf(sample);
  trial.setPose(clip_.base.at(sample), changesOf(tracks, sample, clip_.poser.limbCount()));
  std::vector<std::size_t> limbs;
  for (const GoalTrack& track : tracks) limbs.push_back(track.limb);
  std::vector<ClearanceSite> sites;
  for (const std::size_t pair : pairsOf(limbs, clip_.poser, trial_.pairs())) {
    if (!counts_head_ && isUpperArmAndHead(pair)) continue;
    addSites(pair, trial, allowedDepth_m(pair, sample), was_violated[pair], sites);
  }
  return sites;
}

bool GoalClearance::isUpperArmInHead(std::size_t sample, std::span<const GoalTrack> tracks) {
  SkinTrial& trial = trialOf(sample);
  trial.setPose(clip_.base.at(sample), changesOf(tracks, sample, clip_.poser.limbCount()));
  for (std::size_t pair = 0; pair < trial.pairs().size(); ++pair) {
    if (isUpperArmAndHead(pair) && trial.measure(pair).penetrating_count > 0) return true;
  }
  return false;
}

double GoalClearance::costOf(std::span<const ClearanceSite> sites) const {
  double cost = 0.0;
  for (const ClearanceSite& site : sites) {
    const double missing = std::max(0.0, site.excess_m) / unit_m();
    const double weighed = weight_ * kClearanceOfGoal * missing;
    cost += weighed * weighed;
  }
  return cost;
}

void GoalClearance::addRows(std::size_t sample, std::span<const GoalTrack> tracks,
                            std::span<const ClearanceSite> sites, GoalRows& rows) {
  const std::vector<Affine> worlds =
      trialOf(sample).worldsWith(changesOf(tracks, sample, clip_.poser.limbCount()));
  const std::vector<std::vector<Affine>> probed = probedWorlds(sample, tracks);
  const Index first = rows.slopes.rows(), count = static_cast<Index>(sites.size());
  rows.slopes.conservativeResize(first + count, Eigen::NoChange);
  rows.slopes.bottomRows(count).setZero();
  rows.missing.conservativeResize(first + count);
  for (Index k = 0; k < count; ++k) {
    const ClearanceSite& site = sites[toSize(static_cast<int>(k))];
    const double missing = std::max(0.0, site.excess_m) / unit_m();
    const double weight = weight_ * (site.excess_m > 0.0 ? kClearanceOfGoal : kKeptOfGoal);
    for (std::size_t n = 0; n < probed.size(); ++n) {
      if (probed[n].empty()) continue;
      for (const GoalTrack& track : tracks) {
        rows.slopes(first + k, static_cast<Index>(n)) +=
            weight *
            separation_m(clip_.poser.limb(track.limb), trial_.pairs()[site.pair], site.at, worlds,
                         probed[n]) /
            (kGoalProbe * unit_m());
      }
    }
    rows.missing[first + k] = -weight * missing;
  }
}

}  // namespace clipmill::stages::self_collision
