// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "anim/motion.h"

#include <cmath>

#include "anim/make_motion.h"
#include "checks.h"

TEST_SUITE_BEGIN("anim.motion");

using namespace clipmill;
using test::distance;
using test::localAt;
using test::makeChain;
using test::makeMotion;

namespace {

// A step track on node 0 whose jumps lie between frames, and a rotating node 1.
Clip makeClip(const Skeleton& skeleton) {
  const auto times =
      std::make_shared<std::vector<double>>(std::vector<double>{0.0, 0.11, 0.52, 1.0});
  Track step{0, TrackPath::kTranslation, Interpolation::kStep, 3, times, {}};
  step.values = {1, 0, 0, 2, 0, 0, 3, 0, 0, 4, 0, 0};
  Track rotation{1, TrackPath::kRotation, Interpolation::kLinear, 4, times, {}};
  for (double angle : {0.0, 1.0, 0.2, 0.7}) {
    const Quat q = rotationAbout(Vec3(1, 0, 0), angle);
    rotation.values.insert(rotation.values.end(), {q.x, q.y, q.z, q.w});
  }
  Clip clip;
  clip.name = "made";
  clip.end_s = 1.0;
  clip.source = keyframeSource(skeleton, {step, rotation});
  return clip;
}

}  // namespace

TEST_CASE("a grid has a frame at start, one at end, and one every 1/fps between") {
  const TimeGrid grid = makeGrid(2.0, 3.0, 30.0);
  CHECK(grid.frame_count == 31);
  CHECK(grid.timeOf(0) == 2.0);
  CHECK(grid.timeOf(15) == doctest::Approx(2.5));
  CHECK(grid.timeOf(30) == 3.0);
}

TEST_CASE("a length that is no whole number of frames makes the last interval shorter") {
  const TimeGrid grid = makeGrid(0.0, 1.01, 30.0);
  CHECK(grid.frame_count == 32);
  CHECK(grid.timeOf(30) == doctest::Approx(1.0));
  CHECK(grid.timeOf(31) == 1.01);
  for (double end = 0.001; end < 2.0; end += 0.0137) {
    const TimeGrid any = makeGrid(0.0, end, 24.0);
    for (std::size_t i = 1; i < any.frame_count; ++i) CHECK(any.timeOf(i) > any.timeOf(i - 1));
    CHECK(any.timeOf(any.frame_count - 1) == end);
  }
}

TEST_CASE("a length with rounding error of floats is a whole number of frames") {
  CHECK(makeGrid(0.0, static_cast<float>(100.0 / 30.0), 30.0).frame_count == 101);
  CHECK(makeGrid(static_cast<float>(1.0 / 30.0), static_cast<float>(7.1), 30.0).frame_count == 213);
  // After an hour a float is rounded by a tenth of a millisecond.
  const auto hour_s = std::nextafter(static_cast<float>(99999.0 / 30.0), 1e9f);
  CHECK(hour_s * 30.0 - 99999.0 > 1e-3);
  CHECK(makeGrid(0.0, hour_s, 30.0).frame_count == 100000);
  CHECK(makeGrid(0.0, 3333.31, 30.0).frame_count == 100001);
}

TEST_CASE("a clip of no length has one frame") {
  CHECK(makeGrid(1.0, 1.0, 30.0).frame_count == 1);
  CHECK(makeGrid(1.0, 1.0, 30.0).timeOf(0) == 1.0);
  CHECK(makeGrid(1.0, 0.0, 30.0).frame_count == 1);
}

TEST_CASE("an endless clip exceeds the memory limit and is refused") {
  const Skeleton skeleton = makeChain(2);
  constexpr double kMemory = sizeof(std::size_t) < 8 ? 4294967296.0 : 1e15;
  CHECK(motionBytes(skeleton, makeGrid(0.0, 1e300, 30.0)) > kMemory);
  CHECK(motionBytes(skeleton, makeGrid(0.0, 1.0, 9.0)) == 10.0 * 2 * sizeof(Transform));
}

TEST_CASE("a sampled clip has the clip's pose at every frame") {
  const Skeleton skeleton = makeChain(3);
  const Clip clip = makeClip(skeleton);
  const Motion motion = sampleClip(skeleton, clip, 4, makeGrid(0.0, 1.0, 30.0));
  CHECK(motion.clip_index == 4);
  CHECK(motion.clip_name == "made");
  CHECK(motion.modified.none());
  for (std::size_t i = 0; i < motion.grid.frame_count; ++i) {
    Pose pose = restPose(skeleton);
    clip.source->cursor()->sample(motion.grid.timeOf(i), pose.view());
    const auto locals = motion.localsOf(i);
    CHECK(std::vector<Transform>(locals.begin(), locals.end()) == pose.locals);
  }
}

TEST_CASE("unmodified tracks are exact at every instant, modified ones interpolated") {
  const Skeleton skeleton = makeChain(3);
  const Clip clip = makeClip(skeleton);
  Motion motion = sampleClip(skeleton, clip, 0, makeGrid(0.0, 1.0, 10.0));
  for (std::size_t i = 0; i < motion.grid.frame_count; ++i) {
    localAt(motion, i, 1).translation = Vec3(static_cast<double>(i), 0, 0);
  }
  motion.modified.set(1, TrackPath::kTranslation);
  MotionCursor cursor(skeleton, motion);
  const auto source = clip.source->cursor();
  for (double time : {0.0, 0.105, 0.115, 0.5, 0.515, 0.525, 0.77, 1.0, 0.3, 0.0}) {
    CAPTURE(time);
    Pose authored = restPose(skeleton);
    source->sample(time, authored.view());
    const Pose& pose = cursor.at(time);
    CHECK(pose.locals[0] == authored.locals[0]);
    CHECK(pose.locals[1].rotation == authored.locals[1].rotation);
    CHECK(pose.locals[1].translation.x == doctest::Approx(10.0 * time));
    CHECK(pose.locals[2] == skeleton.nodes[2].rest);
  }
}

TEST_CASE("a cursor for a few nodes returns the same for these as one for all") {
  const Skeleton skeleton = makeChain(3);
  const Clip clip = makeClip(skeleton);
  Motion motion = sampleClip(skeleton, clip, 0, makeGrid(0.0, 1.0, 10.0));
  motion.modified.set(2, TrackPath::kTranslation);
  MotionCursor all(skeleton, motion);
  const std::vector<std::size_t> nodes{2, 1};
  MotionCursor few(skeleton, motion, nodes);
  for (double time : {0.0, 0.105, 0.5, 0.515, 1.0, 0.3}) {
    CAPTURE(time);
    const Pose &expected = all.at(time), &pose = few.at(time);
    for (std::size_t node : nodes) CHECK(pose.locals[node] == expected.locals[node]);
    CHECK(pose.locals[0] == skeleton.nodes[0].rest);
    CHECK(expected.locals[0] != skeleton.nodes[0].rest);
  }
}

TEST_CASE("a motion is held at its ends") {
  const Skeleton skeleton = makeChain(1);
  Motion motion = makeMotion(skeleton, 3);
  for (std::size_t i = 0; i < 3; ++i)
    localAt(motion, i, 0).translation.x = static_cast<double>(i + 1);
  MotionCursor cursor(skeleton, motion);
  CHECK(cursor.at(-1.0).locals[0].translation.x == 1.0);
  CHECK(cursor.at(99.0).locals[0].translation.x == 3.0);
  CHECK(cursor.at(1.5 / 30.0).locals[0].translation.x == doctest::Approx(2.5));
}

TEST_CASE("a shorter last interval is crossed in its own time") {
  const Skeleton skeleton = makeChain(1);
  Motion motion = makeMotion(skeleton, 3);
  motion.grid = makeGrid(0.0, 1.25, 1.0);
  REQUIRE(motion.grid.frame_count == 3);
  for (std::size_t i = 0; i < 3; ++i) localAt(motion, i, 0).translation.x = static_cast<double>(i);
  MotionCursor cursor(skeleton, motion);
  CHECK(cursor.at(1.125).locals[0].translation.x == doctest::Approx(1.5));
  CHECK(cursor.at(0.5).locals[0].translation.x == doctest::Approx(0.5));
}

TEST_CASE("morph weights of modified nodes are interpolated") {
  Skeleton skeleton = makeChain(2);
  skeleton.nodes[1].weights_count = 2;
  skeleton.rest_weights = {0.0, 1.0};
  Motion motion = makeMotion(skeleton, 2, 1.0);
  motion.weights = {0.0, 1.0, 1.0, 0.5};
  motion.modified.set(1, TrackPath::kWeights);
  MotionCursor cursor(skeleton, motion);
  CHECK(cursor.at(0.5).weights == std::vector<double>{0.5, 0.75});
  const auto tracks = tracksOf(skeleton, motion);
  REQUIRE(tracks.size() == 1);
  CHECK(tracks[0].width == 2);
  CHECK(tracks[0].values == motion.weights);
}

TEST_CASE("tracks hold every frame of what was modified, quaternions in one hemisphere") {
  const Skeleton skeleton = makeChain(2);
  Motion motion = makeMotion(skeleton, 40);
  for (std::size_t i = 0; i < 40; ++i) {
    const double flip = i % 3 == 0 ? -1.0 : 1.0;
    localAt(motion, i, 1).rotation =
        rotationAbout(Vec3(0, 1, 0), 0.3 * static_cast<double>(i)) * flip;
  }
  motion.modified.set(1, TrackPath::kRotation);
  motion.modified.set(0, TrackPath::kScale);
  const std::vector<Track> tracks = tracksOf(skeleton, motion);
  REQUIRE(tracks.size() == 2);
  CHECK(tracks[0].path == TrackPath::kScale);
  CHECK(tracks[0].times_s == tracks[1].times_s);
  CHECK(tracks[1].times_s->size() == 40);
  CHECK(tracks[1].times_s->at(7) == motion.grid.timeOf(7));
  for (std::size_t i = 0; i < 40; ++i) {
    const double* v = &tracks[1].values[4 * i];
    const Quat q(v[3], v[0], v[1], v[2]);
    CHECK(distance(q, localAt(motion, i, 1).rotation) < 1e-15);
    if (i == 0) continue;
    CHECK(glm::dot(q, Quat(v[-1], v[-4], v[-3], v[-2])) > 0.0);
  }
}

TEST_SUITE_END();
