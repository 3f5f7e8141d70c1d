// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "anim/clip.h"

#include <cmath>
#include <random>

#include "anim/make_motion.h"
#include "checks.h"
#include "core/to_size.h"

TEST_SUITE_BEGIN("anim.clip");

using namespace clipmill;
using test::distance;
using test::makeChain;

namespace {

KeyTimes keyTimesOf(std::vector<double> times) {
  return std::make_shared<const std::vector<double>>(std::move(times));
}

Track translationTrack(Interpolation interpolation, std::vector<double> times,
                       std::vector<double> values) {
  return {0, TrackPath::kTranslation,      interpolation,
          3, keyTimesOf(std::move(times)), std::move(values)};
}

Pose poseAt(const Skeleton& skeleton, const Track& track, double time_s,
            KeySampling sampling = KeySampling::kInterpolate) {
  Pose pose = restPose(skeleton);
  keyframeSource(skeleton, {track}, sampling)->cursor()->sample(time_s, pose.view());
  return pose;
}

Vec3 translationAt(const Track& track, double time_s,
                   KeySampling sampling = KeySampling::kInterpolate) {
  return poseAt(makeChain(1), track, time_s, sampling).locals[0].translation;
}

bool samePose(const Pose& a, const Pose& b) {
  return a.locals == b.locals && a.weights == b.weights;
}

}  // namespace

TEST_CASE("a linear track is linear between keys and held outside them") {
  const Track track =
      translationTrack(Interpolation::kLinear, {1, 2, 4}, {0, 0, 0, 1, 2, 3, 1, 0, 3});
  CHECK(translationAt(track, -5) == Vec3(0));
  CHECK(translationAt(track, 1) == Vec3(0));
  CHECK(distance(translationAt(track, 1.25), Vec3(0.25, 0.5, 0.75)) < 1e-15);
  CHECK(translationAt(track, 2) == Vec3(1, 2, 3));
  CHECK(distance(translationAt(track, 3), Vec3(1, 1, 3)) < 1e-15);
  CHECK(translationAt(track, 4) == Vec3(1, 0, 3));
  CHECK(translationAt(track, 99) == Vec3(1, 0, 3));
}

TEST_CASE("a step track keeps a value until the next key") {
  const Track track = translationTrack(Interpolation::kStep, {0, 1}, {1, 0, 0, 2, 0, 0});
  CHECK(translationAt(track, -1).x == 1.0);
  CHECK(translationAt(track, 0.999999).x == 1.0);
  CHECK(translationAt(track, 1.0).x == 2.0);
}

TEST_CASE("a cubic track follows the polynomial that its tangents describe") {
  // x = t^3 - 2t + 1 on [0, 2] in one piece: values 1 and 5, slopes -2 and 10.
  const Track track = translationTrack(Interpolation::kCubicSpline, {0, 2},
                                       {9, 9, 9, 1, 0, 0, -2, 0, 0,  //
                                        10, 0, 0, 5, 0, 0, 9, 9, 9});
  for (double t : {0.0, 0.3, 1.0, 1.7, 2.0}) {
    CHECK(translationAt(track, t).x == doctest::Approx(t * t * t - 2 * t + 1));
    CHECK(translationAt(track, t).y == 0.0);
  }
  CHECK(translationAt(track, -1).x == 1.0);
  CHECK(translationAt(track, 3).x == 5.0);
}

TEST_CASE("nearest sampling returns the nearer key") {
  const Track track =
      translationTrack(Interpolation::kLinear, {0, 1, 3}, {1, 0, 0, 2, 0, 0, 3, 0, 0});
  CHECK(translationAt(track, 0.49, KeySampling::kNearest).x == 1.0);
  CHECK(translationAt(track, 0.51, KeySampling::kNearest).x == 2.0);
  CHECK(translationAt(track, 1.9, KeySampling::kNearest).x == 2.0);
  CHECK(translationAt(track, 2.1, KeySampling::kNearest).x == 3.0);
  CHECK(translationAt(track, 7, KeySampling::kNearest).x == 3.0);
}

TEST_CASE("rotations are slerped on the shorter arc") {
  const Quat end = rotationAbout(Vec3(0, 0, 1), 2.0);
  const Track track{0, TrackPath::kRotation, Interpolation::kLinear,
                    4, keyTimesOf({0, 1}),   {0, 0, 0, 1, -end.x, -end.y, -end.z, -end.w}};
  for (double t : {0.0, 0.25, 0.5, 1.0}) {
    const Quat q = poseAt(makeChain(1), track, t).locals[0].rotation;
    CHECK(distance(q, rotationAbout(Vec3(0, 0, 1), 2.0 * t)) < 1e-14);
    CHECK(glm::dot(q, q) == doctest::Approx(1.0));
  }
}

TEST_CASE("rotation keys of almost unit length are interpolated by their numbers as written") {
  constexpr double kLength = 1.001;  // as of keys rounded to three digits
  const Quat end = rotationAbout(Vec3(0, 0, 1), 2.0) * kLength;
  const Track track{0, TrackPath::kRotation, Interpolation::kLinear,
                    4, keyTimesOf({0, 1}),   {0, 0, 0, kLength, end.x, end.y, end.z, end.w}};
  const double angle = std::acos(kLength * kLength * std::cos(1.0));
  const double t = 0.25;
  const Quat expected =
      Quat(kLength, 0, 0, 0) * std::sin((1 - t) * angle) + end * std::sin(t * angle);
  const Quat q = poseAt(makeChain(1), track, t).locals[0].rotation;
  CHECK(distance(q, normalizedOrIdentity(expected)) < 1e-14);
  CHECK(distance(q, rotationAbout(Vec3(0, 0, 1), 2.0 * t)) > 1e-5);
  CHECK(glm::dot(q, q) == doctest::Approx(1.0));
}

TEST_CASE("one key holds at all times") {
  for (Interpolation interpolation : {Interpolation::kStep, Interpolation::kLinear}) {
    const Track track = translationTrack(interpolation, {2}, {7, 8, 9});
    for (double t : {0.0, 2.0, 5.0}) CHECK(translationAt(track, t) == Vec3(7, 8, 9));
  }
  const Track cubic =
      translationTrack(Interpolation::kCubicSpline, {2}, {0, 0, 0, 7, 8, 9, 0, 0, 0});
  for (double t : {0.0, 2.0, 5.0}) CHECK(translationAt(cubic, t) == Vec3(7, 8, 9));
}

TEST_CASE("of keys at one time the last counts from that time on") {
  const Track track =
      translationTrack(Interpolation::kLinear, {0, 1, 1, 2}, {0, 0, 0, 1, 0, 0, 5, 0, 0, 6, 0, 0});
  CHECK(translationAt(track, 0.5).x == doctest::Approx(0.5));
  CHECK(translationAt(track, 1.0).x == 5.0);
  CHECK(translationAt(track, 1.5).x == doctest::Approx(5.5));
}

TEST_CASE("weights are written to the node's own slots and the rest of the pose stays") {
  Skeleton skeleton = makeChain(2);
  skeleton.nodes[0].weights_count = 1;
  skeleton.nodes[1].weights_start = 1;
  skeleton.nodes[1].weights_count = 2;
  skeleton.rest_weights = {0.9, 0.8, 0.7};
  const Track track{1, TrackPath::kWeights, Interpolation::kLinear,
                    2, keyTimesOf({0, 1}),  {0, 1, 1, 0}};
  const Pose pose = poseAt(skeleton, track, 0.25);
  CHECK(pose.weights == std::vector<double>{0.9, 0.25, 0.75});
  CHECK(pose.locals == restPose(skeleton).locals);
}

TEST_CASE("a cursor returns the same pose forwards, backwards and at random as a fresh one") {
  const Skeleton skeleton = makeChain(3);
  std::mt19937 random(5);
  const auto number = [&] { return static_cast<double>(random()) / 4294967295.0; };
  const KeyTimes shared = keyTimesOf({0, 0.5, 0.5, 1.25, 3, 3, 3, 4});
  const KeyTimes own = keyTimesOf({0.75, 2});
  std::vector<Track> tracks;
  const auto addTrack = [&](int node, TrackPath path, int width, const KeyTimes& times,
                            Interpolation interpolation) {
    Track track{node, path, interpolation, width, times, {}};
    const std::size_t per_key = interpolation == Interpolation::kCubicSpline ? 3 : 1;
    const std::size_t count = times->size() * per_key * toSize(width);
    for (std::size_t i = 0; i < count; ++i) track.values.push_back(number());
    tracks.push_back(track);
  };
  addTrack(0, TrackPath::kTranslation, 3, shared, Interpolation::kLinear);
  addTrack(0, TrackPath::kRotation, 4, shared, Interpolation::kCubicSpline);
  addTrack(1, TrackPath::kRotation, 4, shared, Interpolation::kLinear);
  addTrack(1, TrackPath::kScale, 3, own, Interpolation::kStep);
  addTrack(2, TrackPath::kScale, 3, own, Interpolation::kCubicSpline);
  for (KeySampling sampling : {KeySampling::kInterpolate, KeySampling::kNearest}) {
    const auto source = keyframeSource(skeleton, tracks, sampling);
    const auto worn = source->cursor();
    std::vector<double> times;
    for (int i = -5; i < 50; ++i) times.push_back(0.1 * i);
    for (int i = 50; i > -5; --i) times.push_back(0.1 * i);
    for (int i = 0; i < 200; ++i) times.push_back(5.0 * number() - 0.5);
    times.insert(times.end(), {0.5, 0.5, 3.0, 0.5, 4.0, 3.0, 0.0, 0.75, 2.0});
    for (double time : times) {
      Pose with_worn = restPose(skeleton), with_fresh = restPose(skeleton);
      worn->sample(time, with_worn.view());
      source->cursor()->sample(time, with_fresh.view());
      CAPTURE(time);
      CHECK(samePose(with_worn, with_fresh));
    }
  }
}

TEST_CASE("the frame rate is the slowest on which all keys lie") {
  const auto framesAt = [](double start, double fps, std::vector<double> frames) {
    std::vector<double> times;
    for (double frame : frames) times.push_back(static_cast<float>(start + frame / fps));
    return keyTimesOf(times);
  };
  for (double fps : {24.0, 25.0, 30.0, 60.0, 120.0}) {
    CAPTURE(fps);
    CHECK(inferFrameRate(0.0, std::vector{framesAt(0.0, fps, {0, 1, 2, 3, 7, 100})}) == fps);
    CHECK(inferFrameRate(2.5, std::vector{framesAt(2.5, fps, {0, 1, 5, 11})}) == fps);
  }
  CHECK(inferFrameRate(0.0, std::vector{framesAt(0, 24, {1}), framesAt(0, 30, {1})}) == 120.0);
  CHECK(inferFrameRate(0.0, std::vector{keyTimesOf({0, 0.0137, 0.0291})}) == 30.0);
  CHECK(inferFrameRate(0.0, std::vector{keyTimesOf({0, 1, 2})}) == 30.0);
  CHECK(inferFrameRate(0.0, {}) == 30.0);
  // Keys between frames, along arcs.
  CHECK(inferFrameRate(0.0, std::vector{framesAt(0, 24, {0, 1, 2, 2.31, 3, 4, 4.73, 5})}) == 24.0);
  CHECK(inferFrameRate(0.0, std::vector{framesAt(0, 24, {0, 1, 2, 2.31, 3, 3.37, 4.73})}) == 30.0);
}

TEST_SUITE_END();
