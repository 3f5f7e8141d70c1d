// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "scene/skin_surface.h"

#include <limits>
#include <set>

#include "checks.h"
#include "core/to_size.h"
#include "mesh/skinning.h"
#include "stages/tet_bake/make_limb.h"

TEST_SUITE_BEGIN("scene.skin_surface");

using namespace clipmill;
using test::distance;

namespace {

std::vector<Vec3> posedSurface(const SkinSurface& surface, const std::vector<Affine>& worlds) {
  std::vector<Vec3> posed(surface.pointCount());
  skinSurface(surface, worldsFromBind(surface.bind_world_from_node, worlds), posed);
  return posed;
}

// Largest distance of any vertex from where the mesh's own skinning puts it.
double farthestFromSkin(const Scene& scene, const SkinSurface& surface,
                        const std::vector<Affine>& worlds) {
  const std::vector<Vec3> posed = posedSurface(surface, worlds);
  double farthest = 0.0;
  for (const SurfacePart& part : surface.parts) {
    const SkinnedMesh& mesh = scene.meshes[part.mesh];
    PosedVertices expected;
    poseMesh(mesh, &scene.skins[toSize(mesh.skin)], worlds, {}, expected);
    for (std::size_t v = 0; v < mesh.vertexCount(); ++v) {
      if (part.point_of_vertex[v] == kNoPoint) continue;
      farthest =
          std::max(farthest, distance(posed[part.point_of_vertex[v]], expected.positions[v]));
    }
  }
  return farthest;
}

// The mesh cut in two along the limb, each half with vertices of its own.
Scene cutLimb() {
  Scene scene = test::limbScene();
  const SkinnedMesh whole = scene.meshes[0];
  scene.meshes.assign(2, whole);
  for (std::size_t half = 0; half < 2; ++half) {
    SkinnedMesh& mesh = scene.meshes[half];
    mesh.primitive = static_cast<int>(half);
    mesh.triangles.clear();
    for (std::size_t t = 0; t < whole.triangles.size(); t += 3) {
      if ((t / 3) % 2 != half) continue;
      mesh.triangles.insert(mesh.triangles.end(), &whole.triangles[t], &whole.triangles[t] + 3);
    }
  }
  return scene;
}

}  // namespace

TEST_CASE("at the bind pose skinning the surface leaves it where it is") {
  const Scene scene = test::limbScene();
  const SkinSurface surface = test::surfaceOf(scene);
  const std::vector<Vec3> posed = posedSurface(surface, surface.bind_world_from_node);
  for (std::size_t p = 0; p < posed.size(); ++p) {
    CHECK(distance(posed[p], surface.positions[p]) < 1e-15);
  }
}

TEST_CASE("the surface moves as the skin of its meshes does") {
  const Scene scene = test::limbScene();
  const auto bent = test::limbPose(scene, rotationAbout(Vec3(1, 0, 0), 1.2));
  CHECK(farthestFromSkin(scene, test::surfaceOf(scene), bent) < 1e-15);
}

TEST_CASE("primitives with a common seam share the points of that seam") {
  const Scene scene = cutLimb();
  const SkinSurface surface = test::surfaceOf(scene);
  CHECK(surface.pointCount() == scene.meshes[0].vertexCount());
  CHECK(surface.parts[0].point_of_vertex == surface.parts[1].point_of_vertex);
  CHECK(surface.triangles.size() == test::limbScene().meshes[0].triangles.size());
}

TEST_CASE("coincident vertices that separate when the character moves stay two points") {
  Scene scene = cutLimb();
  for (std::size_t i = 0; i < scene.meshes[1].influences.size(); i += 2) {
    scene.meshes[1].influences[i].weight = 0.25;
    scene.meshes[1].influences[i + 1].weight = 0.75;
  }
  CHECK(test::surfaceOf(scene).pointCount() == 2 * scene.meshes[0].vertexCount());
}

TEST_CASE("a file in centimetres with z up gives the surface in metres with y up") {
  Scene scene = test::limbScene({5.0, 20.0});
  const Quat up = rotationAbout(Vec3(1, 0, 0), -0.5 * kPi);
  scene.metric_from_file = toAffine({Vec3(0), up, Vec3(0.01)});
  const SkinSurface surface = test::surfaceOf(scene);
  const SkinSurface metric = test::surfaceOf(test::limbScene());
  REQUIRE(surface.pointCount() == metric.pointCount());
  for (std::size_t p = 0; p < surface.pointCount(); ++p) {
    CHECK(distance(surface.positions[p], up * metric.positions[p]) < 1e-15);
  }
  const auto bent = test::limbPose(scene, rotationAbout(Vec3(1, 0, 0), 1.2));
  CHECK(farthestFromSkin(scene, surface, bent) < 1e-15);
}

// The limb in units of a hundredth, below a joint that moves no skin and has an identity matrix.
static Scene limbBelowWeightlessRoot() {
  Scene scene = test::limbScene();
  for (Affine& map : scene.skins[0].joint_from_bind) {
    map = map * Affine{Mat3(0.01), Vec3(0.0)};
  }
  for (Vec3& position : scene.meshes[0].positions) position *= 100.0;
  std::vector<Node>& nodes = scene.skeleton.nodes;
  nodes.insert(nodes.begin(), Node{"root", -1, 0, {}});
  for (std::size_t n = 1; n < nodes.size(); ++n) {
    nodes[n].parent = n == 3 ? -1 : nodes[n].parent + 1;
    nodes[n].weights_start = 0;
  }
  Skin& skin = scene.skins[0];
  for (int& joint : skin.joints) ++joint;
  skin.joints.push_back(0);
  skin.joint_from_bind.push_back({});
  scene.meshes[0].node = 3;
  return scene;
}

TEST_CASE("a weightless root joint of another bind scale does not scale the surface") {
  const Scene scene = limbBelowWeightlessRoot();
  Warnings warnings;
  const SkinSurface surface = makeSkinSurface(scene, warnings).value();
  const SkinSurface expected = test::surfaceOf(test::limbScene());
  REQUIRE(surface.pointCount() == expected.pointCount());
  for (std::size_t p = 0; p < surface.pointCount(); ++p) {
    CHECK(distance(surface.positions[p], expected.positions[p]) < 1e-13);
  }
  CHECK(warnings.empty());
}

TEST_CASE("a weighted joint of another bind scale is named") {
  Scene scene = limbBelowWeightlessRoot();
  // Less skin follows the lower bone where the upper one takes half of it.
  for (std::size_t i = 0; i < scene.meshes[0].influences.size(); i += 2) {
    const double moved = 0.5 * scene.meshes[0].influences[i + 1].weight;
    scene.meshes[0].influences[i].weight += moved;
    scene.meshes[0].influences[i + 1].weight -= moved;
  }
  scene.skins[0].joint_from_bind[1] = scene.skins[0].joint_from_bind[1] * Affine{Mat3(3.0), {}};
  Warnings warnings;
  const SkinSurface surface = makeSkinSurface(scene, warnings).value();
  REQUIRE(warnings.all().size() == 1);
  CHECK(warnings.all()[0].code == "bind_scale_differs");
  CHECK(warnings.all()[0].first == "lower");
  const SkinSurface expected = test::surfaceOf(test::limbScene());
  for (std::size_t p = 0; p < surface.pointCount(); ++p) {
    CHECK(distance(surface.positions[p], expected.positions[p]) < 1e-13);
  }
}

TEST_CASE("a mirrored character in centimetres gives its mirrored surface") {
  Scene scene = test::limbScene();
  const Affine own =
      toAffine({Vec3(0.3, 0, 0), rotationAbout(Vec3(0, 1, 0), 0.7), Vec3(-0.01, 0.01, 0.01)});
  scene.skeleton.nodes[0].rest = decompose(own * toAffine(scene.skeleton.nodes[0].rest));
  const SkinSurface surface = test::surfaceOf(scene);
  const SkinSurface expected = test::surfaceOf(test::limbScene());
  REQUIRE(surface.pointCount() == expected.pointCount());
  for (std::size_t p = 0; p < surface.pointCount(); ++p) {
    CHECK(distance(surface.positions[p], transformPoint(own, expected.positions[p])) < 1e-13);
  }
}

TEST_CASE("meshes with different bind spaces are aligned") {
  // The second mesh is stored rotated and ten times as large, with bind matrices to match.
  Scene scene = cutLimb();
  const Affine own = toAffine({Vec3(3, 1, -2), rotationAbout(Vec3(0, 1, 0), 0.7), Vec3(10)});
  scene.skins.push_back(scene.skins[0]);
  for (Affine& map : scene.skins[1].joint_from_bind) map = map * inverse(own);
  scene.meshes[1].skin = 1;
  for (Vec3& position : scene.meshes[1].positions) position = transformPoint(own, position);
  const SkinSurface surface = test::surfaceOf(scene);
  CHECK(surface.pointCount() == scene.meshes[0].vertexCount());
  const auto bent = test::limbPose(scene, rotationAbout(Vec3(1, 0, 0), 1.2));
  CHECK(farthestFromSkin(scene, surface, bent) < 1e-13);
}

TEST_CASE("a bind pose that is not the rest pose is found") {
  Scene scene = test::limbScene();
  scene.skeleton.nodes[1].rest.rotation = rotationAbout(Vec3(1, 0, 0), 0.9);
  const SkinSurface surface = test::surfaceOf(scene);
  CHECK(distance(surface.positions[0], scene.meshes[0].positions[0]) < 1e-15);
  CHECK(distance(surface.bind_world_from_node[1].linear[2], Vec3(0, 0, 1)) < 1e-15);
  CHECK(farthestFromSkin(scene, surface, test::limbPose(scene, kIdentityRotation)) < 1e-15);
}

TEST_CASE("a mesh that was bound in another pose is left to plain skinning and counted") {
  Scene scene = cutLimb();
  scene.skins.push_back(scene.skins[0]);
  scene.meshes[1].skin = 1;
  scene.skins[1].joint_from_bind[1].linear = glm::mat3_cast(rotationAbout(Vec3(1, 0, 0), 0.5));
  Warnings warnings;
  const auto surface = makeSkinSurface(scene, warnings);
  CHECK_OK(surface);
  CHECK(warnings.count("bound_in_two_poses") > 1000);
  const std::vector<std::uint32_t>& points = surface->parts[1].point_of_vertex;
  CHECK(points[0] == surface->parts[0].point_of_vertex[0]);  // upper bone alone: both agree
  CHECK(points.back() == kNoPoint);
}

TEST_CASE("unusable vertices are left out and counted") {
  Scene scene = test::limbScene();
  SkinnedMesh& mesh = scene.meshes[0];
  mesh.positions[7].y = std::numeric_limits<double>::quiet_NaN();
  mesh.influences[2 * 9].weight = 0.0;
  mesh.influences[2 * 9 + 1].weight = 0.0;
  Warnings warnings;
  const auto surface = makeSkinSurface(scene, warnings);
  CHECK_OK(surface);
  CHECK(warnings.count("vertex_not_finite") == 1);
  CHECK(warnings.count("vertex_without_weights") == 1);
  CHECK(surface->parts[0].point_of_vertex[7] == kNoPoint);
  CHECK(surface->parts[0].point_of_vertex[9] == kNoPoint);
  CHECK(surface->pointCount() == mesh.vertexCount() - 2);
}

TEST_CASE("vertices on a joint with a singular bind matrix are left out") {
  Scene scene = test::limbScene();
  scene.skins[0].joint_from_bind[1].linear = Mat3(0.0);
  Warnings warnings;
  const auto surface = makeSkinSurface(scene, warnings);
  CHECK_OK(surface);
  CHECK(warnings.count("bind_without_inverse") > 1000);
  for (const Influence& influence : surface->influences) CHECK(influence.joint == 0);
}

TEST_CASE("weights that do not sum to one, and duplicate joints, are corrected") {
  Scene scene = test::limbScene();
  for (Influence& influence : scene.meshes[0].influences) influence.weight *= 0.5;
  scene.meshes[0].influences[0] = {1, 0.25};
  const SkinSurface surface = test::surfaceOf(scene);
  CHECK(surface.influencesOf(0).size() == 1);
  for (std::size_t p = 0; p < surface.pointCount(); ++p) {
    double sum = 0.0;
    for (const Influence& influence : surface.influencesOf(p)) sum += influence.weight;
    CHECK(sum == test::nearTo(1.0, 1e-14));
  }
}

TEST_CASE("a scene whose skin is hidden by Draco names Draco") {
  Scene scene = test::limbScene();
  scene.meshes.clear();
  Warnings warnings;
  const auto other = makeSkinSurface(scene, warnings);
  REQUIRE_FALSE(other.ok());
  CHECK(other.error().message.find("Draco") == std::string::npos);
  scene.warnings.add("draco_geometry", "", "meshes[0]");
  const auto hidden = makeSkinSurface(scene, warnings);
  REQUIRE_FALSE(hidden.ok());
  CHECK(hidden.error().code == ErrorCode::kUnsupported);
  CHECK(hidden.error().message.find("Draco") != std::string::npos);
}

TEST_CASE("a scene without a skinned triangle is refused") {
  Scene scene = test::limbScene();
  scene.meshes[0].triangles.clear();
  Warnings warnings;
  const auto no_triangle = makeSkinSurface(scene, warnings);
  REQUIRE_FALSE(no_triangle.ok());
  CHECK(no_triangle.error().code == ErrorCode::kUnsupported);
  scene.meshes[0].skin = -1;
  CHECK_FALSE(makeSkinSurface(scene, warnings).ok());
  CHECK_FALSE(makeSkinSurface(Scene{}, warnings).ok());
}

TEST_SUITE_END();
