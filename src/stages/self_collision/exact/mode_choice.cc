// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact/mode_choice.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/math.h"
#include "core/to_size.h"

namespace clipmill::stages::self_collision {
namespace {

constexpr double kChoosePrecision = 0.03;      // of amounts
constexpr std::size_t kMaxKeys = 4;            // samples at which modes are compared
constexpr std::size_t kMaxSingleSearches = 2;  // samples with a least-norm correction of their own
constexpr std::size_t kMaxModeFinalists = 4;   // modes that are compared at all key samples

// Cost: squared degrees of each joint, and the squared shift of the wrist in limb lengths, of which
// a quarter costs as much as 15 degrees.
constexpr double kShiftCost = 15.0 * 15.0 / (0.25 * 0.25);
// A sample that stays unresolved costs more than any change, by its remaining depth.
constexpr double kUnresolvedCost = 1e5;
constexpr double kBrokenContactCost = 90.0 * 90.0;  // as a rotation by 90 degrees

// Bounds of the clearance of contacts in least-norm corrections: share of the contact distance, and
// share of the target depth for the links of arms that move as one unit.
constexpr double kContactClearance = 0.6, kLinkShare = 0.5;
constexpr double kMaxLeastNormAmount = 1.5;  // 1 resolves the key samples

bool contains(std::span<const std::size_t> values, std::size_t value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

// Spread over the window, the one of largest depth first.
std::vector<std::size_t> keySamples(std::span<const std::size_t> samples, std::size_t first) {
  std::vector<std::size_t> keys = {first};
  for (std::size_t k = 0; k + 1 < kMaxKeys; ++k) {
    const std::size_t at = (2 * k + 1) * samples.size() / (2 * (kMaxKeys - 1));
    const std::size_t sample = samples[std::min(at, samples.size() - 1)];
    if (!contains(keys, sample)) keys.push_back(sample);
  }
  return keys;
}

}  // namespace

// Deliberate contacts of the mode's limbs that are open in the trial's pose.
std::size_t ModeChooser::brokenContacts(const CorrectionMode& mode, std::size_t sample) const {
  const double contact_m = clip_.source.contact_distance_m;
  std::size_t broken = 0;
  for (const std::size_t pair : clip_.pairsOf(mode.limbs)) {
    if (!clip_.source.contacts[pair][sample]) continue;
    broken += clip_.trial.clearance_m(pair, contact_m) < contact_m ? 0 : 1;
  }
  return broken;
}

// The cost of the change of the limb's joints and end from the base to the trial's pose.
void ModeChooser::addChangeCost(const MovableLimb& limb, double& cost) const {
  const SkinTrial& trial = clip_.trial;
  for (const int joint : limb.joints()) {
    const std::size_t j = toSize(joint);
    const double rotation_deg = angleBetween(normalizedOrIdentity(trial.baseLocals()[j].rotation),
                                             normalizedOrIdentity(trial.locals()[j].rotation)) /
                                kDegree;
    cost += rotation_deg * rotation_deg;
  }
  const Vec3 middle = trial.basePositionOf(limb.lower);
  const double length = lengthOf(middle - trial.basePositionOf(limb.upper)) +
                        lengthOf(trial.basePositionOf(limb.end) - middle);
  if (!(length > 0.0)) return;
  const double shift =
      lengthOf(trial.positionOf(limb.end) - trial.basePositionOf(limb.end)) / length;
  cost += kShiftCost * shift * shift;
}

double ModeChooser::costOf(const PairGroup& group, const CorrectionMode& mode, std::size_t sample) {
  const std::vector<LimbChange> present = clip_.trial.changes();
  double max_amount = mode.max_amount;
  for (std::size_t i = 0; i < mode.limbs.size(); ++i) {
    max_amount = clip_.limits.maxAmount(mode.limbs[i], sample, present[mode.limbs[i]],
                                        mode.units[i], max_amount);
  }
  const FoundAmount found =
      amounts_.find(group, mode, sample, 0.0,
                    {0.0, max_amount, mode.guess, kChoosePrecision, amounts_.slack_m(),
                     amounts_.measuredMargin_m(group, sample)},
                    false);
  double cost = kBrokenContactCost * static_cast<double>(brokenContacts(mode, sample));
  if (!found.is_free) {
    const double missing = -found.margin_m / clip_.source.tolerance_m;
    cost += kUnresolvedCost * (1.0 + missing * missing);
  }
  for (const std::size_t limb : mode.limbs) addChangeCost(clip_.poser.limb(limb), cost);
  std::vector<LimbChange> restored;
  for (const std::size_t limb : mode.limbs) restored.push_back(present[limb]);
  clip_.trial.setChanges(mode.limbs, restored);
  return cost;
}

// The other arm, if the arm of the group is in deliberate contact with it.
std::optional<std::size_t> ModeChooser::companionOf(const PairGroup& group,
                                                    std::size_t sample) const {
  if (group.limbs.size() != 1) return std::nullopt;
  for (const std::size_t pair : clip_.pairsOf(group.limbs)) {
    if (!clip_.source.contacts[pair][sample]) continue;
    for (std::size_t i = 0; i < clip_.poser.limbCount(); ++i) {
      const MovableLimb& limb = clip_.poser.limb(i);
      if (i != group.limbs[0] && !limb.is_leg && takesPart(limb, clip_.skin.pairs()[pair])) {
        return i;
      }
    }
  }
  return std::nullopt;
}

bool ModeChooser::isGripped(const PairGroup& group, std::span<const std::size_t> window) const {
  return !clip_.poser.limb(group.limbs[0]).is_leg &&
         std::any_of(window.begin(), window.end(),
                     [&](std::size_t sample) { return clip_.source.is_gripped[sample]; });
}

bool ModeChooser::isPinned(std::size_t limb, std::span<const std::size_t> window) const {
  return std::any_of(window.begin(), window.end(),
                     [&](std::size_t sample) { return clip_.is_pinned[limb][sample]; });
}

void ModeChooser::addLimbTo(PenetrationSite& site, const PairGroup& group, std::size_t index,
                            const Vec3& point_m, const Mat3& body_from_world, std::size_t sample,
                            std::span<const std::size_t> window) const {
  const MovableLimb& limb = clip_.poser.limb(index);
  const auto offsetFrom = [&](int node) {
    return node < 0 ? Vec3(0.0) : body_from_world * (point_m - clip_.trial.positionOf(node));
  };
  site.root_offset.push_back(offsetFrom(limb.upper));
  site.clavicle_offset.push_back(offsetFrom(limb.clavicle));
  site.end_offset.push_back(offsetFrom(limb.end));
  site.is_pinned.push_back(isPinned(index, window));
  const std::vector<std::size_t> near = clip_.pairsOf({&index, 1});
  site.has_contact.push_back(std::any_of(near.begin(), near.end(), [&](std::size_t pair) {
    return isLimbOf(limb, clip_.skin.pairs()[pair]) && !contains(group.pairs, pair) &&
           clip_.source.contacts[pair][sample];
  }));
}

// The trial holds the sample.
PenetrationSite ModeChooser::siteOf(const PairGroup& group, std::size_t sample,
                                    std::span<const std::size_t> window) const {
  PenetrationSite site;
  const auto axes = clip_.poser.axesOf(group.limbs[0], clip_.trial.baseWorlds());
  const Mat3 body_from_world = axes ? glm::transpose(*axes) : Mat3(1.0);
  Vec3 point_m(0.0);
  double max_m = -1.0;
  for (const std::size_t pair : group.pairs) {
    const penetration::PairDepth depth = clip_.trial.measure(pair);
    if (!(depth.depth_m > max_m)) continue;
    max_m = depth.depth_m;
    point_m = depth.position_m;
    site.exit_direction = body_from_world * depth.exit_m;
    const bool is_first = isLimbOf(clip_.poser.limb(group.limbs[0]), clip_.skin.pairs()[pair]);
    if (!is_first) site.exit_direction *= -1.0;
  }
  for (const std::size_t limb : group.limbs) {
    addLimbTo(site, group, limb, point_m, body_from_world, sample, window);
  }
  site.companion = companionOf(group, sample);
  site.is_gripped = isGripped(group, window);
  return site;
}

ConstrainedPose ModeChooser::constrainedPose(const PairGroup& group, std::size_t sample) {
  ConstrainedPose pose = constrainedPoseAt(clip_, sample);
  for (const std::size_t pair : clip_.pairsOf(group.limbs)) {
    // Bystanders get their target depth too, which is less than their allowed depth.
    const double share = contains(group.links, pair) ? kLinkShare : 1.0;
    ClearanceLimits limit{pair, -share * clip_.source.targetDepth_m(sample, pair)};
    if (clip_.source.contacts[pair][sample]) {
      limit.max_m = kContactClearance * clip_.source.contact_distance_m;
    }
    pose.limits.push_back(limit);
  }
  return pose;
}

// For all key samples at once; if there are none, for single ones.
std::vector<CorrectionMode> ModeChooser::leastNormModes(const PairGroup& group,
                                                        std::span<const std::size_t> keys) {
  std::vector<CorrectionMode> modes;
  std::vector<std::size_t> limbs = group.limbs;
  const bool as_grip = isGripped(group, keys);
  if (as_grip) limbs.assign(clip_.poser.hands()->begin(), clip_.poser.hands()->end());
  const LimbsAs as = !as_grip              ? LimbsAs::kSingle
                     : clip_.tries_pitches ? LimbsAs::kPitchedGrip
                                           : LimbsAs::kGrip;
  const auto add = [&](std::span<const ConstrainedPose> poses) {
    for (auto& units :
         leastNormCorrections(clip_.trial, limbs, poses, clip_.source.contact_distance_m, as)) {
      modes.push_back({limbs, std::move(units), kMaxLeastNormAmount, 1.0});
    }
  };
  std::vector<ConstrainedPose> poses;
  for (const std::size_t sample : keys) poses.push_back(constrainedPose(group, sample));
  add(poses);
  if (!modes.empty()) return modes;
  for (std::size_t k = 0; k < std::min(poses.size(), kMaxSingleSearches); ++k) add({&poses[k], 1});
  return modes;
}

ModeChooser::Keys ModeChooser::keysOf(const PairGroup& group,
                                      std::span<const std::size_t> samples) const {
  Keys keys;
  keys.linked = clip_.source.splitByLinks(group, samples).linked;
  if (keys.linked.empty()) return keys;
  const std::size_t max_sample =
      *std::max_element(keys.linked.begin(), keys.linked.end(), [&](std::size_t a, std::size_t b) {
        return clip_.depths.maxDepth_m(group.pairs, a) < clip_.depths.maxDepth_m(group.pairs, b);
      });
  keys.samples = keySamples(keys.linked, max_sample);
  return keys;
}

std::vector<CorrectionMode> ModeChooser::cheapest(const PairGroup& group,
                                                  std::vector<CorrectionMode> candidates,
                                                  const Keys& keys) {
  std::vector<std::pair<double, CorrectionMode>> modes;
  clip_.setTrial(keys.samples[0]);
  for (CorrectionMode& mode : candidates) {
    const double cost = costOf(group, mode, keys.samples[0]);
    modes.emplace_back(cost, std::move(mode));
  }
  const auto isCheaper = [](const auto& a, const auto& b) { return a.first < b.first; };
  std::stable_sort(modes.begin(), modes.end(), isCheaper);
  if (modes.size() > kMaxModeFinalists) modes.resize(kMaxModeFinalists);
  for (std::size_t k = 1; k < keys.samples.size(); ++k) {
    clip_.setTrial(keys.samples[k]);
    for (auto& [cost, mode] : modes) cost += costOf(group, mode, keys.samples[k]);
  }
  std::stable_sort(modes.begin(), modes.end(), isCheaper);
  std::vector<CorrectionMode> chosen;
  for (auto& [cost, mode] : modes) {
    if (cost < modes.front().first + kBrokenContactCost) chosen.push_back(std::move(mode));
  }
  return chosen;
}

std::vector<CorrectionMode> ModeChooser::chooseStandard(const PairGroup& group,
                                                        std::span<const std::size_t> samples,
                                                        bool with_shifts) {
  const Keys keys = keysOf(group, samples);
  if (keys.linked.empty()) return {};
  const std::size_t sample = keys.samples.front();
  clip_.setTrial(sample);
  const PenetrationSite site = siteOf(group, sample, keys.linked);
  std::vector<CorrectionMode> candidates =
      candidateModes(group, clip_.poser, site, clip_.settings.max_rotation_deg * kDegree);
  if (clip_.tries_pitches && site.is_gripped) {
    for (CorrectionMode& mode :
         pitchModes(group, clip_.poser, clip_.settings.max_rotation_deg * kDegree)) {
      candidates.push_back(std::move(mode));
    }
  }
  if (!with_shifts) {
    std::erase_if(candidates, [](const CorrectionMode& mode) {
      return std::any_of(mode.units.begin(), mode.units.end(), [](const LimbChange& unit) {
        return unit.shift != Vec3(0.0) || unit.grip_shift != Vec3(0.0) ||
               unit.grip_rotation != Vec3(0.0);
      });
    });
  }
  return cheapest(group, std::move(candidates), keys);
}

std::vector<CorrectionMode> ModeChooser::chooseLeastNorm(const PairGroup& group,
                                                         std::span<const std::size_t> samples) {
  const Keys keys = keysOf(group, samples);
  if (keys.linked.empty()) return {};
  // Such a correction moves both feet.
  if (std::any_of(group.limbs.begin(), group.limbs.end(),
                  [&](std::size_t limb) { return isPinned(limb, keys.linked); })) {
    return {};
  }
  return cheapest(group, leastNormModes(group, keys.samples), keys);
}

}  // namespace clipmill::stages::self_collision
