// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "render/camera.h"

#include <algorithm>
#include <vector>

#include "checks.h"

TEST_SUITE_BEGIN("render.camera");

using namespace clipmill;
using namespace clipmill::render;

namespace {

constexpr View kViews[] = {View::kAuto, View::kFront,        View::kBack,
                           View::kSide, View::kThreeQuarter, View::kTop};

struct Bounds {
  Vec2 low{1e9}, high{-1e9};
};

std::vector<Vec3> cornersOf(const Vec3& low, const Vec3& high) {
  std::vector<Vec3> corners;
  for (int i = 0; i < 8; ++i) {
    corners.emplace_back(i & 1 ? high.x : low.x, i & 2 ? high.y : low.y, i & 4 ? high.z : low.z);
  }
  return corners;
}

Bounds seenBounds(const CameraAxes& axes, const std::vector<Vec3>& points, const Frame& frame) {
  Outline outline;
  for (const Vec3& p : points) outline.add(inAxes(axes, p));
  const Camera camera = frameOutline(axes, outline, frame);
  Bounds bounds;
  for (const Vec3& p : points) {
    const Projected seen = camera.project(p);
    CHECK(seen.depth_m > 0.0);
    bounds.low = glm::min(bounds.low, seen.px);
    bounds.high = glm::max(bounds.high, seen.px);
  }
  return bounds;
}

}  // namespace

TEST_CASE("a camera shows a whole box, which reaches two opposite sides of the frame") {
  const Frame frames[] = {{20, 10, 280, 330}, {0, 0, 300, 150}, {5, 7, 100, 100}};
  const std::vector<Vec3> boxes[] = {
      cornersOf(Vec3(-0.5, 0, -0.3), Vec3(0.5, 1.8, 0.3)),
      cornersOf(Vec3(-1, 0, -4), Vec3(1, 2, 9)),
      cornersOf(Vec3(1e5, 1e5, 1e5), Vec3(1e5 + 3, 1e5 + 1, 1e5 + 1)),
      cornersOf(Vec3(0, 1e-3, 0), Vec3(2e-3, 2e-3, 1e-3))};
  for (View view : kViews) {
    const CameraAxes axes = axesOf(view, Vec3(0, 0, 1));
    for (const auto& box : boxes) {
      for (const Frame& frame : frames) {
        const Bounds seen = seenBounds(axes, box, frame);
        const double left = seen.low.x - frame.left;
        const double right = frame.left + frame.width - seen.high.x;
        const double top = seen.low.y - frame.top;
        const double bottom = frame.top + frame.height - seen.high.y;
        // Between the kept tangents a point may count that was not kept: a hundredth at most.
        const double slack = 0.01 * std::max(frame.width, frame.height);
        CHECK(std::min({left, right, top, bottom}) > -slack);
        const bool reaches_sides = std::max(left, right) < slack || std::max(top, bottom) < slack;
        // From a thick box the eye keeps off further than the frame asks.
        const Vec3 extent = inAxes(axes, box.back() - box.front());
        const bool thick =
            std::abs(extent.z) > 2.0 * std::max(std::abs(extent.x), std::abs(extent.y));
        if (!thick) CHECK(reaches_sides);
      }
    }
  }
}

TEST_CASE("the axes of every view are a right-handed frame") {
  for (View view : kViews) {
    for (const Vec3& facing : {Vec3(0, 0, 1), Vec3(-1, 0, 0), Vec3(0.6, 0, -0.8)}) {
      const CameraAxes axes = axesOf(view, facing);
      CHECK(test::distance(glm::cross(axes.right, axes.up), axes.back) < 1e-14);
      CHECK(glm::dot(axes.right, axes.right) == doctest::Approx(1.0));
      CHECK(glm::dot(axes.back, axes.back) == doctest::Approx(1.0));
      CHECK(std::abs(axes.right.y) < 1e-15);  // the horizon is level
    }
  }
}

TEST_CASE("a character faces the eye from the front and the right edge from the side") {
  const Vec3 facing(0, 0, 1);
  CHECK(glm::dot(axesOf(View::kFront, facing).back, facing) > 0.9);
  CHECK(glm::dot(axesOf(View::kBack, facing).back, facing) < -0.9);
  CHECK(glm::dot(axesOf(View::kSide, facing).right, facing) == doctest::Approx(1.0));
  CHECK(glm::dot(axesOf(View::kThreeQuarter, facing).right, facing) > 0.4);
  CHECK(glm::dot(axesOf(View::kThreeQuarter, facing).back, facing) > 0.4);
  CHECK(axesOf(View::kTop, facing).back.y == doctest::Approx(1.0));
}

TEST_CASE("a ray through where a point is seen leads to the point") {
  const CameraAxes axes = axesOf(View::kThreeQuarter, Vec3(0, 0, 1));
  Outline outline;
  for (const Vec3& p : cornersOf(Vec3(-1), Vec3(1))) outline.add(inAxes(axes, p));
  const Camera camera = frameOutline(axes, outline, {0, 0, 200, 200});
  const Vec3 point(0.3, -0.4, 0.7);
  const Vec3 ray = camera.rayThrough(camera.project(point).px);
  const Vec3 across = glm::cross(ray, point - camera.eye);
  CHECK(std::sqrt(glm::dot(across, across)) < 1e-9 * std::sqrt(glm::dot(ray, ray)));
}
