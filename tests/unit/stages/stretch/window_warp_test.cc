// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/stretch/window_warp.h"

#include "checks.h"
#include "stages/stretch/root_warp.h"

using namespace clipmill;
using namespace clipmill::stages::stretch;
using test::distance;

TEST_SUITE_BEGIN("stretch.window_warp");

namespace {

// 1 m in the first second, 2 m in the second.
WindowPath path() { return {{0.0, 1.0, 2.0}, {{0, 0, 0}, {0, 0, 1}, {0, 0, 3}}}; }

WindowWarp warpTo(const Vec3& target, const StretchSettings& settings = {}) {
  Warnings warnings;
  auto warp = WindowWarp::make(settings, 0.0, path(), target, 0.01, "here", warnings);
  CHECK_OK(warp);
  return *warp;
}

}  // namespace

TEST_CASE("Between two points of a path the share follows the path length, not the time") {
  const WindowWarp warp = warpTo({3, 0, 3});  // one metre aside for one ahead
  CHECK(distance(warp.at(0.5, {0, 0, 0.9}), Vec3(0.9, 0, 0.9)) < 1e-15);
  CHECK(distance(warp.at(0.5, {0, 0, 0.0}), Vec3(0, 0, 0)) < 1e-15);  // a jump that is to come
  CHECK(distance(warp.at(1.0, {0, 0, 1.0}), Vec3(1, 0, 1)) < 1e-15);
  CHECK(distance(warp.at(1.5, {0, 0, 1.5}), Vec3(1.5, 0, 1.5)) < 1e-15);
  CHECK(warp.at(2.0, {0, 0, 3.0}) == Vec3(3, 0, 3));
  StretchSettings settings;
  settings.method = StretchMethod::kUniform;
  CHECK(distance(warpTo({3, 0, 3}, settings).at(0.5, {0, 0, 0.9}), Vec3(0.75, 0, 0.9)) < 1e-15);
}

TEST_CASE(
    "The direction of a path is that of its end, of its farthest point, or of the character") {
  WindowPath there = path();
  CHECK(distance(directionOf(there), Vec3(0, 0, 1)) < 1e-15);
  there.points_m = {{0, 0, 0}, {-2, 0, 0}, {0, 0, 0.01}};
  CHECK(distance(directionOf(there), Vec3(-1, 0, 0)) < 1e-15);
  there.points_m = {{1, 0, 1}, {1, 0, 1}, {1, 0, 1}};
  there.start_heading_rad = kPi / 2;
  CHECK(distance(directionOf(there), Vec3(1, 0, 0)) < 1e-15);
}

TEST_CASE("The fine times of a window lie on one grid of the clip, the same for every window") {
  const auto times = fineTimes(10.1, 10.2, 10.0);
  CHECK(times.front() == 10.1);
  CHECK(times.back() == 10.2);
  CHECK(times.size() == 121);
  for (std::size_t i = 1; i < times.size(); ++i) CHECK(times[i] > times[i - 1]);
  const auto later = fineTimes(10.1503, 10.2, 10.0);
  CHECK(later[1] == times[61]);
  CHECK(fineTimes(0.0, 1e6, 0.0).size() < 5000000);
}

TEST_SUITE_END();
