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
#include "stages/self_collision/exact/goal_clearance.h"
#include "stages/self_collision/exact/goal_spline.h"
#include "stages/self_collision/exact/goal_track.h"

namespace clipmill::stages::self_collision {
namespace {

using retarget::ClipContacts;
using retarget::ContactGoal;

// Towards the goals of one pose; penetration counts after some steps, when the surface is near.
constexpr int kGoalSteps = 40, kStepsToSurface = 4;
constexpr double kMaxGoalStep = 0.4;
// Of the steps: a cost that falls by less than 1 % is settled.
constexpr int kMaxDampings = 5;
constexpr double kSettled = 0.999, kLeastDamping = 0.3, kMoreDamping = 5.0, kLessDamping = 0.3;
// Rotations of a left shoulder about the axes of the body, from which steps start: outward,
// forward, and between.
constexpr Vec3 kStarts_rad[] = {{0.0, 0.0, 0.9}, {-0.9, 0.0, 0.0}, {-0.6, 0.0, 0.6},
                                {0.0, 0.6, 0.6}, {0.0, -0.6, 0.6}, {0.4, 0.0, 0.6}};
// Weights: of a radian of arm and hand, and relative to goals of a radian of an elbow's swivel, of
// grips.
constexpr double kSizeOfGoal = 0.3, kSizeOfHand = 1.0, kSwivelOfGoal = 1.0, kGripOfGoal = 2.0;
constexpr double kGoalRotation_rad = 0.1;  // an error of the rotation in a grip that counts as one
// Of the depth that other corrections leave; negative: of a clearance that large.
constexpr double kGoalDepths[] = {-0.5, 0.5};
constexpr double kKeptOfLimit = 0.97;  // of the largest rotation

using Numbers = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;
using Index = Eigen::Index;

constexpr Index kMaxNumbers = GoalTrack::kNumberCount;
// What a change costs, of each number.
GoalTrack::Values sizesOfNumbers() {
  GoalTrack::Values sizes;
  for (Index n = 0; n < kMaxNumbers; ++n) {
    const double size = n < GoalTrack::kArmNumbers ? kSizeOfGoal : kSizeOfHand;
    sizes[n] = size * size;
  }
  return sizes;
}

class GoalSearch {
 public:
  GoalSearch(ClipContext& clip, const ClipContacts& contacts)
      : clip_(clip),
        contacts_(contacts),
        pose_(clip.scene, clip.poser, contacts),
        clearance_(clip, contacts) {
    makeTracks();
  }

  std::vector<CorrectionLayer> layers(std::span<const PairGroup> groups, bool is_simple,
                                      double depth_share);

 private:
  void makeTracks();
  void followGoals();
  void followGoals(std::size_t sample, std::optional<std::size_t> from);
  bool isInAnyContact(std::size_t sample) const;
  bool hasGoal(const GoalTrack& track, std::size_t sample) const;
  bool isPenetrating(const GoalTrack& track, std::size_t sample) const;
  bool isAnyPenetrating(std::size_t sample) const;
  double largestNumber() const;
  // A pose that the tracks have at a sample.
  struct State {
    Numbers missing;
    std::vector<ClearanceSite> sites;
    double cost = 0.0;
  };

  State stateAt(std::size_t sample, bool counts_clearance, std::vector<bool>& was_violated);
  bool improve(std::size_t sample, bool counts_clearance, std::vector<bool>& was_violated,
               State& state, double& damping);
  double descend(std::size_t sample, int to_surface);
  std::vector<GoalTrack::Values> valuesAt(std::size_t sample) const;
  void setValues(std::size_t sample, std::span<const GoalTrack::Values> values);
  void addStep(std::size_t sample, Numbers step);
  Numbers stepOf(std::size_t sample, const GoalRows& rows, double damping) const;
  Numbers missingNumbers() const;
  Matrix slopesOf(std::size_t sample, const Numbers& missing);

  ClipContext& clip_;
  const ClipContacts& contacts_;
  GoalPose pose_;
  GoalClearance clearance_;
  std::vector<GoalTrack> tracks_;
};

void GoalSearch::makeTracks() {
  const std::size_t count = clip_.base.count();
  for (std::size_t limb = 0; limb < clip_.poser.limbCount(); ++limb) {
    if (clip_.poser.limb(limb).is_leg || !clip_.poser.limb(limb).hasEnd()) continue;
    tracks_.push_back({limb, std::vector<GoalTrack::Values>(count, GoalTrack::Values::Zero()),
                       std::vector<bool>(count, false)});
  }
}

// Of all goals of the pose, in units of the error.
Numbers GoalSearch::missingNumbers() const {
  std::vector<double> found;
  const double unit_m = kGoalUnitHeights * clip_.source.height_m;
  for (const ContactGoal& goal : contacts_.goals) {
    const auto missing_m = pose_.missing_m(goal);
    if (!missing_m) continue;
    const double weight = goal.is_grip ? kGripOfGoal : 1.0;
    const Vec3 rotation =
        goal.is_grip ? pose_.missingRotation_rad() / kGoalRotation_rad : Vec3(0.0);
    for (int axis = 0; axis < 3; ++axis) {
      found.push_back(weight * (*missing_m)[axis] / unit_m);
      if (goal.is_grip) found.push_back(weight * rotation[axis]);
    }
  }
  for (const GoalTrack& track : tracks_) {
    found.push_back(-kSwivelOfGoal * pose_.swivel_rad(track.limb));
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
      pose_.setLimb(track.limb, clip_.base.at(sample), GoalTrack::changeOf(probe));
      slopes.col(static_cast<Index>(t) * kMaxNumbers + n) =
          (missingNumbers() - missing) / kGoalProbe;
    }
    pose_.setLimb(track.limb, clip_.base.at(sample), GoalTrack::changeOf(track.values[sample]));
  }
  return slopes;
}

// So that no joint exceeds its rotation limit by one number alone.
double GoalSearch::largestNumber() const {
  return kKeptOfLimit * clip_.settings.max_rotation_deg * kDegree;
}

// A damped step. Numbers that would leave their range stay.
Numbers GoalSearch::stepOf(std::size_t sample, const GoalRows& rows, double damping) const {
  Matrix slopes = rows.slopes;
  const Numbers& missing = rows.missing;
  Numbers now = Numbers::Zero(slopes.cols()), size = now;
  for (std::size_t t = 0; t < tracks_.size(); ++t) {
    now.segment<kMaxNumbers>(static_cast<Index>(t) * kMaxNumbers) = tracks_[t].values[sample];
    size.segment<kMaxNumbers>(static_cast<Index>(t) * kMaxNumbers) = sizesOfNumbers();
  }
  const auto solved = [&] {
    Matrix squares = slopes.transpose() * slopes;
    squares.diagonal() += size;
    squares.diagonal().array() += damping;
    return Numbers(squares.ldlt().solve(-(slopes.transpose() * missing) - size.cwiseProduct(now)));
  };
  const Numbers first = solved();
  std::vector<Index> held;
  for (Index n = 0; n < now.size(); ++n) {
    if (std::fabs(now[n]) >= largestNumber() && now[n] * first[n] > 0.0) held.push_back(n);
  }
  if (held.empty()) return first;
  for (const Index n : held) slopes.col(n).setZero();
  Numbers step = solved();
  for (const Index n : held) step[n] = 0.0;
  return step;
}

GoalSearch::State GoalSearch::stateAt(std::size_t sample, bool counts_clearance,
                                      std::vector<bool>& was_violated) {
  pose_.set(clip_.base.timeOf(sample), clip_.base.at(sample),
            changesOf(tracks_, sample, clip_.poser.limbCount()));
  State state{missingNumbers(), {}};
  state.cost = state.missing.squaredNorm();
  for (const GoalTrack& track : tracks_) {
    state.cost += sizesOfNumbers().dot(track.values[sample].cwiseAbs2());
  }
  if (!counts_clearance) return state;
  state.sites = clearance_.sitesAt(sample, tracks_, was_violated);
  state.cost += clearance_.costOf(state.sites);
  return state;
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
    values = values.cwiseMax(-largestNumber()).cwiseMin(largestNumber());
    values = withinLimits(values, tracks_[t].limb, sample, clip_);
  }
}

// One step of damped least squares that lowers the cost; false where no damping gives one.
bool GoalSearch::improve(std::size_t sample, bool counts_clearance, std::vector<bool>& was_violated,
                         State& state, double& damping) {
  GoalRows rows{slopesOf(sample, state.missing), state.missing};
  for (const ClearanceSite& site : state.sites) was_violated[site.pair] = true;
  if (!state.sites.empty()) clearance_.addRows(sample, tracks_, state.sites, rows);
  const std::vector<GoalTrack::Values> before = valuesAt(sample);
  for (int attempt = 0; attempt < kMaxDampings; ++attempt) {
    const Numbers step = stepOf(sample, rows, damping);
    if (!step.allFinite()) break;
    addStep(sample, step);
    State next = stateAt(sample, counts_clearance, was_violated);
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
  std::vector<bool> was_violated(clearance_.pairCount(), false);
  double damping = 0.0;
  State state = stateAt(sample, to_surface == 0, was_violated);
  for (int step = 0; step < kGoalSteps; ++step) {
    const bool counts_clearance = step >= to_surface;
    if (step == to_surface && step > 0) state = stateAt(sample, true, was_violated);
    const double before = state.cost;
    const bool is_better = improve(sample, counts_clearance, was_violated, state, damping);
    if (!counts_clearance) continue;
    if (!is_better || state.cost > kSettled * before) break;
  }
  if (kGoalSteps <= to_surface) state = stateAt(sample, true, was_violated);
  return state.cost;
}

// Moves the arms of one pose to their goals and out of the body, by damped least squares, from the
// changes of another sample if there is one; else from several poses, of which the best is kept.
void GoalSearch::followGoals(std::size_t sample, std::optional<std::size_t> from) {
  for (GoalTrack& track : tracks_) {
    track.may_move = track.has_goal[sample] =
        hasGoal(track, sample) || isPenetrating(track, sample);
    if (from && track.may_move) track.values[sample] = track.values[*from];
  }
  if (from) {
    descend(sample, 0);
    return;
  }
  const std::vector<GoalTrack::Values> unchanged = valuesAt(sample);
  double least = descend(sample, isInAnyContact(sample) ? kStepsToSurface : 0);
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

bool GoalSearch::isInAnyContact(std::size_t sample) const {
  return std::any_of(contacts_.goals.begin(), contacts_.goals.end(), [&](const ContactGoal& goal) {
    return isInContact(goal, clip_.base.timeOf(sample));
  });
}

// Whether the arm is one side of a contact or a grip.
bool GoalSearch::hasGoal(const GoalTrack& track, std::size_t sample) const {
  const auto& parts = clip_.poser.limb(track.limb).parts;
  return std::any_of(contacts_.goals.begin(), contacts_.goals.end(), [&](const ContactGoal& goal) {
    return isInContact(goal, clip_.base.timeOf(sample)) &&
           (goal.is_grip || pose_.limbOf(goal) == track.limb ||
            std::find(parts.begin(), parts.end(), goal.other_part) != parts.end());
  });
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
    if (isInAnyContact(s)) follow(s, before(s));
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

std::vector<CorrectionLayer> GoalSearch::layers(std::span<const PairGroup> groups, bool is_simple,
                                                double depth_share) {
  if (tracks_.empty()) return {};
  clearance_.setDepthShare(depth_share);
  for (GoalTrack& track : tracks_) {
    track.clear();
    track.is_simple = is_simple;
  }
  clip_.limits.letGo(true);
  followGoals();
  std::vector<CorrectionLayer> found;
  for (const GoalTrack& track : tracks_) {
    const auto group = std::find_if(groups.begin(), groups.end(), [&](const PairGroup& one) {
      return one.limbs == std::vector{track.limb} && !one.yields && one.links.empty();
    });
    for (CorrectionLayer& layer : smoothLayersOf(track, clip_)) {
      layer.group = toSize(group - groups.begin());
      found.push_back(std::move(layer));
    }
  }
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
  for (const double depth_share : kGoalDepths) {
    for (const bool is_simple : {false, true}) {
      std::vector<CorrectionLayer> layers = search.layers(groups, is_simple, depth_share);
      if (!layers.empty()) candidates.push_back(std::move(layers));
    }
  }
  return candidates;
}

}  // namespace clipmill::stages::self_collision
