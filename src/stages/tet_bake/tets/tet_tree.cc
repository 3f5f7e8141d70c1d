// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/tets/tet_tree.h"

#include <algorithm>
#include <cmath>

namespace clipmill::stages::tet_bake {
namespace {

constexpr std::uint32_t kLeafSize = 4;
// Volumes below this share of the product of three edges count as none.
constexpr double kFlatTet = 1e-12;
// So much below 0 a coordinate still counts as 0, and so much of its size a box is made larger.
constexpr double kRounding = 1e-10;

}  // namespace

TetTree::TetTree(const TetMesh& mesh) : has_volume_(mesh.tets.size(), 0) {
  std::vector<Box> boxes(mesh.tets.size());
  origin_.resize(mesh.tets.size());
  from_position_.assign(mesh.tets.size(), Mat3(0.0));
  for (std::uint32_t t = 0; t < mesh.tets.size(); ++t) {
    for (const std::uint32_t corner : mesh.tets[t]) boxes[t].add(mesh.positions[corner]);
    const Vec3 margin = kRounding * (boxes[t].high - boxes[t].low);
    boxes[t].low -= margin;
    boxes[t].high += margin;
    origin_[t] = mesh.positions[mesh.tets[t][0]];
    const Mat3 edges(mesh.positions[mesh.tets[t][1]] - origin_[t],
                     mesh.positions[mesh.tets[t][2]] - origin_[t],
                     mesh.positions[mesh.tets[t][3]] - origin_[t]);
    const double most = glm::length(edges[0]) * glm::length(edges[1]) * glm::length(edges[2]);
    if (!(std::abs(glm::determinant(edges)) > kFlatTet * most)) continue;
    has_volume_[t] = 1;
    from_position_[t] = glm::inverse(edges);
    order_.push_back(t);
  }
  if (!order_.empty()) build(0, static_cast<std::uint32_t>(order_.size()), boxes);
}

std::uint32_t TetTree::build(std::uint32_t first, std::uint32_t count,
                             const std::vector<Box>& boxes) {
  const auto index = static_cast<std::uint32_t>(nodes_.size());
  nodes_.emplace_back();
  Box box, middles;
  for (std::uint32_t i = first; i < first + count; ++i) {
    box.add(boxes[order_[i]]);
    middles.add(0.5 * (boxes[order_[i]].low + boxes[order_[i]].high));
  }
  nodes_[index].box = box;
  nodes_[index].first = first;
  if (count <= kLeafSize) {
    nodes_[index].count = count;
    return index;
  }
  const Vec3 extent = middles.high - middles.low;
  const int axis =
      extent.x >= extent.y && extent.x >= extent.z ? 0 : (extent.y >= extent.z ? 1 : 2);
  const auto middle = [&](std::uint32_t tet) {
    return boxes[tet].low[axis] + boxes[tet].high[axis];
  };
  const auto start = order_.begin() + first;
  std::nth_element(start, start + count / 2, start + count, [&](std::uint32_t a, std::uint32_t b) {
    return middle(a) != middle(b) ? middle(a) < middle(b) : a < b;
  });
  build(first, count / 2, boxes);
  const std::uint32_t second = build(first + count / 2, count - count / 2, boxes);
  nodes_[index].second_child = second;
  return index;
}

std::array<double, 4> TetTree::barycentric(std::uint32_t tet, const Vec3& point) const {
  const Vec3 last = from_position_[tet] * (point - origin_[tet]);
  return {1.0 - last.x - last.y - last.z, last.x, last.y, last.z};
}

std::uint32_t TetTree::find(const Vec3& point) const {
  std::uint32_t best = kNone;
  double best_least = -kRounding;
  std::vector<std::uint32_t> stack{0};
  while (!stack.empty() && !nodes_.empty()) {
    const std::uint32_t index = stack.back();
    stack.pop_back();
    const Node& node = nodes_[index];
    if (!node.box.holds(point)) continue;
    if (node.count == 0) {
      stack.push_back(node.second_child);
      stack.push_back(index + 1);
      continue;
    }
    for (std::uint32_t i = node.first; i < node.first + node.count; ++i) {
      const std::array<double, 4> b = barycentric(order_[i], point);
      const double least = std::min({b[0], b[1], b[2], b[3]});
      const bool is_better = least > best_least || (least == best_least && order_[i] < best);
      if (!is_better) continue;
      best = order_[i];
      best_least = least;
    }
  }
  return best;
}

}  // namespace clipmill::stages::tet_bake
