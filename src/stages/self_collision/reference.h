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
#include "scene/humanoid.h"
#include "scene/scene.h"
#include "stages/self_collision/body_frame.h"
#include "stages/self_collision/proxies.h"

namespace clipmill::collision {

/// Every so many frames are solved by the published method.
inline constexpr std::size_t kKeyStep = 3;
/// How much farther than to the last free angle a shoulder is turned.
inline constexpr int kRelief_deg = 10;

/// What was done to one frame: how far joints were turned in the frontal plane, of the left and the
/// right side. Shoulders, hips and ankles turn away from the body, elbows towards it.
struct FrameTurns {
  std::array<int, 2> shoulder_deg{}, elbow_deg{}, hip_deg{}, ankle_deg{};
  bool had_hit = false;
  bool stays_hit = false;  ///< A search found no free angle; what it was for stays as it was.
};

/// What was done to a clip.
struct ReferenceCounts {
  std::size_t key_frames = 0;
  std::size_t hit_key_frames = 0;     ///< In which parts met before.
  std::size_t stuck_key_frames = 0;   ///< FrameTurns::stays_hit
  std::size_t broken_key_frames = 0;  ///< Left alone, as the pose is no number or flat.
};

/// The published method (SOURCES S2), one figure. Const; shared by threads.
///
/// A frame: an arm whose forearm meets the trunk is turned at the shoulder about the forward axis
/// of the chest, away from the trunk (leastFreeAngle(), then kRelief_deg more). Arms that meet each
/// other are turned alike, both at once. An arm that was turned bends at the elbow back towards the
/// trunk, the forearm staying free, by the angle of least f = -5 cos(p1 - p, p2 - p) + |p1 - p2| /
/// arm length: p1 is the wrist as it was, p2 the wrist now, p the elbow. Legs that meet are turned
/// at the hips, feet at the ankles, about the forward axis of the pelvis, both alike, without
/// relief; feet that ankles cannot free are taken apart at the hips.
///
/// Forward is that of the body as bound to the skin, as chest and pelvis carry it.
class ReferenceSolver {
 public:
  /// `scene` and `proxies` must outlive it. Error: kUnsupported where the map does not tell which
  /// way the body faces.
  static Result<ReferenceSolver> make(const Scene& scene, const HumanoidMap& map,
                                      const Proxies& proxies);

  /// Frees one pose of local transforms in file space; none where the pose is no number.
  std::optional<FrameTurns> solveFrame(std::span<Transform> locals, PosedParts& room) const;

  /// Frees frames 0, 3, 6, .. and the last one. Joints that were turned in one of them are slerped
  /// between these at all other frames, and touched; others stay as they are.
  ReferenceCounts solveClip(Motion& motion) const;

 private:
  struct Arm {
    Side side = Side::kLeft;
    Swing shoulder, elbow;
    int wrist = -1;  ///< Without one the elbow is not bent.
  };
  struct Legs {
    std::array<Swing, 2> hips, ankles;
  };
  class Frame;

  ReferenceSolver(const Scene& scene, const Proxies& proxies, CarriedAxes chest, CarriedAxes hips)
      : scene_(&scene), proxies_(&proxies), chest_(chest), hips_(hips) {}

  const Scene* scene_;
  const Proxies* proxies_;
  CarriedAxes chest_, hips_;
  std::vector<Arm> arms_;     // those that the figure has, left before right
  std::optional<Legs> legs_;  // where it has both
};

/// Whether frames are solved or left to slerp, in a clip of `count`.
bool isKeyFrame(std::size_t frame, std::size_t count);

/// At which frames parts meet.
std::vector<bool> framesThatHit(const Proxies& proxies, const Motion& motion);

}  // namespace clipmill::collision
