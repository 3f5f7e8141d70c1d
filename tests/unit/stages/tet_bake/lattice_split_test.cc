// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/tets/lattice_split.h"

#include <set>

#include "checks.h"
#include "core/disjoint_sets.h"

TEST_SUITE_BEGIN("tet_bake.lattice_split");

using namespace clipmill;
using namespace clipmill::stages::tet_bake;

namespace {

using Weights = std::vector<Influence>;

// One triangle across the middle of a grid of 5 cubes a side, at height `y`.
void addSheet(SkinSurface& surface, double y, const Weights& weights) {
  if (surface.influence_start.empty()) surface.influence_start.push_back(0);
  for (const Vec3& corner : {Vec3(1.3, y, 1.2), Vec3(3.7, y + 0.02, 1.4), Vec3(2.4, y, 3.8)}) {
    surface.triangles.push_back(static_cast<std::uint32_t>(surface.positions.size()));
    surface.positions.push_back(corner);
    surface.influences.insert(surface.influences.end(), weights.begin(), weights.end());
    surface.influence_start.push_back(surface.influences.size());
    surface.share.push_back(1.0);
  }
}

// Two sheets 3 cm apart in cells of a metre.
SkinSurface twoSheets(const Weights& low, const Weights& high) {
  SkinSurface surface;
  addSheet(surface, 2.31, low);
  addSheet(surface, 2.34, high);
  return surface;
}

struct Cut {
  BccGrid grid{Vec3(0.0), 1.0, {5, 5, 5}};
  LatticeCells cells;
};

// The cells that a surface passes through, none of whose corners is inside of anything.
Cut cutCells(const SkinSurface& surface) {
  Cut cut;
  LatticeCells& cells = cut.cells;
  cells.pieces = cutSurface(cut.grid, surface.positions, surface.triangles, 1'000'000);
  for (std::uint32_t p = 0; p < cells.pieces.size(); ++p) {
    if (p > 0 && cells.pieces[p].tet == cells.pieces[p - 1].tet) continue;
    cells.tets.push_back(cells.pieces[p].tet);
    cells.piece_start.push_back(p);
  }
  cells.piece_start.push_back(static_cast<std::uint32_t>(cells.pieces.size()));
  cells.is_interior.assign(cut.grid.pointCount(), 0);
  return cut;
}

SplitLattice split(const Cut& cut, const SkinSurface& surface, bool is_solid, int threads = 1) {
  return splitLattice(
      cut.grid, cut.cells, surface, surface.triangles, [&](const Vec3&) { return is_solid; },
      threads);
}

std::size_t islandCountOf(const SplitLattice& lattice) {
  DisjointSets islands(lattice.positions.size());
  for (const Tet& tet : lattice.tets) {
    for (std::size_t k = 1; k < 4; ++k) islands.unite(tet[0], tet[k]);
  }
  std::set<std::uint32_t> names;
  for (std::uint32_t v = 0; v < lattice.positions.size(); ++v) names.insert(islands.find(v));
  return names.size();
}

// Of the corners of the cells with pieces of a triangle; of all cells where none is named.
std::size_t pointCountOf(const Cut& cut, std::optional<std::uint32_t> triangle = std::nullopt) {
  std::set<std::uint32_t> points;
  for (const SurfacePiece& piece : cut.cells.pieces) {
    if (triangle && piece.triangle != *triangle) continue;
    for (const std::uint32_t point : cut.grid.pointsOf(piece.tet)) points.insert(point);
  }
  return points.size();
}

double volumeIn(const std::array<Vec3, 4>& p) {
  return glm::determinant(Mat3(p[1] - p[0], p[2] - p[0], p[3] - p[0])) / 6.0;
}

std::array<Vec3, 4> cornersOf(const SplitLattice& lattice, std::size_t tet) {
  std::array<Vec3, 4> corners;
  for (std::size_t k = 0; k < 4; ++k) corners[k] = lattice.positions[lattice.tets[tet][k]];
  return corners;
}

// Whatever is split: tetrahedra are those of the grid, and each has its pieces in it.
void checkIsOfGrid(const SplitLattice& lattice, const SkinSurface& surface) {
  for (std::size_t t = 0; t < lattice.tets.size(); ++t) {
    CHECK(volumeIn(cornersOf(lattice, t)) == test::nearTo(1.0 / 12.0, 1e-12));
  }
  REQUIRE(lattice.tet_of_piece.size() == lattice.pieces.size());
  for (std::size_t p = 0; p < lattice.pieces.size(); ++p) {
    Vec3 middle(0.0);
    for (int i = 0; i < 3; ++i) {
      const std::size_t corner = 3 * lattice.pieces[p].triangle + static_cast<std::size_t>(i);
      middle += lattice.pieces[p].middle[i] * surface.positions[surface.triangles[corner]];
    }
    const std::array<Vec3, 4> corners = cornersOf(lattice, lattice.tet_of_piece[p]);
    for (std::size_t k = 0; k < 4; ++k) {
      std::array<Vec3, 4> part = corners;
      part[k] = middle;
      CHECK(volumeIn(part) > -1e-12);
    }
  }
}

const Weights kFirst{{0, 1.0}}, kSecond{{1, 1.0}};

}  // namespace

TEST_CASE("sheets of two nodes with air between come apart") {
  const SkinSurface surface = twoSheets(kFirst, kSecond);
  const Cut cut = cutCells(surface);
  const SplitLattice lattice = split(cut, surface, false);
  // One tetrahedron for each sheet in each cell, and each sheet has its corners to itself.
  CHECK(lattice.tets.size() == cut.cells.pieces.size());
  CHECK(lattice.doubled_tet_count == cut.cells.pieces.size() - cut.cells.tets.size());
  CHECK(lattice.doubled_tet_count > 10);
  CHECK(lattice.positions.size() == pointCountOf(cut, 0) + pointCountOf(cut, 1));
  CHECK(lattice.doubled_corner_count == lattice.positions.size() - pointCountOf(cut));
  CHECK(islandCountOf(lattice) == 2);
  checkIsOfGrid(lattice, surface);
  for (std::size_t p = 0; p < lattice.pieces.size(); ++p) {
    for (std::size_t q = 0; q < p; ++q) {
      if (lattice.pieces[p].triangle == lattice.pieces[q].triangle) continue;
      CHECK(lattice.tet_of_piece[p] != lattice.tet_of_piece[q]);
    }
  }
}

TEST_CASE("sheets of one node stay together") {
  const SkinSurface surface = twoSheets(kFirst, kFirst);
  const Cut cut = cutCells(surface);
  const SplitLattice lattice = split(cut, surface, false);
  CHECK(lattice.tets.size() == cut.cells.tets.size());
  CHECK(lattice.positions.size() == pointCountOf(cut));
  CHECK(lattice.doubled_tet_count == 0);
  CHECK(lattice.doubled_corner_count == 0);
  CHECK(islandCountOf(lattice) == 1);
  checkIsOfGrid(lattice, surface);
}

TEST_CASE("sheets of two nodes with solid between stay together") {
  const SkinSurface surface = twoSheets(kFirst, kSecond);
  const Cut cut = cutCells(surface);
  const SplitLattice lattice = split(cut, surface, true);
  CHECK(lattice.doubled_tet_count == 0);
  CHECK(lattice.tets.size() == cut.cells.tets.size());
  checkIsOfGrid(lattice, surface);
}

TEST_CASE("sheets stay together where at least half of their weights agree") {
  const auto doubledFor = [](const Weights& low, const Weights& high) {
    const SkinSurface surface = twoSheets(low, high);
    return split(cutCells(surface), surface, false).doubled_tet_count;
  };
  // 0.4 of node 1 in common; with 0.3 of node 0 it is 0.7.
  CHECK(doubledFor({{0, 0.6}, {1, 0.4}}, {{1, 0.6}, {2, 0.4}}) > 10);
  CHECK(doubledFor({{0, 0.6}, {1, 0.4}}, {{1, 0.5}, {0, 0.3}, {2, 0.2}}) == 0);
  // The same node moves both most.
  CHECK(doubledFor({{0, 0.4}, {1, 0.3}, {2, 0.3}}, {{0, 0.4}, {3, 0.3}, {4, 0.3}}) == 0);
}

TEST_CASE("cells inside of a body are joined as the grid joins them") {
  Cut cut;
  for (int x = 1; x < 4; ++x) {
    for (int axis = 0; axis < 3; ++axis) {
      for (int edge = 0; edge < 4; ++edge)
        cut.cells.tets.push_back(cut.grid.tetAt({x, 2, 2}, axis, edge));
    }
  }
  std::sort(cut.cells.tets.begin(), cut.cells.tets.end());
  cut.cells.piece_start.assign(cut.cells.tets.size() + 1, 0);
  cut.cells.is_interior.assign(cut.grid.pointCount(), 1);
  const SplitLattice lattice = split(cut, SkinSurface{}, true);
  std::set<std::uint32_t> points;
  for (const std::uint32_t tet : cut.cells.tets) {
    for (const std::uint32_t point : cut.grid.pointsOf(tet)) points.insert(point);
  }
  CHECK(lattice.tets.size() == 36);
  CHECK(lattice.positions.size() == points.size());
  CHECK(lattice.doubled_corner_count == 0);
  CHECK(islandCountOf(lattice) == 1);
}

TEST_CASE("the result does not depend on the number of threads") {
  const SkinSurface surface = twoSheets(kFirst, kSecond);
  const Cut cut = cutCells(surface);
  const SplitLattice one = split(cut, surface, false, 1), four = split(cut, surface, false, 4);
  CHECK(one.tets == four.tets);
  CHECK(one.positions == four.positions);
  CHECK(one.tet_of_piece == four.tet_of_piece);
}

TEST_SUITE_END();
