// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "make_samples/poser.h"

namespace clipmill::samples {

/// A walk or run cycle. Phases are 0 to 1 over one cycle of two steps; the left foot lands at
/// phase 0, the right one at 0.5.
struct Gait {
  int frames = 32;           ///< In one cycle.
  double stride_m = 1.2;     ///< Travelled in one cycle.
  double stance = 0.6;       ///< Part of the cycle in which a foot is on the ground.
  double flat_end = 0.32;    ///< Phase at which the heel starts to rise.
  double front_m = 0.29;     ///< Where the foot lands, before the hips.
  double strike_rad = 0.30;  ///< Toes up when the heel lands.
  double push_rad = 0.85;    ///< Heel up when the toes leave it.
  double lift_m = 0.03;      ///< Of the swinging ankle, above the line between its ends.
  double drop_m = 0.03;      ///< Of the hips below their rest height.
  double bob_m = 0.012;      ///< Rise and fall of the hips, to either side.
  double bob_phase = 0.30;   ///< Where the hips are highest; again half a cycle later.
  double lean_rad = 0.04;    ///< Of the trunk, forward.
  double arm_rad = 0.36;     ///< Swing of the upper arms to either side.
  double elbow_rad = 0.35;   ///< Mean bend of the elbows.
  double foot_x_m = 0.075;   ///< Of either foot from the middle line.
};

Gait walkGait();
Gait runGait();

enum class Travel { kInPlace, kRoot };

/// One cycle whose last pose is its first; with kRoot, Root moves one stride along +Z.
KeyframeClip gaitClip(const Rig& rig, const std::string& name, const Gait& gait, Travel travel);

/// Two seconds of standing and breathing whose last pose is the first.
KeyframeClip idleClip(const Rig& rig);

}  // namespace clipmill::samples
