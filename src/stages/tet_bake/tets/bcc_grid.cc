// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/tets/bcc_grid.h"

#include "core/to_size.h"

namespace clipmill::stages::tet_bake {
namespace {

using Coordinates = BccGrid::Coordinates;

// The axes across `axis`, so that (across(axis, 0), across(axis, 1), axis) is right-handed.
int across(int axis, int which) { return (axis + 1 + which) % 3; }

// Corner 0..3 of a face as steps along its two axes, counterclockwise about its normal.
constexpr int kFaceCorner[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
constexpr int kCornerAtSteps[2][2] = {{0, 3}, {1, 2}};

int& at(Coordinates& c, int axis) { return c[toSize(axis)]; }
int at(const Coordinates& c, int axis) { return c[toSize(axis)]; }

Coordinates moved(Coordinates c, int axis, int steps) {
  at(c, axis) += steps;
  return c;
}

Coordinates faceCorner(const Coordinates& cube, int axis, int corner) {
  Coordinates c = moved(cube, across(axis, 0), kFaceCorner[corner][0]);
  return moved(c, across(axis, 1), kFaceCorner[corner][1]);
}

// Edge of the face across `axis` that runs along `direction` at the low or high side of the other
// axis.
int edgeAlong(int axis, int direction, bool at_high_side) {
  if (direction == across(axis, 0)) return at_high_side ? 2 : 0;
  return at_high_side ? 1 : 3;
}

BccBarycentric barycentricOf(int axis, int edge) {
  const Coordinates low{0, 0, 0};
  const auto position = [](const Coordinates& c) { return Vec3(c[0], c[1], c[2]); };
  const Vec3 upper(0.5);
  const Vec3 lower = upper - position(moved(low, axis, 1));
  const Vec3 first = position(faceCorner(low, axis, edge));
  const Vec3 second = position(faceCorner(low, axis, (edge + 1) % 4));
  const Mat3 inverse = glm::inverse(Mat3(upper - lower, first - lower, second - lower));
  const Mat3 rows = glm::transpose(inverse);
  BccBarycentric barycentric;
  barycentric.gradient = {-(rows[0] + rows[1] + rows[2]), rows[0], rows[1], rows[2]};
  for (std::size_t k = 0; k < 4; ++k) {
    barycentric.offset[k] = (k == 0 ? 1.0 : 0.0) - glm::dot(barycentric.gradient[k], lower);
  }
  return barycentric;
}

}  // namespace

BccGrid::BccGrid(const Vec3& origin, double cell_m, const Coordinates& cubes)
    : origin_(origin), cell_m_(cell_m), cubes_(cubes), cube_count_(1), corner_count_(1) {
  for (const int count : cubes) {
    cube_count_ *= toSize(count);
    corner_count_ *= toSize(count + 1);
  }
}

Coordinates BccGrid::cubeOf(std::size_t index) const {
  const auto nx = toSize(cubes_[0]), ny = toSize(cubes_[1]);
  return {static_cast<int>(index % nx), static_cast<int>(index / nx % ny),
          static_cast<int>(index / nx / ny)};
}

bool BccGrid::holds(const Coordinates& cube) const {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (cube[axis] < 0 || cube[axis] >= cubes_[axis]) return false;
  }
  return true;
}

bool BccGrid::holdsCorner(const Coordinates& corner) const {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (corner[axis] < 0 || corner[axis] > cubes_[axis]) return false;
  }
  return true;
}

std::uint32_t BccGrid::cornerAt(const Coordinates& c) const {
  return static_cast<std::uint32_t>((c[2] * (cubes_[1] + 1) + c[1]) * (cubes_[0] + 1) + c[0]);
}

std::uint32_t BccGrid::centreOf(const Coordinates& c) const {
  return static_cast<std::uint32_t>(corner_count_) +
         static_cast<std::uint32_t>((c[2] * cubes_[1] + c[1]) * cubes_[0] + c[0]);
}

Coordinates BccGrid::halfSteps(std::uint32_t point) const {
  if (point >= corner_count_) {
    const Coordinates cube = cubeOf(point - corner_count_);
    return {2 * cube[0] + 1, 2 * cube[1] + 1, 2 * cube[2] + 1};
  }
  const auto nx = toSize(cubes_[0] + 1);
  const auto ny = toSize(cubes_[1] + 1);
  return {static_cast<int>(2 * (point % nx)), static_cast<int>(2 * (point / nx % ny)),
          static_cast<int>(2 * (point / nx / ny))};
}

std::uint32_t BccGrid::pointAt(const Coordinates& half_steps) const {
  for (const int steps : half_steps) {
    if (steps < 0) return kNone;
  }
  const Coordinates cube{half_steps[0] / 2, half_steps[1] / 2, half_steps[2] / 2};
  if (half_steps[0] % 2 != 0) return holds(cube) ? centreOf(cube) : kNone;
  return holdsCorner(cube) ? cornerAt(cube) : kNone;
}

Vec3 BccGrid::positionOf(std::uint32_t point) const {
  const Coordinates steps = halfSteps(point);
  return origin_ + Vec3(steps[0], steps[1], steps[2]) * (0.5 * cell_m_);
}

std::uint32_t BccGrid::tetAt(const Coordinates& cube, int axis, int edge) const {
  if (!holds(cube) || at(cube, axis) == 0) return kNone;
  const std::uint32_t index = centreOf(cube) - static_cast<std::uint32_t>(corner_count_);
  return (index * 3 + static_cast<std::uint32_t>(axis)) * 4 + static_cast<std::uint32_t>(edge);
}

BccGrid::TetPosition BccGrid::tetPositionOf(std::uint32_t tet) const {
  return {cubeOf(tet / kTetsPerCube), static_cast<int>(tet / 4 % 3), static_cast<int>(tet % 4)};
}

std::array<std::uint32_t, 4> BccGrid::pointsOf(std::uint32_t tet) const {
  const auto [cube, axis, edge] = tetPositionOf(tet);
  return {centreOf(moved(cube, axis, -1)), centreOf(cube), cornerAt(faceCorner(cube, axis, edge)),
          cornerAt(faceCorner(cube, axis, (edge + 1) % 4))};
}

std::uint32_t BccGrid::neighbourOf(std::uint32_t tet, int corner) const {
  const auto [cube, axis, edge] = tetPositionOf(tet);
  if (corner == 2) return tetAt(cube, axis, (edge + 1) % 4);
  if (corner == 3) return tetAt(cube, axis, (edge + 3) % 4);
  // The face is in one cube, at an edge of it: the neighbour is on the other face there.
  const bool in_lower_cube = corner == 1;
  const Coordinates home = in_lower_cube ? moved(cube, axis, -1) : cube;
  const int along = across(axis, edge % 2), aside = across(axis, 1 - edge % 2);
  const bool aside_is_high = edge == 1 || edge == 2;
  return tetAt(moved(home, aside, aside_is_high ? 1 : 0), aside,
               edgeAlong(aside, along, in_lower_cube));
}

std::array<std::uint32_t, BccGrid::kTetsPerPoint> BccGrid::tetsOf(std::uint32_t point) const {
  std::array<std::uint32_t, kTetsPerPoint> tets;
  std::size_t count = 0;
  const Coordinates steps = halfSteps(point);
  const Coordinates low{steps[0] / 2, steps[1] / 2, steps[2] / 2};
  for (int axis = 0; axis < 3; ++axis) {
    if (point >= corner_count_) {
      for (int edge = 0; edge < 4; ++edge) {
        tets[count++] = tetAt(low, axis, edge);
        tets[count++] = tetAt(moved(low, axis, 1), axis, edge);
      }
      continue;
    }
    for (const auto& face : kFaceCorner) {
      const Coordinates cube =
          moved(moved(low, across(axis, 0), -face[0]), across(axis, 1), -face[1]);
      const int corner = kCornerAtSteps[face[0]][face[1]];
      tets[count++] = tetAt(cube, axis, corner);
      tets[count++] = tetAt(cube, axis, (corner + 3) % 4);
    }
  }
  return tets;
}

std::array<std::uint32_t, BccGrid::kNeighboursPerPoint> BccGrid::neighboursOfPoint(
    std::uint32_t point) const {
  std::array<std::uint32_t, kNeighboursPerPoint> neighbours;
  std::size_t count = 0;
  const Coordinates steps = halfSteps(point);
  for (int axis = 0; axis < 3; ++axis) {
    neighbours[count++] = pointAt(moved(steps, axis, -2));
    neighbours[count++] = pointAt(moved(steps, axis, 2));
  }
  for (const int x : {-1, 1}) {
    for (const int y : {-1, 1}) {
      for (const int z : {-1, 1}) {
        neighbours[count++] = pointAt({steps[0] + x, steps[1] + y, steps[2] + z});
      }
    }
  }
  return neighbours;
}

const std::array<BccBarycentric, BccGrid::kTetsPerCube>& bccBarycentrics() {
  static const auto barycentrics = [] {
    std::array<BccBarycentric, BccGrid::kTetsPerCube> all;
    for (int kind = 0; kind < BccGrid::kTetsPerCube; ++kind) {
      all[toSize(kind)] = barycentricOf(kind / 4, kind % 4);
    }
    return all;
  }();
  return barycentrics;
}

}  // namespace clipmill::stages::tet_bake
