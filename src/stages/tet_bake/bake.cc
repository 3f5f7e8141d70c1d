// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/bake.h"

#include <algorithm>
#include <cmath>
#include <deque>

#include "core/parallel.h"
#include "core/text.h"
#include "stages/tet_bake/clip_baker.h"
#include "stages/tet_bake/drive/drive.h"
#include "stages/tet_bake/drive/given_tets.h"
#include "stages/tet_bake/for_clips.h"
#include "stages/tet_bake/solve/lower_rest.h"
#include "stages/tet_bake/tets/embedding.h"
#include "stages/tet_bake/tets/tet_shape.h"

namespace clipmill::tet_bake {
namespace {

constexpr double kMetresInMillimetre = 1e-3;
// Where the surface comes back at rest, in parts of its size.
constexpr double kSameAtRest = 1e-6;
// A displacement before skinning may be so many radii of its limb. Where bones turn against each
// other by 135 degrees it has to be 1.6.
constexpr double kLongestInRadii = 2.0;
// A point without a limb of its own may go so far, in parts of the figure.
constexpr double kLongestInSize = 0.05;
constexpr double kMostBytes = 8.0 * 1024.0 * 1024.0 * 1024.0;
constexpr double kBytesPerSample = 2.0 * 3.0 * sizeof(float);
constexpr double kBytesPerCorner = 3.0 * sizeof(float);
// Less than this nobody sees, and single precision does not tell.
constexpr double kMoved_m = 1e-5;
constexpr std::size_t kPointsPerBlock = 256;

std::vector<double> longestOf(const BakeRig& rig) {
  const double fallback = kLongestInSize * sizeOf(rig.surface);
  std::vector<double> longest;
  for (std::size_t p = 0; p < rig.surface.pointCount(); ++p) {
    const double radius = rig.bones[dominantNode(rig.surface.influencesOf(p))].radius_m;
    longest.push_back(radius > 0.0 ? kLongestInRadii * radius : fallback);
  }
  return longest;
}

Status checkRest(const BakeRig& rig, bool is_given) {
  const SurfaceMap map(rig.lattice.mesh, rig.lattice.embeddings, rig.surface.positions);
  std::vector<Vec3> places(rig.surface.pointCount());
  map.apply(rig.lattice.mesh.positions, places);
  double worst = 0.0;
  for (std::size_t p = 0; p < places.size(); ++p) {
    worst = std::max(worst, glm::distance(places[p], rig.surface.positions[p]));
  }
  if (worst <= kSameAtRest * sizeOf(rig.surface)) return {};
  return Error{is_given ? ErrorCode::kUnsupported : ErrorCode::kInternal, "",
               "has tetrahedra that do not give back its skin at rest: a vertex is off by " +
                   numberText(worst / kMetresInMillimetre) + " mm",
               is_given ? "give tetrahedra that are not as flat" : ""};
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

Result<Lattice> latticeOf(const Scene& scene, const TetBakeSettings& settings,
                          std::span<const RawFile> tet_files, int threads, BakeRig& rig,
                          Warnings& warnings) {
  if (!tet_files.empty()) {
    const Affine metric_from_tets =
        scene.metric_from_file * Affine{Mat3(settings.tets_scale), Vec3(0.0)};
    return givenLattice(tet_files, metric_from_tets, settings.outside, rig.surface, warnings);
  }
  LatticeOptions options;
  options.cell_m = settings.cell_mm * kMetresInMillimetre;
  options.most_tets = static_cast<std::size_t>(settings.max_tets);
  options.least_tets = std::min(options.least_tets, options.most_tets);
  options.threads = threads;
  return makeLattice(rig.surface, rig.bones, options, warnings);
}

// The published method and its compliant sister know no bed: bones alone hold the tetrahedra.
DriveOptions driveOptions(const TetBakeSettings& settings) {
  DriveOptions options;
  if (settings.method == SolveMethod::kNeoHookean) options.bed_stiffness = kFleshBed;
  return options;
}

// Points that the bake moves by more than rounding.
std::vector<char> movedPoints(const PointDisplacements& world, int threads) {
  std::vector<char> moved(world.pointCount(), 0);
  parallelFor(moved.size(), kPointsPerBlock, threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t p = begin; p < end; ++p) {
      for (std::size_t c = 0; c < 3 && !moved[p]; ++c) {
        const auto row = world.row(p, c);
        moved[p] = std::any_of(row.begin(), row.end(),
                               [](float x) { return std::abs(static_cast<double>(x)) > kMoved_m; });
      }
    }
  });
  return moved;
}

// Solves all frames, each by itself; those of all clips fill the blocks of the solver together.
Status solveAlone(const ClipSolver& solver, std::span<const std::size_t> begin,
                  std::deque<ClipBaker>& bakers, std::span<RestFrame> frames) {
  std::vector<ClipToSolve> clips;
  for (std::size_t c = 0; c < bakers.size(); ++c) {
    ClipBaker& baker = bakers[c];
    const auto source = [&baker](std::size_t frame, std::span<Vec3> start, std::span<Vec3> target) {
      baker.carry(frame, start, target);
    };
    const auto sink = [&baker, own = frames.subspan(begin[c], baker.frameCount())](
                          std::size_t frame, std::span<const Vec3> solved,
                          const FrameStats& stats) {
      baker.keep(frame, solved, stats);
      own[frame] = restFrame(solved, stats);
    };
    clips.push_back({baker.frameCount(), source, sink});
  }
  return solver.solve(clips);
}

// Lets frames of like poses rest alike.
Status restAlike(const ClipSolver& solver, std::span<const std::size_t> begin, int threads,
                 std::deque<ClipBaker>& bakers, std::span<RestFrame> frames) {
  std::vector<std::vector<std::size_t>> found(bakers.size());
  parallelFor(bakers.size(), 1, threads, [&](std::size_t clip, std::size_t) {
    found[clip] = bakers[clip].jumps(solver.summary().edge_m);
  });
  std::vector<std::size_t> jumps;
  for (const auto& own : found) jumps.insert(jumps.end(), own.begin(), own.end());
  const auto clipOf = [&](std::size_t column) {
    const auto after = std::upper_bound(begin.begin(), begin.end(), column);
    return static_cast<std::size_t>(after - begin.begin()) - 1;
  };
  const auto source = [&](std::size_t column, std::span<Vec3> start, std::span<Vec3> target,
                          std::span<Quat> turns) {
    const std::size_t clip = clipOf(column);
    bakers[clip].carry(column - begin[clip], start, target, turns);
  };
  const auto sink = [&](std::size_t column, std::span<const Vec3> solved, const FrameStats& stats) {
    const std::size_t clip = clipOf(column);
    bakers[clip].keep(column - begin[clip], solved, stats);
  };
  return seekLowerRest(solver, begin, jumps, threads, source, frames, sink);
}

Status bakeAtRest(const BakeRig& rig, const TetBakeSettings& settings, int threads,
                  std::deque<ClipBaker>& bakers, Baked& baked) {
  CLIPMILL_TRY(const ClipSolver solver,
               ClipSolver::make(rig.lattice.mesh, solveSettings(settings, threads)));
  std::vector<RestFrame> frames(baked.begin.back());
  CLIPMILL_CHECK(solveAlone(solver, baked.begin, bakers, frames));
  // The other methods do not look for the least energy.
  if (settings.method == SolveMethod::kNeoHookean) {
    CLIPMILL_CHECK(restAlike(solver, baked.begin, threads, bakers, frames));
  }
  if (!settings.keep_tets) return {};
  for (RestFrame& frame : frames) baked.corners.push_back(std::move(frame.places));
  return {};
}

Status moveAll(const BakeRig& rig, const TetBakeSettings& settings, int threads,
               std::deque<ClipBaker>& bakers, Baked& baked) {
  std::vector<FleshClip> clips;
  for (ClipBaker& baker : bakers) clips.push_back(baker.fleshClip());
  CLIPMILL_TRY(baked.flesh, moveFlesh(rig.lattice.mesh, clips, solveSettings(settings, threads),
                                      {settings.jiggle, settings.settle_s, sizeOf(rig.surface)}));
  return {};
}

}  // namespace

Result<BakeRig> makeBakeRig(const Scene& scene, const TetBakeSettings& settings, Warnings& warnings,
                            std::span<const RawFile> tet_files, int threads) {
  BakeRig rig;
  CLIPMILL_TRY(rig.surface, makeBakeSurface(scene, warnings));
  rig.bones = findBones(rig.surface, scene.skeleton);
  CLIPMILL_TRY(rig.lattice, latticeOf(scene, settings, tet_files, threads, rig, warnings));
  // Tetrahedra that were given carry any bone.
  const double radius_floor_m = tet_files.empty() ? thinBoneRadius_m(rig.lattice.cell_m) : 0.0;
  const auto drive = [&] {
    driveTets(rig.surface, rig.bones, rig.lattice.samples, radius_floor_m, driveOptions(settings),
              rig.lattice.mesh);
  };
  const auto partSkin = [&] {
    rig.regions = findRegions(rig.surface, scene.skeleton);
    leaveRigidParts(rig);
    rig.longest_m = longestOf(rig);
    rig.limbs = LimbVolumes(rig.surface, scene.skeleton, rig.lattice.outward_triangles);
  };
  // Neither needs what the other makes.
  parallelFor(2, 1, threads,
              [&](std::size_t part, std::size_t) { part == 0 ? partSkin() : drive(); });
  CLIPMILL_CHECK(checkRest(rig, !tet_files.empty()));
  return rig;
}

std::vector<Affine> worldsAt(const Scene& scene, const BakeRig& rig, const Motion& motion,
                             std::size_t frame) {
  std::vector<Affine> worlds;
  computeWorlds(scene.skeleton, motion.localsOf(frame), scene.metric_from_file, worlds);
  return worldsFromBind(rig.surface.bind_world_from_node, worlds);
}

std::vector<Affine> shownWorldsAt(const Scene& scene, const BakeRig& rig, const Motion& motion,
                                  std::size_t frame, std::size_t column) {
  std::vector<Affine> worlds = worldsAt(scene, rig, motion, frame);
  appendHelpers(rig.twist.fit.bones, column, worlds);
  return worlds;
}

Result<Baked> bakeMotions(const Scene& scene, const BakeRig& rig, std::span<const Motion> motions,
                          const TetBakeSettings& settings, int threads) {
  std::vector<std::size_t> begin = {0};
  for (const Motion& motion : motions) begin.push_back(begin.back() + motion.grid.frame_count);
  const double samples =
      static_cast<double>(begin.back()) * static_cast<double>(rig.surface.pointCount());
  const double corners =
      static_cast<double>(begin.back()) * static_cast<double>(rig.lattice.mesh.vertexCount());
  if (samples * kBytesPerSample + corners * kBytesPerCorner > kMostBytes) {
    return Error{ErrorCode::kLimit, "", "has too many vertices and frames to be baked at once",
                 "choose fewer clips with --clip, or a lower --fps"};
  }
  Baked baked{PointDisplacements(rig.surface.pointCount(), begin.back()),
              PointDisplacements(rig.surface.pointCount(), begin.back()),
              std::vector<BakedFrame>(begin.back()),
              begin,
              {},
              {}};
  const SkinTools tools(rig);
  std::deque<ClipBaker> bakers;
  for (std::size_t m = 0; m < motions.size(); ++m) {
    bakers.emplace_back(scene, rig, tools, motions[m], settings, begin[m], baked);
  }
  CLIPMILL_CHECK(bakeAtRest(rig, settings, threads, bakers, baked));
  if (settings.flesh == TetBakeFlesh::kMoving) {
    // It has no shape to jump to.
    CLIPMILL_CHECK(moveAll(rig, settings, threads, bakers, baked));
  } else {
    forClips(begin, threads, [&](std::size_t clip, int own) { bakers[clip].steady(own); });
  }
  baked.moved = movedPoints(baked.world, threads);
  return baked;
}

}  // namespace clipmill::tet_bake
