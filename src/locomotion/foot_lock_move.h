// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "anim/motion.h"
#include "locomotion/foot_lock_plan.h"
#include "scene/scene.h"

namespace clipmill::locomotion {

/// Share of a limb's length that is approached asymptotically.
inline constexpr double kSoftShare = 0.02;

/// The state of a limb, one value a frame in every list.
struct LimbTask {
  Limb limb;
  Support support;
  EndFrames ends;
  std::vector<Vec3> hip_m;            ///< The upper joint, as the stretched motion has it.
  std::vector<double> length_m;       ///< Of both bones.
  std::vector<double> reach_m;        ///< From hip to end, without the soft share.
  std::vector<Vec3> middle_m;         ///< The middle joint, as the stretched motion has it.
  std::vector<Vec3> source_hip_m;     ///< The upper joint in the source.
  std::vector<Vec3> source_middle_m;  ///< The middle joint in the source.
  std::vector<Mat3> upper_linear;     ///< World from the upper node's own space.
  Vec3 forward{0.0};                  ///< Side of the bend, in the upper node's own space.
  LimbPlan plan;
  LimbPlan gentler_plan;             ///< The same with longer releases; of legs alone.
  Support knee_support;              ///< Of the knee of a leg; without spans it never bears.
  EndFrames knee_ends;               ///< The lower node, where the knee bears.
  LimbPlan knee_plan;                ///< Likewise.
  std::vector<double> knee_share;    ///< 1 where the knee is held, 0 where not; may be empty.
  std::vector<double> knee_short_m;  ///< Remaining distance of the knee from its target.
  /// Share of the planned offset that is made: less than 1 where a knee would snap otherwise.
  double held_share = 1.0;
  std::vector<double> pull_m;   ///< How far targets are pulled to the upper joint; may be empty.
  std::vector<double> short_m;  ///< Remaining distance of the end from its planned target.

  bool kneels() const { return !knee_support.spans.empty(); }
  double kneeShareAt(std::size_t frame) const {
    return knee_share.empty() ? 0.0 : knee_share[frame];
  }
  double pullAt(std::size_t frame) const { return pull_m.empty() ? 0.0 : pull_m[frame]; }
  /// Whether the limb moves at a frame in which the hips drop by `drop_m`.
  bool movesAt(double drop_m, std::size_t frame) const;
  /// The planned target at a frame, with the share of its offset that is made.
  Vec3 plannedAt(std::size_t frame) const {
    return ends.carried[frame].translation + held_share * plan.offset_m[frame];
  }
  /// That target, pulled towards the upper joint, which is at `hip`.
  Vec3 targetAt(std::size_t frame, const Vec3& hip) const;
};

/// Records one more frame of a limb: in the source, and as the stretched motion carries it. Fills
/// all members of a task except times, supports, plans, shares, pulls and short distances. Worlds
/// are those of all nodes, metric.
void noteFrame(std::span<const Affine> source, std::span<const Affine> carried, LimbTask& task);

/// Moves the ends of all limbs to their planned targets, in every frame in which one moves, after
/// the hips (a node, or -1) dropped by `drop_m` metres; feet keep their height when the hips drop.
/// Fills LimbTask::short_m and marks the tracks that were written. True when any was.
bool moveLimbs(const Scene& scene, int hips, std::span<const double> drop_m,
               std::vector<LimbTask>& tasks, Motion& motion);

}  // namespace clipmill::locomotion
