// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <limits>

#include "core/math.h"

namespace clipmill::render {

/// The direction of view. kAuto is for root motion or long characters: from the side, a
/// little from ahead.
enum class View { kAuto, kFront, kBack, kSide, kThreeQuarter, kTop };

/// Right-handed axes of a camera in world space; it looks along -back.
struct CameraAxes {
  Vec3 right{1, 0, 0};
  Vec3 up{0, 1, 0};
  Vec3 back{0, 0, 1};
};

/// A box along camera axes: coordinates are dot products with right, up and back.
struct CameraBox {
  Vec3 low{std::numeric_limits<double>::infinity()};
  Vec3 high{-std::numeric_limits<double>::infinity()};

  void add(const Vec3& point) {
    low = glm::min(low, point);
    high = glm::max(high, point);
  }
  bool empty() const { return !(low.x <= high.x); }
};

inline Vec3 inAxes(const CameraAxes& axes, const Vec3& point) {
  return Vec3(glm::dot(axes.right, point), glm::dot(axes.up, point), glm::dot(axes.back, point));
}

/// The axes of a view of something that faces along `facing` (horizontal, unit). Seen from the
/// side or three quarters, it faces the right edge of the image.
CameraAxes axesOf(View view, const Vec3& facing);

/// Where a point falls in an image, and how far in front of the eye it is (along the view).
struct Projected {
  Vec2 px{0.0};
  double depth_m = 0.0;
};

/// A pinhole camera with a long lens: perspective is gentle. Image coordinates as in Film.
struct Camera {
  CameraAxes axes;
  Vec3 eye{0.0};
  double focal_px = 1.0;
  Vec2 centre_px{0.0};

  Projected project(const Vec3& point) const {
    const Vec3 p = inAxes(axes, point - eye);
    const double scale = focal_px / -p.z;
    return {Vec2(centre_px.x + p.x * scale, centre_px.y - p.y * scale), -p.z};
  }
  /// From the eye through a point of the image; not of unit length.
  Vec3 rayThrough(const Vec2& px) const {
    return axes.right * (px.x - centre_px.x) - axes.up * (px.y - centre_px.y) -
           axes.back * focal_px;
  }
};

/// A rectangle of an image, in pixels.
struct Frame {
  double left, top, width, height;
};

/// The points among many that decide how far a camera must be.
class Outline {
 public:
  /// Takes a point along camera axes into account.
  void add(const Vec3& point);
  void add(const Outline& other, const Vec3& shift = Vec3(0.0));
  bool empty() const { return !has_points_; }
  /// Width and height without perspective.
  Vec2 extent() const {
    return Vec2(farthest_[0][0].x - farthest_[1][0].x, farthest_[2][0].y - farthest_[3][0].y);
  }

 private:
  friend Camera frameOutline(const CameraAxes& axes, const Outline& outline, const Frame& frame);
  static constexpr std::size_t kTangents = 5;

  bool has_points_ = false;
  std::array<std::array<Vec3, kTangents>, 4> farthest_;
};

/// The camera with these axes that is as near as it can while everything of `outline` falls
/// into `frame`: up to a hundredth it reaches two opposite sides. The distance of the eye is at
/// least the size of the outline.
Camera frameOutline(const CameraAxes& axes, const Outline& outline, const Frame& frame);

}  // namespace clipmill::render
