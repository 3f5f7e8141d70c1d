// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact_push.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <Eigen/Dense>

#include "stages/self_collision/exact_pairs.h"

namespace clipmill::collision {
namespace {

using Numbers = Eigen::VectorXd;
using Index = Eigen::Index;

constexpr Index kPerLimb = 7;  // a shift along three axes, a turn about three, and a swivel
constexpr Index kForward = 2;  // which of them
constexpr Index kShifts = 3;   // the first of them
constexpr int kMostSteps = 24, kMostMendingSteps = 4, kMostShrinks = 6;
constexpr double kProbe = 1e-3;  // of the finite differences; shifts are in limb lengths
constexpr double kLongestStep = 0.2, kMostChange = 0.9;
constexpr double kForwardStart = 0.3;

constexpr double kShrink = 0.75;
// Of the length of a touch: the damping, what is aimed at beyond a limit so that steps end, and how
// far gaps are seen.
constexpr double kDamping = 1.5, kMargin = 0.05, kReach = 15.0;

// Where the search for a push begins, and what it may change.
struct Attempt {
  double forward = 0.0;   // of all limbs, in limb lengths
  bool by_turns = false;  // no shifts
};
// A turn that stays as it is makes a joint no rougher; a shift does, where the limb stretches.
constexpr Attempt kAttempts[] = {{0.0, false}, {kForwardStart, false}, {0.0, true}};

double squareDistance(const Vec3& p, const Vec3& a, const Vec3& b) {
  const Vec3 way = b - a;
  const double length2 = glm::dot(way, way);
  const double t = length2 > 0.0 ? std::clamp(glm::dot(p - a, way) / length2, 0.0, 1.0) : 0.0;
  const Vec3 off = p - a - t * way;
  return glm::dot(off, off);
}

// How far a place on the skin of a limb moves, as the bone next to it does.
Vec3 wayOf(const MovableLimb& limb, const Vec3& place_m, std::span<const Affine> from,
           std::span<const Affine> to) {
  const auto jointOf = [&](int node) { return from[static_cast<std::size_t>(node)].translation; };
  const Vec3 middle = jointOf(limb.lower), end = jointOf(limb.end);
  int bone = limb.lower;
  if (glm::dot(place_m - end, end - middle) > 0.0) {
    bone = limb.end;
  } else if (squareDistance(place_m, jointOf(limb.upper), middle) <
             squareDistance(place_m, middle, end)) {
    bone = limb.upper;
  }
  const std::size_t b = static_cast<std::size_t>(bone);
  return transformPoint(to[b] * inverse(from[b]), place_m) - place_m;
}

// How much a limb of a pair parts it, where it goes from one pose to the other.
double parting_m(const MovableLimb& limb, const PartPair& pair, const PairClearance& seen,
                 std::span<const Affine> from, std::span<const Affine> to) {
  if (!takesPart(limb, pair)) return 0.0;
  const Vec3 across = seen.nearest_m - seen.place_m;
  const double length = std::sqrt(glm::dot(across, across));
  if (!(length > 0.0)) return 0.0;
  const bool is_own = isLimbOf(limb, pair);
  const Vec3 way = wayOf(limb, is_own ? seen.place_m : seen.nearest_m, from, to);
  const double towards_m = glm::dot(is_own ? way : -way, across / length);
  return seen.clearance_m < 0.0 ? towards_m : -towards_m;
}

// A limit in one of the poses, and how it is met.
struct Row {
  std::size_t pose = 0;
  ClearanceLimits limits;
  PairClearance seen;
  double missing_m = 0.0;     // By how much the clearance has to grow, or, negative, to shrink.
  bool was_violated = false;  // in this attempt
};

class Push {
 public:
  Push(const SkinTrial& figure, std::span<const std::size_t> limbs, std::span<const PushPose> poses,
       double near_m);

  std::optional<Numbers> solve(const Attempt& attempt);
  std::vector<LimbChange> unitsOf(const Numbers& change) const;

 private:
  std::vector<LimbChange> changesOf(const Numbers& change, std::size_t pose) const;
  void measureAt(const Numbers& change);
  bool markMissing();
  Eigen::MatrixXd slopesAt(const Numbers& change) const;
  Numbers stepFrom(const Numbers& change) const;
  std::optional<Numbers> mended(Numbers change, int most_steps);

  std::span<const std::size_t> limbs_;
  std::span<const PushPose> poses_;
  double near_m_;
  std::vector<SkinTrial> trials_;  // one a pose
  std::vector<Row> rows_;
  bool by_turns_ = false;
};

Push::Push(const SkinTrial& figure, std::span<const std::size_t> limbs,
           std::span<const PushPose> poses, double near_m)
    : limbs_(limbs), poses_(poses), near_m_(near_m) {
  for (std::size_t pose = 0; pose < poses.size(); ++pose) {
    trials_.push_back(figure.fresh());
    trials_.back().begin({poses[pose].locals, poses[pose].weights}, poses[pose].changes);
    for (const ClearanceLimits& limits : poses[pose].limits) rows_.push_back({pose, limits, {}});
  }
}

std::vector<LimbChange> Push::unitsOf(const Numbers& change) const {
  std::vector<LimbChange> units(limbs_.size());
  for (std::size_t i = 0; i < limbs_.size(); ++i) {
    const Index at = kPerLimb * static_cast<Index>(i);
    units[i].shift = Vec3(change[at], change[at + 1], change[at + 2]);
    units[i].turn = Vec3(change[at + 3], change[at + 4], change[at + 5]);
    units[i].swivel = change[at + 6];
  }
  return units;
}

// Of all limbs.
std::vector<LimbChange> Push::changesOf(const Numbers& change, std::size_t pose) const {
  std::vector<LimbChange> changes = poses_[pose].changes;
  const std::vector<LimbChange> units = unitsOf(change);
  for (std::size_t i = 0; i < limbs_.size(); ++i) changes[limbs_[i]] += units[i];
  return changes;
}

void Push::measureAt(const Numbers& change) {
  for (std::size_t pose = 0; pose < poses_.size(); ++pose) {
    const std::vector<LimbChange> all = changesOf(change, pose);
    std::vector<LimbChange> changes;
    for (const std::size_t limb : limbs_) changes.push_back(all[limb]);
    trials_[pose].change(limbs_, changes);
  }
  for (Row& row : rows_) {
    // Gaps that may be of any width only matter where they are about to close.
    const double reach_m = std::isfinite(row.limits.most_m)
                               ? kReach * near_m_
                               : std::max(0.0, row.limits.least_m) + near_m_;
    row.seen = trials_[row.pose].clearance(row.limits.pair, reach_m);
  }
}

// True where anything is missing.
bool Push::markMissing() {
  const double margin_m = kMargin * near_m_;
  bool is_any = false;
  for (Row& row : rows_) {
    row.missing_m = 0.0;
    const double clearance_m = row.seen.clearance_m;
    if (clearance_m < row.limits.least_m) {
      row.missing_m = row.limits.least_m + margin_m - clearance_m;
    } else if (clearance_m > row.limits.most_m) {
      row.missing_m = row.limits.most_m - margin_m - clearance_m;
    } else {
      continue;
    }
    row.was_violated = is_any = true;
  }
  return is_any;
}

// How fast the places at which pairs are nearest to each other, or deepest, go apart along the line
// between them, carried by the bones next to them.
Eigen::MatrixXd Push::slopesAt(const Numbers& change) const {
  Eigen::MatrixXd slopes = Eigen::MatrixXd::Zero(static_cast<Index>(rows_.size()), change.size());
  for (std::size_t pose = 0; pose < poses_.size(); ++pose) {
    const SkinTrial& trial = trials_[pose];
    const std::vector<Affine> worlds = trial.worldsWith(changesOf(change, pose));
    for (Index j = 0; j < change.size(); ++j) {
      if (by_turns_ && j % kPerLimb < kShifts) continue;
      const MovableLimb& limb = trial.poser().limb(limbs_[static_cast<std::size_t>(j / kPerLimb)]);
      Numbers probe = change;
      probe[j] += kProbe;
      const std::vector<Affine> probed = trial.worldsWith(changesOf(probe, pose));
      for (std::size_t k = 0; k < rows_.size(); ++k) {
        const Row& row = rows_[k];
        if (row.pose != pose || !row.was_violated || !row.seen.is_within_reach) continue;
        const PartPair& pair = trial.pairs()[row.limits.pair];
        slopes(static_cast<Index>(k), j) = parting_m(limb, pair, row.seen, worlds, probed) / kProbe;
      }
    }
  }
  return slopes;
}

Numbers Push::stepFrom(const Numbers& change) const {
  const Eigen::MatrixXd slopes = slopesAt(change);
  Numbers missing_m(static_cast<Index>(rows_.size()));
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    missing_m[static_cast<Index>(k)] = rows_[k].missing_m;
  }
  Eigen::MatrixXd squares = slopes * slopes.transpose();
  squares.diagonal().array() += kDamping * near_m_ * kDamping * near_m_;
  Numbers step = slopes.transpose() * squares.ldlt().solve(missing_m);
  const double length = step.norm();
  if (length > kLongestStep) step *= kLongestStep / length;
  return step;
}

std::optional<Numbers> Push::mended(Numbers change, int most_steps) {
  for (Row& row : rows_) row.was_violated = false;
  for (int step = 0; step < most_steps; ++step) {
    measureAt(change);
    if (!markMissing()) return change;
    change += stepFrom(change);
    if (!(change.cwiseAbs().maxCoeff() <= kMostChange)) return std::nullopt;
  }
  return std::nullopt;
}

std::optional<Numbers> Push::solve(const Attempt& attempt) {
  by_turns_ = attempt.by_turns;
  Numbers start = Numbers::Zero(kPerLimb * static_cast<Index>(limbs_.size()));
  for (Index at = kForward; at < start.size(); at += kPerLimb) start[at] = attempt.forward;
  std::optional<Numbers> best = mended(std::move(start), kMostSteps);
  double share = kShrink;
  for (int i = 0; best && i < kMostShrinks; ++i) {
    std::optional<Numbers> smaller = mended(share * *best, kMostMendingSteps);
    if (smaller && smaller->norm() < best->norm()) {
      best = std::move(smaller);
    } else {
      share = 0.5 * (1.0 + share);
    }
  }
  return best;
}

}  // namespace

PushPose pushPoseAt(ClipSamples& base, const LayerStack& stack, std::size_t sample) {
  const PoseSpans pose = base.at(sample);
  return {{pose.locals.begin(), pose.locals.end()},
          {pose.weights.begin(), pose.weights.end()},
          stack.at(sample),
          {}};
}

std::vector<std::vector<LimbChange>> leastPushes(const SkinTrial& figure,
                                                 std::span<const std::size_t> limbs,
                                                 std::span<const PushPose> poses, double near_m) {
  Push push(figure, limbs, poses, near_m);
  std::vector<Numbers> found;
  for (const Attempt& attempt : kAttempts) {
    if (std::optional<Numbers> change = push.solve(attempt)) found.push_back(std::move(*change));
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Numbers& a, const Numbers& b) { return a.norm() < b.norm(); });
  std::vector<std::vector<LimbChange>> pushes;
  for (const Numbers& change : found) pushes.push_back(push.unitsOf(change));
  return pushes;
}

}  // namespace clipmill::collision
