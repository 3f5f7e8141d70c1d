// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact/goal_refinement.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/to_size.h"

namespace clipmill::stages::self_collision {
namespace {

using Numbers = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;
using Index = Eigen::Index;

constexpr Index kPerTrack = GoalTrack::kNumberCount;
constexpr int kMaxRefinements = 20, kMaxRefusals = 4;
constexpr double kRefined = 0.995;      // of the cost: a step that gains less is the last one
constexpr double kMaxRefinement = 0.2;  // of a number in one step
// Of steps: what the smoothness of curves counts, and damping.
constexpr double kSmoothings[] = {1e-5, 1e-3, 1e-1, 10.0};  // relative to the data, by their traces
constexpr double kFirstDamping = 1e-3, kRaisedDamping = 20.0, kLoweredDamping = 0.2;
constexpr double kUnknownDamping = 1e-3;  // of unknowns on which nothing depends
// Of clearance, relative to goals, one after the other while arms penetrate: the penalty method.
constexpr double kClearanceWeights[] = {1.0, 3.0, 9.0};
// A limit of the pose counts from this share of it on, so much at its usual weight.
constexpr double kNearLimit = 0.97, kLimitWeight = 150.0;
constexpr double kRefinedJerk = 0.945;  // of the limit: the rest is for other corrections
constexpr double kMaxUse = 0.995;       // poses between frames differ a little

}  // namespace

void setTracks(std::span<const GoalCurve> curves, GoalProblem& problem) {
  for (GoalTrack& track : problem.tracks()) {
    const auto curve = std::find_if(curves.begin(), curves.end(),
                                    [&](const GoalCurve& one) { return one.limb == track.limb; });
    for (std::size_t s = 0; s < track.values.size(); ++s) {
      track.values[s] =
          curve == curves.end() ? GoalTrack::Values(GoalTrack::Values::Zero()) : curve->at(s);
    }
  }
}

GoalRefinement::GoalRefinement(ClipContext& clip, GoalProblem& problem,
                               std::vector<GoalCurve>& curves)
    : clip_(clip), problem_(problem), curves_(curves) {
  for (std::size_t s = 0; s < clip.base.count(); s += 2) {
    const bool is_active = std::any_of(curves.begin(), curves.end(),
                                       [&](const GoalCurve& one) { return one.isActive(s); });
    if (is_active) samples_.push_back(s);
  }
  was_violated_.assign(clip.base.count(),
                       std::vector<bool>(problem.clearance().pairCount(), false));
  Index next = 0;
  for (std::size_t c = 0; c < curves.size(); ++c) {
    first_.push_back(next);
    next += countOf(c);
  }
  first_.push_back(next);
}

std::size_t GoalRefinement::trackOf(std::size_t curve) const {
  const std::vector<GoalTrack>& tracks = problem_.tracks();
  const auto track = std::find_if(tracks.begin(), tracks.end(), [&](const GoalTrack& one) {
    return one.limb == curves_[curve].limb;
  });
  return toSize(track - tracks.begin());
}

bool GoalRefinement::movesClavicle(std::size_t curve) const {
  return !curves_[curve].clavicle.isZero(0.0);
}

// Of one control value.
Index GoalRefinement::numberOf(std::size_t curve) const {
  return problem_.tracks()[trackOf(curve)].is_simple ? GoalTrack::kArmNumbers
                                                     : GoalTrack::kClavicleNumber;
}

Index GoalRefinement::countOf(std::size_t curve) const {
  return curves_[curve].values.rows() * numberOf(curve) + (movesClavicle(curve) ? 3 : 0);
}

// The unknowns on which a number of a curve depends at a sample, and their weights.
std::vector<std::pair<Index, double>> GoalRefinement::unknownsOf(std::size_t c, Index number,
                                                                 std::size_t sample) const {
  const GoalCurve& curve = curves_[c];
  const Index count = numberOf(c);
  if (number >= GoalTrack::kClavicleNumber) {
    if (!movesClavicle(c)) return {};
    return {{first_[c] + curve.values.rows() * count + number - GoalTrack::kClavicleNumber, 1.0}};
  }
  std::vector<std::pair<Index, double>> found;
  for (const auto& [knot, weight] : curve.weights[sample]) {
    if (number >= count || !curve.is_free[knot] || !(weight > 0.0)) continue;
    found.emplace_back(first_[c] + static_cast<Index>(knot) * count + number, weight);
  }
  return found;
}

double GoalRefinement::costOfUse(double use) const {
  const double beyond = limit_weight_ * std::max(0.0, use - kNearLimit);
  return beyond * beyond;
}

// The numbers that have slopes at a sample.
void GoalRefinement::setMoves(std::size_t sample) {
  for (GoalTrack& track : problem_.tracks()) track.may_move = false;
  for (std::size_t c = 0; c < curves_.size(); ++c) {
    GoalTrack& track = problem_.tracks()[trackOf(c)];
    track.may_move = curves_[c].isActive(sample);
    track.moves_clavicle = movesClavicle(c);
  }
}

double GoalRefinement::costAt(std::size_t sample) {
  setMoves(sample);
  double cost = problem_.stateAt(sample, true, was_violated_[sample]).cost;
  for (const GoalCurve& curve : curves_) {
    const double use =
        clip_.limits.use(curve.limb, sample, GoalTrack::changeOf(curve.at(sample))).largest();
    cost += costOfUse(use);
    for (Index n = GoalTrack::kClavicleNumber; n < kPerTrack; ++n) {
      cost += costOfUse(std::fabs(curve.clavicle[n]) / problem_.largestNumbers()[n]);
    }
  }
  return cost;
}

// Of all samples; of the first ones where these cost `enough`.
double GoalRefinement::cost(double enough) {
  setTracks(curves_, problem_);
  double sum = 0.0;
  for (const std::size_t sample : samples_) {
    sum += costAt(sample);
    if (sum >= enough) break;
  }
  return sum;
}

double GoalRefinement::largestUse() {
  double largest = 0.0;
  for (const GoalCurve& curve : curves_) {
    for (std::size_t s = 0; s < clip_.base.count(); ++s) {
      largest = std::max(
          largest, clip_.limits.use(curve.limb, s, GoalTrack::changeOf(curve.at(s))).largest());
    }
  }
  return largest;
}

// Rows of the limits of the pose that are near, by finite differences.
void GoalRefinement::addLimits(std::size_t sample, Matrix& squares, Numbers& right) {
  const double weight = limit_weight_;
  for (std::size_t c = 0; c < curves_.size(); ++c) {
    const GoalCurve& curve = curves_[c];
    const GoalTrack::Values values = curve.at(sample);
    const auto useOf = [&](const GoalTrack::Values& of) {
      return clip_.limits.use(curve.limb, sample, GoalTrack::changeOf(of)).largest();
    };
    const double use = useOf(values);
    const Index first = static_cast<Index>(trackOf(c)) * kPerTrack;
    for (Index n = GoalTrack::kClavicleNumber; n < kPerTrack; ++n) {
      const double largest = problem_.largestNumbers()[n],
                   beyond = std::fabs(values[n]) / largest - kNearLimit;
      if (!(beyond > 0.0)) continue;
      const double slope = weight / largest * (values[n] < 0.0 ? -1.0 : 1.0);
      squares(first + n, first + n) += slope * slope;
      right[first + n] += slope * weight * beyond;
    }
    if (!(use > kNearLimit)) continue;
    GoalTrack::Values slopes = GoalTrack::Values::Zero();
    for (Index n = 0; n < problem_.tracks()[trackOf(c)].size(); ++n) {
      GoalTrack::Values probe = values;
      probe[n] += kGoalProbe;
      slopes[n] = weight * (useOf(probe) - use) / kGoalProbe;
    }
    squares.block<kPerTrack, kPerTrack>(first, first) += slopes * slopes.transpose();
    right.segment<kPerTrack>(first) += slopes * (weight * (use - kNearLimit));
  }
}

void GoalRefinement::addSample(std::size_t sample, Equations& equations) {
  setMoves(sample);
  const GoalState state = problem_.stateAt(sample, true, was_violated_[sample]);
  const GoalRows rows = problem_.rowsAt(sample, state, was_violated_[sample]);
  Matrix squares = rows.slopes.transpose() * rows.slopes;
  Numbers right = rows.slopes.transpose() * rows.missing;
  for (std::size_t t = 0; t < problem_.tracks().size(); ++t) {
    const GoalTrack::Values sizes = GoalProblem::sizesOfNumbers();
    const Index first = static_cast<Index>(t) * kPerTrack;
    squares.diagonal().segment<kPerTrack>(first) += sizes;
    right.segment<kPerTrack>(first) += sizes.cwiseProduct(problem_.tracks()[t].values[sample]);
  }
  addLimits(sample, squares, right);
  // One entry for each unknown of each number of all curves.
  struct Entry {
    Index column, unknown;
    double weight;
  };
  std::vector<Entry> entries;
  for (std::size_t c = 0; c < curves_.size(); ++c) {
    for (Index n = 0; n < kPerTrack; ++n) {
      for (const auto& [unknown, weight] : unknownsOf(c, n, sample)) {
        entries.push_back({static_cast<Index>(trackOf(c)) * kPerTrack + n, unknown, weight});
      }
    }
  }
  for (const Entry& a : entries) {
    equations.right[a.unknown] += a.weight * right[a.column];
    for (const Entry& b : entries) {
      equations.squares(a.unknown, b.unknown) += a.weight * b.weight * squares(a.column, b.column);
    }
  }
}

GoalRefinement::Equations GoalRefinement::equations() {
  setTracks(curves_, problem_);
  const Index size = first_.back();
  Equations found{Matrix::Zero(size, size), Numbers::Zero(size)};
  for (const std::size_t sample : samples_) addSample(sample, found);
  return found;
}

// Control values that are not free have no entries: they stay.
Numbers GoalRefinement::stepOf(const Equations& equations, const StepShape& shape) const {
  Matrix squares = equations.squares;
  Numbers right = equations.right;
  for (std::size_t c = 0; c < curves_.size(); ++c) {
    const GoalCurve& curve = curves_[c];
    const Index count = numberOf(c);
    const double size = static_cast<double>(count) * curve.smoothness.trace();
    const double smoothing = size > 0.0 ? shape.smoothing *
                                              equations.squares.diagonal()
                                                  .segment(first_[c], count * curve.values.rows())
                                                  .sum() /
                                              size
                                        : 0.0;
    const auto isFree = [&](Index knot) { return curve.is_free[toSize(static_cast<int>(knot))]; };
    for (Index a = 0; a < curve.values.rows(); ++a) {
      for (Index b = 0; b < curve.values.rows(); ++b) {
        if (!isFree(a) || !isFree(b)) continue;
        const double cost = smoothing * curve.smoothness(a, b);
        for (Index n = 0; n < count; ++n) {
          squares(first_[c] + a * count + n, first_[c] + b * count + n) += cost;
          if (shape.smooths_curve) right[first_[c] + a * count + n] += cost * curve.values(b, n);
        }
      }
    }
  }
  squares.diagonal() *= 1.0 + shape.damping;
  squares.diagonal().array() += kUnknownDamping;
  Numbers step = squares.ldlt().solve(-right);
  const double largest = step.cwiseAbs().maxCoeff();
  if (largest > kMaxRefinement) step *= kMaxRefinement / largest;
  return step;
}

void GoalRefinement::add(const Numbers& step) {
  const GoalTrack::Values largest = problem_.largestNumbers();
  for (std::size_t c = 0; c < curves_.size(); ++c) {
    GoalCurve& curve = curves_[c];
    const Index count = numberOf(c);
    for (Index knot = 0; knot < curve.values.rows(); ++knot) {
      if (!curve.is_free[toSize(static_cast<int>(knot))]) continue;
      curve.values.row(knot).head(count) += step.segment(first_[c] + knot * count, count);
    }
    if (!movesClavicle(c)) continue;
    curve.clavicle.tail<3>() += step.segment<3>(first_[c] + curve.values.rows() * count);
    curve.clavicle = curve.clavicle.cwiseMax(-largest).cwiseMin(largest);
  }
}

// The step that lowers the cost most, of several that differ in smoothness; false where none does.
// `least` is the cost, before and after.
bool GoalRefinement::improve(double damping, double& least) {
  const Equations now = equations();
  const std::vector<GoalCurve> start = curves_;
  std::vector<GoalCurve> best;
  double best_use = max_use_;
  for (const double factor : kSmoothings) {
    for (const bool smooths_curve : {true, false}) {
      const StepShape tried{factor, damping, smooths_curve};
      const Numbers step = stepOf(now, tried);
      if (!step.allFinite()) continue;
      curves_ = start;
      add(step);
      if (!isSmooth(curves_, kRefinedJerk, clip_)) continue;
      const double use = largestUse();
      if (!(use <= max_use_)) continue;
      const double found = cost(least);
      if (!(found < least)) continue;
      least = found;
      best = curves_;
      best_use = use;
    }
  }
  curves_ = best.empty() ? start : best;
  if (best.empty()) return false;
  max_use_ = std::max(kMaxUse, best_use);
  return true;
}

void GoalRefinement::descend() {
  double damping = kFirstDamping;
  int refusals = 0;
  double least = cost(std::numeric_limits<double>::infinity());
  for (int round = 0; round < kMaxRefinements && refusals < kMaxRefusals; ++round) {
    const double before = least;
    const bool is_better = improve(damping, least);
    damping *= is_better ? kLoweredDamping : kRaisedDamping;
    refusals = is_better && least < kRefined * before ? 0 : refusals + 1;
  }
  setTracks(curves_, problem_);
}

std::vector<std::vector<GoalCurve>> GoalRefinement::refined() {
  std::vector<std::vector<GoalCurve>> found;
  if (curves_.empty() || samples_.empty()) return found;
  max_use_ = std::max(kMaxUse, largestUse());
  found.push_back(curves_);
  GoalClearance& clearance = problem_.clearance();
  for (const double weight : kClearanceWeights) {
    clearance.setWeight(weight);
    // Armpits are narrow beside the head: the steps of a large weight stay within the limits only
    // if these weigh as much.
    limit_weight_ = clearance.countsHead() ? kLimitWeight * weight : kLimitWeight;
    descend();
    if (!(found.back() == curves_)) found.push_back(curves_);
    is_free_ = !isAnyWithin();
    if (is_free_) break;
  }
  clearance.setWeight(1.0);
  return found;
}

bool GoalRefinement::isFreeOfHead() {
  return std::none_of(samples_.begin(), samples_.end(), [&](std::size_t sample) {
    return problem_.clearance().isUpperArmInHead(sample, problem_.tracks());
  });
}

// Whether a point of an arm penetrates by more than goals leave.
bool GoalRefinement::isAnyWithin() {
  return std::any_of(samples_.begin(), samples_.end(), [&](std::size_t sample) {
    setMoves(sample);
    const GoalState state = problem_.stateAt(sample, true, was_violated_[sample]);
    return std::any_of(state.sites.begin(), state.sites.end(), [](const ClearanceSite& site) {
      return site.at.clearance_m < 0.0 && site.excess_m > 0.0;
    });
  });
}

}  // namespace clipmill::stages::self_collision
