// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "mesh/triangle_bvh.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <optional>

#include "core/to_size.h"
#include "mesh/nearest_on_triangle.h"
#include "mesh/ray_triangle.h"
#include "mesh/solid_angle.h"

namespace clipmill {
namespace {

constexpr std::size_t kLeafTriangles = 8;
constexpr std::size_t kBins = 16;

// Below this depth nodes are halved by count, so that no geometry makes a tree of more levels than
// kMaxDepth: 2^32 triangles need 32 halvings.
constexpr std::size_t kBinnedDepth = 64;
constexpr std::size_t kMaxDepth = kBinnedDepth + 32;

// A cluster is far where the point is so many of its radii from its centre. At 2 the
// expansion was never farther than 0.006 from the sum on closed, open and crumpled surfaces.
constexpr double kOpeningRadii = 2.0;

double squareOf(const Vec3& v) { return glm::dot(v, v); }

bool hasSameBits(const Vec3& a, const Vec3& b) { return std::memcmp(&a, &b, sizeof(Vec3)) == 0; }

double halfSurfaceOf(const Box& box) {
  const Vec3 d = box.high - box.low;
  return d.x * d.y + d.y * d.z + d.z * d.x;
}

// Along the normal, of twice the area.
Vec3 crossOf(const std::array<Vec3, 3>& corners) {
  return glm::cross(corners[1] - corners[0], corners[2] - corners[0]);
}

// The least product of `direction` and a point of a box. Rounded as the product of one point is,
// so it is never above that.
double leastDot(const Box& box, const Vec3& direction) {
  const Vec3 least = glm::min(box.low * direction, box.high * direction);
  return least.x + least.y + least.z;
}

// Whether a ray meets a box before `reach`, in lengths of its direction; `inverse` has 1 over the
// components of that.
bool meets(const Box& box, const Vec3& origin, const Vec3& inverse, double reach) {
  double enter = 0.0, leave = reach;
  for (int k = 0; k < 3; ++k) {
    const double a = (box.low[k] - origin[k]) * inverse[k],
                 b = (box.high[k] - origin[k]) * inverse[k];
    // A ray within a side of the box gives 0 times infinity, which bounds nothing.
    enter = std::max(enter, std::min(a, b));
    leave = std::min(leave, std::max(a, b));
  }
  return enter <= leave;
}

int longestAxisOf(const Box& box) {
  const Vec3 d = box.high - box.low;
  if (d.x >= d.y && d.x >= d.z) return 0;
  return d.y >= d.z ? 1 : 2;
}

struct Bin {
  Box box;
  std::size_t count = 0;
};

// The number of bins left of the cut that makes the sum of surface times count least; 0 where all
// is in one bin. Children are as likely to be entered as their boxes have surface.
std::size_t bestCut(const std::array<Bin, kBins>& bins) {
  std::array<double, kBins> right_cost{};
  Bin right;
  for (std::size_t i = kBins; i-- > 1;) {
    right.count += bins[i].count;
    if (bins[i].count > 0) right.box.add(bins[i].box);
    right_cost[i] =
        right.count > 0 ? static_cast<double>(right.count) * halfSurfaceOf(right.box) : 0.0;
  }
  Bin left;
  std::size_t best = 0, all = 0;
  for (const Bin& bin : bins) all += bin.count;
  double best_cost = 0.0;
  for (std::size_t i = 1; i < kBins; ++i) {
    left.count += bins[i - 1].count;
    if (bins[i - 1].count > 0) left.box.add(bins[i - 1].box);
    if (left.count == 0 || left.count == all) continue;
    const double cost = static_cast<double>(left.count) * halfSurfaceOf(left.box) + right_cost[i];
    if (best == 0 || cost < best_cost) {
      best = i;
      best_cost = cost;
    }
  }
  return best;
}

}  // namespace

// Sorts triangles into leaves.
class TriangleBvh::Builder {
 public:
  Builder(std::span<const Vec3> positions, std::span<const std::uint32_t> triangles)
      : order_(triangles.size() / 3) {
    std::iota(order_.begin(), order_.end(), 0u);
    boxes_.resize(order_.size());
    centres_.reserve(order_.size());
    for (std::size_t t = 0; t < order_.size(); ++t) {
      for (std::size_t c = 0; c < 3; ++c) boxes_[t].add(positions[triangles[3 * t + c]]);
      centres_.push_back(0.5 * (boxes_[t].low + boxes_[t].high));
    }
  }

  void build(std::vector<Node>& nodes) {
    nodes.reserve(order_.size());
    if (!order_.empty()) addNode(0, order_.size(), 0, nodes);
  }
  const std::vector<std::uint32_t>& order() const { return order_; }

 private:
  void addNode(std::size_t start, std::size_t end, std::size_t depth, std::vector<Node>& nodes) {
    const std::size_t self = nodes.size();
    nodes.emplace_back();
    nodes[self].first = static_cast<std::uint32_t>(start);
    if (end - start <= kLeafTriangles) {
      nodes[self].count = static_cast<std::uint32_t>(end - start);
    } else {
      const std::size_t middle = split(start, end, depth);
      addNode(start, middle, depth + 1, nodes);
      addNode(middle, end, depth + 1, nodes);
    }
    nodes[self].next = static_cast<std::uint32_t>(nodes.size());
  }

  std::size_t split(std::size_t start, std::size_t end, std::size_t depth) {
    Box centres;
    for (std::size_t i = start; i < end; ++i) centres.add(centres_[order_[i]]);
    const int axis = longestAxisOf(centres);
    const double low = centres.low[axis], width = centres.high[axis] - low;
    const auto binOf = [&](std::uint32_t triangle) {
      const double bin = kBins * ((centres_[triangle][axis] - low) / width);
      return bin > 0.0 ? std::min(toSize(bin), kBins - 1) : 0;
    };
    const auto first = order_.begin() + static_cast<std::ptrdiff_t>(start);
    const auto last = order_.begin() + static_cast<std::ptrdiff_t>(end);
    if (width > 0.0 && depth < kBinnedDepth) {
      std::array<Bin, kBins> bins;
      for (auto i = first; i != last; ++i) {
        Bin& bin = bins[binOf(*i)];
        bin.box.add(boxes_[*i]);
        ++bin.count;
      }
      if (const std::size_t cut = bestCut(bins); cut > 0) {
        const auto middle = std::stable_partition(
            first, last, [&](std::uint32_t triangle) { return binOf(triangle) < cut; });
        return toSize(middle - order_.begin());
      }
    }
    std::stable_sort(first, last, [&](std::uint32_t a, std::uint32_t b) {
      return centres_[a][axis] < centres_[b][axis];
    });
    return start + (end - start) / 2;
  }

  std::vector<std::uint32_t> order_;
  std::vector<Box> boxes_;
  std::vector<Vec3> centres_;
};

TriangleBvh::TriangleBvh(std::span<const Vec3> positions, std::span<const std::uint32_t> triangles,
                         Use use)
    : use_(use) {
  Builder builder(positions, triangles);
  builder.build(nodes_);
  triangle_ = builder.order();
  indices_.reserve(3 * triangle_.size());
  for (const std::uint32_t t : triangle_) {
    const std::span<const std::uint32_t> corners = triangles.subspan(3 * toSize(t), 3);
    indices_.insert(indices_.end(), corners.begin(), corners.end());
  }
  corners_.resize(triangle_.size());
  is_moved_.resize(nodes_.size());
  if (use_ == Use::kAll) {
    far_.resize(nodes_.size());
    opening_square_.resize(nodes_.size());
  }
  if (use_ == Use::kFacing) {
    crosses_.resize(corners_.size());
    cross_boxes_.resize(nodes_.size());
  }
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    if (nodes_[i].count > 0) moveLeaf(nodes_[i], positions);
    fit(i);
  }
  box_ = nodes_.empty() ? Box{} : nodes_.front().box;
}

void TriangleBvh::fitBox(std::size_t index) {
  Node& node = nodes_[index];
  if (node.count == 0) {
    const std::size_t first = index + 1, second = nodes_[first].next;
    node.box = nodes_[first].box;
    node.box.add(nodes_[second].box);
    return;
  }
  node.box = {};
  for (std::size_t t = node.first; t < node.first + node.count; ++t) {
    for (const Vec3& corner : corners_[t]) node.box.add(corner);
  }
}

void TriangleBvh::fitFar(std::size_t index) {
  const Node& node = nodes_[index];
  if (node.count == 0) {
    const std::array<FarSolidAngle, 2> parts = {far_[index + 1], far_[nodes_[index + 1].next]};
    far_[index] = FarSolidAngle::sumOf(parts);
  } else {
    far_[index] = FarSolidAngle::of(std::span(corners_).subspan(node.first, node.count));
  }
  const Vec3& centre = far_[index].centre;
  const Vec3 reach = glm::max(node.box.high - centre, centre - node.box.low);
  opening_square_[index] = kOpeningRadii * kOpeningRadii * squareOf(reach);
}

void TriangleBvh::fitCrosses(std::size_t index) {
  const Node& node = nodes_[index];
  Box& crosses = cross_boxes_[index];
  if (node.count == 0) {
    crosses = cross_boxes_[index + 1];
    crosses.add(cross_boxes_[nodes_[index + 1].next]);
    return;
  }
  crosses = {};
  for (std::size_t t = node.first; t < node.first + node.count; ++t) {
    crosses_[t] = crossOf(corners_[t]);
    crosses.add(crosses_[t]);
  }
}

// Whether a corner of its triangles moves.
bool TriangleBvh::moveLeaf(const Node& leaf, std::span<const Vec3> positions) {
  bool is_moved = false;
  for (std::size_t t = leaf.first; t < leaf.first + leaf.count; ++t) {
    for (std::size_t c = 0; c < 3; ++c) {
      const Vec3& position = positions[indices_[3 * t + c]];
      if (hasSameBits(corners_[t][c], position)) continue;
      corners_[t][c] = position;
      is_moved = true;
    }
  }
  return is_moved;
}

void TriangleBvh::fit(std::size_t index) {
  fitBox(index);
  if (use_ == Use::kAll) fitFar(index);
  if (use_ == Use::kFacing) fitCrosses(index);
}

void TriangleBvh::refit(std::span<const Vec3> positions) {
  // Children follow their parents.
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    const Node& node = nodes_[i];
    is_moved_[i] = node.count > 0 ? moveLeaf(node, positions)
                                  : is_moved_[i + 1] || is_moved_[nodes_[i + 1].next];
    if (is_moved_[i]) fit(i);
  }
  box_ = nodes_.empty() ? Box{} : nodes_.front().box;
}

template <class Accepts, class MayHold>
NearestPoint TriangleBvh::nearestOf(const Vec3& point, double reach, double enough,
                                    const Accepts& accepts, const MayHold& may_hold) const {
  struct Open {
    std::uint32_t node;
    double square;
  };
  std::array<Open, kMaxDepth + 1> open;
  std::size_t open_count = 0;
  NearestOnTriangle best;
  best.square = reach * reach;
  std::size_t best_slot = corners_.size();
  const double enough_square = enough >= 0.0 ? enough * enough : -1.0;
  if (!empty()) open[open_count++] = {0, box_.squareDistanceTo(point)};
  while (open_count > 0 && best.square > enough_square) {
    const Open next = open[--open_count];
    if (!(next.square < best.square)) continue;
    const Node& node = nodes_[next.node];
    for (std::size_t i = node.first; i < node.first + node.count; ++i) {
      if (!accepts(i)) continue;
      const NearestOnTriangle on = nearestOnTriangle(point, corners_[i]);
      if (!(on.square < best.square)) continue;
      best = on;
      best_slot = i;
    }
    if (node.count > 0) continue;
    Open near = {next.node + 1, nodes_[next.node + 1].box.squareDistanceTo(point)};
    const std::uint32_t second = nodes_[next.node + 1].next;
    Open far = {second, nodes_[second].box.squareDistanceTo(point)};
    if (far.square < near.square) std::swap(near, far);
    if (far.square < best.square && may_hold(far.node)) open[open_count++] = far;
    if (near.square < best.square && may_hold(near.node)) open[open_count++] = near;
  }
  if (best_slot == corners_.size()) return {};
  return {std::sqrt(best.square), best.point, triangle_[best_slot], best.barycentric};
}

NearestPoint TriangleBvh::nearest(const Vec3& point, double reach, double enough) const {
  const auto any = [](std::size_t) { return true; };
  return nearestOf(point, reach, enough, any, any);
}

NearestPoint TriangleBvh::nearestFacing(const Vec3& point, const Vec3& normal, double reach) const {
  assert(use_ == Use::kFacing);
  return nearestOf(
      point, reach, -1.0, [&](std::size_t slot) { return glm::dot(crosses_[slot], normal) < 0.0; },
      [&](std::size_t node) { return leastDot(cross_boxes_[node], normal) < 0.0; });
}

bool TriangleBvh::leavesSolid(const Vec3& origin, const Vec3& direction) const {
  const Vec3 inverse = 1.0 / direction;
  double first = std::numeric_limits<double>::infinity();
  bool is_behind = false;
  for (std::size_t i = 0; i < nodes_.size();) {
    const Node& node = nodes_[i];
    if (!meets(node.box, origin, inverse, first)) {
      i = node.next;
      continue;
    }
    for (std::size_t t = node.first; t < node.first + node.count; ++t) {
      const std::optional<RayHit> hit = rayHit(origin, direction, corners_[t]);
      if (!hit || !(hit->distance < first)) continue;
      first = hit->distance;
      is_behind = glm::dot(crossOf(corners_[t]), direction) > 0.0;
    }
    ++i;
  }
  return is_behind;
}

bool TriangleBvh::isNear(const Vec3& point, double reach) const {
  const double square = reach * reach;
  for (std::size_t i = 0; i < nodes_.size();) {
    const Node& node = nodes_[i];
    if (!(node.box.squareDistanceTo(point) < square)) {
      i = node.next;
      continue;
    }
    for (std::size_t t = node.first; t < node.first + node.count; ++t) {
      if (nearestOnTriangle(point, corners_[t]).square < square) return true;
    }
    ++i;
  }
  return false;
}

double TriangleBvh::windingNumber(const Vec3& point) const {
  assert(use_ == Use::kAll);
  double far_sum = 0.0;  // solid angles
  SolidAngleSum near_sum;
  for (std::size_t i = 0; i < nodes_.size();) {
    if (squareOf(far_[i].centre - point) > opening_square_[i]) {
      far_sum += far_[i].from(point);
      i = nodes_[i].next;
      continue;
    }
    const Node& node = nodes_[i];
    for (std::size_t t = node.first; t < node.first + node.count; ++t) {
      near_sum.add(corners_[t][0] - point, corners_[t][1] - point, corners_[t][2] - point);
    }
    ++i;
  }
  return (far_sum + near_sum.sum()) / (4.0 * kPi);
}

}  // namespace clipmill
