// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "make_samples/gestures.h"

#include <algorithm>
#include <functional>

#include "core/portable_math.h"

namespace clipmill::samples {
namespace {

constexpr int kFrames = 60;

// 0 at both ends, 1 in the middle third.
double thereAndBack(int frame) {
  const double t = static_cast<double>(frame) / kFrames;
  return smoothStep(t * 3.0) * smoothStep((1.0 - t) * 3.0);
}

void setStance(Poser& pose) {
  pose.setHips(Vec3(0, -0.005, 0), kIdentityRotation);
  for (const Side side : kSides) pose.positionFoot(side, flatFoot(side, 0.0));
}

void hangArm(Poser& pose, Side side, double out) {
  pose.pointArm(side, Vec3(out * signOf(side), -1, 0.03), Vec3(0.3 * signOf(side), 0, -1), 0.22);
}

KeyframeClip clipFrom(const Rig& rig, const char* name,
                      const std::function<void(Poser&, int)>& pose) {
  std::vector<Poser> frames;
  for (int f = 0; f <= kFrames; ++f) pose(frames.emplace_back(rig), f);
  return clipOf(rig, name, frames);
}

// From 0 to 1 in two thirds of the clip at constant speed, then still.
double upAndStay(int frame) { return std::min(1.0, frame / (kFrames * 2.0 / 3.0)); }

const Vec3 kSideways(1, -0.08, 0);

}  // namespace

KeyframeClip armsThroughBellyClip(const Rig& rig) {
  return clipFrom(rig, "ArmsThroughBelly", [](Poser& pose, int frame) {
    setStance(pose);
    const double t = thereAndBack(frame);
    for (const Side side : kSides) {
      const double height = side == Side::kLeft ? 1.12 : 1.04;
      const Vec3 apart(0.46 * signOf(side), 1.00, 0.10), across(-0.06 * signOf(side), height, 0.17);
      pose.reach(side, apart * (1 - t) + across * t, Vec3(signOf(side), -0.4, -0.7));
    }
  });
}

KeyframeClip handsOnHipsClip(const Rig& rig) {
  return clipFrom(rig, "HandsOnHips", [](Poser& pose, int frame) {
    setStance(pose);
    const double t = thereAndBack(frame);
    for (const Side side : kSides) {
      const Vec3 hanging(0.36 * signOf(side), 0.90, 0.06), hip(0.235 * signOf(side), 1.10, 0.0);
      pose.reach(side, hanging * (1 - t) + hip * t, Vec3(signOf(side), 0, -0.6));
    }
    pose.rotate("LeftHand", rotationAbout(kAcross, 0.5 * t));
    pose.rotate("RightHand", rotationAbout(kAcross, 0.5 * t));
  });
}

KeyframeClip legsCrossingClip(const Rig& rig) {
  return clipFrom(rig, "LegsCrossing", [](Poser& pose, int frame) {
    const double t = thereAndBack(frame);
    pose.setHips(Vec3(-0.06 * t, -0.005, 0), kIdentityRotation);
    pose.positionFoot(Side::kRight, flatFoot(Side::kRight, 0.0));
    FootPose swung = flatFoot(Side::kLeft, 0.02 * t);
    swung.ankle_m += Vec3(-0.30, 0.05, 0) * t;
    pose.positionFoot(Side::kLeft, swung);
    for (const Side side : kSides) hangArm(pose, side, 0.2 + 0.35 * t);
  });
}

KeyframeClip elbowBendClip(const Rig& rig) {
  return clipFrom(rig, "ElbowBend", [](Poser& pose, int frame) {
    setStance(pose);
    hangArm(pose, Side::kRight, 0.2);
    pose.pointArm(Side::kLeft, kSideways, -kForward, 150.0 * kDegree * upAndStay(frame));
  });
}

KeyframeClip forearmTwistClip(const Rig& rig) {
  return clipFrom(rig, "ForearmTwist", [](Poser& pose, int frame) {
    setStance(pose);
    hangArm(pose, Side::kRight, 0.2);
    pose.pointArm(Side::kLeft, kSideways, -kForward, 0.0);
    pose.rotate("LeftForeArm", rotationAbout(kUp, 180.0 * kDegree * upAndStay(frame)));
  });
}

}  // namespace clipmill::samples
