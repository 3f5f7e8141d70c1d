// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "anim/track.h"
#include "make_samples/body.h"

namespace clipmill::samples {

inline constexpr double kFps = 30.0;
inline constexpr double kAnkleHeight_m = 0.085;
/// Axes of Root; the first one is to the left.
inline const Vec3 kAcross(1, 0, 0), kUp(0, 1, 0), kForward(0, 0, 1);

enum class Side { kLeft, kRight };
inline constexpr Side kSides[] = {Side::kLeft, Side::kRight};
/// 1 for left (+X), -1 for right.
double signOf(Side side);

/// Position and pitch of a foot.
struct FootPose {
  Vec3 ankle_m{0};            ///< In the space of Root.
  double pitch_rad = 0.0;     ///< Positive with the heel up.
  double toe_bend_rad = 0.0;  ///< How far the toes are bent up against the foot.
};

/// A foot flat on the ground.
FootPose flatFoot(Side side, double z_m, double x_m = 0.095);
/// A flat foot rotated about its ball; the toes stay on the ground.
FootPose onBall(FootPose flat, double pitch_rad);
/// A flat foot rotated about its heel, toes up.
FootPose onHeel(FootPose flat, double toes_up_rad);

/// One pose in the making. Set the trunk first, then the limbs that hang on it. Directions and
/// positions are in the space of Root, which only translates.
class Poser {
 public:
  explicit Poser(const Rig& rig);

  void moveRoot(const Vec3& position_m);
  /// `offset_m` is from the rest position; `rotation` is in the axes of the body.
  void setHips(const Vec3& offset_m, const Quat& rotation);
  /// Rotates a joint relative to its rest rotation, in its own axes.
  void rotate(std::string_view joint, const Quat& rotation);
  void positionFoot(Side side, const FootPose& foot);
  /// The wrist at `wrist_m`, the elbow toward `elbow`.
  void reach(Side side, const Vec3& wrist_m, const Vec3& elbow);
  /// The upper arm along `direction`; the elbow bent by `bend_rad` away from `elbow`.
  void pointArm(Side side, const Vec3& direction, const Vec3& elbow, double bend_rad);

  /// In the space of Root.
  Vec3 positionOf(int node) const;
  Quat rotationOf(int node) const;
  const std::vector<Transform>& locals() const { return locals_; }

 private:
  void setRotation(int node, const Quat& rotation);
  void bendToward(int upper, int lower, int end, const Vec3& target, const Vec3& middle);

  const Rig& rig_;
  std::vector<Transform> locals_;
};

/// Poses at 30 frames a second, as a clip: no track for a joint in its rest pose, one key for a
/// joint that does not move, else one key for each frame.
KeyframeClip clipOf(const Rig& rig, std::string name, const std::vector<Poser>& frames);

}  // namespace clipmill::samples
