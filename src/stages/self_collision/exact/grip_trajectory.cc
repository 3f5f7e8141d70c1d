// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact/grip_trajectory.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include <Eigen/Dense>

#include "core/to_size.h"
#include "stages/self_collision/exact/grip_motion.h"
#include "stages/self_collision/exact/pair_separation.h"

namespace clipmill::stages::self_collision {
namespace {

using Numbers = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;
using Index = Eigen::Index;

constexpr Index kNumbers = GripMotion::kNumbers;
constexpr int kMaxTrajectorySteps = 40;
constexpr double kTrajectoryProbe = GripMotion::kProbe;
constexpr double kMaxTrajectoryStep = 0.25;  // of any number
constexpr double kMaxNumber = 1.2;

// Weights of the terms; a residual of 1 is the contact distance, the jerk limit, a radian, the
// error that a grip may have.
constexpr double kClearanceWeight = 6.0, kJerkWeight = 0.5, kRotationWeight = 20.0,
                 kReachWeight = 1.0, kSizeWeight = 0.06, kKeptWeight = 0.4;
constexpr double kWeightGrowth = 1.7, kWeightFall = 0.85;
// Shares of limits: where a term starts to count, where it aims at.
constexpr double kNearRotation = 0.85, kAimedRotation = 0.93, kNearReach = 0.4, kAimedReach = 0.3;
constexpr double kNearRange = 0.85, kAimedRange = 0.93;
constexpr double kHighJerk = 0.97, kLowJerk = 0.85;
constexpr double kTrajectoryReach = 0.5;  // share of the contact distance

constexpr std::size_t kJerkJoints = 2;  // upper and lower; a wrist compensates for its arm

// A linear least-squares problem in the control values.
struct System {
  Matrix squares;
  Numbers right;

  explicit System(Index size) : squares(Matrix::Zero(size, size)), right(Numbers::Zero(size)) {}
  void add(const Matrix& slopes, const Numbers& missing, double weight) {
    squares.noalias() += weight * weight * slopes.transpose() * slopes;
    right.noalias() += weight * weight * slopes.transpose() * missing;
  }
};

class TrajectorySearch {
 public:
  TrajectorySearch(ClipContext& clip, const PairGroup& group, double margin);

  std::optional<Numbers> solve();
  std::vector<CorrectionLayer> layersOf(const Numbers& values, std::size_t group_index) const {
    return motion_.layersOf(values, group_index);
  }

 private:
  using Change = GripMotion::Change;
  using JerkVectors = GripMotion::JerkVectors;

  static Change changeOf(const GripMotion::OneNumbers& numbers) {
    return GripMotion::changeOf(numbers);
  }
  std::vector<LimbChange> allChanges(std::size_t sample, const Change& change) const;
  void addJerk(System& system);
  void addRotationLimits(System& system) const;
  double addReach(const Numbers& values, System& system);
  void addRanges(const Numbers& values, System& system);
  void addRangesOf(std::size_t arm, std::size_t sample, const Numbers& values, System& system);
  std::size_t addClearance(const Numbers& values, System& system);
  bool addClearanceAt(std::size_t sample, const Numbers& values, System& system);
  Numbers step(const Numbers& values, System& system) const;
  double updateJerkWeights();

  ClipContext& clip_;
  double margin_;
  GripMotion motion_;
  std::array<std::size_t, 2> arms_;
  std::vector<std::size_t> pairs_;
  std::array<std::array<JerkVectors, kJerkJoints>, 2> source_jerk_;  // radians a frame^3
  std::array<std::array<double, kJerkJoints>, 2> jerk_weight_{};
  std::vector<std::vector<bool>> was_violated_;  // [frame][pair of pairs_]
};

double sumOfSquares(std::span<const Vec3> vectors) {
  double sum = 0.0;
  for (const Vec3& v : vectors) sum += glm::dot(v, v);
  return sum;
}

TrajectorySearch::TrajectorySearch(ClipContext& clip, const PairGroup& group, double margin)
    : clip_(clip),
      margin_(margin),
      motion_(clip),
      arms_(motion_.arms()),
      pairs_(clip.pairsOf(group.limbs)),
      was_violated_(motion_.frameCount(), std::vector<bool>(pairs_.size(), false)) {
  motion_.rotateFrames(motion_.noChange());
  for (std::size_t arm : {0, 1}) {
    for (std::size_t joint = 0; joint < kJerkJoints; ++joint) {
      source_jerk_[arm][joint] = motion_.jerkOf(arm, joint);
      jerk_weight_[arm][joint] = kJerkWeight;
    }
  }
}

std::vector<LimbChange> TrajectorySearch::allChanges(std::size_t sample,
                                                     const Change& change) const {
  std::vector<LimbChange> changes = clip_.stack.at(sample);
  for (std::size_t arm : {0, 1}) changes[arms_[arm]] = change[arm];
  return changes;
}

// The change of the jerk of shoulders and elbows, relative to the limits.
void TrajectorySearch::addJerk(System& system) {
  for (std::size_t arm : {0, 1}) {
    for (std::size_t joint = 0; joint < kJerkJoints; ++joint) {
      const JerkVectors jerk = motion_.jerkOf(arm, joint);
      const JerkVectors& source = source_jerk_[arm][joint];
      const double limit = clip_.settings.max_jerk_ratio * std::sqrt(sumOfSquares(source));
      if (jerk.empty() || !(limit > 0.0)) continue;
      std::vector<Matrix> speeds;
      for (std::size_t f = 1; f < motion_.frameCount(); ++f) {
        const Quat between = motion_.frame(f).rotation[arm][joint] *
                             glm::conjugate(motion_.frame(f - 1).rotation[arm][joint]);
        Eigen::Matrix3d rotation;
        const Mat3 m = glm::mat3_cast(between);
        for (int c = 0; c < 3; ++c) rotation.col(c) << m[c].x, m[c].y, m[c].z;
        speeds.push_back(
            motion_.spread(motion_.frame(f).slopes[arm][joint], 2 * f) -
            motion_.spread(rotation * motion_.frame(f - 1).slopes[arm][joint], 2 * (f - 1)));
      }
      for (std::size_t f = 0; f < jerk.size(); ++f) {
        const Vec3 missing = (source[f] - jerk[f]) / limit;
        system.add((speeds[f + 2] - 2.0 * speeds[f + 1] + speeds[f]) / limit,
                   Eigen::Vector3d(missing.x, missing.y, missing.z), jerk_weight_[arm][joint]);
      }
    }
  }
}

void TrajectorySearch::addRotationLimits(System& system) const {
  const double limit_rad = clip_.settings.max_rotation_deg * kDegree;
  for (std::size_t frame = 0; frame < motion_.frameCount(); ++frame) {
    for (std::size_t arm : {0, 1}) {
      for (std::size_t j = 0; j < GripMotion::kArmJointCount; ++j) {
        const Quat from = motion_.baseRotation(arm, frame, j);
        const Vec3 rotation =
            vectorOfRotation(motion_.frame(frame).rotation[arm][j] * glm::conjugate(from));
        const double angle = lengthOf(rotation);
        if (angle < kNearRotation * limit_rad) continue;
        const Vec3 axis = rotation / angle;
        const Matrix slopes =
            Eigen::RowVector3d(axis.x, axis.y, axis.z) * motion_.frame(frame).slopes[arm][j];
        system.add(motion_.spread(slopes, 2 * frame),
                   Numbers::Constant(1, std::min(0.0, kAimedRotation * limit_rad - angle)),
                   kRotationWeight);
      }
    }
  }
}

// Hands that straight arms do not reach. Returns the largest error of a hand relative to its limit.
double TrajectorySearch::addReach(const Numbers& values, System& system) {
  const auto ratioOf = [&](std::size_t arm, std::size_t sample, const LimbChange& change) {
    return clip_.limits.use(arms_[arm], sample, change)
        .ratio[static_cast<std::size_t>(PoseLimit::kGrip)];
  };
  double largest = 0.0;
  for (std::size_t frame = 0; frame < motion_.frameCount(); ++frame) {
    const std::size_t sample = 2 * frame;
    if (!clip_.source.is_gripped[sample]) continue;
    const auto numbers = motion_.numbersAt(values, sample);
    const Change change = changeOf(numbers);
    for (std::size_t arm : {0, 1}) {
      const double ratio = ratioOf(arm, sample, change[arm]);
      largest = std::max(largest, ratio);
      if (ratio < kNearReach) continue;
      Matrix slopes(1, kNumbers);
      for (Index k = 0; k < kNumbers; ++k) {
        auto probe = numbers;
        probe[k] += kTrajectoryProbe;
        slopes(0, k) = (ratioOf(arm, sample, changeOf(probe)[arm]) - ratio) / kTrajectoryProbe;
      }
      system.add(motion_.spread(slopes, sample), Numbers::Constant(1, kAimedReach - ratio),
                 kReachWeight);
    }
  }
  return largest;
}

// The angles of an arm in one frame that are near the ends of their anatomical ranges.
void TrajectorySearch::addRangesOf(std::size_t arm, std::size_t sample, const Numbers& values,
                                   System& system) {
  const auto numbers = motion_.numbersAt(values, sample);
  const auto anglesOf = [&](const LimbChange& change) {
    return clip_.limits.anglesOf(arms_[arm], sample, change);
  };
  const LimbAngles source = anglesOf(kNoChange), now = anglesOf(changeOf(numbers)[arm]);
  std::vector<LimbAngles> probed;
  for (std::size_t i = 0; i < kLimbAngleCount; ++i) {
    const RangeUse use = useOfRange(static_cast<LimbAngle>(i), source, now);
    if (!(use.ratio > kNearRange)) continue;
    for (Index k = 0; static_cast<Index>(probed.size()) < kNumbers; ++k) {
      auto probe = numbers;
      probe[k] += kTrajectoryProbe;
      probed.push_back(anglesOf(changeOf(probe)[arm]));
    }
    const double outwards = use.moved_rad > 0.0 ? 1.0 : -1.0;
    Matrix slopes(1, kNumbers);
    for (Index k = 0; k < kNumbers; ++k) {
      slopes(0, k) =
          outwards * useOfRange(use.angle, now, probed[toSize(k)]).moved_rad / kTrajectoryProbe;
    }
    const double missing_rad = std::min(0.0, (kAimedRange - use.ratio) * use.left_rad);
    system.add(motion_.spread(slopes, sample), Numbers::Constant(1, missing_rad), kRotationWeight);
  }
}

void TrajectorySearch::addRanges(const Numbers& values, System& system) {
  if (!clip_.settings.anatomical_ranges) return;
  for (std::size_t frame = 0; frame < motion_.frameCount(); ++frame) {
    for (const std::size_t arm : {0, 1}) addRangesOf(arm, 2 * frame, values, system);
  }
}

// Of one frame, whose pose is in the trial: pairs above their target depth, and those that were.
// True if one is above the tolerance.
bool TrajectorySearch::addClearanceAt(std::size_t sample, const Numbers& values, System& system) {
  SkinTrial& trial = clip_.trial;
  const double unit_m = clip_.source.contact_distance_m;
  const auto numbers = motion_.numbersAt(values, sample);
  bool is_penetrating = false;
  std::vector<std::vector<Affine>> probed;
  const std::vector<Affine> worlds = trial.worldsWith(allChanges(sample, changeOf(numbers)));
  for (std::size_t p = 0; p < pairs_.size(); ++p) {
    const std::size_t pair = pairs_[p];
    const penetration::PairDepth depth = trial.measure(pair);
    const double excess_m = depth.depth_m - clip_.source.targetDepth_m(sample, pair);
    penetration::PairClearance at{-depth.depth_m, true, depth.position_m,
                                  depth.position_m + depth.exit_m};
    const bool is_violated = excess_m > 0.0;
    is_penetrating = is_penetrating || depth.depth_m > clip_.source.tolerance_m;
    if (is_violated) {
      was_violated_[sample / 2][p] = true;
    } else if (was_violated_[sample / 2][p]) {
      at = trial.clearance(pair, kTrajectoryReach * unit_m);
    }
    if (!was_violated_[sample / 2][p] || !at.is_within_reach) continue;
    for (Index n = 0; static_cast<Index>(probed.size()) < kNumbers; ++n) {
      auto probe = numbers;
      probe[n] += kTrajectoryProbe;
      probed.push_back(trial.worldsWith(allChanges(sample, changeOf(probe))));
    }
    Matrix slopes(1, kNumbers);
    for (Index n = 0; n < kNumbers; ++n) {
      double separated_m = 0.0;
      for (const std::size_t arm : arms_) {
        separated_m +=
            separation_m(clip_.poser.limb(arm), trial.pairs()[pair], at, worlds, probed[toSize(n)]);
      }
      slopes(0, n) = separated_m / (kTrajectoryProbe * unit_m);
    }
    const double missing = is_violated ? excess_m / unit_m + margin_ : 0.0;
    system.add(motion_.spread(slopes, sample), Numbers::Constant(1, missing),
               is_violated ? kClearanceWeight : kKeptWeight);
  }
  return is_penetrating;
}

// Returns the number of gripped frames that penetrate by more than the tolerance.
std::size_t TrajectorySearch::addClearance(const Numbers& values, System& system) {
  std::size_t penetrating = 0;
  for (std::size_t frame = 0; frame < motion_.frameCount(); ++frame) {
    const std::size_t sample = 2 * frame;
    if (!clip_.source.is_gripped[sample]) continue;
    clip_.trial.setPose(clip_.base.at(sample),
                        allChanges(sample, changeOf(motion_.numbersAt(values, sample))));
    penetrating += addClearanceAt(sample, values, system) ? 1 : 0;
  }
  return penetrating;
}

// Returns the largest jerk relative to its limit.
double TrajectorySearch::updateJerkWeights() {
  double largest = 0.0;
  for (std::size_t arm : {0, 1}) {
    for (std::size_t joint = 0; joint < kJerkJoints; ++joint) {
      const double source = std::sqrt(sumOfSquares(source_jerk_[arm][joint]));
      if (!(source > 0.0)) continue;
      const double ratio = std::sqrt(sumOfSquares(motion_.jerkOf(arm, joint))) /
                           (clip_.settings.max_jerk_ratio * source);
      largest = std::max(largest, ratio);
      if (ratio > kHighJerk) jerk_weight_[arm][joint] *= kWeightGrowth;
      if (ratio < kLowJerk) jerk_weight_[arm][joint] *= kWeightFall;
    }
  }
  return largest;
}

Numbers TrajectorySearch::step(const Numbers& values, System& system) const {
  system.squares.diagonal().array() += kSizeWeight * kSizeWeight;
  system.right -= kSizeWeight * kSizeWeight * values;
  Numbers step = system.squares.ldlt().solve(system.right);
  const double largest = step.cwiseAbs().maxCoeff();
  if (largest > kMaxTrajectoryStep) step *= kMaxTrajectoryStep / largest;
  return step;
}

std::optional<Numbers> TrajectorySearch::solve() {
  Numbers values = motion_.noChange();
  std::optional<Numbers> best;
  std::size_t least = 0;
  for (int i = 0; i <= kMaxTrajectorySteps; ++i) {
    System system(values.size());
    const std::size_t penetrating = addClearance(values, system);
    const double jerk = updateJerkWeights();
    if (i == 0) least = penetrating;
    const double reach = addReach(values, system);
    if (jerk <= 1.0 && reach <= 1.0 && penetrating < least) {
      least = penetrating;
      best = values;
    }
    if (least == 0 || i == kMaxTrajectorySteps) break;
    addJerk(system);
    addRotationLimits(system);
    addRanges(values, system);
    values += step(values, system);
    values = values.cwiseMax(-kMaxNumber).cwiseMin(kMaxNumber);
    if (!values.allFinite()) break;
    motion_.rotateFrames(values);
  }
  return best;
}

}  // namespace

std::vector<CorrectionLayer> gripTrajectory(ClipContext& clip, const PairGroup& group,
                                            std::size_t group_index, double margin) {
  if (!clip.poser.hands() || clip.source_motion.grid.frame_count < 4) return {};
  TrajectorySearch search(clip, group, margin);
  const std::optional<Numbers> values = search.solve();
  if (!values) return {};
  std::vector<CorrectionLayer> layers = search.layersOf(*values, group_index);
  // Joints that are still have no jerk limit in the search.
  std::vector<CorrectionLayer>& stack = clip.stack.layers();
  const std::vector<CorrectionLayer> others = stack;
  stack.insert(stack.end(), layers.begin(), layers.end());
  const bool is_smooth = clip.stack.relativeJerk() <= 1.0;
  stack = others;
  return is_smooth ? layers : std::vector<CorrectionLayer>{};
}

}  // namespace clipmill::stages::self_collision
