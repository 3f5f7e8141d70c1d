// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/tets/lattice.h"

#include <algorithm>
#include <map>
#include <set>

#include "checks.h"
#include "core/disjoint_sets.h"
#include "stages/tet_bake/make_limb.h"
#include "stages/tet_bake/make_solids.h"

TEST_SUITE_BEGIN("tet_bake.lattice");

using namespace clipmill;
using namespace clipmill::stages::tet_bake;

namespace {

struct Filled {
  SkinSurface surface;
  std::vector<BakeBone> bones;
  Lattice lattice;
  Warnings warnings;
};

Filled fill(const Scene& scene, const LatticeOptions& options = {}) {
  Filled filled{test::surfaceOf(scene), {}, {}, {}};
  filled.bones = findBones(filled.surface, scene.skeleton);
  auto lattice = makeLattice(filled.surface, filled.bones, options, filled.warnings);
  CHECK_OK(lattice);
  filled.lattice = std::move(*lattice);
  return filled;
}

Vec3 carried(const Lattice& lattice, std::size_t point) {
  const Embedding& embedding = lattice.embeddings[point];
  Vec3 position = embedding.offset;
  for (std::size_t k = 0; k < 4; ++k) {
    position += embedding.weights[k] * lattice.mesh.positions[lattice.mesh.tets[embedding.tet][k]];
  }
  return position;
}

double volumeOf(const TetMesh& mesh, const Tet& tet) {
  const Vec3& a = mesh.positions[tet[0]];
  return glm::determinant(Mat3(mesh.positions[tet[1]] - a, mesh.positions[tet[2]] - a,
                               mesh.positions[tet[3]] - a)) /
         6.0;
}

// Every corner of the tetrahedra, in sets that edges join.
DisjointSets islandsOf(const TetMesh& mesh) {
  DisjointSets islands(mesh.vertexCount());
  for (const Tet& tet : mesh.tets) {
    for (std::size_t k = 1; k < 4; ++k) islands.unite(tet[0], tet[k]);
  }
  return islands;
}

std::size_t islandCount(const TetMesh& mesh) {
  DisjointSets islands = islandsOf(mesh);
  std::set<std::uint32_t> names;
  for (std::uint32_t v = 0; v < mesh.vertexCount(); ++v) names.insert(islands.find(v));
  return names.size();
}

// Whether every point is moved to its position by weights of one tetrahedron that holds it.
void checkCovered(const Filled& filled) {
  double farthest = 0.0, least = 1.0;
  for (std::size_t p = 0; p < filled.surface.pointCount(); ++p) {
    farthest =
        std::max(farthest, test::distance(carried(filled.lattice, p), filled.surface.positions[p]));
    for (const double weight : filled.lattice.embeddings[p].weights) {
      least = std::min(least, weight);
    }
  }
  CHECK(farthest < 1e-9);
  CHECK(least > -1e-8);
}

}  // namespace

TEST_CASE("a limb is filled: every point is in a tetrahedron, and the rest pose maps to itself") {
  const Filled filled = fill(test::limbScene());
  checkCovered(filled);
  CHECK(filled.lattice.doubled_tet_count == 0);
  CHECK(islandCount(filled.lattice.mesh) == 1);
  CHECK(filled.lattice.mesh.tets.size() > 8000);
  CHECK(filled.lattice.mesh.tets.size() < 14000);
}

TEST_CASE("the tetrahedra hold the whole volume of the body and a layer around it") {
  const Filled filled = fill(test::limbScene(), {0.0125});
  double volume = 0.0;
  for (const Tet& tet : filled.lattice.mesh.tets) {
    const double own = volumeOf(filled.lattice.mesh, tet);
    CHECK(own == test::nearTo(0.0125 * 0.0125 * 0.0125 / 12.0, 1e-9));
    volume += own;
  }
  const double body = kPi * 0.05 * 0.05 * 0.4;
  CHECK(volume > body);
  CHECK(volume < body * 1.5);
  CHECK(filled.lattice.cell_m == 0.0125);
}

TEST_CASE("samples cover the surface") {
  const Filled filled = fill(test::limbScene());
  double area = 0.0;
  for (const SurfaceSample& sample : filled.lattice.samples) {
    area += sample.area_m2;
    Vec3 on_surface(0.0), in_tet(0.0);
    for (std::size_t i = 0; i < 3; ++i) {
      on_surface += sample.point_weights[i] * filled.surface.positions[sample.points[i]];
    }
    for (std::size_t k = 0; k < 4; ++k) {
      in_tet += sample.weights[k] *
                filled.lattice.mesh.positions[filled.lattice.mesh.tets[sample.tet][k]];
    }
    REQUIRE(test::distance(on_surface, in_tet) < 1e-12);
  }
  const std::vector<double> areas = pointAreas(filled.surface);
  double expected = 0.0;
  for (const double own : areas) expected += own;
  CHECK(area == test::nearTo(expected, 1e-6));
}

TEST_CASE("the lattice scales with the body") {
  const Filled metres = fill(test::limbScene());
  for (const double unit : {1e-3, 1e2}) {
    const Filled scaled = fill(test::limbScene({0.05 * unit, 0.2 * unit}));
    REQUIRE(scaled.lattice.mesh.tets == metres.lattice.mesh.tets);
    CHECK(scaled.lattice.cell_m == doctest::Approx(unit * metres.lattice.cell_m));
    for (std::size_t v = 0; v < metres.lattice.mesh.vertexCount(); ++v) {
      const Vec3 expected = unit * metres.lattice.mesh.positions[v];
      REQUIRE(test::distance(scaled.lattice.mesh.positions[v], expected) < 1e-9 * unit);
    }
  }
}

TEST_CASE("cells grow until the number of tetrahedra is allowed") {
  const Filled filled = fill(test::limbScene(), {0.004, 0, 9000});
  CHECK(filled.lattice.mesh.tets.size() <= 9000);
  CHECK(filled.lattice.mesh.tets.size() > 5000);
  CHECK(filled.warnings.count("cells_enlarged") == 1);
  checkCovered(filled);
}

TEST_CASE("fingers side by side in the same cells are not glued") {
  // Two bars 1 mm apart on bones of their own, in cells of 2 cm.
  const Scene scene = test::barsScene({{Vec3(0.0005, -0.015, 0), Vec3(0.0305, 0.015, 0.2), 0},
                                       {Vec3(-0.0305, -0.015, 0), Vec3(-0.0005, 0.015, 0.2), 1}});
  const Filled filled = fill(scene, {0.02});
  checkCovered(filled);
  CHECK(islandCount(filled.lattice.mesh) == 2);
  DisjointSets islands = islandsOf(filled.lattice.mesh);
  std::map<std::uint32_t, std::set<std::uint32_t>> nodes_of_island;
  for (std::size_t p = 0; p < filled.surface.pointCount(); ++p) {
    const Tet& tet = filled.lattice.mesh.tets[filled.lattice.embeddings[p].tet];
    nodes_of_island[islands.find(tet[0])].insert(dominantNode(filled.surface.influencesOf(p)));
  }
  for (const auto& [island, nodes] : nodes_of_island) CHECK(nodes.size() == 1);
}

TEST_CASE("a bar in contact with another on the same bone stays with it") {
  const Scene scene = test::barsScene({{Vec3(0.0005, -0.015, 0), Vec3(0.0305, 0.015, 0.2), 0},
                                       {Vec3(-0.0305, -0.015, 0), Vec3(-0.0005, 0.015, 0.2), 0}});
  const Filled filled = fill(scene, {0.02});
  checkCovered(filled);
  CHECK(filled.lattice.doubled_tet_count == 0);
  CHECK(islandCount(filled.lattice.mesh) == 1);
}

TEST_CASE("legs are one body at the crotch and two below it") {
  const Filled filled = fill(test::forkScene(), {0.02});
  checkCovered(filled);
  CHECK(islandCount(filled.lattice.mesh) == 1);
  CHECK(filled.lattice.doubled_tet_count > 50);
  // No tetrahedron that carries a point well down one leg has a corner of one that carries the
  // other.
  std::set<std::uint32_t> corners[2];
  for (std::size_t p = 0; p < filled.surface.pointCount(); ++p) {
    if (filled.surface.positions[p].y > -0.06) continue;
    const int side = filled.surface.positions[p].x > 0.0 ? 1 : 0;
    const Tet& tet = filled.lattice.mesh.tets[filled.lattice.embeddings[p].tet];
    corners[side].insert(tet.begin(), tet.end());
  }
  REQUIRE(corners[0].size() > 100);
  for (const std::uint32_t corner : corners[0]) CHECK(corners[1].count(corner) == 0);
}

TEST_CASE("a bent-over solid is not cut where its own weights change") {
  // One bar whose halves follow different bones without any blend.
  const Scene scene = test::barsScene({{Vec3(-0.03, -0.03, -0.2), Vec3(0.03, 0.03, 0.2), -1}});
  const Filled filled = fill(scene, {0.02});
  CHECK(filled.lattice.doubled_tet_count == 0);
  CHECK(islandCount(filled.lattice.mesh) == 1);
}

TEST_CASE("surfaces inside out, doubled or without their caps are filled alike") {
  const Scene scene = test::limbScene();
  const Filled plain = fill(scene, {0.0125});
  Scene inverted = scene;
  std::vector<std::uint32_t>& triangles = inverted.meshes[0].triangles;
  for (std::size_t t = 0; t < triangles.size(); t += 3) std::swap(triangles[t], triangles[t + 1]);
  CHECK(fill(inverted, {0.0125}).lattice.mesh.tets == plain.lattice.mesh.tets);

  Scene doubled = scene;
  doubled.meshes[0].triangles.insert(doubled.meshes[0].triangles.end(), triangles.begin(),
                                     triangles.end());
  CHECK(fill(doubled, {0.0125}).lattice.mesh.tets == plain.lattice.mesh.tets);

  Scene open = scene;
  std::vector<std::uint32_t> side;
  for (std::size_t t = 0; t < scene.meshes[0].triangles.size(); t += 3) {
    const std::uint32_t* corners = &scene.meshes[0].triangles[t];
    const auto isEnd = [&](std::size_t i) {
      return std::abs(scene.meshes[0].positions[corners[i]].z) > 0.1999;
    };
    if (!(isEnd(0) && isEnd(1) && isEnd(2))) side.insert(side.end(), corners, corners + 3);
  }
  open.meshes[0].triangles = side;
  const Filled tube = fill(open, {0.0125});
  CHECK(std::abs(static_cast<double>(tube.lattice.mesh.tets.size()) -
                 static_cast<double>(plain.lattice.mesh.tets.size())) <
        0.05 * static_cast<double>(plain.lattice.mesh.tets.size()));
}

TEST_CASE("hair cards and skirts pass through") {
  Scene scene = test::limbScene();
  test::addCard(scene, Vec3(0.05, 0, 0), Vec3(0.1, 0, 0), Vec3(0, 0.3, 0));
  const Filled filled = fill(scene, {0.0125});
  CHECK(filled.lattice.sheet_count == 1);
  CHECK(filled.lattice.mesh.tets == fill(test::limbScene(), {0.0125}).lattice.mesh.tets);
  for (const std::uint32_t point : filled.surface.parts[1].point_of_vertex) {
    CHECK(filled.surface.share[point] == 0.0);
  }
  for (const std::uint32_t point : filled.surface.parts[0].point_of_vertex) {
    CHECK(filled.surface.share[point] == 1.0);
  }
}

TEST_CASE("cells do not move the skin of bones that are too thin for them") {
  const Scene scene = test::barsScene({{Vec3(-0.1, -0.1, 0), Vec3(0.1, 0.1, 0.4), 0},
                                       {Vec3(0.2, -0.005, 0), Vec3(0.21, 0.005, 0.3), 1}},
                                      Vec3(0.205, 0, 0));
  const Filled filled = fill(scene, {0.05});
  for (std::size_t p = 0; p < filled.surface.pointCount(); ++p) {
    const bool is_thick = dominantNode(filled.surface.influencesOf(p)) == 0;
    CHECK(filled.lattice.cell_shares[p] == (is_thick ? 1.0 : 0.0));
    CHECK(filled.surface.share[p] == 1.0);
  }
  const Scene thick = test::barsScene({{Vec3(-0.1, -0.1, 0), Vec3(0.1, 0.1, 0.4), 0}});
  CHECK(fill(thick, {0.05}).lattice.cell_shares.empty());
}

TEST_CASE("what has no volume, or no usable size, is refused") {
  Scene scene = test::limbScene();
  scene.meshes.clear();
  test::addCard(scene, Vec3(0), Vec3(1, 0, 0), Vec3(0, 1, 0));
  SkinSurface surface = test::surfaceOf(scene);
  Warnings warnings;
  const auto flat = makeLattice(surface, findBones(surface, scene.skeleton), {}, warnings);
  REQUIRE_FALSE(flat.ok());
  CHECK(flat.error().code == ErrorCode::kUnsupported);
  for (const double size : {1e-40, 1e40, 1e200}) {
    const Scene odd = test::limbScene({size, 4.0 * size});
    SkinSurface odd_surface = test::surfaceOf(odd);
    CHECK_FALSE(makeLattice(odd_surface, findBones(odd_surface, odd.skeleton), {}, warnings).ok());
  }
}

TEST_CASE("a few triangles over a long distance stay within bounds") {
  // Two bodies of 10 cm, 10 km apart: the grid of all that lies between them stays small.
  Scene scene =
      test::barsScene({{Vec3(0), Vec3(0.1, 0.1, 0.1), 0}, {Vec3(1e4), Vec3(1e4) + Vec3(0.1), 1}});
  const Filled filled = fill(scene, {0.01});
  CHECK(filled.lattice.mesh.tets.size() < 30000);
  CHECK(filled.warnings.count("cells_enlarged") == 1);
}

TEST_SUITE_END();
