// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "anim/motion.h"
#include "core/math.h"
#include "scene/scene.h"

/// Decides whether a clip is a cycle whose end meets its start.
namespace clipmill::locomotion {

/// Whether a clip is treated as a cycle; kAuto: where pose and speed match at both ends.
enum class LoopPolicy { kAuto, kOn, kOff };

/// A rigid transform of metric world space: x -> to + rotation (x - from).
struct Carry {
  Quat rotation = kIdentityRotation;
  Vec3 from{0.0};
  Vec3 to{0.0};

  Vec3 point(const Vec3& x) const { return to + rotation * (x - from); }
  Vec3 vector(const Vec3& v) const { return rotation * v; }
};

/// The transform over the ground from `end` to `start`: a horizontal translation and a rotation
/// about the up axis.
Carry groundCarry(const Affine& start, const Affine& end);

/// The nodes whose poses are compared.
struct CycleBody {
  std::vector<std::size_t> nodes;
  int lowest_root = -1;       ///< The root is this node or one above it; -1: none is searched.
  bool has_following = true;  ///< Whether anything follows the body; else no clip is a cycle.
};

/// Whether a clip is treated as a cycle, and why.
struct CycleDecision {
  bool is_cycle = false;
  /// The last frame is one frame step before the first one, as in exports without the repeated
  /// frame.
  bool is_open = false;
  bool is_measured = false;  ///< Whether the two numbers below are set.
  /// Largest distance of a joint from the last frame to the first one, in ordinary frame steps.
  /// Of an open cycle: the distance from where one more step of the motion leads.
  double seam_steps = 0.0;
  /// Largest change of velocity of a joint across the seam, in ordinary frame steps per frame.
  double speed_steps = 0.0;
  std::string reason;  ///< For users: "the clip closes".
  int root = -1;       ///< The node whose root motion `back` takes out.
  /// From the pose at the end of the cycle to that at its start; of an open cycle, from the end of
  /// its missing step.
  Carry back;
};

/// Frames are those of the clip as authored, so that the decision is the same at every frame rate.
/// Positions are those of the nodes of the body. The net displacement over the ground and the net
/// yaw of the root are distributed over the clip and removed. An ordinary frame step is the median
/// over time of the largest displacement of a joint from one frame to the next. With
/// LoopPolicy::kAuto a clip is a cycle if
/// - its seam is below one ordinary step, and the velocity changes across it by less than one
///   ordinary step per frame, or hardly more than inside the clip; and it is not at rest at both
///   ends for a twentieth of its length;
/// - or its name is that of a cycle (cycleNameOf), and its seam is below two ordinary steps or a
///   twentieth of the size of its motion.
/// A clip with the name of a one-shot motion is a cycle only if it runs through the seam at an
/// ordinary speed.
CycleDecision judgeCycle(const CycleBody& body, LoopPolicy loop, const Scene& scene,
                         const Motion& clip);

/// For a cycle, the map from the pose of its last frame to that of its first one: a translation
/// over the ground and a rotation about the up axis.
std::optional<Carry> findCycle(const CycleBody& body, LoopPolicy loop, const Scene& scene,
                               const Motion& clip);

/// The frame rate of the clip as authored [Hz].
double authoredRateOf(const Scene& scene, const Motion& clip);

}  // namespace clipmill::locomotion
