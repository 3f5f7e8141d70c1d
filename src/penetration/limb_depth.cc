// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "penetration/limb_depth.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace clipmill::penetration {
namespace {

using Ball = PointTree::Ball;

constexpr double kAnyDistance = std::numeric_limits<double>::infinity();

// Whether a ball and a box have no point in common.
bool isApart(const Ball& ball, const Box& box, double reach = 0.0) {
  const double most = ball.radius + reach;
  return box.squareDistanceTo(ball.centre) > most * most;
}

bool isApart(const PointTree& limb, const PartSurface::Posed& surface, double reach = 0.0) {
  return limb.balls().empty() || isApart(limb.balls().front(), surface.box(), reach);
}

// The penetrating point farthest from the surface.
class MaxDepth {
 public:
  MaxDepth(const PointTree& limb, PartSurface::Posed& surface, PairDepth& depth)
      : limb_(limb), surface_(surface), depth_(depth) {}

  // Of balls that are inside as a whole. The depth of a point exceeds that of the centre by at most
  // the radius.
  void addBall(std::size_t index) {
    const Ball& ball = limb_.balls()[index];
    const double depth_bound_m = depth_.depth_m - ball.radius;
    if (surface_.outer().nearest(ball.centre, kAnyDistance, depth_bound_m).distance <=
        depth_bound_m)
      return;
    if (!ball.is_leaf) {
      addBall(index + 1);
      addBall(limb_.balls()[index + 1].next);
      return;
    }
    for (std::size_t p = ball.first; p < ball.first + ball.count; ++p) addPoint(p);
  }

  void addPoint(std::size_t p) {
    const Vec3& point = limb_.points()[p];
    const NearestPoint out = surface_.outer().nearest(point, kAnyDistance, depth_.depth_m);
    if (!(out.distance > depth_.depth_m) || !std::isfinite(out.distance)) return;
    depth_.depth_m = out.distance;
    depth_.position_m = point;
    depth_.exit_m = out.point - point;
  }

 private:
  const PointTree& limb_;
  PartSurface::Posed& surface_;
  PairDepth& depth_;
};

// Finds on which side of a closed surface balls are through which it does not pass. Two of them
// that overlap are on one side: a winding number holds for many.
class BallSides {
 public:
  explicit BallSides(const TriangleBvh& closed) : closed_(closed) {}

  bool isInside(const Ball& ball) { return isInside(ball.centre, ball.radius); }

  // The ball about the point up to the surface is on its side; a winding number costs more than a
  // distance.
  bool isPointInside(const Vec3& point) {
    return closed_.box().holds(point) && isInside(point, closed_.nearest(point).distance);
  }

 private:
  bool isInside(const Vec3& centre, double radius) {
    for (const Side& known : known_) {
      const Vec3 offset = centre - known.centre;
      const double reach = radius + known.radius;
      if (reach > 0.0 && glm::dot(offset, offset) < reach * reach) return known.is_within;
    }
    Side& side = known_[next_++ % known_.size()];
    const bool is_within =
        closed_.box().holds(centre) && closed_.windingNumber(centre) > kInsideWinding;
    side = {centre, radius, is_within};
    return side.is_within;
  }

  struct Side {
    Vec3 centre{0.0};
    double radius = -std::numeric_limits<double>::infinity();  // until one is known
    bool is_within = false;
  };

  const TriangleBvh& closed_;
  std::array<Side, 16> known_;
  std::size_t next_ = 0;
};

// Calls `on_ball` with the balls of the limb that are inside as a whole, and `on_point` with the
// other points that are inside.
template <class OnBall, class OnPoint>
void forEachInside(const PointTree& limb, PartSurface::Posed& surface, OnBall on_ball,
                   OnPoint on_point) {
  if (isApart(limb, surface)) return;
  const TriangleBvh& closed = surface.closed();
  BallSides sides(closed);
  for (std::size_t i = 0; i < limb.balls().size();) {
    const Ball& ball = limb.balls()[i];
    const bool is_apart = isApart(ball, closed.box());
    // Where no surface passes through a ball, it is on one side.
    const bool is_whole = is_apart || !closed.isNear(ball.centre, ball.radius);
    if (is_whole && !is_apart && sides.isInside(ball)) {
      on_ball(i);
    } else if (!is_whole && ball.is_leaf) {
      for (std::size_t p = ball.first; p < ball.first + ball.count; ++p) {
        if (sides.isPointInside(limb.points()[p])) on_point(p);
      }
    }
    i = is_whole ? ball.next : i + 1;
  }
}

}  // namespace

PairDepth depthOf(const PointTree& limb, PartSurface::Posed& surface) {
  PairDepth depth;
  depth.vertex_count = limb.points().size();
  MaxDepth max_depth(limb, surface, depth);
  forEachInside(
      limb, surface,
      [&](std::size_t ball) {
        depth.penetrating_count += limb.balls()[ball].count;
        max_depth.addBall(ball);
      },
      [&](std::size_t point) {
        ++depth.penetrating_count;
        max_depth.addPoint(point);
      });
  return depth;
}

std::vector<PenetratingPoint> penetratingPoints(const PointTree& limb,
                                                PartSurface::Posed& surface) {
  std::vector<PenetratingPoint> found;
  const auto add = [&](std::size_t point) {
    const Vec3& position = limb.points()[point];
    const NearestPoint out = surface.outer().nearest(position, kAnyDistance);
    if (std::isfinite(out.distance)) found.push_back({position, out.point - position});
  };
  forEachInside(
      limb, surface,
      [&](std::size_t index) {
        const Ball& ball = limb.balls()[index];
        for (std::size_t p = ball.first; p < ball.first + ball.count; ++p) add(p);
      },
      add);
  return found;
}

PairClearance clearanceOf(const PointTree& limb, PartSurface::Posed& surface, double reach_m) {
  PairClearance best;
  best.clearance_m = reach_m;
  if (isApart(limb, surface, reach_m)) return best;
  const TriangleBvh& outer = surface.outer();
  for (std::size_t i = 0; i < limb.balls().size();) {
    const Ball& ball = limb.balls()[i];
    const double reach = best.clearance_m;
    if (isApart(ball, outer.box(), reach) || !outer.isNear(ball.centre, ball.radius + reach)) {
      i = ball.next;
      continue;
    }
    for (std::size_t p = ball.first; ball.is_leaf && p < ball.first + ball.count; ++p) {
      const NearestPoint nearest = outer.nearest(limb.points()[p], best.clearance_m);
      if (!(nearest.distance < best.clearance_m)) continue;
      best.clearance_m = nearest.distance;
      best.position_m = limb.points()[p];
      best.nearest_m = nearest.point;
      best.is_within_reach = true;
    }
    ++i;
  }
  return best;
}

}  // namespace clipmill::penetration
