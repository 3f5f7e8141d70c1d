// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "mesh/split_corners.h"

#include <limits>

#include "checks.h"

TEST_SUITE_BEGIN("mesh.split_corners");

namespace {

using namespace clipmill;
using Indices = std::vector<std::uint32_t>;

// Two triangles that share the edge from vertex 1 to vertex 2; vertex 4 belongs to none. Every
// attribute identifies the vertex it belongs to.
SkinnedMesh square() {
  SkinnedMesh mesh;
  mesh.name = "Square";
  mesh.node = 3;
  mesh.primitive = 2;
  mesh.skin = 0;
  mesh.material = 5;
  for (int v = 0; v < 5; ++v) {
    mesh.positions.emplace_back(v, 0, 0);
    mesh.normals.emplace_back(0, v, 0);
    mesh.uvs.emplace_back(v, 0.5);
    mesh.colors.emplace_back(0, 0, v, 1);
  }
  mesh.triangles = {2, 0, 1, 1, 3, 2};
  mesh.influence_start = {0, 1, 3, 4, 4, 4};
  mesh.influences = {{0, 1.0}, {1, 0.5}, {2, 0.5}, {3, 1.0}};
  mesh.morphs = {{"Up", mesh.positions, {}}, {"Spin", {}, mesh.normals}};
  return mesh;
}

// The surface as each corner sees it: what splitting may not change.
struct Corner {
  Vec3 position, normal;
  Vec2 uv;
  Vec4 color;
  bool operator==(const Corner&) const = default;
};

std::vector<Corner> cornersOf(const SkinnedMesh& mesh) {
  std::vector<Corner> corners;
  for (std::size_t c = 0; c < mesh.triangles.size(); ++c) {
    const std::size_t v = mesh.triangles[c];
    const CornerAttributes& own = mesh.corners;
    corners.push_back({mesh.positions[v], own.normals.empty() ? mesh.normals[v] : own.normals[c],
                       own.uvs.empty() ? mesh.uvs[v] : own.uvs[c],
                       own.colors.empty() ? mesh.colors[v] : own.colors[c]});
  }
  return corners;
}

}  // namespace

TEST_CASE("A mesh without corner attributes and materials of triangles is unchanged") {
  const auto meshes = splitCorners(square());
  REQUIRE(meshes.size() == 1);
  CHECK(meshes[0].vertexCount() == 5);
  CHECK(meshes[0].triangles == square().triangles);
  CHECK(meshes[0].primitive == 2);
  CHECK_FALSE(needsSplit(square()));
}

TEST_CASE("Vertices occur once where their corners agree, in the order of first use") {
  SkinnedMesh mesh = square();
  mesh.corners.uvs.assign(6, Vec2(0.25, 0.75));
  const auto meshes = splitCorners(mesh);
  REQUIRE(meshes.size() == 1);
  CHECK(meshes[0].positions ==
        std::vector<Vec3>{Vec3(2, 0, 0), Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(3, 0, 0)});
  CHECK(meshes[0].triangles == Indices{0, 1, 2, 2, 3, 0});
  CHECK(meshes[0].material == 5);
  CHECK(meshes[0].corners.uvs.empty());
  CHECK(cornersOf(meshes[0]) == cornersOf(mesh));
}

TEST_CASE("A seam in any one attribute doubles the vertices on it, and no corner changes") {
  SkinnedMesh mesh = square();
  SUBCASE("normals") {
    mesh.corners.normals = {Vec3(1, 0, 0), Vec3(1, 0, 0), Vec3(1, 0, 0),
                            Vec3(0, 1, 0), Vec3(0, 1, 0), Vec3(0, 1, 0)};
  }
  SUBCASE("tangents") {
    mesh.corners.tangents.assign(3, Vec4(1, 0, 0, 1));
    mesh.corners.tangents.insert(mesh.corners.tangents.end(), 3, Vec4(1, 0, 0, -1));
  }
  SUBCASE("texture coordinates") {
    mesh.corners.uvs = {Vec2(0, 0), Vec2(0, 0), Vec2(0, 0), Vec2(0, 1), Vec2(0, 1), Vec2(0, 1)};
  }
  SUBCASE("colours") {
    mesh.corners.colors.assign(3, Vec4(1, 0, 0, 1));
    mesh.corners.colors.insert(mesh.corners.colors.end(), 3, Vec4(1, 0, 0, 0.5));
  }
  const auto meshes = splitCorners(mesh);
  REQUIRE(meshes.size() == 1);
  CHECK(meshes[0].vertexCount() == 6);
  CHECK(meshes[0].triangles == Indices{0, 1, 2, 3, 4, 5});
  CHECK(cornersOf(meshes[0]) == cornersOf(mesh));
  CHECK(meshes[0].tangents == mesh.corners.tangents);
}

TEST_CASE("A seam at one end of an edge leaves the other end whole") {
  SkinnedMesh mesh = square();
  mesh.corners.uvs.assign(6, Vec2(0, 0));
  mesh.corners.uvs[3] = Vec2(1, 0);  // vertex 1 in the second triangle
  const auto meshes = splitCorners(mesh);
  CHECK(meshes[0].triangles == Indices{0, 1, 2, 3, 4, 0});
  CHECK(cornersOf(meshes[0]) == cornersOf(mesh));
}

TEST_CASE("Negative zero equals zero, and NaN equals itself") {
  SkinnedMesh mesh = square();
  mesh.corners.uvs.assign(6, Vec2(0.0, std::numeric_limits<double>::quiet_NaN()));
  mesh.corners.uvs[3].x = -0.0;
  CHECK(splitCorners(mesh)[0].vertexCount() == 4);
}

TEST_CASE("Influences and morph deltas follow their vertices") {
  SkinnedMesh mesh = square();
  mesh.corners.uvs.assign(6, Vec2(0, 0));
  mesh.corners.uvs[3] = Vec2(1, 0);
  const SkinnedMesh split = splitCorners(mesh)[0];
  // Vertices 2, 0, 1, 1 again, 3.
  CHECK(split.influence_start == std::vector<std::size_t>{0, 1, 2, 4, 6, 6});
  CHECK(split.influences[0].joint == 3);
  CHECK(split.influences[1].joint == 0);
  CHECK(split.influences[4].joint == 1);
  CHECK(split.influences[5].weight == 0.5);
  REQUIRE(split.morphs.size() == 2);
  CHECK(split.morphs[0].name == "Up");
  CHECK(split.morphs[0].position_deltas == split.positions);
  CHECK(split.morphs[0].normal_deltas.empty());
  CHECK(split.morphs[1].normal_deltas == split.normals);
}

TEST_CASE("Each material of triangles becomes a mesh, in the order of first use") {
  SkinnedMesh mesh = square();
  mesh.triangles = {2, 0, 1, 1, 3, 2, 0, 1, 3};
  mesh.triangle_materials = {7, -1, 7};
  const auto meshes = splitCorners(mesh);
  REQUIRE(meshes.size() == 2);
  CHECK(meshes[0].material == 7);
  CHECK(meshes[0].primitive == 2);
  CHECK(meshes[0].triangles == Indices{0, 1, 2, 1, 2, 3});
  CHECK(meshes[0].vertexCount() == 4);
  CHECK(meshes[0].triangle_materials.empty());
  CHECK(meshes[1].material == -1);
  CHECK(meshes[1].primitive == 3);
  CHECK(meshes[1].node == 3);
  CHECK(meshes[1].name == "Square");
  CHECK(meshes[1].positions == std::vector<Vec3>{Vec3(1, 0, 0), Vec3(3, 0, 0), Vec3(2, 0, 0)});
  CHECK(meshes[1].influence_start == std::vector<std::size_t>{0, 2, 2, 3});
}
