// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "make_samples/gait.h"

#include <cmath>

#include "core/portable_math.h"

namespace clipmill::samples {
namespace {

double wave(double phase) { return portable::cos(2.0 * kPi * phase); }

// The foot on the ground: heel first, flat, then over the ball.
FootPose plantedFoot(const Gait& gait, Side side, double phase) {
  const FootPose flat = flatFoot(side, gait.front_m - gait.stride_m * phase, gait.foot_x_m);
  const double toes_up = gait.strike_rad * (1.0 - smoothStep(phase / 0.09));
  if (toes_up > 0.0) return onHeel(flat, toes_up);
  const double rising = (phase - gait.flat_end) / (gait.stance - gait.flat_end);
  return rising > 0.0 ? onBall(flat, gait.push_rad * rising * rising) : flat;
}

double hermite(double a, double slope_a, double b, double slope_b, double t) {
  const double t2 = t * t, t3 = t2 * t;
  return a * (2 * t3 - 3 * t2 + 1) + slope_a * (t3 - 2 * t2 + t) + b * (3 * t2 - 2 * t3) +
         slope_b * (t3 - t2);
}

// The foot in the air, on a curve that leaves and meets the ground at the speed of the ground.
FootPose swingingFoot(const Gait& gait, Side side, double phase) {
  constexpr double kStep = 1e-4;
  const double length = 1.0 - gait.stance, t = (phase - gait.stance) / length;
  const FootPose left = plantedFoot(gait, side, gait.stance);
  const FootPose before = plantedFoot(gait, side, gait.stance - kStep);
  const FootPose landing = plantedFoot(gait, side, 0.0);
  const Vec3 leaving = (left.ankle_m - before.ankle_m) * (length / kStep);
  FootPose foot;
  const double sine = portable::sin(kPi * t);
  foot.ankle_m.x = left.ankle_m.x;
  foot.ankle_m.y = hermite(left.ankle_m.y, 0.5 * leaving.y, landing.ankle_m.y, -0.02, t) +
                   gait.lift_m * sine * sine;
  foot.ankle_m.z =
      hermite(left.ankle_m.z, leaving.z, landing.ankle_m.z, -gait.stride_m * length, t);
  foot.pitch_rad = hermite(left.pitch_rad, 0.5 * gait.push_rad, landing.pitch_rad, 0.0, t);
  foot.toe_bend_rad = left.toe_bend_rad * (1.0 - smoothStep(t / 0.35));
  return foot;
}

FootPose footAt(const Gait& gait, Side side, double phase) {
  const double own = side == Side::kLeft ? phase : phase + 0.5;
  const double wrapped = own - std::floor(own);
  return wrapped < gait.stance ? plantedFoot(gait, side, wrapped)
                               : swingingFoot(gait, side, wrapped);
}

void poseTrunk(Poser& pose, const Gait& gait, double phase) {
  const double sway = wave(phase - gait.bob_phase);
  const double left_forward = wave(phase);
  const double bob = wave(2.0 * (phase - gait.bob_phase));
  const Quat pelvis = rotationAbout(kUp, -0.09 * left_forward) *
                      rotationAbout(kForward, 0.045 * sway) *
                      rotationAbout(kAcross, 0.5 * gait.lean_rad);
  pose.setHips(Vec3(0.018 * sway, gait.bob_m * bob - gait.drop_m, 0), pelvis);
  const Quat counter = rotationAbout(kUp, 0.075 * left_forward) *
                       rotationAbout(kForward, -0.02 * sway) *
                       rotationAbout(kAcross, 0.25 * gait.lean_rad);
  pose.rotate("Spine", counter);
  pose.rotate("Spine1", counter);
  pose.rotate("Spine2", rotationAbout(kUp, 0.03 * left_forward));
  pose.rotate("Head", rotationAbout(kUp, -0.06 * left_forward) *
                          rotationAbout(kAcross, -0.8 * gait.lean_rad));
}

// Each arm swings with the leg of the other side.
void poseArms(Poser& pose, const Gait& gait, double phase) {
  for (const Side side : kSides) {
    const double forward = -signOf(side) * wave(phase - 0.03);
    const double angle = gait.arm_rad * (forward + 0.05);
    const Vec3 direction(0.16 * signOf(side), -portable::cos(angle), portable::sin(angle));
    const Vec3 elbow(0.25 * signOf(side), -portable::sin(angle), -portable::cos(angle));
    pose.pointArm(side, direction, elbow, gait.elbow_rad * (1.0 + 0.25 * forward));
  }
}

Poser gaitPose(const Rig& rig, const Gait& gait, double phase) {
  Poser pose(rig);
  poseTrunk(pose, gait, phase);
  for (const Side side : kSides) pose.positionFoot(side, footAt(gait, side, phase));
  poseArms(pose, gait, phase);
  return pose;
}

}  // namespace

Gait walkGait() { return {}; }

Gait runGait() {
  Gait run;
  run.frames = 22;
  run.stride_m = 2.1;
  run.stance = 0.34;
  run.flat_end = 0.13;
  run.front_m = 0.20;
  run.strike_rad = 0.10;
  run.push_rad = 1.0;
  run.lift_m = 0.17;
  run.drop_m = 0.075;
  run.bob_m = 0.032;
  run.bob_phase = 0.42;
  run.lean_rad = 0.22;
  run.arm_rad = 0.62;
  run.elbow_rad = 1.45;
  run.foot_x_m = 0.06;
  return run;
}

KeyframeClip gaitClip(const Rig& rig, const std::string& name, const Gait& gait, Travel travel) {
  std::vector<Poser> frames;
  for (int f = 0; f <= gait.frames; ++f) {
    const double phase = static_cast<double>(f) / gait.frames;
    frames.push_back(gaitPose(rig, gait, f == gait.frames ? 0.0 : phase));
    if (travel == Travel::kRoot) frames.back().moveRoot(Vec3(0, 0, gait.stride_m * phase));
  }
  return clipOf(rig, name, frames);
}

KeyframeClip idleClip(const Rig& rig) {
  constexpr int kFrames = 60;
  std::vector<Poser> frames;
  for (int f = 0; f <= kFrames; ++f) {
    const double phase = static_cast<double>(f % kFrames) / kFrames;
    const double breath = portable::sin(2.0 * kPi * phase), sway = wave(phase);
    Poser& pose = frames.emplace_back(rig);
    pose.setHips(Vec3(0.012 * sway, -0.005 + 0.003 * breath, 0.0), kIdentityRotation);
    pose.rotate("Spine1", rotationAbout(kAcross, -0.012 * breath));
    pose.rotate("Spine2", rotationAbout(kAcross, -0.015 * breath));
    pose.rotate("Head", rotationAbout(kUp, 0.05 * sway) * rotationAbout(kAcross, 0.02 * breath));
    for (const Side side : kSides) {
      pose.positionFoot(side, flatFoot(side, 0.0));
      const Vec3 direction(0.20 * signOf(side), -1.0, 0.03 + 0.015 * breath);
      pose.pointArm(side, direction, Vec3(0.3 * signOf(side), 0, -1), 0.22 + 0.02 * breath);
    }
  }
  return clipOf(rig, "Idle", frames);
}

}  // namespace clipmill::samples
