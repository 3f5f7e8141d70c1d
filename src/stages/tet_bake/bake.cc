// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/bake.h"

#include <algorithm>
#include <cmath>

#include "stages/tet_bake/bind_corrections.h"
#include "stages/tet_bake/drive.h"
#include "stages/tet_bake/embedding.h"
#include "stages/tet_bake/steady.h"
#include "stages/tet_bake/tet_shape.h"

namespace clipmill::tet_bake {
namespace {

constexpr double kMetresInMillimetre = 1e-3;
constexpr double kSecondsInMillisecond = 1e-3;
// Where the surface comes back at rest, in parts of its size.
constexpr double kSameAtRest = 1e-6;
// A displacement before skinning may be so many radii of its limb. Where bones turn against each
// other by 135 degrees it has to be 1.6.
constexpr double kLongestInRadii = 2.0;
// A point without a limb of its own may go so far, in parts of the figure.
constexpr double kLongestInSize = 0.05;
constexpr double kMostBytes = 8.0 * 1024.0 * 1024.0 * 1024.0;
constexpr double kBytesPerSample = 2.0 * 3.0 * sizeof(float);

double sizeOf(const BakeSurface& surface) {
  Vec3 low = surface.positions.front(), high = low;
  for (const Vec3& place : surface.positions) {
    low = glm::min(low, place);
    high = glm::max(high, place);
  }
  const Vec3 extent = high - low;
  return std::max({extent.x, extent.y, extent.z});
}

std::vector<double> longestOf(const BakeRig& rig) {
  const double fallback = kLongestInSize * sizeOf(rig.surface);
  std::vector<double> longest;
  for (std::size_t p = 0; p < rig.surface.pointCount(); ++p) {
    const double radius = rig.bones[dominantNode(rig.surface.influencesOf(p))].radius_m;
    longest.push_back(radius > 0.0 ? kLongestInRadii * radius : fallback);
  }
  return longest;
}

Status checkRest(const BakeRig& rig) {
  const SurfaceMap map(rig.lattice.mesh, rig.lattice.embeddings, rig.surface.positions);
  std::vector<Vec3> places(rig.surface.pointCount());
  map.apply(rig.lattice.mesh.positions, places);
  double worst = 0.0;
  for (std::size_t p = 0; p < places.size(); ++p) {
    worst = std::max(worst, glm::distance(places[p], rig.surface.positions[p]));
  }
  if (worst <= kSameAtRest * sizeOf(rig.surface)) return {};
  return Error{ErrorCode::kInternal, "", "has tetrahedra that do not give back its skin at rest",
               ""};
}

// A part of the surface that follows one node as a whole (armour, eyes, the pieces of a doll) is no
// flesh: it stays as it is.
void leaveRigidParts(BakeRig& rig) {
  std::vector<char> bends(rig.surface.pointCount(), 0);
  for (const MorphRegion& region : rig.regions) {
    for (const std::uint32_t point : region.points) bends[point] = 1;
  }
  for (std::size_t p = 0; p < bends.size(); ++p) {
    if (!bends[p]) rig.surface.share[p] = 0.0;
  }
}

// The published method and its compliant sister know no bed: bones alone hold the tetrahedra.
DriveOptions driveOptions(const TetBakeSettings& settings) {
  DriveOptions options;
  if (settings.method == SolveMethod::kNeoHookean) options.bed_stiffness = kFleshBed;
  return options;
}

SolveSettings solveSettings(const TetBakeSettings& settings, int threads) {
  SolveSettings solve;
  solve.method = settings.method;
  solve.material = materialOfVolume(settings.volume);
  solve.threads = threads;
  if (settings.sweeps > 0) {
    const int sweeps = static_cast<int>(settings.sweeps);
    solve.descent.max_sweeps = solve.reference.iterations = solve.xpbd.iterations = sweeps;
  }
  solve.reference.edge_stiffness = settings.edge_stiffness;
  solve.reference.volume_stiffness = settings.volume_stiffness;
  solve.reference.energy_stiffness = settings.energy_stiffness;
  // With a compliance a, a step takes away 1 / (1 + a) of an error between unit masses.
  const auto compliance = [](double stiffness) {
    return stiffness > 0.0 ? 1.0 / stiffness - 1.0 : -1.0;
  };
  solve.xpbd.edge_compliance = compliance(settings.edge_stiffness);
  solve.xpbd.volume_compliance = compliance(settings.volume_stiffness);
  return solve;
}

VolumeStats volumesOf(const TetMesh& mesh, std::span<const Vec3> corners) {
  VolumeStats stats;
  std::vector<double> ratios;
  double sum = 0.0, rest_sum = 0.0;
  for (const Tet& tet : mesh.tets) {
    const double rest = signedVolume(cornersOf(mesh.positions, tet));
    if (!(rest > 0.0)) continue;
    const double now = signedVolume(cornersOf(corners, tet));
    sum += now;
    rest_sum += rest;
    const bool is_held = std::all_of(tet.begin(), tet.end(), [&](std::uint32_t corner) {
      return std::isinf(mesh.hold[corner]);
    });
    if (is_held) continue;
    ratios.push_back(now / rest);
    if (now <= 0.0) ++stats.inverted;
  }
  if (ratios.empty()) return stats;
  stats.share = sum / rest_sum;
  std::sort(ratios.begin(), ratios.end());
  const auto at = [&](double part) {
    return ratios[static_cast<std::size_t>(part * static_cast<double>(ratios.size() - 1))];
  };
  stats.j_min = ratios.front();
  stats.j_p1 = at(0.01);
  stats.j_p99 = at(0.99);
  return stats;
}

// Solves one clip into the frames from `begin` on.
class ClipBaker {
 public:
  ClipBaker(const Scene& scene, const BakeRig& rig, const Motion& motion,
            const TetBakeSettings& settings, std::size_t begin, Baked& baked)
      : scene_(scene),
        rig_(rig),
        motion_(motion),
        settings_(settings),
        begin_(begin),
        baked_(baked),
        map_(rig.lattice.mesh, rig.lattice.embeddings, rig.surface.positions),
        smoother_(rig.surface) {}

  Result<SolveSummary> bake(int threads) {
    return solveClip(
        rig_.lattice.mesh, motion_.grid.frame_count, solveSettings(settings_, threads),
        [this](std::size_t frame, std::span<Vec3> start, std::span<Vec3> target) {
          const std::vector<Affine> worlds = worldsAt(scene_, rig_, motion_, frame);
          skinTetsByDualQuaternions(rig_.lattice.mesh, worlds, start);
          std::copy(start.begin(), start.end(), target.begin());
        },
        [this](std::size_t frame, std::span<const Vec3> solved, const FrameStats& stats) {
          keep(frame, solved, stats);
        });
  }

 private:
  void keep(std::size_t frame, std::span<const Vec3> solved, const FrameStats& stats) {
    const BakeSurface& surface = rig_.surface;
    const std::vector<Affine> worlds = worldsAt(scene_, rig_, motion_, frame);
    std::vector<Vec3> skinned(surface.pointCount()), places(surface.pointCount());
    skinSurface(surface, worlds, skinned);
    map_.apply(solved, places);
    for (std::size_t p = 0; p < places.size(); ++p) {
      places[p] = (places[p] - skinned[p]) * surface.share[p];
    }
    smoother_.smooth(static_cast<int>(settings_.smoothing), places);
    BakedFrame& baked = baked_.frames[begin_ + frame];
    for (std::size_t p = 0; p < places.size(); ++p) {
      bool was_cut = false;
      const Vec3 before =
          beforeSkinning(blendedLinear(surface, worlds, p), places[p], rig_.longest_m[p], &was_cut);
      baked.cut_count += was_cut ? 1 : 0;
      baked_.world.set(p, begin_ + frame, places[p]);
      baked_.before_skin.set(p, begin_ + frame, before);
    }
    baked.solved = stats;
    std::vector<Vec3> corners(rig_.lattice.mesh.vertexCount());
    skinTets(rig_.lattice.mesh, worlds, corners);
    baked.skinned = volumesOf(rig_.lattice.mesh, corners);
  }

  const Scene& scene_;
  const BakeRig& rig_;
  const Motion& motion_;
  const TetBakeSettings& settings_;
  std::size_t begin_;
  Baked& baked_;
  SurfaceMap map_;
  SurfaceSmoother smoother_;
};

}  // namespace

Result<BakeRig> makeBakeRig(const Scene& scene, const TetBakeSettings& settings,
                            Warnings& warnings) {
  BakeRig rig;
  CLIPMILL_TRY(rig.surface, makeBakeSurface(scene, warnings));
  rig.bones = findBones(rig.surface, scene.skeleton);
  LatticeOptions options;
  options.cell_m = settings.cell_mm * kMetresInMillimetre;
  options.most_tets = static_cast<std::size_t>(settings.max_tets);
  options.least_tets = std::min(options.least_tets, options.most_tets);
  CLIPMILL_TRY(rig.lattice, makeLattice(rig.surface, rig.bones, options, warnings));
  driveTets(rig.surface, rig.bones, rig.lattice.samples, thinBoneRadius_m(rig.lattice.cell_m),
            driveOptions(settings), rig.lattice.mesh);
  rig.regions = findRegions(rig.surface, scene.skeleton);
  leaveRigidParts(rig);
  rig.longest_m = longestOf(rig);
  CLIPMILL_CHECK(checkRest(rig));
  return rig;
}

std::vector<Affine> worldsAt(const Scene& scene, const BakeRig& rig, const Motion& motion,
                             std::size_t frame) {
  std::vector<Affine> worlds;
  computeWorlds(scene.skeleton, motion.localsOf(frame), scene.metric_from_file, worlds);
  return worldsFromBind(rig.surface.bind_world_from_node, worlds);
}

Result<Baked> bakeMotions(const Scene& scene, const BakeRig& rig, std::span<const Motion> motions,
                          const TetBakeSettings& settings, int threads) {
  std::vector<std::size_t> begin = {0};
  for (const Motion& motion : motions) begin.push_back(begin.back() + motion.grid.frame_count);
  const double samples =
      static_cast<double>(begin.back()) * static_cast<double>(rig.surface.pointCount());
  if (samples * kBytesPerSample > kMostBytes) {
    return Error{ErrorCode::kLimit, "", "has too many vertices and frames to be baked at once",
                 "choose fewer clips with --clip, or a lower --fps"};
  }
  Baked baked{PointDisplacements(rig.surface.pointCount(), begin.back()),
              PointDisplacements(rig.surface.pointCount(), begin.back()),
              std::vector<BakedFrame>(begin.back()),
              begin,
              {}};
  for (std::size_t m = 0; m < motions.size(); ++m) {
    ClipBaker baker(scene, rig, motions[m], settings, begin[m], baked);
    CLIPMILL_TRY(baked.summary, baker.bake(threads));
    steadyClip(scene, rig, motions[m], settings.steady_ms * kSecondsInMillisecond, begin[m],
               threads, baked);
  }
  return baked;
}

}  // namespace clipmill::tet_bake
