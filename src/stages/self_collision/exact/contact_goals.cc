// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact/contact_goals.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include <Eigen/Dense>

#include "core/to_size.h"
#include "stages/self_collision/exact/goal_curve.h"
#include "stages/self_collision/exact/goal_problem.h"
#include "stages/self_collision/exact/goal_refinement.h"
#include "stages/self_collision/exact/goal_spline.h"
#include "stages/self_collision/exact/goal_track.h"

namespace clipmill::stages::self_collision {
namespace {

using retarget::ClipContacts;
using retarget::ContactGoal;

// Towards the goals of one pose; penetration counts after some steps, when the surface is near.
constexpr int kGoalSteps = 40, kStepsToSurface = 4;
constexpr double kMaxGoalStep = 0.4;
// Of the steps: a cost that falls by less than 0.1 % is settled.
constexpr int kMaxDampings = 5;
constexpr double kSettled = 0.999, kLeastDamping = 0.3, kMoreDamping = 5.0, kLessDamping = 0.3;
// Rotations of a left shoulder about the axes of the body, from which steps start: outward,
// forward, and between, in radians.
constexpr Vec3 kStarts_rad[] = {{0.0, 0.0, 0.9}, {-0.9, 0.0, 0.0}, {-0.6, 0.0, 0.6},
                                {0.0, 0.6, 0.6}, {0.0, -0.6, 0.6}, {0.4, 0.0, 0.6}};
// How far goals keep arms off the body. The next one is for clips in which an arm penetrates with
// the one before.
struct GoalSpacing {
  double depth_share = 0.0;  // of the depth that other corrections leave; negative: of a clearance
  bool counts_head = false;  // upper arms keep off the head too: only where they penetrate it
};
constexpr GoalSpacing kGoalSpacings[] = {{-0.3, false}, {-0.3, true}, {0.5, false}};

using Numbers = Eigen::VectorXd;
using Index = Eigen::Index;

constexpr Index kMaxNumbers = GoalTrack::kNumberCount;

// The layers of the curves of all arms, each in the group of its arm.
std::vector<CorrectionLayer> layersOfAll(std::span<const GoalCurve> curves,
                                         std::span<const PairGroup> groups) {
  std::vector<CorrectionLayer> layers;
  for (const GoalCurve& curve : curves) {
    const auto group = std::find_if(groups.begin(), groups.end(), [&](const PairGroup& one) {
      return one.limbs == std::vector{curve.limb} && !one.yields && one.links.empty();
    });
    for (CorrectionLayer& layer : layersOf(curve)) {
      layer.group = toSize(group - groups.begin());
      layers.push_back(std::move(layer));
    }
  }
  return layers;
}

class GoalSearch {
 public:
  GoalSearch(ClipContext& clip, const ClipContacts& contacts)
      : clip_(clip), problem_(clip, contacts), tracks_(problem_.tracks()) {}

  /// The numbers of the arms that goals change.
  enum class Reach { kSimple, kWithHand, kWithClavicle };

  std::vector<std::vector<CorrectionLayer>> candidates(std::span<const PairGroup> groups,
                                                       Reach reach, const GoalSpacing& spacing);
  bool hasClavicle() const;
  /// Whether no arm penetrates, at frames, with the last of the candidates.
  bool isFree() const { return is_free_; }
  bool isFreeOfHead() const { return is_free_of_head_; }

 private:
  void followGoals();
  void followGoals(std::size_t sample, std::optional<std::size_t> from);
  bool isPenetrating(const GoalTrack& track, std::size_t sample) const;
  bool isAnyPenetrating(std::size_t sample) const;
  bool improve(std::size_t sample, bool counts_clearance, std::vector<bool>& was_violated,
               GoalState& state, double& damping);
  double descend(std::size_t sample, int to_surface);
  std::vector<GoalTrack::Values> valuesAt(std::size_t sample) const;
  void setValues(std::size_t sample, std::span<const GoalTrack::Values> values);
  void addStep(std::size_t sample, Numbers step);
  Numbers stepOf(std::size_t sample, const GoalRows& rows, double damping) const;

  ClipContext& clip_;
  GoalProblem problem_;
  std::vector<GoalTrack>& tracks_;
  bool is_free_ = false, is_free_of_head_ = true;
};

// A damped step. Numbers that would leave their range stay.
Numbers GoalSearch::stepOf(std::size_t sample, const GoalRows& rows, double damping) const {
  Eigen::MatrixXd slopes = rows.slopes;
  const Numbers& missing = rows.missing;
  Numbers now = Numbers::Zero(slopes.cols()), size = now;
  for (std::size_t t = 0; t < tracks_.size(); ++t) {
    now.segment<kMaxNumbers>(static_cast<Index>(t) * kMaxNumbers) = tracks_[t].values[sample];
    size.segment<kMaxNumbers>(static_cast<Index>(t) * kMaxNumbers) = GoalProblem::sizesOfNumbers();
  }
  const auto solved = [&] {
    Eigen::MatrixXd squares = slopes.transpose() * slopes;
    squares.diagonal() += size;
    squares.diagonal().array() += damping;
    return Numbers(squares.ldlt().solve(-(slopes.transpose() * missing) - size.cwiseProduct(now)));
  };
  const Numbers first = solved();
  std::vector<Index> held;
  const GoalTrack::Values largest = problem_.largestNumbers();
  for (Index n = 0; n < now.size(); ++n) {
    const Index own = n % kMaxNumbers;
    if (own >= tracks_[toSize(static_cast<int>(n / kMaxNumbers))].size() ||
        (std::fabs(now[n]) >= largest[own] && now[n] * first[n] > 0.0)) {
      held.push_back(n);
    }
  }
  if (held.empty()) return first;
  for (const Index n : held) slopes.col(n).setZero();
  Numbers step = solved();
  for (const Index n : held) step[n] = 0.0;
  return step;
}

std::vector<GoalTrack::Values> GoalSearch::valuesAt(std::size_t sample) const {
  std::vector<GoalTrack::Values> values;
  for (const GoalTrack& track : tracks_) values.push_back(track.values[sample]);
  return values;
}

void GoalSearch::setValues(std::size_t sample, std::span<const GoalTrack::Values> values) {
  for (std::size_t t = 0; t < tracks_.size(); ++t) tracks_[t].values[sample] = values[t];
}

void GoalSearch::addStep(std::size_t sample, Numbers step) {
  const double largest = step.cwiseAbs().maxCoeff();
  if (largest > kMaxGoalStep) step *= kMaxGoalStep / largest;
  for (std::size_t t = 0; t < tracks_.size(); ++t) {
    GoalTrack::Values& values = tracks_[t].values[sample];
    values += step.segment<kMaxNumbers>(static_cast<Index>(t) * kMaxNumbers);
    values = values.cwiseMax(-problem_.largestNumbers()).cwiseMin(problem_.largestNumbers());
    values = withinLimits(values, tracks_[t].limb, sample, clip_);
  }
}

// One step of damped least squares that lowers the cost; false where no damping gives one.
bool GoalSearch::improve(std::size_t sample, bool counts_clearance, std::vector<bool>& was_violated,
                         GoalState& state, double& damping) {
  const GoalRows rows = problem_.rowsAt(sample, state, was_violated);
  const std::vector<GoalTrack::Values> before = valuesAt(sample);
  for (int attempt = 0; attempt < kMaxDampings; ++attempt) {
    const Numbers step = stepOf(sample, rows, damping);
    if (!step.allFinite()) break;
    addStep(sample, step);
    GoalState next = problem_.stateAt(sample, counts_clearance, was_violated);
    if (next.cost < state.cost) {
      state = std::move(next);
      damping *= kLessDamping;
      return true;
    }
    setValues(sample, before);
    damping = std::max(kLeastDamping, damping * kMoreDamping);
  }
  return false;
}

// Penetration counts after so many steps. Returns the cost.
double GoalSearch::descend(std::size_t sample, int to_surface) {
  std::vector<bool> was_violated(problem_.clearance().pairCount(), false);
  double damping = 0.0;
  GoalState state = problem_.stateAt(sample, to_surface == 0, was_violated);
  for (int step = 0; step < kGoalSteps; ++step) {
    const bool counts_clearance = step >= to_surface;
    if (step == to_surface && step > 0) state = problem_.stateAt(sample, true, was_violated);
    const double before = state.cost;
    const bool is_better = improve(sample, counts_clearance, was_violated, state, damping);
    if (!counts_clearance) continue;
    if (!is_better || state.cost > kSettled * before) break;
  }
  if (kGoalSteps <= to_surface) state = problem_.stateAt(sample, true, was_violated);
  return state.cost;
}

// Moves the arms of one pose to their goals and out of the body, by damped least squares, from the
// changes of another sample if there is one; else from several poses, of which the best is kept.
void GoalSearch::followGoals(std::size_t sample, std::optional<std::size_t> from) {
  for (GoalTrack& track : tracks_) {
    track.may_move = track.has_goal[sample] =
        problem_.hasGoal(track, sample) || isPenetrating(track, sample);
    if (from && track.may_move) track.values[sample] = track.values[*from];
  }
  if (from) {
    descend(sample, 0);
    return;
  }
  const std::vector<GoalTrack::Values> unchanged = valuesAt(sample);
  double least = descend(sample, problem_.isInAnyContact(sample) ? kStepsToSurface : 0);
  std::vector<GoalTrack::Values> best = valuesAt(sample);
  for (const Vec3& rotation : kStarts_rad) {
    setValues(sample, unchanged);
    for (GoalTrack& track : tracks_) {
      const bool is_left = clip_.poser.limb(track.limb).side == locomotion::BodySide::kLeft;
      if (!track.may_move) continue;
      track.values[sample].head<3>() +=
          Eigen::Vector3d(rotation.x, rotation.y, rotation.z * (is_left ? 1.0 : -1.0));
      track.values[sample] = withinLimits(track.values[sample], track.limb, sample, clip_);
    }
    const double cost = descend(sample, 0);
    if (!(cost < least)) continue;
    least = cost;
    best = valuesAt(sample);
  }
  setValues(sample, best);
}

// Whether the arm penetrates in the clip by more than the tolerance.
bool GoalSearch::isPenetrating(const GoalTrack& track, std::size_t sample) const {
  return clip_.source.depths.maxDepth_m(clip_.pairsOf(std::array{track.limb}), sample) >
         clip_.toleranceOf_m({&track.limb, 1});
}

bool GoalSearch::isAnyPenetrating(std::size_t sample) const {
  return std::any_of(tracks_.begin(), tracks_.end(),
                     [&](const GoalTrack& track) { return isPenetrating(track, sample); });
}

// At frames with goals, and then at frames that penetrate, from the changes of the frame before or
// after; between frames splines interpolate.
void GoalSearch::followGoals() {
  const std::size_t count = clip_.base.count();
  std::vector<bool> is_done(count, false);
  const auto follow = [&](std::size_t s, std::optional<std::size_t> neighbour) {
    followGoals(s, neighbour && is_done[*neighbour] ? neighbour : std::nullopt);
    is_done[s] = true;
  };
  const auto before = [](std::size_t s) { return s > 0 ? std::optional(s - 2) : std::nullopt; };
  const auto after = [&](std::size_t s) {
    return s + 2 < count ? std::optional(s + 2) : std::nullopt;
  };
  for (std::size_t s = 0; s < count; s += 2) {
    if (problem_.isInAnyContact(s)) follow(s, before(s));
  }
  for (std::size_t s = 0; s < count; s += 2) {
    const auto last = before(s);
    if (!is_done[s] && last && is_done[*last] && isAnyPenetrating(s)) follow(s, last);
  }
  for (std::size_t k = 0; k < count; k += 2) {
    const std::size_t s = (count - 1) / 2 * 2 - k;
    if (!is_done[s] && isAnyPenetrating(s)) follow(s, after(s));
  }
}

bool GoalSearch::hasClavicle() const {
  return std::any_of(tracks_.begin(), tracks_.end(), [&](const GoalTrack& track) {
    return clip_.poser.limb(track.limb).clavicle >= 0;
  });
}

// A clavicle has one rotation in the whole clip, the mean of those that poses need, so that its
// jerk stays. Where few frames need one it stays as it is.
std::vector<std::vector<CorrectionLayer>> GoalSearch::candidates(std::span<const PairGroup> groups,
                                                                 Reach reach,
                                                                 const GoalSpacing& spacing) {
  if (tracks_.empty()) return {};
  problem_.clearance().setDepthShare(spacing.depth_share);
  problem_.clearance().setCountsHead(spacing.counts_head);
  for (GoalTrack& track : tracks_) {
    track.restart(Eigen::Vector3d::Zero());
    track.is_simple = reach == Reach::kSimple;
    track.moves_clavicle =
        reach == Reach::kWithClavicle && clip_.poser.limb(track.limb).clavicle >= 0;
  }
  clip_.limits.letGo(true);
  followGoals();
  if (reach == Reach::kWithClavicle) {
    for (GoalTrack& track : tracks_) {
      track.restart(track.isConstantOfUse() ? track.meanClavicle_rad() : Eigen::Vector3d::Zero());
      track.moves_clavicle = false;
    }
    followGoals();
  }
  std::vector<GoalCurve> curves;
  for (const GoalTrack& track : tracks_) {
    if (auto curve = smoothCurveOf(track, clip_)) curves.push_back(std::move(*curve));
  }
  GoalRefinement refinement(clip_, problem_, curves);
  std::vector<std::vector<CorrectionLayer>> found;
  for (const std::vector<GoalCurve>& refined : refinement.refined()) {
    found.push_back(layersOfAll(refined, groups));
  }
  is_free_of_head_ = refinement.isFreeOfHead();
  is_free_ = refinement.isFree() && is_free_of_head_;
  clip_.limits.letGo(false);
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
  bool is_in_head = false;
  for (const GoalSpacing& spacing : kGoalSpacings) {
    if (spacing.counts_head && !is_in_head) continue;
    bool is_any_free = false;
    for (const GoalSearch::Reach reach : {GoalSearch::Reach::kWithHand, GoalSearch::Reach::kSimple,
                                          GoalSearch::Reach::kWithClavicle}) {
      if (reach == GoalSearch::Reach::kWithClavicle && !search.hasClavicle()) continue;
      for (std::vector<CorrectionLayer>& layers : search.candidates(groups, reach, spacing)) {
        if (!layers.empty()) candidates.push_back(std::move(layers));
      }
      is_any_free = is_any_free || search.isFree();
      is_in_head = is_in_head || !search.isFreeOfHead();
    }
    if (is_any_free) break;
  }
  return candidates;
}

}  // namespace clipmill::stages::self_collision
