// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/tets/join_parts.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "core/disjoint_sets.h"

namespace clipmill::stages::tet_bake {
namespace {

constexpr std::uint32_t kUnused = ~std::uint32_t{0};

// Puts the tetrahedra of another part behind those here.
void appendLattice(Lattice part, Lattice& lattice) {
  const auto first_corner = static_cast<std::uint32_t>(lattice.mesh.positions.size());
  const auto first_tet = static_cast<std::uint32_t>(lattice.mesh.tets.size());
  const std::vector<Vec3>& positions = part.mesh.positions;
  lattice.mesh.positions.insert(lattice.mesh.positions.end(), positions.begin(), positions.end());
  for (Tet tet : part.mesh.tets) {
    for (std::uint32_t& corner : tet) corner += first_corner;
    lattice.mesh.tets.push_back(tet);
  }
  for (SurfaceSample sample : part.samples) {
    sample.tet += first_tet;
    lattice.samples.push_back(sample);
  }
  for (std::size_t p = 0; p < part.embeddings.size(); ++p) {
    if (part.embeddings[p].weights == std::array<double, 4>{}) continue;
    lattice.embeddings[p] = part.embeddings[p];
    lattice.embeddings[p].tet += first_tet;
  }
  lattice.doubled_tet_count += part.doubled_tet_count;
}

// Unites the corners of tetrahedra that hold the same piece of a wall.
DisjointSets unitedCorners(const TetMesh& mesh, std::vector<Portal>& portals) {
  std::sort(portals.begin(), portals.end(), [](const Portal& a, const Portal& b) {
    return std::tie(a.wall, a.grid_tet, a.tet) < std::tie(b.wall, b.grid_tet, b.tet);
  });
  DisjointSets corners(mesh.vertexCount());
  for (std::size_t i = 1; i < portals.size(); ++i) {
    const Portal &a = portals[i - 1], &b = portals[i];
    if (a.wall != b.wall || a.grid_tet != b.grid_tet) continue;
    // Corners of tetrahedra in one cell are in the same order.
    for (std::size_t k = 0; k < 4; ++k) corners.unite(mesh.tets[a.tet][k], mesh.tets[b.tet][k]);
  }
  return corners;
}

// Renumbers corners, so that each set is one.
void mergeCorners(DisjointSets corners, TetMesh& mesh) {
  std::vector<std::uint32_t> number(mesh.vertexCount(), kUnused);
  std::vector<Vec3> positions;
  for (std::uint32_t v = 0; v < number.size(); ++v) {
    if (corners.find(v) != v) continue;
    number[v] = static_cast<std::uint32_t>(positions.size());
    positions.push_back(mesh.positions[v]);
  }
  for (Tet& tet : mesh.tets) {
    for (std::uint32_t& corner : tet) corner = number[corners.find(corner)];
  }
  mesh.positions = std::move(positions);
}

// Keeps the first of tetrahedra with the same corners.
void dropDoubled(Lattice& lattice) {
  std::vector<Tet>& tets = lattice.mesh.tets;
  std::vector<std::uint32_t> order(tets.size());
  for (std::uint32_t t = 0; t < order.size(); ++t) order[t] = t;
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::tie(tets[a], a) < std::tie(tets[b], b);
  });
  std::vector<std::uint32_t> same(tets.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool is_new = i == 0 || tets[order[i]] != tets[order[i - 1]];
    same[order[i]] = is_new ? order[i] : same[order[i - 1]];
  }
  std::vector<std::uint32_t> number(tets.size(), kUnused);
  std::vector<Tet> kept;
  for (std::uint32_t t = 0; t < tets.size(); ++t) {
    if (same[t] == t) {
      number[t] = static_cast<std::uint32_t>(kept.size());
      kept.push_back(tets[t]);
    } else {
      number[t] = number[same[t]];
    }
  }
  tets = std::move(kept);
  for (Embedding& embedding : lattice.embeddings) {
    if (embedding.weights != std::array<double, 4>{}) embedding.tet = number[embedding.tet];
  }
  for (SurfaceSample& sample : lattice.samples) sample.tet = number[sample.tet];
  std::stable_sort(lattice.samples.begin(), lattice.samples.end(),
                   [](const SurfaceSample& a, const SurfaceSample& b) { return a.tet < b.tet; });
}

}  // namespace

Lattice joinParts(std::vector<FilledPart> parts, std::size_t point_count) {
  Lattice lattice;
  lattice.part_count = parts.size();
  lattice.embeddings.resize(point_count);
  std::vector<Portal> portals;
  for (FilledPart& part : parts) {
    const auto first_tet = static_cast<std::uint32_t>(lattice.mesh.tets.size());
    for (Portal portal : part.portals) {
      portal.tet += first_tet;
      portals.push_back(portal);
    }
    appendLattice(std::move(part.lattice), lattice);
  }
  if (portals.empty()) return lattice;
  mergeCorners(unitedCorners(lattice.mesh, portals), lattice.mesh);
  dropDoubled(lattice);
  return lattice;
}

}  // namespace clipmill::stages::tet_bake
