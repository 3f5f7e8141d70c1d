// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "render/film.h"

#include <algorithm>
#include <cmath>

#include "core/to_size.h"

namespace clipmill::render {
namespace {

// Pixels from x0, y0 up to, not with, x1, y1.
struct PixelBox {
  int x0, y0, x1, y1;
};

bool isFinite(const Vec2& v) { return std::isfinite(v.x) && std::isfinite(v.y); }

// The pixels of a film of that size that a shape between two corners may cover.
PixelBox pixelsOf(const Vec2& low, const Vec2& high, double reach, int width, int height) {
  const auto clamped = [](double value, int size) {
    return static_cast<int>(std::clamp(value, 0.0, static_cast<double>(size)));
  };
  return {clamped(std::floor(low.x - reach), width), clamped(std::floor(low.y - reach), height),
          clamped(std::ceil(high.x + reach), width), clamped(std::ceil(high.y + reach), height)};
}

double distanceToSegment(const Vec2& p, const Vec2& a, const Vec2& b) {
  const Vec2 along = b - a;
  const double square = glm::dot(along, along);
  const double t = square > 0.0 ? std::clamp(glm::dot(p - a, along) / square, 0.0, 1.0) : 0.0;
  const Vec2 off = p - (a + along * t);
  return std::sqrt(glm::dot(off, off));
}

// Of the pixel with that centre, how much lies inside a shape whose edge is `inside` pixels away.
double coverage(double inside) { return std::clamp(inside + 0.5, 0.0, 1.0); }

}  // namespace

Film::Film(int width, int height, const Vec3& color)
    : width_(std::max(width, 1)), height_(std::max(height, 1)) {
  light_.resize(3 * toSize(width_) * toSize(height_));
  for (int y = 0; y < height_; ++y) {
    for (int x = 0; x < width_; ++x) set(x, y, color);
  }
}

Vec3 Film::at(int x, int y) const {
  const float* light = &light_[indexOf(x, y)];
  return Vec3(light[0], light[1], light[2]);
}

void Film::set(int x, int y, const Vec3& color) {
  float* light = &light_[indexOf(x, y)];
  for (int c = 0; c < 3; ++c) light[c] = static_cast<float>(color[c]);
}

void Film::blend(int x, int y, const Vec3& color, double alpha) {
  float* light = &light_[indexOf(x, y)];
  for (int c = 0; c < 3; ++c) {
    light[c] = static_cast<float>(light[c] + (color[c] - light[c]) * alpha);
  }
}

void Film::stroke(std::span<const Vec2> points, double width, const Vec3& color, double alpha) {
  if (points.empty() || !std::all_of(points.begin(), points.end(), isFinite)) return;
  Vec2 low = points[0], high = points[0];
  for (const Vec2& p : points) {
    low = glm::min(low, p);
    high = glm::max(high, p);
  }
  const double radius = 0.5 * width;
  const PixelBox all = pixelsOf(low, high, radius + 1.0, width_, height_);
  if (all.x0 >= all.x1 || all.y0 >= all.y1) return;
  const std::size_t row = toSize(all.x1 - all.x0);
  std::vector<float> mask(row * toSize(all.y1 - all.y0), 0.0f);
  const auto maskAt = [&](int x, int y) -> float& {
    return mask[toSize(y - all.y0) * row + toSize(x - all.x0)];
  };
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vec2 &a = points[i], &b = points[std::min(i + 1, points.size() - 1)];
    const PixelBox box = pixelsOf(glm::min(a, b), glm::max(a, b), radius + 1.0, width_, height_);
    for (int y = box.y0; y < box.y1; ++y) {
      for (int x = box.x0; x < box.x1; ++x) {
        const double off = distanceToSegment(Vec2(x + 0.5, y + 0.5), a, b);
        float& covered = maskAt(x, y);
        covered = std::max(covered, static_cast<float>(coverage(radius - off)));
      }
    }
  }
  for (int y = all.y0; y < all.y1; ++y) {
    for (int x = all.x0; x < all.x1; ++x) {
      const float covered = maskAt(x, y);
      if (covered > 0.0f) blend(x, y, color, alpha * covered);
    }
  }
}

void Film::disc(const Vec2& centre, double radius, const Vec3& color, double alpha) {
  stroke(std::span(&centre, 1), 2.0 * radius, color, alpha);
}

void Film::paste(const Film& other, int left, int top, double corner_radius) {
  const Vec2 half(0.5 * other.width_, 0.5 * other.height_);
  for (int y = 0; y < other.height_; ++y) {
    for (int x = 0; x < other.width_; ++x) {
      const int to_x = left + x, to_y = top + y;
      if (to_x < 0 || to_y < 0 || to_x >= width_ || to_y >= height_) continue;
      // Beyond the centres of the corners the edge is a circle about them.
      const Vec2 from_centre = glm::abs(Vec2(x + 0.5, y + 0.5) - half);
      const Vec2 beyond = from_centre - (half - Vec2(corner_radius));
      const bool in_corner = beyond.x > 0.0 && beyond.y > 0.0;
      const double inside = in_corner ? corner_radius - std::sqrt(glm::dot(beyond, beyond)) : 1.0;
      blend(to_x, to_y, other.at(x, y), coverage(inside));
    }
  }
}

Image Film::develop() const {
  Image image{width_, height_, {}};
  image.rgba.reserve(light_.size() / 3 * 4);
  for (std::size_t i = 0; i < light_.size(); i += 3) {
    for (std::size_t c = 0; c < 3; ++c) image.rgba.push_back(srgbFromLinear(light_[i + c]));
    image.rgba.push_back(255);
  }
  return image;
}

}  // namespace clipmill::render
