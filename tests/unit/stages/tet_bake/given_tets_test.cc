// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/binding/given_tets.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "checks.h"
#include "core/text.h"
#include "stages/tet_bake/bake.h"
#include "stages/tet_bake/make_limb.h"
#include "stages/tet_bake/tets/tet_shape.h"

TEST_SUITE_BEGIN("tet_bake.given_tets");

namespace {

using namespace clipmill;
using namespace clipmill::stages;
using namespace clipmill::stages::tet_bake;

using Cell = std::array<int, 3>;
constexpr double kCell_m = 0.0125;

struct Given {
  std::vector<Vec3> positions;
  std::vector<Tet> tets;

  // As Gmsh 2.2 has it.
  std::string text() const {
    std::string nodes, elements;
    for (std::size_t v = 0; v < positions.size(); ++v) {
      nodes += std::to_string(v + 1);
      for (int axis = 0; axis < 3; ++axis) nodes += " " + numberText(positions[v][axis]);
      nodes += "\n";
    }
    for (std::size_t t = 0; t < tets.size(); ++t) {
      elements += std::to_string(t + 1) + " 4 2 0 1";
      for (const std::uint32_t corner : tets[t]) elements += " " + std::to_string(corner + 1);
      elements += "\n";
    }
    return "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n" + std::to_string(positions.size()) +
           "\n" + nodes + "$EndNodes\n$Elements\n" + std::to_string(tets.size()) + "\n" + elements +
           "$EndElements\n";
  }
};

// The six tetrahedra of every cube of a grid that the limb of limbScene() meets, those with a z of
// their middle below `top_m`. Each goes along three edges of the cube, from its least corner.
Given cubesAbout(double top_m = 1.0) {
  const test::LimbOptions limb;
  Given given;
  std::map<Cell, std::uint32_t> known;
  const auto cornerAt = [&](const Cell& cell) {
    const auto [at, is_new] =
        known.try_emplace(cell, static_cast<std::uint32_t>(given.positions.size()));
    if (is_new) given.positions.push_back(kCell_m * Vec3(cell[0], cell[1], cell[2]));
    return at->second;
  };
  const int side = static_cast<int>(std::ceil(limb.radius / kCell_m)) + 1;
  const int end = static_cast<int>(std::ceil(limb.half_length / kCell_m));
  for (int z = -end; z < end; ++z) {
    for (int y = -side; y < side; ++y) {
      for (int x = -side; x < side; ++x) {
        const Vec3 middle = kCell_m * Vec3(x + 0.5, y + 0.5, z + 0.5);
        const double out = std::sqrt(middle.x * middle.x + middle.y * middle.y);
        if (out > limb.radius + kCell_m || middle.z > top_m) continue;
        std::array<std::size_t, 3> order = {0, 1, 2};
        do {
          Cell cell = {x, y, z};
          Tet tet{cornerAt(cell)};
          for (std::size_t step = 0; step < 3; ++step) {
            ++cell[order[step]];
            tet[step + 1] = cornerAt(cell);
          }
          // Odd orders are the others seen in a mirror.
          if ((order[1] + 3 - order[0]) % 3 == 2) std::swap(tet[2], tet[3]);
          given.tets.push_back(tet);
        } while (std::next_permutation(order.begin(), order.end()));
      }
    }
  }
  return given;
}

Result<BakeRig> rigWith(const Scene& scene, const Given& given, Warnings& warnings,
                        TetBakeSettings settings = {}) {
  const std::string text = given.text();
  const std::vector<RawFile> files = {{"limb.msh", asBytes(text)}};
  return makeBakeRig(scene, settings, warnings, files);
}

Error refused(const Given& given) {
  Warnings warnings;
  const auto rig = rigWith(test::limbScene(), given, warnings);
  REQUIRE_FALSE(rig.ok());
  CHECK(rig.error().code == ErrorCode::kUnsupported);
  CHECK(rig.error().location == "limb.msh");
  return rig.error();
}

bool mentions(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// The volume of the limb over that at rest when its lower bone is bent by 90 degrees.
double bentVolume(const Scene& scene, const BakeRig& rig) {
  Motion motion;
  motion.grid = makeGrid(0.0, 0.0, 30.0);
  motion.node_count = scene.skeleton.size();
  motion.modified = TrackMask(motion.node_count);
  motion.locals = restPose(scene.skeleton).locals;
  motion.locals[1].rotation = rotationAbout(Vec3(1, 0, 0), 90.0 * kDegree);
  const std::vector<Motion> motions = {motion};
  const auto baked = bakeMotions(scene, rig, motions, {}, 1);
  CHECK_OK(baked);
  std::vector<Vec3> positions(rig.surface.pointCount());
  skinSurface(rig.surface, worldsAt(scene, rig, motion, 0), positions);
  for (std::size_t p = 0; p < positions.size(); ++p) positions[p] += baked->world.at(p, 0);
  const auto volume = [&](const std::vector<Vec3>& at) {
    double six = 0.0;
    for (std::size_t t = 0; t < rig.surface.triangles.size(); t += 3) {
      const std::uint32_t* corners = &rig.surface.triangles[t];
      six += glm::dot(at[corners[0]], glm::cross(at[corners[1]], at[corners[2]]));
    }
    return six / 6.0;
  };
  return volume(positions) / volume(rig.surface.positions);
}

}  // namespace

TEST_CASE("The setting names one file of Gmsh, or both of TetGen by either") {
  CHECK(tetFilesOf("").empty());
  CHECK(tetFilesOf("a/b.msh") == std::vector<std::string>{"a/b.msh"});
  CHECK(tetFilesOf("a/b.1.node") == std::vector<std::string>{"a/b.1.node", "a/b.1.ele"});
  CHECK(tetFilesOf("a/b.1.ele") == tetFilesOf("a/b.1.node"));
}

TEST_CASE("A limb in given tetrahedra keeps its volume as one in a lattice of our own does") {
  const Scene scene = test::limbScene();
  Warnings warnings;
  const auto rig = rigWith(scene, cubesAbout(), warnings);
  CHECK_OK(rig);
  CHECK(warnings.empty());
  CHECK(rig->lattice.mesh.tets.size() == cubesAbout().tets.size());
  // Edges of a cube, diagonals of its faces and its own: 3, 3 and 1 a cube, far from the surface.
  const double mean = kCell_m * (3.0 + 3.0 * std::sqrt(2.0) + std::sqrt(3.0)) / 7.0;
  CHECK(rig->lattice.cell_m == test::nearTo(mean, 0.02));
  // Plain skinning loses 3.2 %.
  CHECK(std::abs(bentVolume(scene, *rig) - 1.0) <= 0.02);
}

TEST_CASE("Tetrahedra in another unit are refused with the factor, and fit by it") {
  Given given = cubesAbout();
  for (Vec3& position : given.positions) position *= 100.0;
  const Error error = refused(given);
  CHECK(mentions(error.message, "100 times as large"));
  CHECK(mentions(error.remedy, "tets_scale = 0.01"));
  TetBakeSettings settings;
  settings.tets_scale = 0.01;
  Warnings warnings;
  CHECK_OK(rigWith(test::limbScene(), given, warnings, settings));
  for (Vec3& position : given.positions) position *= 0.0254 / 100.0;
  // A cell larger than the limb: 0.125, 0.125 and 0.4 m against 0.1, 0.1 and 0.4 m.
  CHECK(mentions(refused(given).remedy, "tets_scale = 38.19"));
}

TEST_CASE("Tetrahedra in the unit of a file of centimetres fit its skin") {
  Scene scene = test::limbScene({.radius = 5.0, .half_length = 20.0});
  scene.metric_from_file = {Mat3(0.01), Vec3(0.0)};
  Given given = cubesAbout();
  for (Vec3& position : given.positions) position *= 100.0;
  Warnings warnings;
  const auto rig = rigWith(scene, given, warnings);
  CHECK_OK(rig);
  CHECK(warnings.empty());
}

TEST_CASE("Tetrahedra at another position are refused, and the error states the offset") {
  Given given = cubesAbout();
  for (Vec3& position : given.positions) position += Vec3(0.3, 0.0, -0.4);
  CHECK(mentions(refused(given).message, "0.500 m from that of the skin (0.300, 0.000, -0.400)"));
}

TEST_CASE("Tetrahedra with another axis up are refused") {
  Given given = cubesAbout();
  for (Vec3& position : given.positions) position = Vec3(position.x, position.z, -position.y);
  CHECK(mentions(refused(given).message, "up axis differs"));
}

TEST_CASE("Skin far from given tetrahedra is left to plain skinning, and counted") {
  const Scene scene = test::limbScene();
  Warnings warnings;
  const auto rig = rigWith(scene, cubesAbout(0.1), warnings);
  CHECK_OK(rig);
  std::size_t far = 0;
  for (std::size_t p = 0; p < rig->surface.pointCount(); ++p) {
    const double z = rig->surface.positions[p].z;
    const double edges = std::max(0.0, z - 0.1) / rig->lattice.cell_m;
    if (edges == 0.0) CHECK(rig->lattice.embeddings[p].offset == Vec3(0.0));
    if (edges > 2.0) {
      ++far;
      CHECK(rig->surface.share[p] == 0.0);
    }
  }
  CHECK(far > 0);
  CHECK(warnings.count("vertices_far_from_tets") == far);
  CHECK(warnings.count("vertices_outside_tets") > 0);
}

TEST_CASE("Skin outside comes back at rest and rotates with its tetrahedra, by either rule") {
  const Scene scene = test::limbScene();
  Given given = cubesAbout();
  for (Vec3& position : given.positions)
    position = Vec3(0.7 * position.x, 0.7 * position.y, position.z);
  for (const OutsideRule rule : {OutsideRule::kNearestPoint, OutsideRule::kNearestCentroid}) {
    TetBakeSettings settings;
    settings.outside = rule;
    Warnings warnings;
    const auto rig = rigWith(scene, given, warnings, settings);
    CHECK_OK(rig);
    CHECK(warnings.count("vertices_outside_tets") > 0);
    const SurfaceMap map(rig->lattice.mesh, rig->lattice.embeddings, rig->surface.positions);
    const Quat rotation = rotationAbout(Vec3(0.6, 0.0, 0.8), 70.0 * kDegree);
    std::vector<Vec3> corners, positions(rig->surface.pointCount());
    for (const Vec3& position : rig->lattice.mesh.positions) corners.push_back(rotation * position);
    map.apply(corners, positions);
    for (std::size_t p = 0; p < positions.size(); ++p) {
      CHECK(glm::distance(positions[p], rotation * rig->surface.positions[p]) <= 1e-9);
    }
  }
}

TEST_CASE("A tetrahedron that is given twice, or that nothing moves with, makes no difference") {
  Given given = cubesAbout();
  const std::size_t count = given.tets.size();
  given.tets.push_back(given.tets[7]);
  std::swap(given.tets.back()[0], given.tets.back()[1]);
  given.positions.push_back(Vec3(9.0));
  Warnings warnings;
  const auto rig = rigWith(test::limbScene(), given, warnings);
  CHECK_OK(rig);
  CHECK(rig->lattice.mesh.tets.size() == count);
  CHECK(warnings.count("duplicate_tets") == 1);
  CHECK(warnings.count("tets_reoriented") == 1);
  CHECK(rig->lattice.mesh.positions.size() + 1 == given.positions.size());
}

TEST_CASE("Overlapping tetrahedra without any outer face hold what is outside all the same") {
  // The five cells of a flattened 4-simplex: every face belongs to two of them.
  TetMesh mesh;
  mesh.positions = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1), Vec3(0.2)};
  mesh.tets = {{0, 1, 2, 3}, {1, 2, 3, 4}, {0, 2, 4, 3}, {0, 1, 3, 4}, {0, 1, 4, 2}};
  CHECK(boundaryFaces(mesh).empty());
  const std::vector<Vec3> points = {Vec3(2, 2, 2), Vec3(0.1)};
  const auto embeddings = embedPoints(mesh, points, OutsideRule::kNearestPoint);
  const SurfaceMap map(mesh, embeddings, points);
  std::vector<Vec3> positions(points.size());
  map.apply(mesh.positions, positions);
  for (std::size_t p = 0; p < points.size(); ++p) {
    CHECK(glm::distance(positions[p], points[p]) <= 1e-12);
  }
}

TEST_CASE("Files that are none are refused by name") {
  const Scene scene = test::limbScene();
  Warnings warnings;
  const std::string text = "nothing";
  const std::vector<RawFile> one = {{"a.msh", asBytes(text)}};
  const std::vector<RawFile> two = {{"a.node", asBytes(text)}, {"a.ele", asBytes(text)}};
  for (const std::vector<RawFile>& files : {one, two}) {
    const auto rig = makeBakeRig(scene, {}, warnings, files);
    REQUIRE_FALSE(rig.ok());
    CHECK(mentions(rig.error().location, "a."));
  }
}
