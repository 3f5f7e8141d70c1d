// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "anim/motion.h"
#include "core/result.h"
#include "humanoid/humanoid.h"
#include "scene/scene.h"
#include "stages/self_collision/body_frame.h"
#include "stages/self_collision/proxies.h"

namespace clipmill::stages::self_collision {

/// The published method solves every third frame.
inline constexpr std::size_t kKeyStep = 3;
/// Added to the least free angle of a shoulder.
inline constexpr int kRelief_deg = 10;

/// Rotations of one frame in the frontal plane, of the left and the right side. Shoulders, hips and
/// ankles rotate away from the body, elbows towards it.
struct FrameRotations {
  std::array<int, 2> shoulder_deg{}, elbow_deg{}, hip_deg{}, ankle_deg{};
  bool had_overlap = false;
  bool remains_overlapping = false;  ///< A search found no free angle; that limb is unchanged.
};

/// Counts of a clip.
struct ReferenceCounts {
  std::size_t key_frames = 0;
  std::size_t overlapping_key_frames = 0;  ///< With an overlap before.
  std::size_t unresolved_key_frames = 0;   ///< FrameRotations::remains_overlapping
  std::size_t skipped_key_frames = 0;      ///< Unchanged: a degenerate, NaN or infinite pose.
};

/// The published method (docs/methods.md, self-collision) for one character. Const; shared by
/// threads.
///
/// In each frame: if a forearm overlaps the trunk, its shoulder rotates about the forward axis of
/// the chest, away from the trunk (leastFreeAngle(), then kRelief_deg more). If the arms overlap
/// each other, both shoulders rotate by the same angle. The elbow of a rotated arm bends back
/// towards the trunk, as long as the forearm stays free, by the angle of least f = -5 cos(p1 - p,
/// p2 - p) + |p1 - p2| / arm length: p1 is the wrist before, p2 the wrist after, p the elbow. Legs
/// that overlap rotate at the hips, feet at the ankles, about the forward axis of the pelvis, both
/// by the same angle, without relief; feet that the ankles cannot free rotate at the hips.
///
/// The forward axis is that of the body in the bind pose, attached to chest and pelvis.
class ReferenceSolver {
 public:
  /// `scene` and `proxies` must outlive it. Error: kUnsupported if the map does not determine
  /// the facing direction of the body.
  static Result<ReferenceSolver> make(const Scene& scene, const humanoid::HumanoidMap& map,
                                      const Proxies& proxies);

  /// Resolves one pose of local transforms in file space; none for a NaN or infinite pose.
  std::optional<FrameRotations> solveFrame(std::span<Transform> locals, PosedParts& work) const;

  /// Resolves frames 0, 3, 6, .. and the last one. Joints that rotate in one of them get the slerp
  /// between these at all other frames, and are marked as modified; others are unchanged.
  ReferenceCounts solveClip(Motion& motion) const;

 private:
  struct Arm {
    Side side = Side::kLeft;
    Subtree shoulder, elbow;
    int wrist = -1;  ///< Without one the elbow is not bent.
  };
  struct Legs {
    std::array<Subtree, 2> hips, ankles;
  };
  class Frame;

  ReferenceSolver(const Scene& scene, const Proxies& proxies, AttachedAxes chest, AttachedAxes hips)
      : scene_(&scene), proxies_(&proxies), chest_(chest), hips_(hips) {}

  const Scene* scene_;
  const Proxies* proxies_;
  AttachedAxes chest_, hips_;
  std::vector<Arm> arms_;     // those that the character has, left before right
  std::optional<Legs> legs_;  // if it has both
};

/// Whether a frame of a clip of `count` frames is solved, not interpolated.
bool isKeyFrame(std::size_t frame, std::size_t count);

/// The frames at which parts overlap.
std::vector<bool> overlappingFrames(const Proxies& proxies, const Motion& motion);

}  // namespace clipmill::stages::self_collision
