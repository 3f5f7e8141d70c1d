// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <cstdint>
#include <vector>

#include <benchmark/benchmark.h>

#include "../unit/stages/tet_bake/make_limb.h"
#include "stages/tet_bake/binding/tet_binding.h"
#include "stages/tet_bake/tets/embedding.h"
#include "stages/tet_bake/tets/lattice.h"

namespace clipmill::stages::tet_bake {
namespace {

// A limb of 6,192 vertices and 12,384 triangles, filled by about 24,000 tetrahedra.
struct Limb {
  Scene scene = test::limbScene({0.05, 0.2, 64, 88, 5});
  SkinSurface surface = test::surfaceOf(scene);
  std::vector<BakeBone> bones = findBones(surface, scene.skeleton);

  Lattice makeLattice() {
    Warnings warnings;
    return stages::tet_bake::makeLattice(surface, bones, {0.0125}, warnings).value();
  }
};

// From the surface to tetrahedra and the embedding of every point in them; one item is a
// tetrahedron.
void latticeAndMap(benchmark::State& state) {
  Limb limb;
  std::size_t tets = 0;
  for (auto _ : state) {
    const Lattice lattice = limb.makeLattice();
    tets = lattice.mesh.tets.size();
    benchmark::DoNotOptimize(lattice.embeddings.data());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(tets));
  state.counters["tets"] = static_cast<double>(tets);
  state.counters["points"] = static_cast<double>(limb.surface.pointCount());
}

// Weights and hold of all corners.
void bindCorners(benchmark::State& state) {
  Limb limb;
  Lattice lattice = limb.makeLattice();
  for (auto _ : state) {
    bindTets(limb.surface, limb.bones, lattice.samples, 0.0, {}, lattice.mesh);
    benchmark::DoNotOptimize(lattice.mesh.influences.data());
  }
  state.SetItemsProcessed(state.iterations() *
                          static_cast<std::int64_t>(lattice.mesh.vertexCount()));
}

// The embedding of every point, searched for as with tetrahedra from a file; one item is a point.
void embedInTets(benchmark::State& state) {
  Limb limb;
  const Lattice lattice = limb.makeLattice();
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        embedPoints(lattice.mesh, limb.surface.positions, OutsideRule::kNearestPoint).data());
  }
  state.SetItemsProcessed(state.iterations() *
                          static_cast<std::int64_t>(limb.surface.pointCount()));
}

// One frame of the corners by dual quaternions (1) or linearly (0); one item is a corner.
void skinCorners(benchmark::State& state) {
  Limb limb;
  Lattice lattice = limb.makeLattice();
  bindTets(limb.surface, limb.bones, lattice.samples, 0.0, {}, lattice.mesh);
  const auto worlds =
      worldsFromBind(limb.surface.bind_world_from_node,
                     test::limbPose(limb.scene, rotationAbout(Vec3(1, 0, 0), 0.5 * kPi)));
  std::vector<Vec3> posed(lattice.mesh.vertexCount());
  for (auto _ : state) {
    if (state.range(0) == 1) {
      skinTetsByDualQuaternions(lattice.mesh, worlds, posed);
    } else {
      skinTets(lattice.mesh, worlds, posed);
    }
    benchmark::DoNotOptimize(posed.data());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(posed.size()));
}

// The skin carried by its tetrahedra for one frame; one item is a point.
void mapFrame(benchmark::State& state) {
  Limb limb;
  const Lattice lattice = limb.makeLattice();
  const SurfaceMap map(lattice.mesh, lattice.embeddings, limb.surface.positions);
  std::vector<Vec3> positions(limb.surface.pointCount());
  for (auto _ : state) {
    map.apply(lattice.mesh.positions, positions);
    benchmark::DoNotOptimize(positions.data());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(positions.size()));
}

BENCHMARK(latticeAndMap)->Unit(benchmark::kMillisecond);
BENCHMARK(bindCorners)->Unit(benchmark::kMillisecond);
BENCHMARK(embedInTets)->Unit(benchmark::kMillisecond);
BENCHMARK(skinCorners)->Arg(0)->Arg(1)->Unit(benchmark::kMicrosecond);
BENCHMARK(mapFrame)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace clipmill::stages::tet_bake
