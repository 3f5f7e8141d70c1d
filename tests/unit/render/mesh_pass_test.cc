// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "render/mesh_pass.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "checks.h"

TEST_SUITE_BEGIN("render.mesh_pass");

using namespace clipmill;
using namespace clipmill::render;

namespace {

constexpr int kSize = 48;

// Looks along -z at a square of two metres about the origin.
Camera makeCamera() {
  const CameraAxes axes{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  Outline outline;
  for (const Vec3& p : {Vec3(-1, -1, 0), Vec3(1, 1, 0)}) outline.add(p);
  return frameOutline(axes, outline, {0, 0, kSize, kSize});
}

// A square facing the eye, half a side long, in one colour that takes no light.
struct Square {
  SkinnedMesh mesh;
  Square(double half, double z, int material) {
    mesh.positions = {{-half, -half, z}, {half, -half, z}, {half, half, z}, {-half, half, z}};
    mesh.triangles = {0, 1, 2, 0, 2, 3};
    mesh.material = material;
  }
  PosedMesh posed() const { return {mesh.positions, {}, mesh.triangles, &mesh}; }
};

std::vector<Surface> makeSurfaces() {
  std::vector<Surface> surfaces(3);
  surfaces[0].color = Vec4(1, 0, 0, 1);
  surfaces[1].color = Vec4(0, 1, 0, 1);
  surfaces[2].color = Vec4(0, 0, 1, 1);
  for (Surface& surface : surfaces) surface.unlit = true;
  return surfaces;
}

std::string drawn(const std::vector<PosedMesh>& meshes, const std::vector<Surface>& surfaces,
                  std::size_t* left_out = nullptr) {
  Film film(kSize, kSize, Vec3(1.0));
  const std::size_t count = drawMeshes(film, makeCamera(), meshes, surfaces, Lights{});
  if (left_out) *left_out = count;
  return hashHex(film.develop());
}

}  // namespace

TEST_CASE("nearer triangles hide farther ones, in any order") {
  const std::vector<Surface> surfaces = makeSurfaces();
  const Square squares[] = {{0.8, -0.5, 0}, {0.5, 0.0, 1}, {0.2, 0.4, 2}};
  std::vector<std::size_t> order = {0, 1, 2};
  std::string first;
  do {
    std::vector<PosedMesh> meshes;
    for (std::size_t i : order) meshes.push_back(squares[i].posed());
    const std::string hash = drawn(meshes, surfaces);
    if (first.empty()) first = hash;
    CHECK(hash == first);
  } while (std::next_permutation(order.begin(), order.end()));
  Film film(kSize, kSize, Vec3(1.0));
  drawMeshes(film, makeCamera(), {squares[0].posed(), squares[1].posed(), squares[2].posed()},
             surfaces, Lights{});
  CHECK(test::distance(film.at(kSize / 2, kSize / 2), Vec3(0, 0, 1)) < 1e-6);
  CHECK(test::distance(film.at(kSize / 2 + 9, kSize / 2), Vec3(0, 1, 0)) < 1e-6);
  CHECK(test::distance(film.at(kSize / 2 + 14, kSize / 2), Vec3(1, 0, 0)) < 1e-6);
  CHECK(test::distance(film.at(1, 1), Vec3(1.0)) < 1e-6);
}

TEST_CASE("both windings of a triangle look the same") {
  const std::vector<Surface> surfaces(1);
  Square square(0.7, 0.0, 0);
  const std::string hash = drawn({square.posed()}, surfaces);
  square.mesh.triangles = {0, 2, 1, 0, 3, 2};
  CHECK(drawn({square.posed()}, surfaces) == hash);
}

TEST_CASE("a surface with alpha 0.5 covers half of every pixel, a masked one all or nothing") {
  std::vector<Surface> surfaces = makeSurfaces();
  const Square square(0.8, 0.0, 0);
  const auto middle = [&] {
    Film film(kSize, kSize, Vec3(0.0));
    drawMeshes(film, makeCamera(), {square.posed()}, surfaces, Lights{});
    return film.at(kSize / 2, kSize / 2).x;
  };
  surfaces[0].color.w = 0.5;
  CHECK(middle() == doctest::Approx(1.0));
  surfaces[0].alpha_mode = AlphaMode::kBlend;
  CHECK(middle() == doctest::Approx(0.5));
  surfaces[0].alpha_mode = AlphaMode::kMask;
  CHECK(middle() == doctest::Approx(1.0));
  surfaces[0].alpha_cutoff = 0.6;
  CHECK(middle() == 0.0);
}

TEST_CASE("an image is laid out by its coordinates, from the top left, and repeats") {
  std::vector<Surface> surfaces = makeSurfaces();
  surfaces[0].color = Vec4(1.0);
  surfaces[0].base = std::make_shared<const render::Image>(
      render::Image{2, 2, {255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 255, 255, 255, 255}});
  Square square(0.8, 0.0, 0);
  for (const double rotation : {0.0, 1.0, -3.0}) {
    square.mesh.uvs = {{0 + rotation, 1}, {1 + rotation, 1}, {1 + rotation, 0}, {0 + rotation, 0}};
    Film film(kSize, kSize, Vec3(0.0));
    drawMeshes(film, makeCamera(), {square.posed()}, surfaces, Lights{});
    CHECK(test::distance(film.at(14, 14), Vec3(1, 0, 0)) < 1e-6);
    CHECK(test::distance(film.at(34, 14), Vec3(0, 1, 0)) < 1e-6);
    CHECK(test::distance(film.at(14, 34), Vec3(0, 0, 1)) < 1e-6);
    CHECK(test::distance(film.at(34, 34), Vec3(1, 1, 1)) < 1e-6);
  }
}

TEST_CASE("triangles without finite position are counted and left out") {
  const std::vector<Surface> surfaces = makeSurfaces();
  Square square(0.8, 0.0, 0);
  std::size_t left_out = 0;
  drawn({square.posed()}, surfaces, &left_out);
  CHECK(left_out == 0);
  square.mesh.positions[1].x = std::numeric_limits<double>::quiet_NaN();
  drawn({square.posed()}, surfaces, &left_out);
  CHECK(left_out == 1);
  square.mesh.positions[1] = Vec3(0, 0, 1e6);  // behind the eye
  drawn({square.posed()}, surfaces, &left_out);
  CHECK(left_out == 1);
}

TEST_CASE("a shadow has the area of the closed form, and two sheets above each other cast one") {
  // From straight above, a square casts a square of its own size.
  CameraAxes axes{{1, 0, 0}, {0, 0, -1}, {0, 1, 0}};
  Outline outline;
  for (const Vec3& p : {Vec3(-1, 0, -1), Vec3(1, 0, 1)}) outline.add(inAxes(axes, p));
  const Camera camera = frameOutline(axes, outline, {0, 0, kSize, kSize});
  PosedMesh sheet;
  sheet.positions = {{-0.5, 0.01, -0.5}, {0.5, 0.01, -0.5}, {0.5, 0.01, 0.5}, {-0.5, 0.01, 0.5}};
  const std::vector<std::uint32_t> triangles = {0, 1, 2, 0, 2, 3};
  sheet.triangles = triangles;
  PosedMesh above = sheet;
  for (Vec3& p : above.positions) p.y = 0.02;
  const auto area = [&](const std::vector<PosedMesh>& meshes) {
    const auto cover = shadowCover(kSize, kSize, camera, meshes, Vec3(0, 1, 0), 0.0);
    CHECK(*std::max_element(cover.begin(), cover.end()) <= doctest::Approx(1.0));
    return std::accumulate(cover.begin(), cover.end(), 0.0);
  };
  const double expected = 0.25 * kSize * kSize;
  CHECK(area({sheet}) == test::nearTo(expected, 0.01));
  CHECK(area({sheet, above}) == test::nearTo(expected, 0.01));
}
