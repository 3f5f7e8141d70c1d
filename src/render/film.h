// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/math.h"
#include "core/to_size.h"
#include "render/image.h"

namespace clipmill::render {

/// An image of linear light: RGB, one value a pixel, x to the right and y down.
/// Shapes are given in pixels, pixel (0, 0) covers the unit square at the origin; edges are
/// anti-aliased by the part of a pixel that they cover. What lies outside is left out, and so are
/// shapes with coordinates that are NaN or infinite.
class Film {
 public:
  Film(int width, int height, const Vec3& color);

  int width() const { return width_; }
  int height() const { return height_; }
  Vec3 at(int x, int y) const;
  void set(int x, int y, const Vec3& color);
  /// Lays `color` over a pixel of the film; alpha in 0..1.
  void blend(int x, int y, const Vec3& color, double alpha);

  /// A line through `points` with round joints and ends, everywhere equally dense, also where it
  /// crosses itself. One point is a dot.
  void stroke(std::span<const Vec2> points, double width, const Vec3& color, double alpha);
  void disc(const Vec2& centre, double radius, const Vec3& color, double alpha);
  /// Copies `other` with its top left pixel at (x, y) and its corners rounded off.
  void paste(const Film& other, int x, int y, double corner_radius);

  /// The film as sRGB; opaque.
  Image develop() const;

 private:
  std::size_t indexOf(int x, int y) const { return 3 * (toSize(y) * toSize(width_) + toSize(x)); }

  int width_;
  int height_;
  std::vector<float> light_;
};

}  // namespace clipmill::render
