// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "render/movie_stage.h"

#include <cmath>

#include "checks.h"
#include "core/portable_math.h"
#include "render/walking_mast.h"

TEST_SUITE_BEGIN("render.movie_stage");

using namespace clipmill;
using namespace clipmill::render;
using namespace clipmill::test;

namespace {

constexpr Frame kFrame{10.0, 20.0, 300.0, 260.0};

std::vector<double> timesOf(std::size_t count, double fps) {
  std::vector<double> times_s;
  for (std::size_t i = 0; i < count; ++i) times_s.push_back(static_cast<double>(i) / fps);
  return times_s;
}

// The views of scenes whose first clip is drawn; `rows` must outlive them.
std::vector<ClipView> viewsOf(const std::vector<SheetRow>& rows) {
  Warnings warnings;
  std::vector<ClipView> views = makeClipViews(rows, warnings);
  for (ClipView& view : views) view.root_trajectory = rootTrajectoryOf(view.character);
  return views;
}

// How far a point of a character falls outside of kFrame at the worst frame [px].
double overhang(const MovieStage& stage, const std::vector<ClipView>& views,
                const std::vector<double>& times_s) {
  double largest = 0.0;
  for (std::size_t frame = 0; frame < times_s.size(); ++frame) {
    const Camera camera = stage.at(frame).camera;
    for (const ClipView& view : views) {
      for (const Vec3& joint : jointsAt(view.character, times_s[frame])) {
        const Vec2 px = camera.project(joint).px;
        largest = std::max({largest, kFrame.left - px.x, px.x - kFrame.left - kFrame.width,
                            kFrame.top - px.y, px.y - kFrame.top - kFrame.height});
      }
    }
  }
  return largest;
}

// A runner: `speed` forward, with the sway and the bounce of its hips.
std::vector<Vec3> runningRoots(double speed, double fps, std::size_t count) {
  std::vector<Vec3> roots;
  for (double t : timesOf(count, fps)) {
    roots.push_back(Vec3(0.03 * portable::sin(2.0 * kPi * 1.4 * t),
                         0.95 + 0.06 * portable::sin(2.0 * kPi * 2.8 * t), speed * t));
  }
  return roots;
}

}  // namespace

TEST_CASE("makeMovieStage: a character with root motion stays within the frame at all times") {
  const Scene runs = walkingMast(6.0, 60.0);
  const std::vector<SheetRow> rows = {{&runs, 0, "", "run"}};
  const std::vector<ClipView> views = viewsOf(rows);
  const std::vector<double> times_s = timesOf(25, 25.0);
  for (View view : {View::kAuto, View::kFront, View::kSide, View::kThreeQuarter, View::kTop}) {
    const auto stage = makeMovieStage(views, times_s, 25.0, kFrame, view, 1);
    CHECK_OK(stage);
    CHECK(overhang(*stage, views, times_s) < 0.5);
  }
}

TEST_CASE("makeMovieStage: the distance to a character with root motion is that to one in place") {
  const auto heightOnFilm = [](double distance_m) {
    const Scene scene = walkingMast(distance_m, 60.0);
    const std::vector<SheetRow> rows = {{&scene, 0, "", "run"}};
    const std::vector<ClipView> views = viewsOf(rows);
    const std::vector<double> times_s = timesOf(25, 25.0);
    const auto stage = makeMovieStage(views, times_s, 25.0, kFrame, View::kSide, 1);
    CHECK_OK(stage);
    const std::vector<Vec3> joints = jointsAt(views[0].character, times_s[12]);
    const Camera camera = stage->at(12).camera;
    return camera.project(joints[0]).px.y - camera.project(joints[2]).px.y;
  };
  CHECK(heightOnFilm(0.0) > 60.0);
  CHECK(heightOnFilm(8.0) == nearTo(heightOnFilm(0.0), 1e-3));
}

TEST_CASE("makeMovieStage: two characters that end 2 m apart stay within the same frame") {
  const Scene before = walkingMast(3.0, 0.0), after = walkingMast(5.0, 0.0);
  const std::vector<SheetRow> rows = {{&before, 0, "", "a"}, {&after, 0, "", "b"}};
  const std::vector<ClipView> views = viewsOf(rows);
  const std::vector<double> times_s = timesOf(26, 25.0);
  const auto stage = makeMovieStage(views, times_s, 25.0, kFrame, View::kAuto, 1);
  CHECK_OK(stage);
  CHECK(overhang(*stage, views, times_s) < 0.5);
  const double end_m = stage->followed.back().z - stage->followed.front().z;
  CHECK(end_m == nearTo(4.0, 1e-6));
}

TEST_CASE("makeMovieStage: a focus is larger than the whole character, and within the frame") {
  const Scene scene = walkingMast(3.0, 60.0);
  const std::vector<SheetRow> rows = {{&scene, 0, "", "run"}};
  std::vector<ClipView> views = viewsOf(rows);
  const std::vector<double> times_s = timesOf(25, 25.0);
  const auto whole = makeMovieStage(views, times_s, 25.0, kFrame, View::kSide, 1);
  CHECK_OK(whole);
  const auto focus = focusOn(scene.skeleton, "Head");
  CHECK_OK(focus);
  CHECK(*focus == std::vector<bool>{false, false, true, true, false, false});
  views[0].focus = *focus;
  const auto close = makeMovieStage(views, times_s, 25.0, kFrame, View::kSide, 1);
  CHECK_OK(close);
  for (std::size_t frame = 0; frame < times_s.size(); ++frame) {
    const std::vector<Vec3> joints = jointsAt(views[0].character, times_s[frame]);
    const auto pixelsOf = [&](const MovieStage& stage) {
      const Camera camera = stage.at(frame).camera;
      const Vec2 head = camera.project(joints[2]).px, crest = camera.project(joints[3]).px;
      for (const Vec2& px : {head, crest}) {
        CHECK(px.x >= kFrame.left - 0.5);
        CHECK(px.x <= kFrame.left + kFrame.width + 0.5);
        CHECK(px.y >= kFrame.top - 0.5);
        CHECK(px.y <= kFrame.top + kFrame.height + 0.5);
      }
      return std::sqrt(glm::dot(crest - head, crest - head));
    };
    CHECK(pixelsOf(*close) > 2.0 * pixelsOf(*whole));
  }
  CHECK(focusOn(scene.skeleton, "Tail").error().code == ErrorCode::kNotFound);
  CHECK(focusOn(scene.skeleton, "Arm*").error().code == ErrorCode::kRecipe);
}

TEST_CASE("makeMovieStage: a camera that follows the focus keeps it in place") {
  const Scene scene = walkingMast(3.0, 60.0);
  const std::vector<SheetRow> rows = {{&scene, 0, "", "run"}};
  std::vector<ClipView> views = viewsOf(rows);
  const std::vector<double> times_s = timesOf(25, 25.0);
  const auto focus = focusOn(scene.skeleton, "Head");
  CHECK_OK(focus);
  views[0].focus = *focus;
  const auto largestMove = [&](bool follows) {
    const auto stage = makeMovieStage(views, times_s, 25.0, kFrame, View::kSide, 1, follows);
    CHECK_OK(stage);
    double largest_px = 0.0;
    Vec2 first(0.0);
    for (std::size_t frame = 0; frame < times_s.size(); ++frame) {
      const std::vector<Vec3> joints = jointsAt(views[0].character, times_s[frame]);
      const Vec2 px = stage->at(frame).camera.project(joints[2]).px;
      if (frame == 0) first = px;
      largest_px = std::max(largest_px, std::sqrt(glm::dot(px - first, px - first)));
    }
    return largest_px;
  };
  CHECK(largestMove(true) < 1e-6);
  // Without a focus it is the root.
  const auto roots = focusPositions(views, times_s, false);
  CHECK(distance(roots.back(), jointsAt(views[0].character, times_s.back())[0]) < 1e-12);
}

TEST_CASE("makeMovieStage: a clip of a character in place has a camera that does not move") {
  const Scene scene = walkingMast(0.3, 60.0);
  const std::vector<SheetRow> rows = {{&scene, 0, "", "nod"}};
  const std::vector<ClipView> views = viewsOf(rows);
  const std::vector<double> times_s = timesOf(25, 25.0);
  const auto stage = makeMovieStage(views, times_s, 25.0, kFrame, View::kAuto, 1);
  CHECK_OK(stage);
  for (std::size_t frame = 0; frame < times_s.size(); ++frame) {
    CHECK(stage->at(frame).camera.eye == stage->first.camera.eye);
  }
}

TEST_CASE("followedPositions: a constant velocity is followed exactly") {
  std::vector<Vec3> roots;
  for (double t : timesOf(80, 25.0)) roots.push_back(Vec3(2.0 * t, 0.0, -3.0 * t));
  const std::vector<Vec3> followed = followedPositions(roots, 25.0, 1.7);
  REQUIRE(followed.size() == roots.size());
  for (std::size_t i = 0; i < roots.size(); ++i) CHECK(distance(followed[i], roots[i]) < 1e-12);
}

TEST_CASE("followedPositions: sway and bounce of a run are filtered out") {
  const std::vector<Vec3> roots = runningRoots(4.0, 25.0, 100);
  const std::vector<Vec3> followed = followedPositions(roots, 25.0, 1.7);
  double sway_m = 0.0, acceleration = 0.0;
  for (std::size_t i = 1; i + 1 < followed.size(); ++i) {
    CHECK(followed[i].y == followed[0].y);
    acceleration = std::max(
        acceleration,
        std::abs(followed[i + 1].x - 2.0 * followed[i].x + followed[i - 1].x) * 25.0 * 25.0);
    if (i > 15 && i + 16 < followed.size()) sway_m = std::max(sway_m, std::abs(followed[i].x));
  }
  CHECK(sway_m < 0.01);        // of 0.03 m
  CHECK(acceleration < 0.75);  // of 2.3 m/s^2
}

TEST_CASE("followedPositions: a climb of more than the height of the character is followed") {
  std::vector<Vec3> roots;
  for (double t : timesOf(80, 25.0)) roots.push_back(Vec3(0.0, t, 0.0));
  const std::vector<Vec3> followed = followedPositions(roots, 25.0, 1.7);
  CHECK(followed.back().y - followed.front().y == doctest::Approx(79.0 / 25.0));
  CHECK(followedPositions({}, 25.0, 1.7).empty());
  CHECK(followedPositions({Vec3(1, 2, 3)}, 25.0, 1.7).size() == 1);
}
