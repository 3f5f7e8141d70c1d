// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "make_samples/leap.h"

#include <algorithm>

#include "core/portable_math.h"

namespace clipmill::samples {
namespace {

/// One number at a frame; between two of them it eases in and out, or goes at constant speed.
struct Beat {
  double frame, value;
  bool is_straight = false;  ///< From the beat before to this one.
};

double valueAt(std::initializer_list<Beat> beats, double frame) {
  const Beat* before = beats.begin();
  if (frame <= before->frame) return before->value;
  for (const Beat* beat = before + 1; beat != beats.end(); before = beat++) {
    if (frame > beat->frame) continue;
    const double t = (frame - before->frame) / (beat->frame - before->frame);
    const double eased = beat->is_straight ? t : smoothStep(t);
    return before->value + (beat->value - before->value) * eased;
  }
  return before->value;
}

FootPose mix(const FootPose& a, const FootPose& b, double t) {
  return {a.ankle_m * (1 - t) + b.ankle_m * t, a.pitch_rad * (1 - t) + b.pitch_rad * t,
          a.toe_bend_rad * (1 - t) + b.toe_bend_rad * t};
}

// -- Leap

constexpr int kTakeOff = 18, kLanding = 41, kLeapEnd = 62;
constexpr double kTakeOffHeight_m = 0.03, kLandingHeight_m = -0.12, kRise_m = 0.42;

double leapRoot(int frame) {
  if (frame >= 52) return kLeap_m;
  return valueAt({{8, 0},
                  {14, 0.06},
                  {kTakeOff, 0.36, true},
                  {kHangStart, 1.65},
                  {kHangEnd, 1.65},
                  {kLanding, 2.74},
                  {52, kLeap_m}},
                 frame);
}

// The hips above their rest height: a parabola in the air.
double leapHeight(int frame) {
  if (frame < kTakeOff) {
    return valueAt({{0, -0.005}, {11, -0.30}, {kTakeOff, kTakeOffHeight_m}}, frame);
  }
  if (frame > kLanding) {
    return valueAt({{kLanding, kLandingHeight_m}, {46, -0.36}, {kLeapEnd, -0.005}}, frame);
  }
  const double t = static_cast<double>(frame - kTakeOff) / (kLanding - kTakeOff);
  return kTakeOffHeight_m * (1 - t) + kLandingHeight_m * t + 4.0 * kRise_m * t * (1 - t);
}

FootPose leapFoot(Side side, int frame, const Vec3& hips_offset) {
  const double root_z = leapRoot(frame);
  if (frame <= kTakeOff) {
    return onBall(flatFoot(side, -root_z), valueAt({{11, 0}, {kTakeOff, 1.0}}, frame));
  }
  if (frame >= kLanding) return flatFoot(side, kLeap_m - root_z);
  // In the air the feet trail, are drawn up under the hips, then reach forward.
  FootPose left = onBall(flatFoot(side, -leapRoot(kTakeOff)), 1.0);
  left.ankle_m.y += hips_offset.y - kTakeOffHeight_m;
  FootPose tucked = flatFoot(side, side == Side::kLeft ? 0.06 : -0.12);
  tucked.ankle_m.y = 0.40 + hips_offset.y + (side == Side::kLeft ? 0.06 : 0.0);
  tucked.pitch_rad = side == Side::kLeft ? 0.4 : 0.9;
  FootPose landing = flatFoot(side, kLeap_m - leapRoot(kLanding));
  landing.ankle_m.y += hips_offset.y - kLandingHeight_m;
  if (frame < 30) {
    return mix(left, tucked, valueAt({{kTakeOff, 0}, {28, 1}}, frame));
  }
  return mix(tucked, landing, valueAt({{31, 0}, {kLanding, 1}}, frame));
}

void poseLeapArms(Poser& pose, int frame) {
  // 0 hangs, negative is back, 90 degrees is forward, more is up.
  const double swing =
      kDegree *
      valueAt({{0, 2}, {10, -55}, {19, 120}, {31, 100}, {40, 45}, {46, 25}, {kLeapEnd, 2}}, frame);
  const double bend =
      valueAt({{0, 0.22}, {10, 0.35}, {19, 0.25}, {30, 0.5}, {kLeapEnd, 0.22}}, frame);
  for (const Side side : kSides) {
    const double out =
        signOf(side) *
        valueAt({{0, 0.2}, {12, 0.25}, {28, 0.45}, {46, 0.35}, {kLeapEnd, 0.2}}, frame);
    const Vec3 direction(out, -portable::cos(swing), portable::sin(swing));
    const Vec3 elbow(0.3 * signOf(side), -portable::sin(swing), -portable::cos(swing));
    pose.pointArm(side, direction, elbow, bend);
  }
}

Poser leapPose(const Rig& rig, int frame) {
  Poser pose(rig);
  const double lean = valueAt(
      {{0, 0}, {11, 0.75}, {20, 0.18}, {29, 0.10}, {40, 0.35}, {46, 0.7}, {kLeapEnd, 0}}, frame);
  const double back =
      valueAt({{0, 0}, {11, -0.10}, {kTakeOff, 0}, {40, 0}, {46, -0.08}, {kLeapEnd, 0}}, frame);
  const Vec3 hips(0, leapHeight(frame), back);
  pose.moveRoot(Vec3(0, 0, leapRoot(frame)));
  pose.setHips(hips, rotationAbout(kAcross, 0.5 * lean));
  for (const char* joint : {"Spine", "Spine1"})
    pose.rotate(joint, rotationAbout(kAcross, 0.25 * lean));
  pose.rotate("Head", rotationAbout(kAcross, -0.6 * lean));
  for (const Side side : kSides) pose.positionFoot(side, leapFoot(side, frame, hips));
  poseLeapArms(pose, frame);
  return pose;
}

// -- Lunge

constexpr int kLungeEnd = 60;
constexpr double kLungeStep_m = 0.85;

double lungeRoot(int frame) {
  if (frame >= 52) return kLunge_m;
  return valueAt({{4, 0}, {18, 0.50}, {28, 0.50}, {52, kLunge_m}}, frame);
}

// A step from `from` to `to` (z in the world), lifted in between.
FootPose stepping(Side side, double from, double to, double t, double root_z) {
  FootPose foot = flatFoot(side, from + (to - from) * smoothStep(t) - root_z);
  const double u = std::clamp(t, 0.0, 1.0), lift = portable::sin(kPi * u);
  foot.ankle_m.y += 0.09 * lift * lift;
  foot.pitch_rad = 0.25 * portable::sin(2.0 * kPi * u);
  return foot;
}

FootPose lungeFoot(Side side, int frame, double root_z) {
  if (side == Side::kLeft) {
    if (frame < 28) return stepping(side, 0.0, kLungeStep_m, (frame - 4) / 13.0, root_z);
    return stepping(side, kLungeStep_m, kLunge_m, (frame - 29) / 13.0, root_z);
  }
  // The right foot stays and rolls over its ball, then follows.
  const double heel_up = valueAt({{8, 0}, {18, 0.75}, {28, 0.75}, {42, 0.55}}, frame);
  const FootPose rolled = onBall(flatFoot(side, -root_z), heel_up);
  if (frame < 42) return rolled;
  const FootPose step = stepping(side, 0.0, kLunge_m, (frame - 43) / 11.0, root_z);
  return mix(rolled, step, smoothStep((frame - 42) / 5.0));
}

void poseLungeArms(Poser& pose, int frame) {
  const double thrust = valueAt({{0, 0}, {8, -0.45}, {18, 1}, {28, 1}, {46, 0}}, frame);
  const double swing = kDegree * (3 + 80 * thrust), bend = 0.25 + 1.6 * std::max(0.0, -thrust);
  const Vec3 elbow(-0.3, -portable::sin(swing), -portable::cos(swing));
  pose.pointArm(Side::kRight, Vec3(-0.18, -portable::cos(swing), portable::sin(swing)), elbow,
                bend);
  const double other = kDegree * (3 - 35 * std::max(0.0, thrust));
  pose.pointArm(Side::kLeft, Vec3(0.25, -portable::cos(other), portable::sin(other)),
                Vec3(0.3, 0, -1), 0.3 + 0.3 * std::max(0.0, thrust));
}

Poser lungePose(const Rig& rig, int frame) {
  Poser pose(rig);
  const double depth = valueAt({{2, 0}, {18, 1}, {28, 1}, {50, 0}}, frame);
  const double root_z = lungeRoot(frame);
  pose.moveRoot(Vec3(0, 0, root_z));
  pose.setHips(Vec3(0, -0.005 - 0.24 * depth, -0.02 * depth),
               rotationAbout(kUp, 0.15 * depth) * rotationAbout(kAcross, 0.10 * depth));
  for (const char* joint : {"Spine", "Spine1"}) {
    pose.rotate(joint, rotationAbout(kUp, 0.12 * depth) * rotationAbout(kAcross, 0.10 * depth));
  }
  pose.rotate("Head", rotationAbout(kUp, -0.35 * depth) * rotationAbout(kAcross, -0.2 * depth));
  for (const Side side : kSides) pose.positionFoot(side, lungeFoot(side, frame, root_z));
  poseLungeArms(pose, frame);
  return pose;
}

KeyframeClip clipFrom(const Rig& rig, const char* name, int last, Poser (*pose)(const Rig&, int)) {
  std::vector<Poser> frames;
  for (int f = 0; f <= last; ++f) frames.push_back(pose(rig, f));
  return clipOf(rig, name, frames);
}

}  // namespace

KeyframeClip leapClip(const Rig& rig) { return clipFrom(rig, "Leap", kLeapEnd, leapPose); }

KeyframeClip lungeClip(const Rig& rig) { return clipFrom(rig, "Lunge", kLungeEnd, lungePose); }

}  // namespace clipmill::samples
