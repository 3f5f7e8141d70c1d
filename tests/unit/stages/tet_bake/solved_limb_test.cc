// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <vector>

#include "checks.h"
#include "measure/joint_volumes.h"
#include "stages/tet_bake/binding/tet_binding.h"
#include "stages/tet_bake/make_limb.h"
#include "stages/tet_bake/solve/solve_clip.h"
#include "stages/tet_bake/tets/embedding.h"
#include "stages/tet_bake/tets/lattice.h"

// From a skin to the solved skin: lattice, binding, solver and map together.
TEST_SUITE_BEGIN("tet_bake.solved_limb");

using namespace clipmill;
using namespace clipmill::measure;
using namespace clipmill::stages::tet_bake;

namespace {

struct Posed {
  double linear_percent = 0.0, solved_percent = 0.0;  // change of the volume of the skin
  FrameStats stats;
};

std::vector<Posed> posedLimb(const std::vector<Quat>& rotations) {
  const Scene scene = test::limbScene();
  SkinSurface surface = test::surfaceOf(scene);
  const auto bones = findBones(surface, scene.skeleton);
  Warnings warnings;
  Lattice lattice = makeLattice(surface, bones, {0.0125}, warnings).value();
  bindTets(surface, bones, lattice.samples, thinBoneRadius_m(lattice.cell_m), {}, lattice.mesh);
  const SurfaceMap map(lattice.mesh, lattice.embeddings, surface.positions);
  const double rest = enclosedVolume(surface.positions, surface.triangles);
  const auto percent = [&](const std::vector<Vec3>& skin) {
    return 100.0 * (enclosedVolume(skin, surface.triangles) / rest - 1.0);
  };
  std::vector<Posed> posed(rotations.size());
  const auto worldsAt = [&](std::size_t frame) {
    return worldsFromBind(surface.bind_world_from_node, test::limbPose(scene, rotations[frame]));
  };
  const auto summary = solveClip(
      lattice.mesh, rotations.size(), {},
      [&](std::size_t frame, std::span<Vec3> start, std::span<Vec3> target) {
        skinTetsByDualQuaternions(lattice.mesh, worldsAt(frame), start);
        // The core too: blended linearly it would shrink, and pull the soft tissue in.
        std::copy(start.begin(), start.end(), target.begin());
      },
      [&](std::size_t frame, std::span<const Vec3> solved, const FrameStats& stats) {
        std::vector<Vec3> skin(surface.pointCount());
        map.apply(solved, skin);
        posed[frame].solved_percent = percent(skin);
        posed[frame].stats = stats;
        skinSurface(surface, worldsAt(frame), skin);
        posed[frame].linear_percent = percent(skin);
      });
  CHECK_OK(summary);
  return posed;
}

}  // namespace

TEST_CASE("the solved skin keeps the volume that linear blending loses") {
  const std::vector<Posed> posed =
      posedLimb({kIdentityRotation, rotationAbout(Vec3(1, 0, 0), 90.0 * kDegree),
                 rotationAbout(Vec3(0, 0, 1), 135.0 * kDegree)});
  CHECK(std::abs(posed[0].solved_percent) < 1e-3);
  CHECK(posed[1].linear_percent < -3.0);
  CHECK(posed[1].solved_percent > -1.5);
  CHECK(posed[1].solved_percent < 0.5);
  CHECK(posed[2].linear_percent < -10.0);
  CHECK(posed[2].solved_percent > -1.0);
  CHECK(posed[2].solved_percent < 0.5);
  CHECK(posed[2].stats.inverted == 0);
}

TEST_SUITE_END();
