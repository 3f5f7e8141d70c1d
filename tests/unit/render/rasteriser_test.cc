// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "render/rasteriser.h"

#include <limits>
#include <vector>

#include "checks.h"
#include "core/to_size.h"

TEST_SUITE_BEGIN("render.rasteriser");

using namespace clipmill;
using namespace clipmill::render;

namespace {

struct Cover {
  bool accepted = false;
  std::size_t samples = 0;
  std::vector<int> hits;
  double worst_sum = 0.0, worst_position = 0.0;  // of the weights
};

constexpr int kSize = 200;

void add(Cover& cover, const Vec2& a, const Vec2& b, const Vec2& c) {
  cover.hits.resize(kSize * kSize, 0);
  cover.accepted = rasterTriangle(a, b, c, kSize, kSize, [&](int x, int y, const Vec3& w) {
    ++cover.samples;
    ++cover.hits[toSize(y) * kSize + toSize(x)];
    const Vec2 at = a * w.x + b * w.y + c * w.z;
    cover.worst_sum = std::max(cover.worst_sum, std::abs(w.x + w.y + w.z - 1.0));
    cover.worst_position = std::max(cover.worst_position, std::abs(at.x - (x + 0.5)));
    cover.worst_position = std::max(cover.worst_position, std::abs(at.y - (y + 0.5)));
  });
}

double length(const Vec2& v) { return std::sqrt(glm::dot(v, v)); }

}  // namespace

TEST_CASE("a triangle covers as many samples as its area, up to its edge") {
  const Vec2 corners[][3] = {{{10, 10}, {190, 20}, {60, 170}},
                             {{3.3, 150.2}, {180.7, 149.1}, {90.4, 2.6}},
                             {{50, 50}, {51, 180}, {60, 50.5}},
                             {{100.1, 100.2}, {102.9, 101.3}, {101.0, 104.0}}};
  for (const auto& c : corners) {
    const double area = 0.5 * std::abs((c[1].x - c[0].x) * (c[2].y - c[0].y) -
                                       (c[1].y - c[0].y) * (c[2].x - c[0].x));
    const double edge = length(c[1] - c[0]) + length(c[2] - c[1]) + length(c[0] - c[2]);
    Cover one, rotated;
    add(one, c[0], c[1], c[2]);
    add(rotated, c[0], c[2], c[1]);
    CHECK(one.accepted);
    // Only samples within half a diagonal of the edge can be on the wrong side of the account.
    CHECK(std::abs(static_cast<double>(one.samples) - area) < 0.75 * edge);
    // Fine samples of a large triangle come much closer than that bound.
    if (area > 1000.0) CHECK(static_cast<double>(one.samples) == test::nearTo(area, 0.01));
    CHECK(one.hits == rotated.hits);
    for (const Cover* cover : {&one, &rotated}) {
      CHECK(cover->worst_sum < 1e-12);
      CHECK(cover->worst_position < 0.01);  // corners are rounded to 1/256
    }
  }
}

TEST_CASE("triangles around a point cover every sample of a square exactly once") {
  // The hub lies on a sample, and so do the corners of the square.
  for (const Vec2& hub : {Vec2(80.5, 60.5), Vec2(77.13, 91.8), Vec2(20.5, 20.5)}) {
    const Vec2 ring[] = {{20.5, 20.5},   {90, 20.5},  {150.5, 20.5}, {150.5, 77.7},
                         {150.5, 150.5}, {33, 150.5}, {20.5, 150.5}, {20.5, 99.5}};
    Cover cover;
    cover.hits.resize(kSize * kSize, 0);
    for (std::size_t i = 0; i < 8; ++i) add(cover, hub, ring[i], ring[(i + 1) % 8]);
    CHECK(cover.samples == 130 * 130);
    CHECK(*std::max_element(cover.hits.begin(), cover.hits.end()) == 1);
  }
}

TEST_CASE(
    "nothing is drawn outside the grid, nor of triangles without area or without finite position") {
  Cover cover;
  add(cover, Vec2(-500, -500), Vec2(900, -500), Vec2(-500, 900));
  CHECK(cover.samples == toSize(kSize) * kSize);
  Cover none;
  add(none, Vec2(10, 10), Vec2(20, 20), Vec2(40, 40));
  add(none, Vec2(-10, -10), Vec2(-20, -10), Vec2(-20, -40));
  CHECK(none.samples == 0);
  CHECK(none.accepted);
  add(none, Vec2(10, 10), Vec2(1e9, 10), Vec2(10, 40));
  CHECK_FALSE(none.accepted);
  add(none, Vec2(10, std::numeric_limits<double>::quiet_NaN()), Vec2(20, 10), Vec2(10, 40));
  CHECK_FALSE(none.accepted);
}
