// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact/contact_goals.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <Eigen/Dense>

#include "core/to_size.h"
#include "stages/self_collision/exact/pair_separation.h"
#include "stages/self_collision/exact/uniform_spline.h"

namespace clipmill::stages::self_collision {
namespace {

using retarget::ClipContacts;
using retarget::ContactGoal;

// Towards the goals of one pose; penetration counts after some steps, when the surface is near.
constexpr int kGoalSteps = 10, kStepsToSurface = 4;
constexpr double kGoalProbe = 1e-3;  // of the finite differences
constexpr double kMaxGoalStep = 0.4, kMaxGoalNumber = 1.5;
constexpr double kGoalUnitHeights = 0.01;  // an error of that counts as one
// Weights: of a radian, and relative to goals of penetration, and of pairs that penetrated before.
constexpr double kSizeOfGoal = 0.3, kClearanceOfGoal = 4.0, kKeptOfGoal = 0.5;
// Shares: of the depth that other corrections leave, and of the tolerance for upper arms.
constexpr double kGoalDepths[] = {0.2, 1.0};
constexpr double kUpperArmDepth = 0.5;
constexpr double kKeptOfLimit = 0.97;  // of what a limit leaves
constexpr int kConstantShare = 6;      // of the samples: a constant change serves so many
constexpr double kGoalJerk = 0.955;    // of the limit: the rest is for other corrections
constexpr double kRestWeight = 0.02;   // of samples without a contact
constexpr double kCurvatureWeight = 1e-3;
// Distances of the knots that are tried, and how far layers reach beyond a contact, in these.
constexpr double kKnots_s[] = {0.07, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6, 1.0, 2.0};
constexpr double kReachKnots = 3.0;

using Numbers = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;
using Index = Eigen::Index;

constexpr Index kMaxNumbers = 7;

// The change that one arm, or both hands that hold one thing, need at the samples of a clip, as
// numbers: rotation of the shoulder, flexion of the elbow, rotation of the hand; or pitch of both
// arms, shift and rotation of both hands.
struct GoalTrack {
  using Values = Eigen::Matrix<double, kMaxNumbers, 1>;

  std::vector<std::size_t> limbs;
  bool is_grip = false;
  std::vector<Values> values;  // one a sample; those beyond size() are 0
  std::vector<bool> has_goal;
  // Only what keeps the jerk of elbows and wrists: without the rotation of a hand; pitch of a grip.
  bool is_simple = false;

  Index size() const { return !is_simple ? kMaxNumbers : is_grip ? 1 : 4; }
  LimbChange changeOf(const Values& value) const {
    LimbChange change;
    if (is_grip) {
      change.pitch = value[0];
      change.grip_shift = Vec3(value[1], value[2], value[3]);
      change.grip_rotation = Vec3(value[4], value[5], value[6]);
    } else {
      change.rotation = Vec3(value[0], value[1], value[2]);
      change.flexion = value[3];
      change.end_rotation = Vec3(value[4], value[5], value[6]);
    }
    return change;
  }
  void clear() {
    std::fill(values.begin(), values.end(), Values::Zero());
    std::fill(has_goal.begin(), has_goal.end(), false);
  }
};

class GoalSearch {
 public:
  GoalSearch(ClipContext& clip, const ClipContacts& contacts)
      : clip_(clip),
        contacts_(contacts),
        pose_(clip.scene, clip.poser, contacts),
        trial_(clip.scene, *contacts.with_upper_arms, clip.poser),
        base_trial_(trial_.withoutPose()) {
    makeTracks();
  }

  std::vector<CorrectionLayer> layers(std::span<const PairGroup> groups, bool is_simple,
                                      double depth_share);

 private:
  // Rows of a linear least-squares problem: slopes * step = -missing.
  struct Rows {
    Matrix slopes;
    Numbers missing;
  };

  void makeTracks();
  double allowedDepth_m(std::size_t pair, std::size_t sample);
  std::vector<std::size_t> pairsOf(std::span<const std::size_t> limbs) const {
    return self_collision::pairsOf(limbs, clip_.poser, trial_.pairs());
  }
  void followGoals();
  void followGoals(std::size_t sample);
  double largestNumber(const GoalTrack& track, Index number) const;
  Numbers stepOf(std::size_t sample, Rows rows) const;
  std::vector<CorrectionLayer> smoothLayers(const GoalTrack& track) const;
  void addClearance(std::size_t sample, std::vector<bool>& was_violated, Rows& rows);
  Numbers missingNumbers() const;
  Matrix slopesOf(std::size_t sample, const Numbers& missing);
  std::vector<LimbChange> changesAt(std::size_t sample) const;
  void keepLimits(GoalTrack& track, std::size_t sample) const;
  std::vector<bool> samplesNear(const GoalTrack& track, double reach_s) const;
  std::vector<CorrectionLayer> fitted(const GoalTrack& track, double knot_s) const;
  std::vector<CorrectionLayer> constant(const GoalTrack& track) const;
  bool isSmooth(const GoalTrack& track, std::span<const CorrectionLayer> layers) const;

  ClipContext& clip_;
  const ClipContacts& contacts_;
  GoalPose pose_;
  SkinTrial trial_, base_trial_;                    // with upper arms
  std::vector<std::vector<double>> upper_depth_m_;  // of their pairs in the clip, [pair][sample]
  std::vector<GoalTrack> tracks_;
  double depth_share_ = 1.0;
};

// Where both hands hold one thing at most contacts, these move as one; else each arm on its own,
// where they hold nothing.
void GoalSearch::makeTracks() {
  const std::size_t count = clip_.base.count();
  std::size_t gripped = 0, contacts = 0;
  for (std::size_t s = 0; s < count; ++s) {
    for (const ContactGoal& goal : contacts_.goals) {
      if (!isInContact(goal, clip_.base.timeOf(s))) continue;
      ++contacts;
      gripped += clip_.source.is_gripped[s] ? 1 : 0;
    }
  }
  const auto add = [&](std::vector<std::size_t> limbs, bool is_grip) {
    tracks_.push_back({std::move(limbs), is_grip,
                       std::vector<GoalTrack::Values>(count, GoalTrack::Values::Zero()),
                       std::vector<bool>(count, false)});
  };
  if (clip_.poser.hands() && 2 * gripped > contacts) {
    add({(*clip_.poser.hands())[0], (*clip_.poser.hands())[1]}, true);
    return;
  }
  for (std::size_t limb = 0; limb < clip_.poser.limbCount(); ++limb) {
    if (!clip_.poser.limb(limb).is_leg && clip_.poser.limb(limb).hasEnd()) add({limb}, false);
  }
}

std::vector<LimbChange> GoalSearch::changesAt(std::size_t sample) const {
  std::vector<LimbChange> changes(clip_.poser.limbCount());
  for (const GoalTrack& track : tracks_) {
    for (const std::size_t limb : track.limbs) {
      changes[limb] += track.changeOf(track.values[sample]);
    }
  }
  return changes;
}

void GoalSearch::keepLimits(GoalTrack& track, std::size_t sample) const {
  double share = 1.0;
  for (const std::size_t limb : track.limbs) {
    share = clip_.limits.maxAmount(limb, sample, kNoChange, track.changeOf(track.values[sample]),
                                   share);
  }
  if (share < 1.0) track.values[sample] *= kKeptOfLimit * share;
}

// Of all goals of the pose, in units of the error.
Numbers GoalSearch::missingNumbers() const {
  std::vector<double> found;
  const double unit_m = kGoalUnitHeights * clip_.source.height_m;
  for (const ContactGoal& goal : contacts_.goals) {
    const auto missing_m = pose_.missing_m(goal);
    for (int axis = 0; missing_m && axis < 3; ++axis) found.push_back((*missing_m)[axis] / unit_m);
  }
  return Eigen::Map<const Numbers>(found.data(), static_cast<Index>(found.size()));
}

// How they change with the numbers of all tracks, by finite differences.
Matrix GoalSearch::slopesOf(std::size_t sample, const Numbers& missing) {
  Matrix slopes = Matrix::Zero(missing.size(), kMaxNumbers * static_cast<Index>(tracks_.size()));
  for (std::size_t t = 0; t < tracks_.size(); ++t) {
    const GoalTrack& track = tracks_[t];
    for (Index n = 0; n < track.size(); ++n) {
      GoalTrack::Values probe = track.values[sample];
      probe[n] += kGoalProbe;
      for (const std::size_t limb : track.limbs) {
        pose_.setLimb(limb, clip_.base.at(sample), track.changeOf(probe));
      }
      slopes.col(static_cast<Index>(t) * kMaxNumbers + n) =
          (missingNumbers() - missing) / kGoalProbe;
    }
    for (const std::size_t limb : track.limbs) {
      pose_.setLimb(limb, clip_.base.at(sample), track.changeOf(track.values[sample]));
    }
  }
  return slopes;
}

// So that no joint exceeds its rotation limit by one number alone.
double GoalSearch::largestNumber(const GoalTrack& track, Index number) const {
  const bool is_shift = track.is_grip && number >= 1 && number < 4;
  return is_shift ? kMaxGoalNumber : kKeptOfLimit * clip_.settings.max_rotation_deg * kDegree;
}

// The depth at which goals leave a pair: upper arms as in the clip, others nearly free.
double GoalSearch::allowedDepth_m(std::size_t pair, std::size_t sample) {
  const auto is_known = [&](const penetration::PartPair& known) {
    return known.name == trial_.pairs()[pair].name;
  };
  const auto same = std::find_if(clip_.skin.pairs().begin(), clip_.skin.pairs().end(), is_known);
  const bool is_upper = trial_.pairs()[pair].limb == humanoid::BodyPart::kLeftUpperArm ||
                        trial_.pairs()[pair].limb == humanoid::BodyPart::kRightUpperArm;
  if (!is_upper && same != clip_.skin.pairs().end()) {
    const auto index = toSize(same - clip_.skin.pairs().begin());
    return depth_share_ * clip_.source.targetDepth_m(sample, index);
  }
  upper_depth_m_.resize(trial_.pairs().size());
  std::vector<double>& depths = upper_depth_m_[pair];
  if (depths.empty()) depths.assign(clip_.base.count(), -1.0);
  if (depths[sample] < 0.0) {
    base_trial_.setPose(clip_.base.at(sample), {});
    depths[sample] = base_trial_.measure(pair).depth_m;
  }
  return std::max(kUpperArmDepth * clip_.source.tolerance_m, depths[sample]);
}

// Adds rows for pairs that penetrate or did so in an earlier step.
void GoalSearch::addClearance(std::size_t sample, std::vector<bool>& was_violated, Rows& rows) {
  const std::vector<LimbChange> changes = changesAt(sample);
  SkinTrial& trial = trial_;
  trial.setPose(clip_.base.at(sample), changes);
  const double unit_m = kGoalUnitHeights * clip_.source.height_m;
  const std::vector<Affine> worlds = trial.worldsWith(changes);
  std::vector<std::vector<Affine>> probed(toSize(static_cast<int>(rows.slopes.cols())));
  std::vector<std::size_t> limbs;
  for (std::size_t t = 0; t < tracks_.size(); ++t) {
    const GoalTrack& track = tracks_[t];
    limbs.insert(limbs.end(), track.limbs.begin(), track.limbs.end());
    for (Index n = 0; n < track.size(); ++n) {
      GoalTrack::Values probe = track.values[sample];
      probe[n] += kGoalProbe;
      std::vector<LimbChange> other = changes;
      for (const std::size_t limb : track.limbs) other[limb] = track.changeOf(probe);
      probed[t * kMaxNumbers + toSize(static_cast<int>(n))] = trial.worldsWith(other);
    }
  }
  for (const std::size_t pair : pairsOf(limbs)) {
    const double allowed_m = allowedDepth_m(pair, sample);
    const penetration::PairDepth depth = trial.measure(pair);
    const double excess_m = depth.depth_m - allowed_m;
    penetration::PairClearance at{-depth.depth_m, true, depth.position_m,
                                  depth.position_m + depth.exit_m};
    if (!(excess_m > 0.0)) {
      if (!was_violated[pair]) continue;
      at = trial.clearance(pair, unit_m);
      if (!at.is_within_reach) continue;
    }
    was_violated[pair] = true;
    const double weight = excess_m > 0.0 ? kClearanceOfGoal : kKeptOfGoal;
    Numbers slopes = Numbers::Zero(rows.slopes.cols());
    for (std::size_t n = 0; n < probed.size(); ++n) {
      for (const std::size_t limb : limbs) {
        if (probed[n].empty()) continue;
        slopes[static_cast<Index>(n)] +=
            weight *
            separation_m(clip_.poser.limb(limb), trial.pairs()[pair], at, worlds, probed[n]) /
            (kGoalProbe * unit_m);
      }
    }
    rows.slopes.conservativeResize(rows.slopes.rows() + 1, Eigen::NoChange);
    rows.slopes.bottomRows<1>() = slopes.transpose();
    rows.missing.conservativeResize(rows.missing.size() + 1);
    rows.missing[rows.missing.size() - 1] = -weight * std::max(0.0, excess_m) / unit_m;
  }
}

// A damped step. Numbers that would leave their range stay.
Numbers GoalSearch::stepOf(std::size_t sample, Rows rows) const {
  Matrix& slopes = rows.slopes;
  const Numbers& missing = rows.missing;
  Numbers now = Numbers::Zero(slopes.cols());
  for (std::size_t t = 0; t < tracks_.size(); ++t) {
    now.segment<kMaxNumbers>(static_cast<Index>(t) * kMaxNumbers) = tracks_[t].values[sample];
  }
  const auto solved = [&] {
    Matrix squares = slopes.transpose() * slopes;
    squares.diagonal().array() += kSizeOfGoal * kSizeOfGoal;
    return Numbers(
        squares.ldlt().solve(-(slopes.transpose() * missing) - kSizeOfGoal * kSizeOfGoal * now));
  };
  const Numbers first = solved();
  std::vector<Index> held;
  for (Index n = 0; n < now.size(); ++n) {
    const GoalTrack& track = tracks_[toSize(static_cast<int>(n / kMaxNumbers))];
    const double largest = largestNumber(track, n % kMaxNumbers);
    if (std::fabs(now[n]) >= largest && now[n] * first[n] > 0.0) held.push_back(n);
  }
  if (held.empty()) return first;
  for (const Index n : held) slopes.col(n).setZero();
  Numbers step = solved();
  for (const Index n : held) step[n] = 0.0;
  return step;
}

// Moves the arms of one pose to their goals, by damped least squares.
void GoalSearch::followGoals(std::size_t sample) {
  std::vector<bool> was_violated(trial_.pairs().size(), false);
  for (int step = 0; step < kGoalSteps; ++step) {
    pose_.set(clip_.base.timeOf(sample), clip_.base.at(sample), changesAt(sample));
    const Numbers missing = missingNumbers();
    if (missing.size() == 0) return;
    const Matrix slopes = slopesOf(sample, missing);
    Rows rows{slopes, missing};
    if (step >= kStepsToSurface) addClearance(sample, was_violated, rows);
    Numbers change = stepOf(sample, std::move(rows));
    if (!change.allFinite()) return;
    const double largest = change.cwiseAbs().maxCoeff();
    if (largest > kMaxGoalStep) change *= kMaxGoalStep / largest;
    for (std::size_t t = 0; t < tracks_.size(); ++t) {
      GoalTrack& track = tracks_[t];
      const Index start = static_cast<Index>(t) * kMaxNumbers;
      if (clip_.source.is_gripped[sample] != track.is_grip) continue;
      track.values[sample] += change.segment<kMaxNumbers>(start);
      for (Index n = 0; n < kMaxNumbers; ++n) {
        const double most = largestNumber(track, n);
        track.values[sample][n] = std::clamp(track.values[sample][n], -most, most);
      }
      keepLimits(track, sample);
      track.has_goal[sample] = slopes.middleCols(start, kMaxNumbers).cwiseAbs().maxCoeff() > 0.0;
    }
  }
}

// At frames with goals; between them splines interpolate.
void GoalSearch::followGoals() {
  for (std::size_t s = 0; s < clip_.base.count(); s += 2) {
    const bool has_goal = std::any_of(
        contacts_.goals.begin(), contacts_.goals.end(),
        [&](const ContactGoal& goal) { return isInContact(goal, clip_.base.timeOf(s)); });
    if (has_goal) followGoals(s);
  }
}

// The samples within `reach_s` of one with a goal.
std::vector<bool> GoalSearch::samplesNear(const GoalTrack& track, double reach_s) const {
  const std::size_t count = track.has_goal.size();
  const std::size_t reach = toSize(reach_s / clip_.base.step_s());
  const std::size_t period = clip_.is_cycle && count > 1 ? count - 1 : count;
  std::vector<bool> is_near(count, false);
  for (std::size_t s = 0; s < count; ++s) {
    if (!track.has_goal[s]) continue;
    for (std::size_t k = 0; k <= std::min(reach, period); ++k) {
      if (clip_.is_cycle) {
        is_near[(s + k) % period] = is_near[(s + period - k) % period] = true;
      } else {
        if (s + k < count) is_near[s + k] = true;
        if (s >= k) is_near[s - k] = true;
      }
    }
  }
  if (clip_.is_cycle && count > 1) is_near.back() = is_near.front();
  return is_near;
}

// A spline of which each control value is a layer. Those that count beyond the reach are 0.
std::vector<CorrectionLayer> GoalSearch::fitted(const GoalTrack& track, double knot_s) const {
  const std::size_t count = track.values.size();
  const double step_s = clip_.base.step_s();
  const UniformSpline spline(step_s * static_cast<double>(count - 1), knot_s, clip_.is_cycle);
  const std::vector<bool> is_near = samplesNear(track, kReachKnots * knot_s);
  const auto weightsOf = [&](std::size_t s) {
    return spline.weightsAt(step_s * static_cast<double>(s));
  };
  std::vector<bool> is_free(spline.valueCount(), true);
  for (std::size_t s = 0; s < count; ++s) {
    if (is_near[s]) continue;
    for (const auto& [knot, weight] : weightsOf(s)) {
      if (weight > 0.0) is_free[knot] = false;
    }
  }
  const auto size = static_cast<Index>(spline.valueCount());
  Matrix squares = Matrix::Zero(size, size), right = Matrix::Zero(size, kMaxNumbers);
  for (std::size_t s = 0; s < count; ++s) {
    const double importance = track.has_goal[s] ? 1.0 : kRestWeight;
    for (const auto& [a, weight] : weightsOf(s)) {
      for (const auto& [b, other] : weightsOf(s)) {
        squares(static_cast<Index>(a), static_cast<Index>(b)) += importance * weight * other;
      }
      if (!track.has_goal[s]) continue;
      right.row(static_cast<Index>(a)) += weight * track.values[s].transpose();
    }
  }
  const double curvature = kCurvatureWeight * static_cast<double>(count);
  for (Index k = 0; k + 2 < size; ++k) {
    const std::array<double, 3> bend{1.0, -2.0, 1.0};
    for (Index i = 0; i < 3; ++i) {
      for (Index j = 0; j < 3; ++j) {
        squares(k + i, k + j) += curvature * bend[toSize(static_cast<int>(i))] *
                                 bend[toSize(static_cast<int>(j))] / static_cast<double>(size);
      }
    }
  }
  for (Index k = 0; k < size; ++k) {
    squares(k, k) += 1e-9;
    if (is_free[toSize(static_cast<int>(k))]) continue;
    squares.row(k).setZero();
    squares.col(k).setZero();
    squares(k, k) = 1.0;
    right.row(k).setZero();
  }
  const Matrix values = squares.ldlt().solve(right);
  std::vector<CorrectionLayer> layers;
  for (std::size_t knot = 0; knot < spline.valueCount(); ++knot) {
    const auto k = static_cast<Index>(knot);
    const GoalTrack::Values value = values.row(k).transpose();
    if (!is_free[knot] || !value.allFinite() || value.isZero(0.0)) continue;
    CorrectionLayer layer;
    layer.mode.limbs = track.limbs;
    layer.mode.units.assign(track.limbs.size(), track.changeOf(value));
    layer.amounts.assign(count, 0.0);
    for (std::size_t s = 0; s < count; ++s) {
      for (const auto& [at, weight] : weightsOf(s)) {
        if (at == knot) layer.amounts[s] += weight;
      }
    }
    layer.required = layer.amounts;
    layer.is_goal = true;
    layers.push_back(std::move(layer));
  }
  return layers;
}

// One change for the whole clip: the mean of what its samples need.
std::vector<CorrectionLayer> GoalSearch::constant(const GoalTrack& track) const {
  GoalTrack::Values sum = GoalTrack::Values::Zero();
  double count = 0.0;
  for (std::size_t s = 0; s < track.values.size(); ++s) {
    if (!track.has_goal[s]) continue;
    sum += track.values[s];
    count += 1.0;
  }
  CorrectionLayer layer;
  layer.mode.limbs = track.limbs;
  layer.mode.units.assign(track.limbs.size(), track.changeOf(sum / std::max(1.0, count)));
  layer.amounts.assign(track.values.size(), 1.0);
  layer.required = layer.amounts;
  layer.is_goal = true;
  return {layer};
}

bool GoalSearch::isSmooth(const GoalTrack& track, std::span<const CorrectionLayer> layers) const {
  std::vector<CorrectionLayer>& stack = clip_.stack.layers();
  const std::size_t before = stack.size();
  stack.insert(stack.end(), layers.begin(), layers.end());
  const bool is_smooth = std::all_of(track.limbs.begin(), track.limbs.end(), [&](std::size_t limb) {
    return clip_.stack.relativeJerkOf(limb) <= kGoalJerk;
  });
  stack.resize(before);
  return is_smooth;
}

// Those that follow the goals most closely within the jerk limit.
std::vector<CorrectionLayer> GoalSearch::smoothLayers(const GoalTrack& track) const {
  const std::ptrdiff_t count = std::count(track.has_goal.begin(), track.has_goal.end(), true);
  if (count == 0) return {};
  for (const double knot_s : kKnots_s) {
    std::vector<CorrectionLayer> layers = fitted(track, knot_s);
    if (!layers.empty() && isSmooth(track, layers)) return layers;
  }
  // Frames only have goals.
  if (kConstantShare * count < static_cast<std::ptrdiff_t>(track.has_goal.size())) return {};
  std::vector<CorrectionLayer> layers = constant(track);
  return isSmooth(track, layers) ? layers : std::vector<CorrectionLayer>{};
}

std::vector<CorrectionLayer> GoalSearch::layers(std::span<const PairGroup> groups, bool is_simple,
                                                double depth_share) {
  depth_share_ = depth_share;
  for (GoalTrack& track : tracks_) {
    track.clear();
    track.is_simple = is_simple;
  }
  followGoals();
  std::vector<CorrectionLayer> found;
  for (const GoalTrack& track : tracks_) {
    const auto group = std::find_if(groups.begin(), groups.end(), [&](const PairGroup& one) {
      return one.limbs == track.limbs && !one.yields && (one.links.empty() || track.is_grip);
    });
    for (CorrectionLayer& layer : smoothLayers(track)) {
      layer.group = toSize(group - groups.begin());
      found.push_back(std::move(layer));
    }
  }
  return found;
}

}  // namespace

std::vector<std::vector<CorrectionLayer>> goalCandidates(ClipContext& clip,
                                                         const ClipContacts& contacts,
                                                         std::span<const PairGroup> groups) {
  std::vector<std::vector<CorrectionLayer>> candidates;
  if (clip.source_motion.grid.frame_count < 4 || !contacts.skin || !contacts.with_upper_arms) {
    return candidates;
  }
  GoalSearch search(clip, contacts);
  for (const double depth_share : kGoalDepths) {
    for (const bool is_simple : {false, true}) {
      std::vector<CorrectionLayer> layers = search.layers(groups, is_simple, depth_share);
      if (!layers.empty()) candidates.push_back(std::move(layers));
    }
  }
  return candidates;
}

}  // namespace clipmill::stages::self_collision
