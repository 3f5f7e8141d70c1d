// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/limb.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include "core/portable_math.h"
#include "stages/tet_bake/make_limb.h"
#include "stages/tet_bake/tets/tet_shape.h"

namespace clipmill::test {

namespace {

using stages::tet_bake::Corners;
using stages::tet_bake::Tet;
using Cell = std::array<int, 3>;

// Barycentric coordinates a little below 0 still count as inside.
constexpr double kInside = -1e-9;

// Lattice points by their coordinates in half cells: all even, or all odd.
struct Lattice {
  const LimbShape& shape;
  std::map<Cell, std::uint32_t> corners;
  std::map<Cell, std::vector<std::uint32_t>> tets_in_cell;  // That reach into it.
  stages::tet_bake::TetMesh mesh;

  Vec3 positionOf(const Cell& half) const {
    return 0.5 * shape.cell_m * Vec3(half[0], half[1], half[2]);
  }
  Cell cellOf(const Vec3& position) const {
    const Vec3 cell = position / shape.cell_m;
    return {static_cast<int>(std::floor(cell.x)), static_cast<int>(std::floor(cell.y)),
            static_cast<int>(std::floor(cell.z))};
  }
  bool isInside(const Vec3& p) const {
    const double out = std::sqrt(p.x * p.x + p.y * p.y);
    return out <= shape.radius_m && std::abs(p.z) <= 0.5 * shape.length_m;
  }
  std::uint32_t cornerAt(const Cell& half) {
    const auto [at, is_new] =
        corners.try_emplace(half, static_cast<std::uint32_t>(mesh.positions.size()));
    if (is_new) mesh.positions.push_back(positionOf(half));
    return at->second;
  }
};

using HalfTet = std::array<Cell, 4>;

// Each tetrahedron joins the centres of two cubes that share a face with an edge of that face.
void forEachTet(const LimbShape& shape, const auto& visit) {
  const int side = static_cast<int>(std::ceil(shape.radius_m / shape.cell_m)) + 1;
  const int end = static_cast<int>(std::ceil(0.5 * shape.length_m / shape.cell_m)) + 1;
  constexpr std::array<std::array<int, 2>, 5> kRound = {
      {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}, {-1, -1}}};
  for (int z = -end; z < end; ++z) {
    for (int y = -side; y < side; ++y) {
      for (int x = -side; x < side; ++x) {
        const Cell centre = {2 * x + 1, 2 * y + 1, 2 * z + 1};
        for (std::size_t axis = 0; axis < 3; ++axis) {
          for (std::size_t k = 0; k < 4; ++k) {
            HalfTet tet = {centre, centre, centre, centre};
            tet[1][axis] += 2;
            for (std::size_t e = 0; e < 2; ++e) {
              Cell& corner = tet[2 + e];
              corner[axis] += 1;
              corner[(axis + 1) % 3] += kRound[k + e][0];
              corner[(axis + 2) % 3] += kRound[k + e][1];
            }
            visit(tet);
          }
        }
      }
    }
  }
}

std::array<double, 4> barycentric(const Corners& x, const Vec3& p) {
  std::array<double, 4> weights{};
  const double whole = stages::tet_bake::signedVolume(x);
  for (std::size_t i = 0; i < 4; ++i) {
    Corners part = x;
    part[i] = p;
    weights[i] = stages::tet_bake::signedVolume(part) / whole;
  }
  return weights;
}

bool isWithin(const std::array<double, 4>& weights) {
  return *std::min_element(weights.begin(), weights.end()) >= kInside;
}

void makeSurface(Limb& limb) {
  const LimbShape& shape = limb.shape;
  for (int ring = 0; ring <= shape.rings; ++ring) {
    const double z = shape.length_m * (static_cast<double>(ring) / shape.rings - 0.5);
    for (int i = 0; i < shape.sides; ++i) {
      const auto rotation = portable::sinCos(2.0 * kPi * i / shape.sides);
      limb.surface.push_back({shape.radius_m * rotation.cosine, shape.radius_m * rotation.sine, z});
    }
  }
  const auto at = [&](int ring, int i) {
    return static_cast<std::uint32_t>(ring * shape.sides + i % shape.sides);
  };
  const auto add = [&](std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    limb.triangles.insert(limb.triangles.end(), {a, b, c});
  };
  for (int i = 0; i < shape.sides; ++i) {
    for (int ring = 0; ring < shape.rings; ++ring) {
      add(at(ring, i), at(ring, i + 1), at(ring + 1, i + 1));
      add(at(ring, i), at(ring + 1, i + 1), at(ring + 1, i));
    }
    if (i == 0 || i + 1 == shape.sides) continue;
    add(at(0, 0), at(0, i + 1), at(0, i));
    add(at(shape.rings, 0), at(shape.rings, i), at(shape.rings, i + 1));
  }
}

void fill(Limb& limb) {
  Lattice lattice{limb.shape, {}, {}, {}};
  std::map<Cell, std::vector<Vec3>> surface_in_cell;
  for (const Vec3& p : limb.surface) surface_in_cell[lattice.cellOf(p)].push_back(p);
  const auto holdsSurface = [&](const HalfTet& tet, const Corners& x) {
    for (std::size_t i = 0; i < 2; ++i) {
      const auto found = surface_in_cell.find(lattice.cellOf(lattice.positionOf(tet[i])));
      if (found == surface_in_cell.end()) continue;
      for (const Vec3& p : found->second) {
        if (isWithin(barycentric(x, p))) return true;
      }
    }
    return false;
  };
  forEachTet(limb.shape, [&](const HalfTet& tet) {
    Corners x;
    bool is_interior = false;
    for (std::size_t i = 0; i < 4; ++i) {
      x[i] = lattice.positionOf(tet[i]);
      is_interior = is_interior || lattice.isInside(x[i]);
    }
    if (!is_interior && !holdsSurface(tet, x)) return;
    const auto index = static_cast<std::uint32_t>(lattice.mesh.tets.size());
    for (std::size_t i = 0; i < 2; ++i) {
      lattice.tets_in_cell[lattice.cellOf(x[i])].push_back(index);
    }
    lattice.mesh.tets.push_back({lattice.cornerAt(tet[0]), lattice.cornerAt(tet[1]),
                                 lattice.cornerAt(tet[2]), lattice.cornerAt(tet[3])});
  });
  for (const Vec3& p : limb.surface) {
    for (std::uint32_t t : lattice.tets_in_cell[lattice.cellOf(p)]) {
      const auto weights =
          barycentric(stages::tet_bake::cornersOf(lattice.mesh.positions, lattice.mesh.tets[t]), p);
      if (!isWithin(weights)) continue;
      limb.embeddings.push_back({t, weights, Vec3(0.0)});
      break;
    }
  }
  limb.tets = std::move(lattice.mesh);
}

}  // namespace

Limb makeLimb(const LimbShape& shape) {
  Limb limb;
  limb.shape = shape;
  makeSurface(limb);
  fill(limb);
  const double core_m = shape.core_share * shape.radius_m;
  const double end_m = 0.5 * shape.length_m - shape.cell_m;
  for (const Vec3& p : limb.tets.positions) {
    const bool is_held = p.x * p.x + p.y * p.y < core_m * core_m || std::abs(p.z) > end_m;
    limb.tets.hold.push_back(is_held ? std::numeric_limits<double>::infinity() : 0.0);
  }
  return limb;
}

Vec3 limbRotated(const LimbShape& shape, const LimbPose& pose, const Vec3& rest) {
  const double weight = lowerWeight(rest.z, shape.radius_m);
  const Quat rotation = rotationAbout(pose.axis, pose.angle_rad);
  return normalizedOrIdentity(kIdentityRotation * (1.0 - weight) + rotation * weight) * rest;
}

std::vector<Vec3> limbSurface(const Limb& limb, std::span<const Vec3> corners) {
  std::vector<Vec3> surface;
  for (const stages::tet_bake::Embedding& embedding : limb.embeddings) {
    const Corners x = stages::tet_bake::cornersOf(corners, limb.tets.tets[embedding.tet]);
    Vec3 position(0.0);
    for (std::size_t i = 0; i < 4; ++i) position += embedding.weights[i] * x[i];
    surface.push_back(position);
  }
  return surface;
}

double enclosedVolume(const Limb& limb, std::span<const Vec3> surface) {
  double sum = 0.0;
  for (std::size_t i = 0; i < limb.triangles.size(); i += 3) {
    const Vec3 &a = surface[limb.triangles[i]], &b = surface[limb.triangles[i + 1]];
    sum += glm::dot(a, glm::cross(b, surface[limb.triangles[i + 2]]));
  }
  return sum / 6.0;
}

}  // namespace clipmill::test
