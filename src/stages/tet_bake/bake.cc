// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/bake.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <utility>

#include "core/parallel.h"
#include "core/text.h"
#include "core/to_size.h"
#include "core/units.h"
#include "stages/tet_bake/binding/given_tets.h"
#include "stages/tet_bake/binding/tet_binding.h"
#include "stages/tet_bake/clip_baker.h"
#include "stages/tet_bake/equilibria.h"
#include "stages/tet_bake/firm_limbs.h"
#include "stages/tet_bake/for_clips.h"
#include "stages/tet_bake/limb_state.h"
#include "stages/tet_bake/mend_skin.h"
#include "stages/tet_bake/skin_masks.h"
#include "stages/tet_bake/surface/thin_bones.h"
#include "stages/tet_bake/tets/embedding.h"
#include "stages/tet_bake/tets/tet_shape.h"
#include "stages/tet_bake/tissue_regions.h"

namespace clipmill::stages::tet_bake {
namespace {

// Largest error of the mapped surface at rest, as a share of its size.
constexpr double kSameAtRest = 1e-6;
// Largest displacement before skinning, in radii of its limb. Between bones with a relative
// rotation of 135 degrees 1.6 are needed.
constexpr double kLongestInRadii = 2.0;
// The same for a point without a limb, as a share of the character's size.
constexpr double kLongestInSize = 0.05;
constexpr double kMaxBytes = 8.0 * 1024.0 * 1024.0 * 1024.0;
constexpr double kBytesPerSample = 2.0 * 3.0 * sizeof(float);
constexpr double kBytesPerCorner = 3.0 * sizeof(float);
// Less is invisible and within the rounding of single precision.
constexpr double kMoved_m = 1e-5;
constexpr std::size_t kBakePointsPerBlock = 256;
// Frame rates that differ by less, as a share of one, are the same.
constexpr double kSameRate = 0.01;
// Fewer keys than in film are sparse ones of a smooth path.
constexpr double kMinKnot_s = 1.0 / 120.0, kMaxKnot_s = 1.0 / 24.0;

std::vector<double> maxDisplacements(const BakeRig& rig) {
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
  std::vector<Vec3> positions(rig.surface.pointCount());
  map.apply(rig.lattice.mesh.positions, positions);
  double worst = 0.0;
  for (std::size_t p = 0; p < positions.size(); ++p) {
    worst = std::max(worst, glm::distance(positions[p], rig.surface.positions[p]));
  }
  if (worst <= kSameAtRest * sizeOf(rig.surface)) return {};
  return Error{is_given ? ErrorCode::kUnsupported : ErrorCode::kInternal, "",
               "has tetrahedra that do not reproduce its skin at rest: a vertex is off by " +
                   numberText(worst / kMetresInMillimetre) + " mm",
               is_given ? "use tetrahedra that are less flat" : ""};
}

// A part of the surface that follows one node as a whole (armour, eyes, the parts of a doll) is
// rigid: it is not corrected.
void leaveRigidParts(BakeRig& rig) {
  std::vector<char> bends(rig.surface.pointCount(), 0);
  for (const MorphRegion& region : rig.regions) {
    for (const std::uint32_t point : region.points) bends[point] = 1;
  }
  for (std::size_t p = 0; p < bends.size(); ++p) {
    if (!bends[p]) rig.surface.share[p] = 0.0;
  }
}

std::vector<int> nodesAbove(const Skeleton& skeleton, const std::vector<BakeBone>& bones) {
  std::vector<int> above;
  for (std::size_t n = 0; n < skeleton.size(); ++n) {
    above.push_back(skinnedAbove(skeleton, bones, n));
  }
  return above;
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
  options.cell_m = settings.cell_mm.value_or(0.0) * kMetresInMillimetre;
  options.max_tets = toSize(settings.max_tets);
  options.min_tets = std::min(options.min_tets, options.max_tets);
  options.threads = threads;
  options.node_above = nodesAbove(scene.skeleton, rig.bones);
  CLIPMILL_TRY(Lattice lattice, makeLattice(rig.surface, rig.bones, options, warnings));
  warnOfThinBones(scene.skeleton, rig.bones, lattice.cell_m, warnings);
  return lattice;
}

// Only neo_hookean has an elastic foundation; in the other methods bones alone hold tetrahedra.
BindOptions bindOptions(const TetBakeSettings& settings) {
  BindOptions options;
  if (settings.method == SolveMethod::kNeoHookean)
    options.foundation_stiffness = kFoundationStiffness;
  return options;
}

// Points that the bake moves by more than rounding.
std::vector<char> movedPoints(const PointDisplacements& world, int threads) {
  std::vector<char> moved(world.pointCount(), 0);
  parallelFor(moved.size(), kBakePointsPerBlock, threads, [&](std::size_t start, std::size_t end) {
    for (std::size_t p = start; p < end; ++p) {
      for (std::size_t c = 0; c < 3 && !moved[p]; ++c) {
        const auto row = world.row(p, c);
        moved[p] = std::any_of(row.begin(), row.end(),
                               [](float x) { return std::abs(static_cast<double>(x)) > kMoved_m; });
      }
    }
  });
  return moved;
}

// The joints that move skin, and the lowest node that all of them are below.
locomotion::CycleBody bodyOf(const Skeleton& skeleton, const std::vector<BakeBone>& bones) {
  locomotion::CycleBody body;
  std::vector<std::size_t> below(skeleton.size(), 0);
  for (std::size_t n = skeleton.size(); n-- > 0;) {
    if (bones[n].moves_skin) {
      body.nodes.insert(body.nodes.begin(), n);
      ++below[n];
    }
    const int parent = skeleton.nodes[n].parent;
    if (parent >= 0) below[toSize(parent)] += below[n];
  }
  for (std::size_t n = 0; n < skeleton.size(); ++n) {
    if (below[n] == body.nodes.size()) body.lowest_root = static_cast<int>(n);
  }
  return body;
}

// Frames of a clip and its own ones may differ: then its missing step is not one frame.
bool hasOwnRate(const Scene& scene, const Motion& motion) {
  return std::abs(locomotion::authoredRateOf(scene, motion) / motion.grid.fps - 1.0) < kSameRate;
}

void judgeCycles(const Scene& scene, const BakeRig& rig, std::span<const Motion> motions,
                 const TetBakeSettings& settings, Baked& baked,
                 std::vector<SoftTissueClip>& clips) {
  const locomotion::CycleBody body = bodyOf(scene.skeleton, rig.bones);
  for (std::size_t m = 0; m < motions.size(); ++m) {
    baked.cycles.push_back(locomotion::judgeCycle(body, settings.loop, scene, motions[m]));
    locomotion::CycleDecision& decision = baked.cycles.back();
    decision.is_cycle = decision.is_cycle && clips[m].frame_count > 2;
    if (!decision.is_cycle) continue;
    const bool is_open = decision.is_open && hasOwnRate(scene, motions[m]);
    const locomotion::Carry& back = decision.back;
    clips[m].cycle = TissueCycle{is_open, back.rotation, back.from, back.to};
  }
}

// Between the keys of a clip, or the steps of the solver where that is longer.
double knotTime_s(const Scene& scene, const Motion& motion) {
  const double rate_hz = locomotion::authoredRateOf(scene, motion);
  return rate_hz > 0.0 ? std::clamp(1.0 / rate_hz, kMinKnot_s, kMaxKnot_s) : kMinKnot_s;
}

Status bakeDynamic(const Scene& scene, const BakeRig& rig, std::span<const Motion> motions,
                   const TetBakeSettings& settings, int threads, std::deque<ClipBaker>& bakers,
                   Baked& baked) {
  std::vector<SoftTissueClip> clips;
  for (std::size_t m = 0; m < motions.size(); ++m) {
    clips.push_back(bakers[m].softTissueClip());
    clips.back().knot_s = knotTime_s(scene, motions[m]);
  }
  judgeCycles(scene, rig, motions, settings, baked, clips);
  SoftTissueSettings tissue;
  tissue.jiggle = settings.jiggle.value_or(kDefaultJiggle);
  tissue.settle_s = settings.settle_s.value_or(kDefaultSettle_s);
  tissue.corner_settle_s = rig.corner_settle_s;
  tissue.character_m = sizeOf(rig.surface);
  tissue.loop_tolerance_mm = settings.loop_tolerance_mm;
  tissue.max_loop_cycles = static_cast<int>(settings.max_loop_cycles);
  CLIPMILL_TRY(baked.soft_tissue,
               solveSoftTissue(rig.lattice.mesh, clips, solveSettings(settings, threads), tissue));
  return {};
}

}  // namespace

Result<BakeRig> makeBakeRig(const Scene& scene, const TetBakeSettings& settings, Warnings& warnings,
                            std::span<const RawFile> tet_files, int threads) {
  BakeRig rig;
  CLIPMILL_CHECK(checkMasks(scene, settings.mask));
  CLIPMILL_CHECK(checkRegions(scene, settings.region));
  CLIPMILL_TRY(rig.surface, makeSkinSurface(scene, warnings));
  rig.bones = findBones(rig.surface, scene.skeleton);
  rig.scales = ScaleRemover(scene.skeleton, rig.surface);
  CLIPMILL_TRY(rig.lattice, latticeOf(scene, settings, tet_files, threads, rig, warnings));
  // Tetrahedra of a file are bound to bones of any thickness.
  const double radius_floor_m = tet_files.empty() ? thinBoneRadius_m(rig.lattice.cell_m) : 0.0;
  const auto bind = [&] {
    bindTets(rig.surface, rig.bones, rig.lattice.samples, radius_floor_m, bindOptions(settings),
             rig.lattice.mesh);
  };
  const auto partSkin = [&] {
    rig.regions = findRegions(rig.surface, scene.skeleton);
    rig.shown_shares = shownShares(scene, rig.surface, rig.regions, settings.mask);
    dropLeftOut(rig.shown_shares, rig.regions);
    leaveRigidParts(rig);
    const std::vector<NearPair> pairs =
        findNearPairs(rig.surface, nodesAbove(scene.skeleton, rig.bones), threads);
    rig.quality = SkinQuality(rig.surface, rig.regions, pairs);
    rig.whole = {wholeRegion(rig.surface)};
    dropLeftOut(rig.shown_shares, rig.whole);
    rig.whole_quality = SkinQuality(rig.surface, rig.whole, pairs);
    rig.max_displacement_m = maxDisplacements(rig);
    rig.limbs = measure::JointVolumes(rig.surface, scene.skeleton, rig.lattice.outward_triangles);
    rig.overlap = SkinOverlap(rig.surface, rig.lattice.outward_triangles);
  };
  // The two are independent.
  parallelFor(2, 1, threads,
              [&](std::size_t part, std::size_t) { part == 0 ? partSkin() : bind(); });
  rig.corner_settle_s =
      applyRegions(scene, rig.surface, rig.lattice.samples, settings, rig.lattice.mesh);
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

UnscaledPose shownUnscaledAt(const BakeRig& rig, std::span<const Affine> plain_worlds,
                             std::size_t column) {
  UnscaledPose pose = rig.scales.remove(plain_worlds);
  appendHelpers(rig.twist.fit.bones, column, pose.world_from_bind);
  if (!pose.has_scale) return pose;
  for (const HelperBone& bone : rig.twist.fit.bones) {
    pose.stretch.push_back(pose.stretch[bone.owner]);
  }
  return pose;
}

std::size_t motionOf(const Baked& baked, std::size_t column) {
  const auto above = std::upper_bound(baked.start.begin(), baked.start.end(), column);
  return toSize(above - baked.start.begin()) - 1;
}

Result<Baked> bakeMotions(const Scene& scene, const BakeRig& rig, std::span<const Motion> motions,
                          const TetBakeSettings& settings, int threads) {
  std::vector<std::size_t> start = {0};
  for (const Motion& motion : motions) start.push_back(start.back() + motion.grid.frame_count);
  const double samples =
      static_cast<double>(start.back()) * static_cast<double>(rig.surface.pointCount());
  const double corners =
      static_cast<double>(start.back()) * static_cast<double>(rig.lattice.mesh.vertexCount());
  if (samples * kBytesPerSample + corners * kBytesPerCorner > kMaxBytes) {
    return Error{ErrorCode::kLimit, "", "has too many vertices and frames for one bake",
                 "select fewer clips with --clip, or a lower --fps"};
  }
  Baked baked{PointDisplacements(rig.surface.pointCount(), start.back()),
              PointDisplacements(rig.surface.pointCount(), start.back()),
              std::vector<BakedFrame>(start.back()),
              start,
              {},
              {}};
  baked.limb_goals.resize(motions.size());
  forClips(start, threads, [&](std::size_t clip, int own) {
    baked.limb_goals[clip] = limbGoal(scene, rig, motions[clip], own);
  });
  const SkinTools tools(rig);
  std::deque<ClipBaker> bakers;
  for (std::size_t m = 0; m < motions.size(); ++m) {
    bakers.emplace_back(scene, rig, tools, motions[m], settings, start[m], baked);
  }
  if (settings.keep_tets) baked.corners.resize(start.back());
  std::vector<ClipBaker*> all;
  for (ClipBaker& baker : bakers) all.push_back(&baker);
  CLIPMILL_CHECK(solveEquilibria(rig.lattice.mesh, settings, threads, std::move(all)));
  if (settings.soft_tissue == TetBakeSoftTissue::kDynamic) {
    // Dynamic tissue has a history and does not jump between shapes.
    CLIPMILL_CHECK(bakeDynamic(scene, rig, motions, settings, threads, bakers, baked));
  } else {
    forClips(start, threads, [&](std::size_t clip, int own) { bakers[clip].smooth(own); });
    CLIPMILL_CHECK(solveFirmLimbs(scene, rig, motions, settings, threads, bakers, baked));
    // Helper joints cannot slide skin along itself.
    if (settings.method == SolveMethod::kNeoHookean && settings.bake_to != TetBakeOutput::kBones) {
      if (settings.fold_contact) baked.contact.resize(motions.size());
      forClips(start, threads, [&](std::size_t clip, int own) {
        mendSkin(scene, rig, tools, motions[clip], clip, settings, own, bakers[clip], baked);
      });
    }
  }
  baked.moved = movedPoints(baked.world, threads);
  return baked;
}

}  // namespace clipmill::stages::tet_bake
