// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "core/math.h"

namespace clipmill::render {

/// Corners farther out than this are not rasterised, so that edge functions stay whole numbers.
inline constexpr double kFarthestSample = 1 << 20;

/// Calls visit(x, y, weights) for every sample of a width x height grid whose centre (x + 0.5,
/// y + 0.5) lies in the triangle; `weights` are its barycentric coordinates. Corners are rounded to
/// 1/256 sample, and a sample on an edge belongs to one of the two triangles that share it, so that
/// a closed mesh covers every sample without gap and without overlap (half-space test, J. Pineda
/// 1988). Either winding. False, and nothing is visited, where a corner is NaN or too far
/// out.
template <class Visit>
bool rasterTriangle(const Vec2& a, const Vec2& b, const Vec2& c, int width, int height,
                    Visit&& visit) {
  constexpr double kParts = 256.0;
  constexpr std::int64_t kPart = 256, kHalf = 128;
  std::int64_t x[3], y[3];
  const Vec2* corners[3] = {&a, &b, &c};
  for (int i = 0; i < 3; ++i) {
    const Vec2& p = *corners[i];
    if (!(std::abs(p.x) <= kFarthestSample && std::abs(p.y) <= kFarthestSample)) return false;
    x[i] = static_cast<std::int64_t>(std::floor(p.x * kParts + 0.5));
    y[i] = static_cast<std::int64_t>(std::floor(p.y * kParts + 0.5));
  }
  std::int64_t twice_area = (x[1] - x[0]) * (y[2] - y[0]) - (y[1] - y[0]) * (x[2] - x[0]);
  if (twice_area == 0) return true;
  const bool flipped = twice_area < 0;
  if (flipped) {
    std::swap(x[1], x[2]);
    std::swap(y[1], y[2]);
    twice_area = -twice_area;
  }
  const auto first = [](std::int64_t low) { return (low - kHalf + kPart - 1) >> 8; };
  const auto last = [](std::int64_t high) { return (high - kHalf) >> 8; };
  const auto x0 = std::max<std::int64_t>(first(std::min({x[0], x[1], x[2]})), 0);
  const auto y0 = std::max<std::int64_t>(first(std::min({y[0], y[1], y[2]})), 0);
  const auto x1 = std::min<std::int64_t>(last(std::max({x[0], x[1], x[2]})), width - 1);
  const auto y1 = std::min<std::int64_t>(last(std::max({y[0], y[1], y[2]})), height - 1);
  if (x0 > x1 || y0 > y1) return true;

  // edge[i] belongs to the side opposite to corner i: positive inside, zero on the side.
  std::int64_t row[3], step_x[3], step_y[3], least[3];
  for (int i = 0; i < 3; ++i) {
    const int from = (i + 1) % 3, to = (i + 2) % 3;
    const std::int64_t dx = x[to] - x[from], dy = y[to] - y[from];
    row[i] = dx * (y0 * kPart + kHalf - y[from]) - dy * (x0 * kPart + kHalf - x[from]);
    step_x[i] = -dy * kPart;
    step_y[i] = dx * kPart;
    least[i] = dy < 0 || (dy == 0 && dx > 0) ? 0 : 1;
  }
  const double per_area = 1.0 / static_cast<double>(twice_area);
  for (std::int64_t py = y0; py <= y1; ++py) {
    std::int64_t edge[3] = {row[0], row[1], row[2]};
    bool was_covered = false;
    for (std::int64_t px = x0; px <= x1; ++px) {
      if (edge[0] >= least[0] && edge[1] >= least[1] && edge[2] >= least[2]) {
        was_covered = true;
        Vec3 weights(static_cast<double>(edge[0]) * per_area,
                     static_cast<double>(edge[1]) * per_area,
                     static_cast<double>(edge[2]) * per_area);
        if (flipped) std::swap(weights.y, weights.z);
        visit(static_cast<int>(px), static_cast<int>(py), weights);
      } else if (was_covered) {
        break;  // a triangle has no holes
      }
      for (int i = 0; i < 3; ++i) edge[i] += step_x[i];
    }
    for (int i = 0; i < 3; ++i) row[i] += step_y[i];
  }
  return true;
}

}  // namespace clipmill::render
