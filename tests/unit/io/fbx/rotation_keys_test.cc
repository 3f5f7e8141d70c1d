// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/fbx/rotation_keys.h"

#include "anim/clip.h"
#include "anim/euler.h"
#include "anim/pose.h"
#include "checks.h"
#include "io/fbx/curve.h"
#include "random.h"

TEST_SUITE_BEGIN("fbx.rotation_keys");

using namespace clipmill;
using namespace clipmill::io::fbx;
using test::distance;

namespace {

Track rotationTrack(std::vector<double> times, const std::vector<Quat>& keys,
                    Interpolation interpolation = Interpolation::kLinear) {
  Track track;
  track.path = TrackPath::kRotation;
  track.width = 4;
  track.interpolation = interpolation;
  track.times_s = std::make_shared<const std::vector<double>>(std::move(times));
  for (const Quat& q : keys) track.values.insert(track.values.end(), {q.x, q.y, q.z, q.w});
  return track;
}

// What a reader of FBX makes of a curve.
Curve playedCurve(const NewCurve& curve) {
  std::vector<RawKey> keys;
  const std::size_t count = curve.values.size();
  for (std::size_t k = 0; k < count; ++k) {
    RawKey key;
    key.ticks = ticksOf((*curve.times_s)[k]);
    key.value = curve.values[k];
    key.flags = curve.interpolation == Interpolation::kStep ? key_flags::kConstant
                : curve.interpolation == Interpolation::kLinear
                    ? key_flags::kLinear
                    : key_flags::kCubic | key_flags::kUser | key_flags::kBreak;
    if (curve.interpolation == Interpolation::kCubicSpline) {
      key.right_slope = curve.right_slopes[k];
      key.next_left_slope = curve.left_slopes[std::min(k + 1, count - 1)];
    }
    keys.push_back(key);
  }
  Curve played;
  played.keys = resolveKeys(keys);
  return played;
}

// The largest angle between the track and the curves at `looks` times.
double worstAngle(const Track& track, const std::array<NewCurve, 3>& curves, int looks) {
  Skeleton one;
  one.nodes.emplace_back();
  const auto cursor = keyframeSource(one, {track})->cursor();
  std::array<Curve, 3> played;
  for (std::size_t axis = 0; axis < 3; ++axis) played[axis] = playedCurve(curves[axis]);
  std::array<std::size_t, 3> hints{};
  Pose pose = restPose(one);
  const double start = track.times_s->front(), end = track.times_s->back();
  double worst = 0.0;
  for (int i = 0; i <= looks; ++i) {
    const double time = start + (end - start) * i / looks;
    cursor->sample(time, pose.view());
    Vec3 angles;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      angles[static_cast<int>(axis)] = evaluate(played[axis], time, hints[axis]);
    }
    worst = std::max(worst, distance(fromEuler(angles, EulerOrder::kXyz),
                                     normalizedOrIdentity(pose.locals[0].rotation)));
  }
  return worst;
}

std::size_t keyCount(const std::array<NewCurve, 3>& curves) { return curves[0].values.size(); }

}  // namespace

TEST_CASE("arcs between far apart keys are followed by the angles") {
  test::Random random(7);
  std::vector<double> times;
  std::vector<Quat> keys;
  for (int k = 0; k < 60; ++k) {
    times.push_back(0.3 * k);
    keys.push_back(random.rotation());
  }
  const Track track = rotationTrack(times, keys);
  const auto curves = rotationCurves(track, Vec3(0.0));
  CHECK(worstAngle(track, curves, 20000) < 1.5 * kRotationTolerance_rad);
  CHECK(keyCount(curves) < 60 * 40);
}

TEST_CASE("dense keys are kept") {
  std::vector<double> times;
  std::vector<Quat> keys;
  for (int k = 0; k < 90; ++k) {
    times.push_back(k / 30.0);
    keys.push_back(fromEuler(Vec3(20 * std::sin(0.1 * k), 3.0 * k, 10 * std::cos(0.07 * k)),
                             EulerOrder::kZxy));
  }
  const Track track = rotationTrack(times, keys);
  const auto curves = rotationCurves(track, Vec3(0.0));
  CHECK(worstAngle(track, curves, 5000) < kRotationTolerance_rad);
  CHECK(keyCount(curves) < 2 * keys.size());
}

TEST_CASE("a rotation about one axis is linear and keeps its keys, full rotations too") {
  std::vector<double> times;
  std::vector<Quat> keys;
  for (int k = 0; k <= 24; ++k) {
    times.push_back(k / 4.0);
    keys.push_back(rotationAbout(Vec3(0, 0, 1), 100.0 * kDegree * k));
  }
  const auto curves = rotationCurves(rotationTrack(times, keys), Vec3(0.0));
  CHECK(curves[2].interpolation == Interpolation::kLinear);
  CHECK(keyCount(curves) == 25);
  CHECK(std::fabs(curves[2].values.back() - 2400.0) < 1e-9);
}

TEST_CASE("an arc through 90 degrees of the middle angle is followed") {
  const Track track =
      rotationTrack({0.0, 1.0, 2.0}, {fromEuler(Vec3(0, 60, 0), EulerOrder::kXyz),
                                      fromEuler(Vec3(0, 90, 0), EulerOrder::kXyz),
                                      fromEuler(Vec3(35, 120, -10), EulerOrder::kXyz)});
  const auto curves = rotationCurves(track, Vec3(0.0));
  CHECK(worstAngle(track, curves, 20000) < 1e-4);
  CHECK(keyCount(curves) < 200);
}

TEST_CASE("cubic rotations are followed") {
  test::Random random(7);
  std::vector<double> values;
  for (int k = 0; k < 6; ++k) {
    for (int i = 0; i < 12; ++i) values.push_back(random.number(-1, 1));
  }
  Track track = rotationTrack({0, 0.5, 1.5, 2, 3, 3.1}, {}, Interpolation::kCubicSpline);
  track.values = values;
  const auto curves = rotationCurves(track, Vec3(0.0));
  CHECK(worstAngle(track, curves, 20000) < 2 * kRotationTolerance_rad);
}

TEST_CASE("stepped rotations keep their keys") {
  test::Random random(7);
  const Track track = rotationTrack(
      {0, 1, 2}, {random.rotation(), random.rotation(), random.rotation()}, Interpolation::kStep);
  const auto curves = rotationCurves(track, Vec3(0.0));
  CHECK(keyCount(curves) == 3);
  CHECK(curves[0].interpolation == Interpolation::kStep);
  CHECK(worstAngle(track, curves, 100) < 1e-7);
}

TEST_CASE("Euler angles of a track are used unchanged") {
  Track track = rotationTrack({0, 1}, {kIdentityRotation, kIdentityRotation});
  track.angles_deg = {Vec3(0.0), Vec3(0, 720, 0)};
  const auto curves = rotationCurves(track, Vec3(0.0));
  CHECK(curves[1].values == std::vector<double>{0.0, 720.0});
}

TEST_SUITE_END();
