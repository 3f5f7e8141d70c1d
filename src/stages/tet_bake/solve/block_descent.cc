// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "stages/tet_bake/solve/block_descent_simd.h"

namespace clipmill::stages::tet_bake {

namespace {

// Springs weaker than this, against the mean one, are left out: those across the right angles of
// regular lattices, 0 but for rounding.
constexpr double kWeakSpring = 1e-9;

// For each key in 0..count the values that belong to it, one after another.
template <class T>
struct Groups {
  std::vector<std::size_t> start;
  std::vector<T> values;

  explicit Groups(std::size_t count) : start(count + 1, 0) {}
  void expect(std::size_t key) { ++start[key + 1]; }
  void allocate() {
    for (std::size_t i = 1; i < start.size(); ++i) start[i] += start[i - 1];
    values.resize(start.back());
    next_.assign(start.begin(), start.end() - 1);
  }
  void put(std::size_t key, const T& value) { values[next_[key]++] = value; }

 private:
  std::vector<std::size_t> next_;
};

std::uint32_t rowOf(std::uint32_t corner) { return 3 * corner; }

double weakest(const TetSystem& system) {
  double sum = 0.0;
  for (const TetEdge& edge : system.edges) sum += std::abs(edge.spring);
  return kWeakSpring * sum / static_cast<double>(std::max<std::size_t>(system.edges.size(), 1));
}

Groups<SweepNeighbour> neighboursOf(const TetSystem& system) {
  const double least = weakest(system);
  Groups<SweepNeighbour> groups(system.corner_count);
  const auto forEach = [&](const auto& visit) {
    for (const TetEdge& edge : system.edges) {
      if (std::abs(edge.spring) <= least) continue;
      visit(edge.corners[0], edge.corners[1], edge.spring);
      visit(edge.corners[1], edge.corners[0], edge.spring);
    }
  };
  forEach([&](std::uint32_t corner, std::uint32_t, double) { groups.expect(corner); });
  groups.allocate();
  forEach([&](std::uint32_t corner, std::uint32_t other, double spring) {
    groups.put(corner, {rowOf(other), static_cast<float>(spring)});
  });
  return groups;
}

Groups<SweepFace> facesOf(const TetSystem& system, const Material& material) {
  Groups<SweepFace> groups(system.corner_count);
  for (const SolidTet& tet : system.tets) {
    for (std::uint32_t corner : tet.corners) groups.expect(corner);
  }
  groups.allocate();
  for (const SolidTet& tet : system.tets) {
    const Material own{tet.firmness * material.lambda};
    const double scale = std::sqrt(tet.stiffness * own.lambda / (36.0 * tet.volume));
    for (std::size_t i = 0; i < 4; ++i) {
      SweepFace face;
      for (std::size_t k = 0; k < 3; ++k) {
        face.rows[k] = rowOf(tet.corners[kOppositeFace[i][k]]);
      }
      face.scale = static_cast<float>(scale);
      face.rest = static_cast<float>(scale * 6.0 * tet.volume * own.restRatio());
      groups.put(tet.corners[i], face);
    }
  }
  return groups;
}

// The part of corner `key` goes to the end of `list`.
template <class T>
void append(const Groups<T>& groups, std::size_t key, std::vector<T>& list) {
  const auto first = groups.values.begin();
  list.insert(list.end(), first + static_cast<std::ptrdiff_t>(groups.start[key]),
              first + static_cast<std::ptrdiff_t>(groups.start[key + 1]));
}

}  // namespace

std::size_t bytesOf(const DescentSystem& system) {
  return system.corners.capacity() * sizeof(SweepCorner) +
         system.neighbours.capacity() * sizeof(SweepNeighbour) +
         system.faces.capacity() * sizeof(SweepFace);
}

DescentSystem makeDescentSystem(const TetSystem& system, const Material& material) {
  const Groups<SweepNeighbour> neighbours = neighboursOf(system);
  const Groups<SweepFace> faces = facesOf(system, material);
  DescentSystem result;
  result.corners.reserve(system.movable.size());
  for (std::uint32_t v : system.movable) {
    SweepCorner corner;
    corner.row = rowOf(v);
    corner.hold = static_cast<float>(system.hold[v]);
    if (system.hold[v] > 0.0)
      corner.hold_row = rowOf(static_cast<std::uint32_t>(result.held_corners++));
    double spring_sum = 0.0;
    for (std::size_t i = neighbours.start[v]; i < neighbours.start[v + 1]; ++i) {
      spring_sum += neighbours.values[i].spring;
    }
    corner.spring_sum = static_cast<float>(spring_sum);
    append(neighbours, v, result.neighbours);
    append(faces, v, result.faces);
    corner.neighbour_end = static_cast<std::uint32_t>(result.neighbours.size());
    corner.face_end = static_cast<std::uint32_t>(result.faces.size());
    result.corners.push_back(corner);
  }
  return result;
}

}  // namespace clipmill::stages::tet_bake
