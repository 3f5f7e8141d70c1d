// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "anim/span_fit.h"

#include "anim/formula_source.h"
#include "checks.h"

TEST_SUITE_BEGIN("anim.span_fit");

using namespace clipmill;

namespace {

// The whole of one track of a clip of 30 frames a second as one piece, and its fitter.
class FittedSpan {
 public:
  FittedSpan(TrackPath path, double end_s, double tolerance, test::PoseAt pose_at)
      : skeleton_(oneNode()),
        clip_(clipOf(end_s, std::move(pose_at))),
        grid_(clip_, 30.0),
        value_{0, path, path == TrackPath::kRotation ? std::size_t{4} : std::size_t{3}, 0},
        tolerance_(tolerance),
        measure_(path, {&tolerance_, 1}, 1.0),
        poses_(skeleton_, clip_),
        samples_(sampleFine(skeleton_, clip_, grid_, {&value_, 1})[0]),
        piece_(wholePiece()),
        fitter_(value_, grid_, measure_, poses_, samples_, piece_) {}

  bool isConstant() const { return fitter_.isConstant(); }
  std::vector<FitKey> fit(Interpolation interpolation, std::size_t most = 1000) {
    return fitter_.fit(interpolation, most);
  }

 private:
  static Skeleton oneNode() {
    Skeleton skeleton;
    skeleton.nodes.emplace_back();
    return skeleton;
  }

  static Clip clipOf(double end_s, test::PoseAt pose_at) {
    Clip clip;
    clip.end_s = end_s;
    clip.source = std::make_shared<test::FormulaSource>(std::move(pose_at));
    return clip;
  }

  TrackPiece wholePiece() const {
    const double end_s = grid_.timeOf(grid_.pointCount() - 1);
    const auto width = static_cast<std::ptrdiff_t>(value_.width);
    return {0.0,
            end_s,
            0.0,
            end_s,
            {samples_.begin(), samples_.begin() + width},
            {samples_.end() - width, samples_.end()}};
  }

  Skeleton skeleton_;
  Clip clip_;
  FineGrid grid_;
  TrackValue value_;
  double tolerance_;
  ValueMeasure measure_;
  ExactPoses poses_;
  std::vector<double> samples_;
  TrackPiece piece_;
  SpanFitter fitter_;
};

FittedSpan movedX(double end_s, double tolerance, std::function<double(double)> x_at) {
  return FittedSpan(TrackPath::kTranslation, end_s, tolerance, [x_at](double t, PoseView pose) {
    pose.locals[0].translation = Vec3(x_at(t), 0.0, 0.0);
  });
}

// A chord of the parabola x = 4 (30 t)^2 / 1000 over n frames is off by n^2 / 1000 in its middle.
double thousandths(double time_s) { return 4.0 * (30.0 * time_s) * (30.0 * time_s) / 1000.0; }

}  // namespace

TEST_CASE("a straight line has a key at each end") {
  FittedSpan span = movedX(2.0, 1e-4, [](double t) { return 3.0 * t - 1.0; });
  const std::vector<FitKey> keys = span.fit(Interpolation::kLinear);
  REQUIRE(keys.size() == 2);
  CHECK(keys[0].time_s == 0.0);
  CHECK(keys[1].time_s == 2.0);
  CHECK(keys[0].value == std::vector<double>{-1.0, 0.0, 0.0});
  CHECK(keys[1].value == std::vector<double>{5.0, 0.0, 0.0});
}

TEST_CASE("linear keys of a parabola are as far apart as the error of a chord allows") {
  // Nine tenths of the tolerance are an error of 30: chords over 5 frames have 25, over 6
  // frames 36.
  FittedSpan span = movedX(2.0, 0.030 / 0.9, thousandths);
  const std::vector<FitKey> keys = span.fit(Interpolation::kLinear);
  REQUIRE(keys.size() == 13);
  for (std::size_t k = 0; k < keys.size(); ++k) {
    const double time_s = 5.0 * static_cast<double>(k) / 30.0;
    CHECK(std::abs(keys[k].time_s - time_s) < 1e-6);
    CHECK(std::abs(keys[k].value[0] - thousandths(time_s)) < 1e-4);
  }
}

TEST_CASE("a fit that would exceed the allowed number of keys stops there") {
  FittedSpan span = movedX(2.0, 0.030 / 0.9, thousandths);
  const std::vector<FitKey> keys = span.fit(Interpolation::kLinear, 4);
  CHECK(keys.size() == 5);
  CHECK(keys.back().time_s < 2.0);
  CHECK(span.fit(Interpolation::kLinear, 13).size() == 13);
}

TEST_CASE("cubic keys of a polynomial of degree 3 are its ends with its derivatives") {
  FittedSpan span = movedX(2.0, 1e-4, [](double t) { return t * t * t - t; });
  const std::vector<FitKey> keys = span.fit(Interpolation::kCubicSpline);
  REQUIRE(keys.size() == 2);
  CHECK(keys[0].value[0] == 0.0);
  CHECK(keys[1].value[0] == 6.0);
  CHECK(std::abs(keys[0].out[0] + 1.0) < 1e-5);
  CHECK(std::abs(keys[1].in[0] - 11.0) < 1e-5);
  for (const FitKey& key : keys) {
    CHECK(key.in.size() == 3);
    CHECK(key.out.size() == 3);
  }
}

TEST_CASE("a value that strays by half of the tolerance at most is constant") {
  const auto bump = [](double size) {
    return movedX(2.0, 1.0, [size](double t) { return size * t * (2.0 - t); });
  };
  CHECK(bump(0.49).isConstant());
  CHECK_FALSE(bump(0.51).isConstant());
  // The last value counts too.
  CHECK_FALSE(movedX(2.0, 1.0, [](double t) { return 0.3 * t; }).isConstant());
}

TEST_CASE("linear keys of a rotation are less than 150 degrees apart") {
  // One radian a second about one axis is an arc of any length; 150 degrees are 78.5 frames.
  FittedSpan span(TrackPath::kRotation, 6.0, 0.3, [](double t, PoseView pose) {
    pose.locals[0].rotation = rotationAbout(Vec3(0, 1, 0), t);
  });
  const std::vector<FitKey> keys = span.fit(Interpolation::kLinear);
  REQUIRE(keys.size() == 4);
  CHECK(std::abs(keys[1].time_s - 78.0 / 30.0) < 1e-6);
  CHECK(std::abs(keys[2].time_s - 156.0 / 30.0) < 1e-6);
  CHECK(keys[3].time_s == 6.0);
}

TEST_CASE("keys are put between frames where a value moves too fast for its frames") {
  // A triangle wave of a third of a frame's length in each direction, on one frame.
  FittedSpan span = movedX(0.5, 1e-3, [](double t) {
    const double frames = 30.0 * t - 7.0;
    return std::max(0.0, 1.0 - std::abs(frames - 0.5) / 0.25);
  });
  const std::vector<FitKey> keys = span.fit(Interpolation::kLinear);
  const auto has = [&](double frames, double x) {
    return std::any_of(keys.begin(), keys.end(), [&](const FitKey& key) {
      return std::abs(30.0 * key.time_s - frames) < 1e-4 && std::abs(key.value[0] - x) < 2e-3;
    });
  };
  CHECK(has(7.25, 0.0));
  CHECK(has(7.5, 1.0));
  CHECK(has(7.75, 0.0));
  CHECK(keys.size() < 12);
}

TEST_SUITE_END();
