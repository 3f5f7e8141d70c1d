// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact/goal_problem.h"

#include <algorithm>

#include "core/to_size.h"

namespace clipmill::stages::self_collision {
namespace {

using retarget::ClipContacts;
using retarget::ContactGoal;

using Numbers = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;
using Index = Eigen::Index;

constexpr Index kTrackNumbers = GoalTrack::kNumberCount;
// Weights: of a radian of arm, hand and clavicle, and relative to goals of a radian of an elbow's
// swivel, of grips.
constexpr double kSizeOfGoal = 0.3, kSizeOfHand = 1.0, kSizeOfClavicle = 1.0;
constexpr double kSwivelOfGoal = 1.0, kGripOfGoal = 2.0;
constexpr double kGoalRotation_rad = 0.1;  // an error of the rotation in a grip that counts as one
constexpr double kKeptOfRotation = 0.97;   // of the largest one
constexpr double kMaxGoalClavicle_rad = 15.0 * kDegree;

}  // namespace

GoalProblem::GoalProblem(ClipContext& clip, const ClipContacts& contacts)
    : clip_(clip),
      contacts_(contacts),
      pose_(clip.scene, clip.poser, contacts),
      clearance_(clip, contacts) {
  makeTracks();
}

void GoalProblem::makeTracks() {
  const std::size_t count = clip_.base.count();
  for (std::size_t limb = 0; limb < clip_.poser.limbCount(); ++limb) {
    if (clip_.poser.limb(limb).is_leg || !clip_.poser.limb(limb).hasEnd()) continue;
    tracks_.push_back({limb, std::vector<GoalTrack::Values>(count, GoalTrack::Values::Zero()),
                       std::vector<bool>(count, false)});
  }
}

// Of all goals of the pose, in units of the error.
Numbers GoalProblem::missingNumbers() const {
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
Matrix GoalProblem::slopesOf(std::size_t sample, const Numbers& missing) {
  Matrix slopes = Matrix::Zero(missing.size(), kTrackNumbers * static_cast<Index>(tracks_.size()));
  for (std::size_t t = 0; t < tracks_.size(); ++t) {
    const GoalTrack& track = tracks_[t];
    for (Index n = 0; n < track.size(); ++n) {
      GoalTrack::Values probe = track.values[sample];
      probe[n] += kGoalProbe;
      pose_.setLimb(track.limb, clip_.base.at(sample), GoalTrack::changeOf(probe));
      slopes.col(static_cast<Index>(t) * kTrackNumbers + n) =
          (missingNumbers() - missing) / kGoalProbe;
    }
    pose_.setLimb(track.limb, clip_.base.at(sample), GoalTrack::changeOf(track.values[sample]));
  }
  return slopes;
}

// So that no joint exceeds its rotation limit by one number alone.
GoalTrack::Values GoalProblem::largestNumbers() const {
  const double largest_rad = kKeptOfRotation * clip_.settings.max_rotation_deg * kDegree;
  GoalTrack::Values largest = GoalTrack::Values::Constant(largest_rad);
  largest.tail<3>().setConstant(std::min(largest_rad, kMaxGoalClavicle_rad));
  return largest;
}

// What a change costs, of each number.
GoalTrack::Values GoalProblem::sizesOfNumbers() {
  GoalTrack::Values sizes;
  for (Index n = 0; n < kTrackNumbers; ++n) {
    const double size = n < GoalTrack::kArmNumbers       ? kSizeOfGoal
                        : n < GoalTrack::kClavicleNumber ? kSizeOfHand
                                                         : kSizeOfClavicle;
    sizes[n] = size * size;
  }
  return sizes;
}

GoalState GoalProblem::stateAt(std::size_t sample, bool counts_clearance,
                               const std::vector<bool>& was_violated) {
  pose_.set(clip_.base.timeOf(sample), clip_.base.at(sample),
            changesOf(tracks_, sample, clip_.poser.limbCount()));
  GoalState state{missingNumbers(), {}, 0.0};
  state.cost = state.missing.squaredNorm();
  for (const GoalTrack& track : tracks_) {
    state.cost += sizesOfNumbers().dot(track.values[sample].cwiseAbs2());
  }
  if (!counts_clearance) return state;
  state.sites = clearance_.sitesAt(sample, tracks_, was_violated);
  state.cost += clearance_.costOf(state.sites);
  return state;
}

// Any goal, or one of which the arm is a side.
bool GoalProblem::isInAnyContact(std::size_t sample) const {
  return std::any_of(contacts_.goals.begin(), contacts_.goals.end(), [&](const ContactGoal& goal) {
    return isInContact(goal, clip_.base.timeOf(sample));
  });
}

// Whether the arm is one side of a contact or a grip.
bool GoalProblem::hasGoal(const GoalTrack& track, std::size_t sample) const {
  const auto& parts = clip_.poser.limb(track.limb).parts;
  return std::any_of(contacts_.goals.begin(), contacts_.goals.end(), [&](const ContactGoal& goal) {
    return isInContact(goal, clip_.base.timeOf(sample)) &&
           (goal.is_grip || pose_.limbOf(goal) == track.limb ||
            std::find(parts.begin(), parts.end(), goal.other_part) != parts.end());
  });
}

GoalRows GoalProblem::rowsAt(std::size_t sample, const GoalState& state,
                             std::vector<bool>& was_violated) {
  GoalRows rows{slopesOf(sample, state.missing), state.missing};
  for (const ClearanceSite& site : state.sites) was_violated[site.pair] = true;
  if (!state.sites.empty()) clearance_.addRows(sample, tracks_, state.sites, rows);
  return rows;
}

}  // namespace clipmill::stages::self_collision
