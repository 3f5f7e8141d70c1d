// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// Poses between the frames of motions that are linear from frame to frame.
#include "stages/dynamic_bones/springs/smooth_cursor.h"

#include <cmath>
#include <functional>

#include "core/portable_math.h"
#include "stages/dynamic_bones/swing_scene.h"

using namespace clipmill;
using namespace clipmill::stages::dynamic_bones;
using namespace clipmill::test;

TEST_SUITE_BEGIN("dynamic_bones.smooth_cursor");

namespace {

constexpr double kRate_hz = 24.0, kEnd_s = 2.0;
const Vec3 kUp(0, 1, 0);

using Path = std::function<Vec3(double)>;
using Attitude = std::function<Quat(double)>;

// The frames of a motion at 24 frames a second, linear between them, as players play them.
Path linear(const Path& path) {
  return [path](double t) {
    const double frame = std::floor(t * kRate_hz + 1e-9), part = t * kRate_hz - frame;
    return path(frame / kRate_hz) * (1.0 - part) + path((frame + 1.0) / kRate_hz) * part;
  };
}
Attitude linear(const Attitude& attitude) {
  return [attitude](double t) {
    const double frame = std::floor(t * kRate_hz + 1e-9);
    return slerp(attitude(frame / kRate_hz), attitude((frame + 1.0) / kRate_hz),
                 t * kRate_hz - frame);
  };
}

Motion motionWith(const Scene& scene, const Path& path, const Attitude& attitude) {
  return motionOf(scene, kEnd_s, kRate_hz, [=](double t, PoseView pose) {
    pose.locals[0].translation = path(t);
    pose.locals[0].rotation = attitude(t);
  });
}

struct Difference {
  double distance_m = 0.0, angle_rad = 0.0;
};

// How far the poses of a cursor over `given` are from `expected` at most, at `samples` a frame.
Difference largestDifference(const Motion& given, const Scene& scene, const Path& path,
                             const Attitude& attitude, int samples, double jump_s = -1.0) {
  SmoothCursor cursor(scene.skeleton, given, {0}, kRate_hz, [=](double start_s, double end_s) {
    return start_s < jump_s && jump_s < end_s;
  });
  Difference largest;
  for (int i = 0; i <= samples * static_cast<int>(kEnd_s * kRate_hz); ++i) {
    const double t = i / (samples * kRate_hz);
    const Transform& local = cursor.at(t).locals[0];
    largest.distance_m = std::max(largest.distance_m, distance(local.translation, path(t)));
    largest.angle_rad = std::max(largest.angle_rad, angleBetween(local.rotation, attitude(t)));
  }
  return largest;
}

const Path sway = [](double t) {
  return Vec3(0.1 * portable::sin(2.0 * kPi * 2.7 * t), 0.2 * t, 0.0);
};
const Attitude still = [](double) { return kIdentityRotation; };

}  // namespace

TEST_CASE("a swing that is linear from frame to frame is that of its cubic") {
  const Scene scene = chainScene(2, Vec3(0, -0.1, 0));
  const double phase_rad = 2.0 * kPi * 2.7 / kRate_hz;
  const Difference plain =
      largestDifference(motionWith(scene, sway, still), scene, linear(sway), still, 8);
  const Difference smooth =
      largestDifference(motionWith(scene, linear(sway), still), scene, sway, still, 8);
  // Chords are off by A (w h)^2 / 8.
  CHECK(plain.distance_m == nearTo(0.1 * phase_rad * phase_rad / 8.0, 0.1));
  // Largest at the ends, where a parabola gives the missing frame: off by A (w h)^3, of which
  // a sixteenth counts in the middle of an interval.
  CHECK(smooth.distance_m < 0.1 * phase_rad * phase_rad * phase_rad / 16.0);
  const Difference at_frames =
      largestDifference(motionWith(scene, linear(sway), still), scene, sway, still, 1);
  CHECK(at_frames.distance_m < 1e-12);
}

TEST_CASE("a steady rotation stays steady, at the ends too") {
  const Scene scene = chainScene(2, Vec3(0, -0.1, 0));
  const Attitude attitude = [](double t) { return rotationAbout(kUp, 12.0 * t); };
  const Motion motion = motionWith(scene, sway, linear(attitude));
  CHECK(largestDifference(motion, scene, sway, attitude, 8).angle_rad < 1e-7);
}

TEST_CASE("motions that are not linear between frames keep their own poses") {
  const Scene scene = chainScene(2, Vec3(0, -0.1, 0));
  const Path steps = [](double t) { return Vec3(std::floor(t * kRate_hz / 3.0 + 1e-9), 0, 0); };
  const Attitude nod = [](double t) { return rotationAbout(kUp, portable::sin(9.0 * t)); };
  for (const Path& path : {Path(sway), steps}) {
    const Difference found = largestDifference(motionWith(scene, path, nod), scene, path, nod, 7);
    CHECK(found.distance_m == 0.0);
    CHECK(found.angle_rad < 1e-12);
  }
}

TEST_CASE("frames beside a jump stay linear") {
  const Scene scene = chainScene(2, Vec3(0, -0.1, 0));
  const Path jump = linear(Path([](double t) { return Vec3(t > 1.01 ? 5.0 : 0.0, 0, 0); }));
  const Motion motion = motionWith(scene, jump, still);
  CHECK(largestDifference(motion, scene, jump, still, 8, 1.02).distance_m < 1e-12);
  CHECK(largestDifference(motion, scene, jump, still, 8).distance_m > 0.1);
}

TEST_SUITE_END();
