// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "render/camera.h"

#include <algorithm>
#include <cmath>

#include "core/portable_math.h"

namespace clipmill::render {
namespace {

constexpr double kHalfFieldTangent = 0.16;  // 18 degrees from edge to edge of the longer side

const Vec3 kUp(0, 1, 0);

// Angles of the eye as seen from the character: from the front towards its right, and upwards.
struct Angles {
  double yaw_deg, rise_deg;
};

Angles anglesOf(View view) {
  switch (view) {
    case View::kFront:
      return {0.0, 9.0};
    case View::kBack:
      return {180.0, 9.0};
    case View::kSide:
      return {90.0, 9.0};
    case View::kTop:
      return {90.0, 90.0};
    case View::kAuto:
      return {66.0, 11.0};
    case View::kThreeQuarter:
      break;
  }
  return {38.0, 12.0};
}

}  // namespace

CameraAxes axesOf(View view, const Vec3& facing) {
  const Angles angles = anglesOf(view);
  const double yaw = angles.yaw_deg * kDegree, rise = angles.rise_deg * kDegree;
  const Vec3 flat = facing * portable::cos(yaw) + glm::cross(facing, kUp) * portable::sin(yaw);
  CameraAxes axes;
  axes.back = flat * portable::cos(rise) + kUp * portable::sin(rise);
  axes.right = glm::cross(kUp, flat);
  axes.up = glm::cross(axes.back, axes.right);
  return axes;
}

// A point (x, y, z) is in the image where |x - eye_x| <= tangent * (eye_z - z), and likewise for
// y. Over all points that asks for tangent * eye_z + eye_x to be at least the largest of x +
// tangent * z, and for tangent * eye_z - eye_x to be at least the largest of -x + tangent * z.
namespace {

double reach(std::size_t side, double tangent, const Vec3& p) {
  const double across = side < 2 ? p.x : p.y;
  return (side % 2 == 0 ? across : -across) + tangent * p.z;
}

}  // namespace

void Outline::add(const Vec3& point) {
  // The tangents depend on the shape of the image, which is chosen last: points are kept for some
  // of all possible ones, and between these hardly another would count.
  for (std::size_t side = 0; side < farthest_.size(); ++side) {
    for (std::size_t i = 0; i < kTangents; ++i) {
      const double tangent = kHalfFieldTangent * static_cast<double>(i) / (kTangents - 1);
      Vec3& farthest = farthest_[side][i];
      if (!has_points_ || reach(side, tangent, point) > reach(side, tangent, farthest)) {
        farthest = point;
      }
    }
  }
  has_points_ = true;
}

void Outline::add(const Outline& other, const Vec3& shift) {
  if (other.empty()) return;
  for (const auto& points : other.farthest_) {
    for (const Vec3& point : points) add(point + shift);
  }
}

Camera frameOutline(const CameraAxes& axes, const Outline& outline, const Frame& frame) {
  const double longer = std::max(frame.width, frame.height);
  const double tangents[2] = {kHalfFieldTangent * frame.width / longer,
                              kHalfFieldTangent * frame.height / longer};
  CameraBox box;
  double sums[4];
  for (std::size_t side = 0; side < 4; ++side) {
    sums[side] = -std::numeric_limits<double>::infinity();
    for (const Vec3& p : outline.farthest_[side]) {
      box.add(p);
      sums[side] = std::max(sums[side], reach(side, tangents[side / 2], p));
    }
  }
  const Vec3 extent = box.high - box.low;
  const double size = std::max({extent.x, extent.y, extent.z, 1e-6});
  const double eye_z = std::max({(sums[0] + sums[1]) / (2.0 * tangents[0]),
                                 (sums[2] + sums[3]) / (2.0 * tangents[1]), box.high.z + size});
  Camera camera;
  camera.axes = axes;
  camera.eye = axes.right * (0.5 * (sums[0] - sums[1])) + axes.up * (0.5 * (sums[2] - sums[3])) +
               axes.back * eye_z;
  camera.focal_px = 0.5 * frame.width / tangents[0];
  camera.centre_px = Vec2(frame.left + 0.5 * frame.width, frame.top + 0.5 * frame.height);
  return camera;
}

}  // namespace clipmill::render
