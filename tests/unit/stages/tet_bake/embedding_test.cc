// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/tets/embedding.h"

#include <algorithm>

#include "checks.h"
#include "random.h"
#include "stages/tet_bake/make_limb.h"
#include "stages/tet_bake/make_solids.h"
#include "stages/tet_bake/tets/lattice.h"
#include "stages/tet_bake/tets/tet_tree.h"

TEST_SUITE_BEGIN("tet_bake.embedding");

using namespace clipmill;
using namespace clipmill::stages::tet_bake;
using test::distance;

namespace {

TetMesh oneTet() {
  TetMesh mesh;
  mesh.positions = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)};
  mesh.tets = {{0, 1, 2, 3}};
  return mesh;
}

struct Limb {
  SkinSurface surface;
  Lattice lattice;
};

Limb latticeLimb() {
  const Scene scene = test::limbScene();
  Limb limb{test::surfaceOf(scene), {}};
  Warnings warnings;
  limb.lattice =
      makeLattice(limb.surface, findBones(limb.surface, scene.skeleton), {}, warnings).value();
  return limb;
}

std::vector<Vec3> carried(const TetMesh& mesh, const std::vector<Embedding>& embeddings,
                          const std::vector<Vec3>& points, const Affine& map) {
  std::vector<Vec3> corners, positions(points.size());
  for (const Vec3& corner : mesh.positions) corners.push_back(transformPoint(map, corner));
  SurfaceMap(mesh, embeddings, points).apply(corners, positions);
  return positions;
}

const Affine kRigid =
    toAffine({Vec3(1, 2, 3), rotationAbout(glm::normalize(Vec3(3, -1, 2)), 2.1), Vec3(1)});

}  // namespace

TEST_CASE("a point in a tetrahedron has the coordinates that volumes give") {
  const auto embeddings =
      embedPoints(oneTet(), std::vector<Vec3>{Vec3(0.1, 0.2, 0.3)}, OutsideRule::kNearestPoint);
  CHECK(embeddings[0].weights[0] == doctest::Approx(0.4));
  CHECK(embeddings[0].weights[1] == doctest::Approx(0.1));
  CHECK(embeddings[0].weights[2] == doctest::Approx(0.2));
  CHECK(embeddings[0].weights[3] == doctest::Approx(0.3));
  CHECK(embeddings[0].offset == Vec3(0));
}

TEST_CASE("points of a skin are found in its lattice, and move with it") {
  const Limb limb = latticeLimb();
  std::size_t outside = 0;
  const auto embeddings =
      embedPoints(limb.lattice.mesh, limb.surface.positions, OutsideRule::kNearestPoint, &outside);
  CHECK(outside == 0);
  for (const auto& map : {Affine{}, kRigid}) {
    const auto found = carried(limb.lattice.mesh, embeddings, limb.surface.positions, map);
    const auto made =
        carried(limb.lattice.mesh, limb.lattice.embeddings, limb.surface.positions, map);
    for (std::size_t p = 0; p < found.size(); ++p) {
      const Vec3 expected = transformPoint(map, limb.surface.positions[p]);
      CHECK(distance(found[p], expected) < 1e-9);
      CHECK(distance(made[p], expected) < 1e-9);
    }
  }
}

TEST_CASE("the tree finds what a look at all tetrahedra finds") {
  test::Random random(7);
  const auto any = [&] { return Vec3(0.5) + random.vector(0.5); };
  TetMesh mesh;  // overlapping, of any orientation
  for (std::uint32_t t = 0; t < 60; ++t) {
    for (int k = 0; k < 4; ++k) mesh.positions.push_back(any());
    mesh.tets.push_back({4 * t, 4 * t + 1, 4 * t + 2, 4 * t + 3});
  }
  const TetTree tree(mesh);
  int held = 0;
  for (int i = 0; i < 2000; ++i) {
    const Vec3 point = any();
    std::uint32_t expected = TetTree::kNone;
    double largest = -1e-10;
    for (std::uint32_t t = 0; t < mesh.tets.size(); ++t) {
      const auto b = tree.barycentric(t, point);
      const double least = *std::min_element(b.begin(), b.end());
      if (least > largest) {
        largest = least;
        expected = t;
      }
    }
    if (expected != TetTree::kNone) ++held;
    REQUIRE(tree.find(point) == expected);
  }
  CHECK(held > 200);
}

TEST_CASE("a point outside is carried rigidly from the nearest point of the tetrahedra") {
  const TetMesh mesh = oneTet();
  const std::vector<Vec3> points = {Vec3(0.2, 0.3, -0.5), Vec3(2, 2, 2), Vec3(-1, -1, 3)};
  std::size_t outside = 0;
  const auto embeddings = embedPoints(mesh, points, OutsideRule::kNearestPoint, &outside);
  CHECK(outside == 3);
  CHECK(distance(embeddings[0].offset, Vec3(0, 0, -0.5)) < 1e-12);
  CHECK(distance(embeddings[1].offset, Vec3(2.0 - 1.0 / 3.0)) < 1e-12);
  CHECK(distance(embeddings[2].offset, Vec3(-1, -1, 2)) < 1e-12);
  const auto rotated = carried(mesh, embeddings, points, kRigid);
  // Where the tetrahedron grows threefold the offset keeps its length.
  const auto grown =
      carried(mesh, embeddings, points, toAffine({Vec3(0), kIdentityRotation, Vec3(3)}));
  for (std::size_t p = 0; p < points.size(); ++p) {
    for (const double weight : embeddings[p].weights) CHECK(weight > -1e-12);
    CHECK(distance(rotated[p], transformPoint(kRigid, points[p])) < 1e-12);
    const Vec3 foot = points[p] - embeddings[p].offset;
    CHECK(distance(grown[p], 3.0 * foot + embeddings[p].offset) < 1e-12);
  }
}

TEST_CASE("as published a point outside goes with the nearest centroid, extrapolated") {
  TetMesh mesh = oneTet();
  for (std::size_t k = 0; k < 4; ++k) mesh.positions.push_back(mesh.positions[k] + Vec3(2, 0, 0));
  mesh.tets.push_back({4, 5, 6, 7});
  const std::vector<Vec3> points = {Vec3(1.3, 0.3, 0.3)};  // centroids at x 0.25 and 2.25
  const auto embeddings = embedPoints(mesh, points, OutsideRule::kNearestCentroid);
  CHECK(embeddings[0].tet == 1);
  CHECK(embeddings[0].offset == Vec3(0));
  CHECK(embeddings[0].weights[1] == doctest::Approx(-0.7));
  const Affine map{Mat3(Vec3(2, 0, 1), Vec3(0, 3, 0), Vec3(1, 1, 1)), Vec3(5)};
  CHECK(distance(carried(mesh, embeddings, points, map)[0], transformPoint(map, points[0])) <
        1e-12);
}

TEST_CASE("flat tetrahedra hold nothing, and without any other points stay where they are") {
  TetMesh mesh = oneTet();
  mesh.positions[3] = Vec3(0.3, 0.3, 0);
  const std::vector<Vec3> points = {Vec3(0.3, 0.2, 0)};
  for (const TetMesh& nothing : {mesh, TetMesh{}}) {
    std::size_t outside = 0;
    const auto embeddings = embedPoints(nothing, points, OutsideRule::kNearestPoint, &outside);
    CHECK(outside == 1);
    CHECK(carried(nothing, embeddings, points, kRigid)[0] == points[0]);
  }
}

TEST_CASE("a crushed tetrahedron gives finite positions") {
  const TetMesh mesh = oneTet();
  const std::vector<Vec3> points = {Vec3(2, 2, 2), Vec3(0.1, 0.1, 0.1)};
  const auto embeddings = embedPoints(mesh, points, OutsideRule::kNearestPoint);
  for (const Affine& map : {Affine{Mat3(0.0), Vec3(1)}, Affine{Mat3(-1.0), Vec3(0)},
                            toAffine({Vec3(0), kIdentityRotation, Vec3(1, 0, 1)})}) {
    for (const Vec3& position : carried(mesh, embeddings, points, map)) CHECK(isFinite(position));
  }
}

TEST_CASE("smoothing keeps even values and reduces outliers") {
  const SkinSurface surface = test::surfaceOf(test::barsScene({{Vec3(0), Vec3(1), 0}}));
  const SurfaceSmoother smoother(surface);
  std::vector<Vec3> values(surface.pointCount(), Vec3(1, 2, 3));
  smoother.smooth(3, values);
  for (const Vec3& value : values) CHECK(distance(value, Vec3(1, 2, 3)) < 1e-14);
  values.assign(surface.pointCount(), Vec3(0));
  values[5].x = 1.0;
  smoother.smooth(1, values);
  CHECK(values[5].x == doctest::Approx(0.5));
  CHECK(*std::max_element(values.begin(), values.end(),
                          [](const Vec3& a, const Vec3& b) { return a.x < b.x; }) == values[5]);
}

TEST_CASE("normals of a limb point away from its axis") {
  const SkinSurface surface = test::surfaceOf(test::limbScene());
  std::vector<Vec3> normals(surface.pointCount());
  pointNormals(surface.positions, surface.triangles, normals);
  for (std::size_t p = 0; p < normals.size(); ++p) {
    const Vec3& position = surface.positions[p];
    if (std::abs(position.z) > 0.19) continue;
    CHECK(distance(normals[p], glm::normalize(Vec3(position.x, position.y, 0))) < 1e-3);
  }
}

TEST_SUITE_END();
