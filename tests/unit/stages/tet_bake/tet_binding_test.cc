// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/binding/tet_binding.h"

#include <algorithm>
#include <utility>

#include "checks.h"
#include "stages/tet_bake/make_limb.h"

TEST_SUITE_BEGIN("tet_bake.tet_binding");

using namespace clipmill;
using namespace clipmill::stages::tet_bake;
using test::distance;

namespace {

constexpr double kRadius = 0.05;

struct Driven {
  Scene scene;
  SkinSurface surface;
  std::vector<BakeBone> bones;
  Lattice lattice;
};

Driven drivenLimb() {
  Driven driven{test::limbScene({kRadius, 0.2}), {}, {}, {}};
  driven.surface = test::surfaceOf(driven.scene);
  driven.bones = findBones(driven.surface, driven.scene.skeleton);
  Warnings warnings;
  driven.lattice = makeLattice(driven.surface, driven.bones, {0.0125}, warnings).value();
  bindTets(driven.surface, driven.bones, driven.lattice.samples,
           thinBoneRadius_m(driven.lattice.cell_m), {}, driven.lattice.mesh);
  return driven;
}

double weightOfLower(const TetMesh& mesh, std::size_t corner) {
  double weight = 0.0;
  for (std::size_t i = mesh.influence_start[corner]; i < mesh.influence_start[corner + 1]; ++i) {
    if (mesh.influences[i].joint == 1) weight = mesh.influences[i].weight;
  }
  return weight;
}

double fromAxis(const Vec3& position) {
  return std::sqrt(position.x * position.x + position.y * position.y);
}

std::vector<Affine> worldFromBind(const Driven& driven, const std::vector<Affine>& worlds) {
  return worldsFromBind(driven.surface.bind_world_from_node, worlds);
}

// The share of the anchor of a slender bone: a smoothstep between 0.25 and 1.5 radii.
double anchorShare(double distance_m, double radius_m) {
  const double t = std::clamp((distance_m / radius_m - 0.25) / 1.25, 0.0, 1.0);
  return 1.0 - t * t * (3.0 - 2.0 * t);
}

}  // namespace

TEST_CASE("bones lie between their joints and know how thick the limb is") {
  const Driven driven = drivenLimb();
  CHECK(driven.bones[0].segments.size() == 1);
  CHECK(distance(driven.bones[0].segments[0].second, Vec3(0)) < 1e-12);
  CHECK(distance(driven.bones[1].segments[0].second, Vec3(0, 0, 0.2)) < 1e-3);
  CHECK(driven.bones[0].radius_m == test::nearTo(kRadius, 0.1));
  CHECK(thinnestLimb_m(driven.bones) == test::nearTo(2.0 * kRadius, 0.1));
  CHECK_FALSE(driven.bones[2].moves_skin);
}

TEST_CASE("weights go on into the limb as they are on its skin") {
  const Driven driven = drivenLimb();
  const TetMesh& mesh = driven.lattice.mesh;
  REQUIRE(mesh.influence_start.size() == mesh.vertexCount() + 1);
  for (std::size_t corner = 0; corner < mesh.vertexCount(); ++corner) {
    double sum = 0.0;
    for (std::size_t i = mesh.influence_start[corner]; i < mesh.influence_start[corner + 1]; ++i) {
      CHECK(mesh.influences[i].weight > 0.0);
      sum += mesh.influences[i].weight;
    }
    CHECK(sum == test::nearTo(1.0, 1e-12));
    // A smoothstep changes by at most 0.75 over a radius: a cell of a quarter of it blurs little.
    const double expected = test::lowerWeight(mesh.positions[corner].z, kRadius);
    CHECK(std::abs(weightOfLower(mesh, corner) - expected) < 0.1);
  }
}

TEST_CASE("weights from the points alone are much the same") {
  Driven driven = drivenLimb();
  TetMesh mesh = driven.lattice.mesh;
  const auto samples = samplesAtPoints(driven.surface, driven.lattice.embeddings);
  CHECK(samples.size() == driven.surface.pointCount());
  bindTets(driven.surface, driven.bones, samples, 0.0, {}, mesh);
  for (std::size_t corner = 0; corner < mesh.vertexCount(); ++corner) {
    CHECK(std::abs(weightOfLower(mesh, corner) - weightOfLower(driven.lattice.mesh, corner)) < 0.1);
  }
}

TEST_CASE("corners without any sample follow the nearest point") {
  Driven driven = drivenLimb();
  TetMesh mesh = driven.lattice.mesh;
  bindTets(driven.surface, driven.bones, {}, 0.0, {}, mesh);
  for (std::size_t corner = 0; corner < mesh.vertexCount(); ++corner) {
    const double expected = test::lowerWeight(mesh.positions[corner].z, kRadius);
    CHECK(std::abs(weightOfLower(mesh, corner) - expected) < 0.1);
  }
}

TEST_CASE("the core and the far ends are held, the soft tissue about the joint is free") {
  const Driven driven = drivenLimb();
  const TetMesh& mesh = driven.lattice.mesh;
  int held = 0, free = 0;
  for (std::size_t corner = 0; corner < mesh.vertexCount(); ++corner) {
    const Vec3& position = mesh.positions[corner];
    const bool is_held = mesh.hold[corner] > 0.0;
    ++(is_held ? held : free);
    if (fromAxis(position) < 0.2 * kRadius && std::abs(position.z) < 0.19) CHECK(is_held);
    if (fromAxis(position) > 0.4 * kRadius && std::abs(position.z) < 1.5 * kRadius)
      CHECK_FALSE(is_held);
    if (std::abs(position.z) > 3.8 * kRadius) CHECK(is_held);
  }
  CHECK(held > 200);
  CHECK(free > 1000);
}

TEST_CASE("free soft tissue has an elastic foundation of a stiffness from volume and bone radius") {
  Driven driven = drivenLimb();
  TetMesh& mesh = driven.lattice.mesh;
  const std::vector<double> bare = mesh.hold;
  BindOptions options;
  options.foundation_stiffness = 3.0;
  bindTets(driven.surface, driven.bones, driven.lattice.samples,
           thinBoneRadius_m(driven.lattice.cell_m), options, mesh);
  // Inside, half a cube belongs to each corner; edges of the lattice are a cube's edge (3 of 7) or
  // the half of its diagonal (4 of 7).
  const double cell_m = driven.lattice.cell_m, radius_m = driven.bones[0].radius_m;
  const double edge_m = cell_m * (3.0 + 4.0 * 0.5 * std::sqrt(3.0)) / 7.0;
  const double inside = 3.0 * 0.5 * cell_m * cell_m * cell_m / (radius_m * radius_m * edge_m);
  int inner = 0;
  for (std::size_t corner = 0; corner < mesh.vertexCount(); ++corner) {
    if (bare[corner] > 0.0) {
      CHECK(mesh.hold[corner] == bare[corner]);
      continue;
    }
    CHECK(mesh.hold[corner] > 0.0);
    CHECK(mesh.hold[corner] < 1.05 * inside);
    if (fromAxis(mesh.positions[corner]) > 0.6 * kRadius) continue;
    CHECK(mesh.hold[corner] == test::nearTo(inside, 0.03));
    ++inner;
  }
  CHECK(inner > 50);
}

TEST_CASE("at the bind pose nothing moves") {
  const Driven driven = drivenLimb();
  const TetMesh& mesh = driven.lattice.mesh;
  const auto world_from_bind = worldFromBind(driven, driven.surface.bind_world_from_node);
  std::vector<Vec3> linear(mesh.vertexCount()), dual(mesh.vertexCount());
  skinTets(mesh, world_from_bind, linear);
  skinTetsByDualQuaternions(mesh, world_from_bind, dual);
  for (std::size_t corner = 0; corner < mesh.vertexCount(); ++corner) {
    CHECK(distance(linear[corner], mesh.positions[corner]) < 1e-15);
    CHECK(distance(dual[corner], mesh.positions[corner]) < 1e-15);
  }
}

TEST_CASE("a character that moves as a whole keeps its shape") {
  const Driven driven = drivenLimb();
  const TetMesh& mesh = driven.lattice.mesh;
  const Affine moved =
      toAffine({Vec3(3, -1, 2), rotationAbout(glm::normalize(Vec3(1, 2, 3)), 2.9), Vec3(1)});
  std::vector<Affine> worlds = driven.surface.bind_world_from_node;
  for (Affine& world : worlds) world = moved * world;
  std::vector<Vec3> linear(mesh.vertexCount()), dual(mesh.vertexCount());
  skinTets(mesh, worldFromBind(driven, worlds), linear);
  skinTetsByDualQuaternions(mesh, worldFromBind(driven, worlds), dual);
  for (std::size_t corner = 0; corner < mesh.vertexCount(); ++corner) {
    const Vec3 expected = transformPoint(moved, mesh.positions[corner]);
    CHECK(distance(linear[corner], expected) < 1e-14);
    CHECK(distance(dual[corner], expected) < 1e-14);
  }
}

TEST_CASE("a twist narrows what is blended linearly by the cosine of half of it, dual keeps it") {
  const Driven driven = drivenLimb();
  const TetMesh& mesh = driven.lattice.mesh;
  const double angle = 2.0;
  const auto worlds =
      worldFromBind(driven, test::limbPose(driven.scene, rotationAbout(Vec3(0, 0, 1), angle)));
  std::vector<Vec3> linear(mesh.vertexCount()), dual(mesh.vertexCount());
  skinTets(mesh, worlds, linear);
  skinTetsByDualQuaternions(mesh, worlds, dual);
  for (std::size_t corner = 0; corner < mesh.vertexCount(); ++corner) {
    const double w = weightOfLower(mesh, corner);
    // |1 - w + w e^(i angle)|
    const double narrowing = std::sqrt(1.0 - 2.0 * w * (1.0 - w) * (1.0 - portable::cos(angle)));
    CHECK(fromAxis(linear[corner]) ==
          test::nearTo(narrowing * fromAxis(mesh.positions[corner]), 1e-9));
    CHECK(fromAxis(dual[corner]) == test::nearTo(fromAxis(mesh.positions[corner]), 1e-9));
  }
}

TEST_CASE("the core of a limb stays about its bone, however far the joint bends") {
  Driven driven = drivenLimb();
  TetMesh& mesh = driven.lattice.mesh;
  const auto worlds =
      worldFromBind(driven, test::limbPose(driven.scene, rotationAbout(Vec3(1, 0, 0), 2.4)));
  std::vector<Vec3> anchored(mesh.vertexCount()), blended(mesh.vertexCount());
  skinTetsByDualQuaternions(mesh, worlds, anchored);
  const std::vector<BoneAnchor> anchors = std::exchange(mesh.anchors, {});
  skinTetsByDualQuaternions(mesh, worlds, blended);
  int core = 0;
  double carried_off_m = 0.0;
  for (std::size_t corner = 0; corner < mesh.vertexCount(); ++corner) {
    const BoneAnchor& anchor = anchors[corner];
    const Vec3 bone = transformPoint(worlds[anchor.joint], anchor.point);
    const Vec3 offset_m = mesh.positions[corner] - anchor.point;
    if (anchor.share == 1.0) {
      ++core;
      CHECK(glm::length(anchored[corner] - bone) == test::nearTo(glm::length(offset_m), 1e-9));
      carried_off_m =
          std::max(carried_off_m, glm::length(blended[corner] - bone) - glm::length(offset_m));
    } else {
      const double radius_m = driven.bones[anchor.joint].radius_m;
      CHECK(anchor.share == test::nearTo(anchorShare(glm::length(offset_m), radius_m), 1e-9));
    }
  }
  CHECK(core > 100);
  // 7 mm without anchors.
  CHECK(carried_off_m > 0.1 * kRadius);
}

TEST_CASE(
    "dual quaternions do not depend on a rotation's sign, and stay finite 180 degrees apart") {
  const Driven driven = drivenLimb();
  const TetMesh& mesh = driven.lattice.mesh;
  for (const double angle : {kPi, 1.5 * kPi}) {
    const auto worlds =
        worldFromBind(driven, test::limbPose(driven.scene, rotationAbout(Vec3(0, 0, 1), angle)));
    std::vector<Vec3> dual(mesh.vertexCount());
    skinTetsByDualQuaternions(mesh, worlds, dual);
    for (std::size_t corner = 0; corner < mesh.vertexCount(); ++corner) {
      CHECK(fromAxis(dual[corner]) == test::nearTo(fromAxis(mesh.positions[corner]), 1e-9));
    }
  }
}

TEST_CASE("a bone that stretches carries what follows it alone to where its map does") {
  const Driven driven = drivenLimb();
  const TetMesh& mesh = driven.lattice.mesh;
  std::vector<Affine> worlds = driven.surface.bind_world_from_node;
  worlds[1] = worlds[1] * toAffine({Vec3(0), rotationAbout(Vec3(1, 0, 0), 0.8), Vec3(1, 1, 1.5)});
  const auto world_from_bind = worldFromBind(driven, worlds);
  std::vector<Vec3> linear(mesh.vertexCount()), dual(mesh.vertexCount());
  skinTets(mesh, world_from_bind, linear);
  skinTetsByDualQuaternions(mesh, world_from_bind, dual);
  int alone = 0;
  for (std::size_t corner = 0; corner < mesh.vertexCount(); ++corner) {
    if (weightOfLower(mesh, corner) != 1.0) continue;
    ++alone;
    CHECK(distance(dual[corner], linear[corner]) < 1e-14);
  }
  CHECK(alone > 500);
}

TEST_SUITE_END();
