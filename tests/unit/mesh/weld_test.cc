// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "mesh/weld.h"

#include "checks.h"

TEST_SUITE_BEGIN("mesh.weld");

using namespace clipmill;

namespace {

// Two triangles with a common edge, no vertex shared.
SkinnedMesh twoTriangles() {
  SkinnedMesh mesh;
  mesh.name = "Flag";
  mesh.node = 3;
  mesh.positions = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0),
                    Vec3(1, 0, 0), Vec3(1, 1, 0), Vec3(0, 1, 0)};
  mesh.triangles = {0, 1, 2, 3, 4, 5};
  mesh.influence_start = {0, 1, 2, 3, 4, 5, 6};
  mesh.influences.assign(6, {0, 1.0});
  return mesh;
}

}  // namespace

TEST_CASE("Vertices with equal attributes become one, in order of use") {
  const SkinnedMesh mesh = twoTriangles(), welded = weldVertices(mesh);
  CHECK(welded.vertexCount() == 4);
  CHECK(welded.triangles == std::vector<std::uint32_t>{0, 1, 2, 1, 3, 2});
  CHECK(welded.influence_start == std::vector<std::size_t>{0, 1, 2, 3, 4});
  CHECK(welded.name == "Flag");
  CHECK(welded.node == 3);
  for (std::size_t i = 0; i < 6; ++i) {
    CHECK(welded.positions[welded.triangles[i]] == mesh.positions[mesh.triangles[i]]);
  }
}

TEST_CASE("Vertices that move differently stay apart") {
  SkinnedMesh mesh = twoTriangles();
  mesh.influences[3].joint = 1;
  CHECK(weldVertices(mesh).vertexCount() == 5);
  mesh.morphs = {{"Open", std::vector<Vec3>(6, Vec3(0.0)), {}}};
  mesh.morphs[0].position_deltas[5] = Vec3(0, 1, 0);
  const SkinnedMesh welded = weldVertices(mesh);
  CHECK(welded.vertexCount() == 6);
  CHECK(welded.morphs[0].position_deltas[5] == Vec3(0, 1, 0));
}

TEST_CASE("Vertices with different tangents stay apart") {
  SkinnedMesh mesh = twoTriangles();
  mesh.tangents.assign(6, Vec4(1, 0, 0, 1));
  CHECK(weldVertices(mesh).vertexCount() == 4);
  mesh.tangents[3].w = -1;
  const SkinnedMesh welded = weldVertices(mesh);
  CHECK(welded.tangents.size() == 5);
  CHECK(welded.tangents[3].w == -1);
}

TEST_CASE("Vertices that no triangle uses are left out") {
  SkinnedMesh mesh = twoTriangles();
  mesh.triangles.resize(3);
  CHECK(weldVertices(mesh).vertexCount() == 3);
}
