// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact/goal_pose.h"

#include <algorithm>
#include <cmath>

#include "anim/pose.h"
#include "core/portable_math.h"
#include "core/to_size.h"

namespace clipmill::stages::self_collision {
namespace {

using retarget::ClipContacts;
using retarget::ContactGoal;

constexpr double kSameTime_s = 1e-6;
constexpr double kBentShare =
    0.3;  // of the upper arm: how far the elbow of a bent arm is off the line

// The moments around a time, and the share of the second one.
struct MomentsAt {
  const retarget::ContactMoment *first, *second;
  double share = 0.0;
};

std::optional<MomentsAt> momentsAt(const ContactGoal& goal, double time_s) {
  if (goal.moments.empty() || time_s < goal.start_s - kSameTime_s ||
      time_s > goal.end_s + kSameTime_s) {
    return std::nullopt;
  }
  const auto next = std::upper_bound(
      goal.moments.begin(), goal.moments.end(), time_s + kSameTime_s,
      [](double time, const retarget::ContactMoment& moment) { return time < moment.time_s; });
  if (next == goal.moments.begin()) return MomentsAt{&*next, &*next};
  const auto first = next - 1;
  if (next == goal.moments.end()) return MomentsAt{&*first, &*first};
  const double share = (time_s - first->time_s) / (next->time_s - first->time_s);
  return MomentsAt{&*first, &*next, std::clamp(share, 0.0, 1.0)};
}

}  // namespace

bool isInContact(const ContactGoal& goal, double time_s) {
  return momentsAt(goal, time_s).has_value();
}

GoalPose::GoalPose(const Scene& scene, const LimbPoser& poser, const ClipContacts& contacts)
    : scene_(scene),
      poser_(poser),
      contacts_(contacts),
      height_m_(contacts.with_upper_arms->height_m()) {}

void GoalPose::set(double time_s, const PoseSpans& base, std::span<const LimbChange> changes) {
  time_s_ = time_s;
  computeWorlds(scene_.skeleton, base.locals, scene_.metric_from_file, base_worlds_);
  computeWorlds(scene_.skeleton, base.locals, Affine(), unchanged_file_worlds_);
  locals_.assign(base.locals.begin(), base.locals.end());
  for (std::size_t limb = 0; limb < changes.size(); ++limb) {
    poser_.apply(limb, changes[limb], base_worlds_, locals_);
  }
  computeWorlds(scene_.skeleton, locals_, Affine(), file_worlds_);
  contacts_.skin->pose(file_worlds_, base.weights, skin_);
}

void GoalPose::setLimb(std::size_t limb, const PoseSpans& base, const LimbChange& change) {
  const MovableLimb& of_limb = poser_.limb(limb);
  for (const int joint : of_limb.joints()) {
    locals_[toSize(joint)].rotation = base.locals[toSize(joint)].rotation;
  }
  poser_.apply(limb, change, base_worlds_, locals_);
  computeWorlds(scene_.skeleton, locals_, Affine(), file_worlds_);
  for (const humanoid::BodyPart part : of_limb.parts) {
    contacts_.skin->posePart(part, file_worlds_, skin_);
  }
}

std::optional<Vec3> GoalPose::missing_m(const ContactGoal& goal) const {
  const std::size_t limb = limbOf(goal);
  const auto moments = momentsAt(goal, time_s_);
  if (!moments || goal.limb.empty() || limb == poser_.limbCount()) return std::nullopt;
  const auto axes = poser_.axesOf(limb, base_worlds_);
  if (!axes) return std::nullopt;
  const auto at = [&](const retarget::ContactMoment& moment) {
    return positionOf(moment.other, skin_.positions_m) + *axes * moment.gap * height_m_;
  };
  const Vec3 first = at(*moments->first);
  return first + moments->share * (at(*moments->second) - first) -
         positionOf(goal.limb, skin_.positions_m);
}

Vec3 GoalPose::missingRotation_rad() const {
  const auto [left, right] = *poser_.hands();
  const auto rotationIn = [&](std::span<const Affine> worlds, std::size_t limb) {
    return rotationOf(worlds[toSize(poser_.limb(limb).end)]);
  };
  const Quat wanted = rotationIn(file_worlds_, right) *
                      glm::conjugate(rotationIn(unchanged_file_worlds_, right)) *
                      rotationIn(unchanged_file_worlds_, left);
  return vectorOfRotation(wanted * glm::conjugate(rotationIn(file_worlds_, left)));
}

double GoalPose::swivel_rad(std::size_t limb) const {
  const MovableLimb& arm = poser_.limb(limb);
  const auto bend = [&](std::span<const Affine> worlds, Vec3& line) {
    const Vec3 shoulder = worlds[toSize(arm.upper)].translation,
               elbow = worlds[toSize(arm.lower)].translation - shoulder;
    const Vec3 reach = worlds[toSize(arm.end)].translation - shoulder;
    line = unitOrZero(reach);
    const double length = lengthOf(elbow);
    return length > 0.0 ? (elbow - line * glm::dot(elbow, line)) / length : Vec3(0.0);
  };
  Vec3 line_before, line_now;
  const Vec3 before = bend(unchanged_file_worlds_, line_before), now = bend(file_worlds_, line_now);
  const Vec3 carried = rotationBetween(line_before, line_now) * before;
  const double angle_rad =
      portable::atan2(glm::dot(line_now, glm::cross(carried, now)), glm::dot(carried, now));
  return angle_rad * std::min(1.0, std::min(lengthOf(before), lengthOf(now)) / kBentShare);
}

std::size_t GoalPose::limbOf(const ContactGoal& goal) const {
  if (goal.is_grip) return poser_.hands() ? (*poser_.hands())[0] : poser_.limbCount();
  for (std::size_t i = 0; i < poser_.limbCount(); ++i) {
    const MovableLimb& limb = poser_.limb(i);
    if (!limb.is_leg && limb.hasEnd() && goal.parts.starts_with(limb.name + " - ")) return i;
  }
  return poser_.limbCount();
}

GoalErrors goalErrors(const Scene& scene, const LimbPoser& poser, const ClipContacts& contacts,
                      const Motion& motion) {
  GoalErrors errors;
  GoalPose pose(scene, poser, contacts);
  ClipSamples samples(scene, motion);
  for (std::size_t s = 0; s < samples.count(); s += 2) {
    const double time_s = samples.timeOf(s);
    const bool has_goal =
        std::any_of(contacts.goals.begin(), contacts.goals.end(),
                    [&](const ContactGoal& goal) { return isInContact(goal, time_s); });
    if (!has_goal) continue;
    pose.set(time_s, samples.at(s), {});
    for (const ContactGoal& goal : contacts.goals) {
      const auto missing_m = pose.missing_m(goal);
      if (!missing_m) continue;
      ++errors.count;
      errors.mean_m += lengthOf(*missing_m);
      errors.max_m = std::max(errors.max_m, lengthOf(*missing_m));
    }
  }
  if (errors.count > 0) errors.mean_m /= static_cast<double>(errors.count);
  return errors;
}

}  // namespace clipmill::stages::self_collision
