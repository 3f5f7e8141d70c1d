// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/bake.h"

#include <algorithm>
#include <cmath>
#include <deque>

#include "core/parallel.h"
#include "core/text.h"
#include "stages/tet_bake/drive/drive.h"
#include "stages/tet_bake/drive/given_tets.h"
#include "stages/tet_bake/for_clips.h"
#include "stages/tet_bake/morphs/bind_corrections.h"
#include "stages/tet_bake/steady.h"
#include "stages/tet_bake/tets/embedding.h"
#include "stages/tet_bake/tets/tet_shape.h"

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
// The skin of flesh that moves swings by less, in parts of the figure, however it is jolted.
constexpr double kMostSwing = 0.03;
constexpr double kMostBytes = 8.0 * 1024.0 * 1024.0 * 1024.0;
constexpr double kBytesPerSample = 2.0 * 3.0 * sizeof(float);
constexpr double kBytesPerCorner = 3.0 * sizeof(float);
// Less than this nobody sees, and single precision does not tell.
constexpr double kMoved_m = 1e-5;
constexpr std::size_t kPointsPerBlock = 256;

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

std::vector<float> numbersOf(std::span<const Vec3> places) {
  std::vector<float> numbers;
  numbers.reserve(3 * places.size());
  for (const Vec3& place : places) {
    for (int c = 0; c < 3; ++c) numbers.push_back(static_cast<float>(place[c]));
  }
  return numbers;
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

// What all clips share.
struct SkinTools {
  double most_swing_m;
  SurfaceMap map;
  SurfaceSmoother smoother;
  TetVolumes volumes;

  explicit SkinTools(const BakeRig& rig)
      : most_swing_m(kMostSwing * sizeOf(rig.surface)),
        map(rig.lattice.mesh, rig.lattice.embeddings, rig.surface.positions),
        smoother(rig.surface),
        volumes(rig.lattice.mesh) {}
};

// Bakes one clip into the frames from `begin` on.
class ClipBaker {
 public:
  ClipBaker(const Scene& scene, const BakeRig& rig, const SkinTools& tools, const Motion& motion,
            const TetBakeSettings& settings, std::size_t begin, Baked& baked)
      : scene_(scene),
        rig_(rig),
        tools_(tools),
        motion_(motion),
        settings_(settings),
        begin_(begin),
        baked_(baked) {}

  ClipToSolve clipToSolve() { return {motion_.grid.frame_count, source(), sink()}; }

  // To be called once it is solved.
  void steady(int threads) {
    steadyClip(scene_, rig_, motion_, settings_.steady_ms * kSecondsInMillisecond, begin_, threads,
               baked_);
  }

  // To be moved once it is solved: the swing is measured from what is there.
  FleshClip fleshClip() {
    is_moving_ = true;
    return {motion_.grid.frame_count, 1.0 / motion_.grid.fps, source(), sink()};
  }

 private:
  FrameSource source() const {
    return [this](std::size_t frame, std::span<Vec3> start, std::span<Vec3> target) {
      const std::vector<Affine> worlds =
          shownWorldsAt(scene_, rig_, motion_, frame, begin_ + frame);
      skinTetsByDualQuaternions(rig_.lattice.mesh, worlds, start);
      std::copy(start.begin(), start.end(), target.begin());
    };
  }

  FrameSink sink() {
    return [this](std::size_t frame, std::span<const Vec3> solved, const FrameStats& stats) {
      keep(frame, solved, stats);
      if (settings_.keep_tets) baked_.corners[begin_ + frame] = numbersOf(solved);
    };
  }

  void measureSwing(std::span<const Vec3> displacements, std::size_t column, BakedFrame& frame) {
    double sum = 0.0, most = 0.0, count = 0.0;
    for (std::size_t p = 0; p < displacements.size(); ++p) {
      if (!(rig_.surface.share[p] > 0.0)) continue;
      const Vec3 way = displacements[p] - baked_.world.at(p, column);
      sum += glm::dot(way, way);
      most = std::max(most, glm::dot(way, way));
      count += 1.0;
    }
    frame.swing_rms_m = std::sqrt(sum / std::max(count, 1.0));
    frame.swing_max_m = std::sqrt(most);
  }

  // Displacements from where the skin is before corrections; what is there is the flesh at rest.
  void boundSwing(std::span<const Vec3> plain, std::span<const Vec3> skinned, std::size_t column,
                  std::span<Vec3> displacements) const {
    for (std::size_t p = 0; p < displacements.size(); ++p) {
      if (!(rig_.surface.share[p] > 0.0)) continue;
      const Vec3 rest = baked_.world.at(p, column) - (skinned[p] - plain[p]);
      displacements[p] = rest + boundedSwing(displacements[p] - rest, tools_.most_swing_m);
    }
  }

  void keep(std::size_t frame, std::span<const Vec3> solved, const FrameStats& stats) {
    const BakeSurface& surface = rig_.shown();
    const std::size_t column = begin_ + frame;
    const std::vector<Affine> worlds = shownWorldsAt(scene_, rig_, motion_, frame, column);
    std::vector<Vec3> plain(surface.pointCount()), skinned(plain), places(plain);
    skinSurface(surface, worlds, skinned);
    if (rig_.twist.empty()) {
      plain = skinned;
    } else {
      skinSurface(rig_.surface, worlds, plain);
    }
    tools_.map.apply(solved, places);
    for (std::size_t p = 0; p < places.size(); ++p) {
      places[p] = (places[p] - skinned[p]) * surface.share[p];
    }
    tools_.smoother.smooth(static_cast<int>(settings_.smoothing), places);
    if (is_moving_) boundSwing(plain, skinned, column, places);
    BakedFrame& baked = baked_.frames[column];
    baked.cut_count = 0;
    for (std::size_t p = 0; p < places.size(); ++p) {
      bool was_cut = false;
      const Vec3 before =
          beforeSkinning(blendedLinear(surface, worlds, p), places[p], rig_.longest_m[p], &was_cut);
      baked.cut_count += was_cut ? 1 : 0;
      baked_.before_skin.set(p, column, before);
      places[p] += skinned[p] - plain[p];
    }
    if (is_moving_) measureSwing(places, column, baked);
    for (std::size_t p = 0; p < places.size(); ++p) baked_.world.set(p, column, places[p]);
    baked.solved = stats;
    baked.skinned = plainVolumes(frame);
  }

  // Of the tetrahedra as the nodes alone would carry them: twist joints rest on their owners.
  VolumeStats plainVolumes(std::size_t frame) const {
    std::vector<Affine> worlds = worldsAt(scene_, rig_, motion_, frame);
    for (const HelperBone& bone : rig_.twist.fit.bones) worlds.push_back(worlds[bone.owner]);
    std::vector<Vec3> corners(rig_.lattice.mesh.vertexCount());
    skinTets(rig_.lattice.mesh, worlds, corners);
    return tools_.volumes.at(corners);
  }

  const Scene& scene_;
  const BakeRig& rig_;
  const SkinTools& tools_;
  const Motion& motion_;
  const TetBakeSettings& settings_;
  std::size_t begin_;
  bool is_moving_ = false;
  Baked& baked_;
};

// Frames of all clips fill the blocks of the solver together.
Status solveAll(const BakeRig& rig, const SolveSettings& settings, std::deque<ClipBaker>& bakers) {
  std::vector<ClipToSolve> clips;
  for (ClipBaker& baker : bakers) clips.push_back(baker.clipToSolve());
  CLIPMILL_CHECK(solveClips(rig.lattice.mesh, clips, settings));
  return {};
}

Status moveAll(const BakeRig& rig, const SolveSettings& solve, const TetBakeSettings& settings,
               std::deque<ClipBaker>& bakers, Baked& baked) {
  std::vector<FleshClip> clips;
  for (ClipBaker& baker : bakers) clips.push_back(baker.fleshClip());
  CLIPMILL_TRY(baked.flesh, moveFlesh(rig.lattice.mesh, clips, solve,
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
      settings.keep_tets
          ? static_cast<double>(begin.back()) * static_cast<double>(rig.lattice.mesh.vertexCount())
          : 0.0;
  if (samples * kBytesPerSample + corners * kBytesPerCorner > kMostBytes) {
    return Error{ErrorCode::kLimit, "", "has too many vertices and frames to be baked at once",
                 "choose fewer clips with --clip, or a lower --fps"};
  }
  Baked baked{PointDisplacements(rig.surface.pointCount(), begin.back()),
              PointDisplacements(rig.surface.pointCount(), begin.back()),
              std::vector<BakedFrame>(begin.back()),
              begin,
              {},
              std::vector<std::vector<float>>(settings.keep_tets ? begin.back() : 0)};
  const SkinTools tools(rig);
  std::deque<ClipBaker> bakers;
  for (std::size_t m = 0; m < motions.size(); ++m) {
    bakers.emplace_back(scene, rig, tools, motions[m], settings, begin[m], baked);
  }
  const SolveSettings solve = solveSettings(settings, threads);
  CLIPMILL_CHECK(solveAll(rig, solve, bakers));
  if (settings.flesh == TetBakeFlesh::kMoving) {
    // It has no shape to jump to.
    CLIPMILL_CHECK(moveAll(rig, solve, settings, bakers, baked));
  } else {
    forClips(begin, threads, [&](std::size_t clip, int own) { bakers[clip].steady(own); });
  }
  baked.moved = movedPoints(baked.world, threads);
  return baked;
}

}  // namespace clipmill::tet_bake
