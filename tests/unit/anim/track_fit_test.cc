// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "anim/track_fit.h"

#include <functional>
#include <random>

#include "anim/formula_source.h"
#include "checks.h"

TEST_SUITE_BEGIN("anim.track_fit");

using namespace clipmill;

namespace {

struct Case {
  Skeleton skeleton;
  Clip clip;
  FitTolerances tolerance{1e-5, 1e-5, 1e-5};
  std::vector<double> weight_tolerances;

  std::vector<Track> fit() const {
    return fitTracks(skeleton, clip, clip.animated, {{&tolerance, 1}, weight_tolerances, 0.0});
  }
};

// One node moved at 30 frames a second.
Case makeCase(TrackPath path, double end_s, test::PoseAt pose_at) {
  Case made;
  made.skeleton.nodes.emplace_back();
  made.clip.end_s = end_s;
  made.clip.animated = TrackMask(1);
  made.clip.animated.set(0, path);
  made.clip.source = std::make_shared<test::FormulaSource>(std::move(pose_at));
  return made;
}

Case moving(double end_s, std::function<double(double)> x_at) {
  return makeCase(TrackPath::kTranslation, end_s, [x_at](double t, PoseView pose) {
    pose.locals[0].translation = Vec3(x_at(t), 1.0, -2.0);
  });
}

Case rotating(double end_s, std::function<Quat(double)> at) {
  return makeCase(TrackPath::kRotation, end_s,
                  [at](double t, PoseView pose) { pose.locals[0].rotation = at(t); });
}

// Of a track that should have been one of translations or rotations: the largest difference, in
// tolerances, at random times.
double worstError(const Case& given, const std::vector<Track>& tracks) {
  const auto wanted = given.clip.source->cursor();
  const auto got = keyframeSource(given.skeleton, tracks)->cursor();
  std::mt19937 random(7);
  double worst = 0.0;
  for (int i = 0; i < 20000; ++i) {
    const double t = (given.clip.end_s - given.clip.start_s) * (random() / 4294967296.0);
    Pose a = restPose(given.skeleton), b = restPose(given.skeleton);
    wanted->sample(given.clip.start_s + t, a.view());
    got->sample(t, b.view());
    const Vec3 d = a.locals[0].translation - b.locals[0].translation;
    const double angle = angleBetween(a.locals[0].rotation, b.locals[0].rotation);
    worst = std::max({worst, std::sqrt(glm::dot(d, d)) / given.tolerance.translation,
                      angle / given.tolerance.angle_rad});
  }
  return worst;
}

double xAt(const Case& given, const std::vector<Track>& tracks, double time_s) {
  Pose pose = restPose(given.skeleton);
  keyframeSource(given.skeleton, tracks)->cursor()->sample(time_s, pose.view());
  return pose.locals[0].translation.x;
}

}  // namespace

TEST_CASE("A still track keeps its ends") {
  const Case given = moving(1.0, [](double) { return 3.0; });
  const std::vector<Track> tracks = given.fit();
  REQUIRE(tracks.size() == 1);
  CHECK(tracks[0].interpolation == Interpolation::kLinear);
  CHECK(*tracks[0].times_s == std::vector<double>{0.0, 1.0});
  CHECK(tracks[0].values == std::vector<double>{3, 1, -2, 3, 1, -2});
}

TEST_CASE("A clip of no length has one key") {
  const Case given = moving(0.0, [](double) { return 3.0; });
  const std::vector<Track> tracks = given.fit();
  REQUIRE(tracks.size() == 1);
  CHECK(*tracks[0].times_s == std::vector<double>{0.0});
  CHECK(tracks[0].values == std::vector<double>{3, 1, -2});
}

TEST_CASE("An even motion needs two linear keys") {
  const Case given = moving(2.0, [](double t) { return 3.0 * t - 1.0; });
  const std::vector<Track> tracks = given.fit();
  CHECK(tracks[0].interpolation == Interpolation::kLinear);
  CHECK(*tracks[0].times_s == std::vector<double>{0.0, 2.0});
  CHECK(tracks[0].values == std::vector<double>{-1, 1, -2, 5, 1, -2});
}

TEST_CASE("A cubic polynomial needs two cubic keys, with its own slopes") {
  const Case given = moving(2.0, [](double t) { return ((t - 2.0) * t + 0.5) * t; });
  const std::vector<Track> tracks = given.fit();
  REQUIRE(tracks[0].interpolation == Interpolation::kCubicSpline);
  CHECK(*tracks[0].times_s == std::vector<double>{0.0, 2.0});
  // 3 t^2 - 4 t + 0.5 at 0 and at 2.
  CHECK(tracks[0].values[6] == test::nearTo(0.5, 1e-6));
  CHECK(tracks[0].values[9] == test::nearTo(4.5, 1e-6));
  CHECK(worstError(given, tracks) < 0.1);
}

TEST_CASE("A piecewise linear motion has keys at its corners, on frames or between them") {
  for (const double at : {0.5, 0.3437}) {
    const Case given = moving(1.0, [at](double t) { return t < at ? t : at - 3.0 * (t - at); });
    const std::vector<Track> tracks = given.fit();
    CHECK(worstError(given, tracks) <= 1.0);
    CHECK(tracks[0].times_s->size() <= (at == 0.5 ? 3 : 6));
  }
}

TEST_CASE("A wave keeps to the tolerance at any time with few keys") {
  for (const double tolerance : {1e-3, 1e-5, 1e-6}) {
    Case given = moving(2.0, [](double t) { return std::sin(2.0 * kPi * t); });
    given.tolerance.translation = tolerance;
    const std::vector<Track> tracks = given.fit();
    CHECK(tracks[0].interpolation == Interpolation::kCubicSpline);
    CHECK(worstError(given, tracks) <= 1.0);
    // Cubics through the values and slopes of f are off by h^4 / 384 of its fourth derivative.
    const double h = std::sqrt(std::sqrt(384.0 * tolerance)) / (2.0 * kPi);
    CHECK(static_cast<double>(tracks[0].times_s->size()) <= 2.0 / h + 2.0);
  }
}

TEST_CASE("Keys are on frames where frames suffice") {
  const Case given = moving(2.0, [](double t) { return std::sin(5.0 * t); });
  const std::vector<Track> tracks = given.fit();
  for (const double time_s : *tracks[0].times_s) {
    const double frame = std::floor(time_s * 30.0 + 0.5);
    CHECK(static_cast<float>(frame / 30.0) == static_cast<float>(time_s));
  }
}

TEST_CASE("A motion too fast for its frames has keys between them") {
  const Case given = moving(1.0, [](double t) { return std::sin(2.0 * kPi * 20.0 * t); });
  const std::vector<Track> tracks = given.fit();
  CHECK(tracks[0].times_s->size() > 31);
  CHECK(worstError(given, tracks) <= 1.0);
}

TEST_CASE("A value that only jumps becomes steps that hold on the frames of the clip") {
  // Thirds of a second are no floats: what was rounded must not show the frame before.
  const Case given = moving(1.0, [](double t) {
    return t < 10 / 30.0 ? 1.0 : t < 25 / 30.0 ? 2.0 : 5.0;
  });
  const std::vector<Track> tracks = given.fit();
  CHECK(tracks[0].interpolation == Interpolation::kStep);
  CHECK(tracks[0].times_s->size() == 4);
  for (int frame = 0; frame <= 30; ++frame) {
    const double expected = frame < 10 ? 1.0 : frame < 25 ? 2.0 : 5.0;
    CHECK(xAt(given, tracks, frame / 30.0) == expected);
    CHECK(xAt(given, tracks, static_cast<float>(frame / 30.0)) == expected);
  }
}

TEST_CASE("A jump in a motion is two keys, whichever side has the frame") {
  for (const bool old_holds : {false, true}) {
    const auto x_at = [old_holds](double t) {
      const bool is_old = old_holds ? t <= 10 / 30.0 : t < 10 / 30.0;
      return is_old ? t : 4.0 - t;
    };
    const Case given = moving(1.0, x_at);
    const std::vector<Track> tracks = given.fit();
    CHECK(tracks[0].interpolation == Interpolation::kLinear);
    REQUIRE(tracks[0].times_s->size() == 4);
    CHECK((*tracks[0].times_s)[2] - (*tracks[0].times_s)[1] < 1e-7);
    for (int frame = 0; frame <= 30; ++frame) {
      CHECK(std::fabs(xAt(given, tracks, frame / 30.0) - x_at(frame / 30.0)) < 1e-6);
      const double rounded = static_cast<float>(frame / 30.0);
      CHECK(std::fabs(xAt(given, tracks, rounded) - x_at(frame / 30.0)) < 1e-6);
    }
  }
}

TEST_CASE("A spin keeps to the tolerance in all players") {
  const Vec3 axis = glm::normalize(Vec3(1, 2, 3));
  const Case given = rotating(2.0, [&](double t) { return rotationAbout(axis, 3.0 * kPi * t); });
  const std::vector<Track> tracks = given.fit();
  CHECK(worstError(given, tracks) <= 1.0);
  CHECK(tracks[0].times_s->size() <= 61);
  const bool is_cubic = tracks[0].interpolation == Interpolation::kCubicSpline;
  const std::size_t stride = is_cubic ? 12 : 4;
  for (std::size_t k = 1; k < tracks[0].times_s->size(); ++k) {
    const double* a = &tracks[0].values[stride * (k - 1) + (is_cubic ? 4 : 0)];
    const double* b = a + stride;
    CHECK(a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] > 0.0);
  }
}

TEST_CASE("An uneven rotation about changing axes keeps to the tolerance") {
  const Case given = rotating(3.0, [](double t) {
    return rotationAbout(Vec3(0, 0, 1), 2.0 * std::sin(3.0 * t)) *
           rotationAbout(Vec3(1, 0, 0), 1.5 * std::cos(2.0 * t));
  });
  CHECK(worstError(given, given.fit()) <= 1.0);
}

TEST_CASE("Weights keep to the tolerance of each") {
  Case given = makeCase(TrackPath::kWeights, 1.0, [](double t, PoseView pose) {
    pose.weights[0] = 0.5 + 0.5 * std::sin(6.0 * t);
    pose.weights[1] = t;
  });
  given.skeleton.nodes[0].weights_count = 2;
  given.skeleton.rest_weights = {0.0, 0.0};
  given.weight_tolerances = {1e-3, 1e-5};
  const std::vector<Track> tracks = given.fit();
  REQUIRE(tracks.size() == 1);
  const auto wanted = given.clip.source->cursor();
  const auto got = keyframeSource(given.skeleton, tracks)->cursor();
  for (int i = 0; i <= 1000; ++i) {
    Pose a = restPose(given.skeleton), b = a;
    wanted->sample(i / 1000.0, a.view());
    got->sample(i / 1000.0, b.view());
    CHECK(std::fabs(a.weights[0] - b.weights[0]) <= 1e-3);
    CHECK(std::fabs(a.weights[1] - b.weights[1]) <= 1e-5);
  }
  CHECK(tracks[0].times_s->size() < 15);
}

TEST_CASE("Times count from the start of the clip") {
  Case given = moving(7.0, [](double t) { return std::sin(t); });
  given.clip.start_s = 5.0;
  const std::vector<Track> tracks = given.fit();
  CHECK(tracks[0].times_s->front() == 0.0);
  CHECK(tracks[0].times_s->back() == 2.0);
  CHECK(worstError(given, tracks) <= 1.0);
}

TEST_CASE("Noise has at most 128 keys a frame") {
  const Case given = moving(0.2, [](double t) {
    const double x = std::sin(t * 12345.678) * 98765.432;
    return x - std::floor(x);
  });
  CHECK(given.fit()[0].times_s->size() <= 6 * 130);
}

TEST_CASE("The same clip gives the same keys, whatever else is fitted") {
  Case given = makeCase(TrackPath::kTranslation, 1.0, [](double t, PoseView pose) {
    pose.locals[0].translation = Vec3(std::sin(40.0 * t), std::cos(t), t);
    pose.locals[0].rotation = rotationAbout(Vec3(0, 1, 0), std::sin(30.0 * t));
  });
  const std::vector<Track> alone = given.fit();
  given.clip.animated.set(0, TrackPath::kRotation);
  const std::vector<Track> together = given.fit();
  REQUIRE(together.size() == 2);
  CHECK(alone[0].values == together[0].values);
  CHECK(*alone[0].times_s == *together[0].times_s);
  CHECK(together[1].values == given.fit()[1].values);
}

TEST_SUITE_END();
