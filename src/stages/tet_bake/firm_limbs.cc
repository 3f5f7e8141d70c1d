// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/firm_limbs.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "core/parallel.h"
#include "core/to_size.h"
#include "stages/tet_bake/binding/tet_binding.h"
#include "stages/tet_bake/equilibria.h"

namespace clipmill::stages::tet_bake {
namespace {

// Lambda over the shear modulus of firm tissue, in the order in which it is tried: Poisson's ratios
// of 0.495 and 0.49.
constexpr std::array<double, 2> kFirmLambdas = {100.0, 50.0};
// What the fit of morphs loses, as a share of a limb's volume.
constexpr double kFitLoss = 0.005;
// In one of so many frames more may be worse: the correction fades about it.
constexpr std::size_t kFewFrames = 10;
// A corner with less of a bone is not of its limb.
constexpr double kLimbWeight = 0.01;
// What a bend deforms, in radii of the limb.
constexpr double kFirmReach = 3.0;
constexpr std::size_t kFirmFramesPerBlock = 4;

// The surface of one frame, or the worst of several. In the pose without joint scales, so that a
// scaled limb is judged as the same one without a scale.
struct LimbState {
  std::vector<double> volumes;   // of the limbs; at most 1
  double dual = 1.0;             // the least with dual quaternion skinning
  std::size_t worse_frames = 0;  // of all regions
};

LimbState stateAt(const Scene& scene, const BakeRig& rig, const Motion& motion, const Baked& baked,
                  std::size_t index, std::size_t frame) {
  const SkinSurface& surface = rig.surface;
  const UnscaledPose pose = rig.scales.remove(worldsAt(scene, rig, motion, frame));
  std::vector<Vec3> plain(surface.pointCount()), dual(plain);
  skinSurface(surface, pose.world_from_bind, plain);
  skinSurfaceByDualQuaternions(surface, pose.world_from_bind, dual);
  std::vector<Vec3> solved = plain;
  for (std::size_t p = 0; p < solved.size(); ++p) {
    const Vec3 path = baked.world.at(p, baked.start[index] + frame);
    if (path == Vec3(0.0)) continue;
    solved[p] +=
        pose.has_scale ? glm::inverse(pose.stretchOf(surface.influencesOf(p))) * path : path;
  }
  LimbState state;
  for (std::size_t limb = 0; limb < rig.limbs.limbCount(); ++limb) {
    state.volumes.push_back(std::min(rig.limbs.share(limb, solved), 1.0));
    state.dual = std::min(state.dual, rig.limbs.share(limb, dual));
  }
  for (const RegionQuality& quality : rig.quality.measure(plain, solved)) {
    if (worseBy(quality) != WorseBy::kNothing) ++state.worse_frames;
  }
  return state;
}

LimbState worstOf(const Scene& scene, const BakeRig& rig, const Motion& motion, const Baked& baked,
                  std::size_t index, int threads) {
  std::vector<LimbState> frames(motion.grid.frame_count);
  parallelFor(frames.size(), kFirmFramesPerBlock, threads, [&](std::size_t start, std::size_t end) {
    for (std::size_t f = start; f < end; ++f) {
      frames[f] = stateAt(scene, rig, motion, baked, index, f);
    }
  });
  LimbState worst;
  worst.volumes.assign(rig.limbs.limbCount(), 1.0);
  for (const LimbState& frame : frames) {
    for (std::size_t limb = 0; limb < worst.volumes.size(); ++limb) {
      worst.volumes[limb] = std::min(worst.volumes[limb], frame.volumes[limb]);
    }
    worst.dual = std::min(worst.dual, frame.dual);
    worst.worse_frames += frame.worse_frames;
  }
  return worst;
}

// Limbs with less volume than dual quaternion skinning has in the worst limb.
std::vector<std::size_t> limbsBelowDual(const LimbState& state) {
  std::vector<std::size_t> limbs;
  for (std::size_t limb = 0; limb < state.volumes.size(); ++limb) {
    if (state.volumes[limb] < state.dual + kFitLoss) limbs.push_back(limb);
  }
  return limbs;
}

bool isBetter(const LimbState& now, const LimbState& before, std::size_t frame_count) {
  const auto least = [](const LimbState& state) {
    return *std::min_element(state.volumes.begin(), state.volumes.end());
  };
  return least(now) > least(before) &&
         now.worse_frames <= before.worse_frames + frame_count / kFewFrames;
}

// What a bake has of one clip.
struct KeptClip {
  std::vector<float> world, before_skin;
  std::vector<BakedFrame> frames;
  std::vector<std::vector<float>> corners;

  KeptClip(const Baked& baked, std::size_t start, std::size_t count)
      : world(baked.world.frames(start, count)),
        before_skin(baked.before_skin.frames(start, count)) {
    const auto first = static_cast<std::ptrdiff_t>(start),
               last = first + static_cast<std::ptrdiff_t>(count);
    frames.assign(baked.frames.begin() + first, baked.frames.begin() + last);
    if (!baked.corners.empty())
      corners.assign(baked.corners.begin() + first, baked.corners.begin() + last);
  }

  void putBack(std::size_t start, Baked& baked) const {
    baked.world.setFrames(start, frames.size(), world);
    baked.before_skin.setFrames(start, frames.size(), before_skin);
    std::copy(frames.begin(), frames.end(),
              baked.frames.begin() + static_cast<std::ptrdiff_t>(start));
    std::copy(corners.begin(), corners.end(),
              baked.corners.begin() + static_cast<std::ptrdiff_t>(start));
  }
};

// Whether each corner belongs to what a joint deforms.
std::vector<char> cornersAbout(const Scene& scene, const BakeRig& rig, std::size_t node,
                               const TetMesh& mesh) {
  const int above = skinnedAbove(scene.skeleton, rig.bones, node);
  const double radius_m =
      std::max(rig.bones[node].radius_m, above < 0 ? 0.0 : rig.bones[toSize(above)].radius_m);
  const Vec3 joint_m = rig.surface.bind_world_from_node[node].translation;
  std::vector<char> is_about(mesh.vertexCount(), 0);
  for (std::size_t v = 0; v < mesh.vertexCount(); ++v) {
    const auto influences = std::span(mesh.influences)
                                .subspan(mesh.influence_start[v],
                                         mesh.influence_start[v + 1] - mesh.influence_start[v]);
    const auto isMovedBy = [&](std::size_t bone) {
      return weightOf(influences, static_cast<std::uint32_t>(bone)) > kLimbWeight;
    };
    const bool is_near = glm::distance(mesh.positions[v], joint_m) <= kFirmReach * radius_m;
    if (isMovedBy(node) || (is_near && above >= 0 && isMovedBy(toSize(above)))) is_about[v] = 1;
  }
  return is_about;
}

// Solves one clip after another with firm limbs.
class FirmBake {
 public:
  FirmBake(const Scene& scene, const BakeRig& rig, const TetBakeSettings& settings, int threads,
           Baked& baked)
      : scene_(scene), rig_(rig), settings_(settings), threads_(threads), baked_(baked) {}

  Status solve(const Motion& motion, std::size_t index, ClipBaker& baker) {
    const double lambda = materialOfVolume(settings_.volume_preservation).lambda;
    const std::size_t start = baked_.start[index];
    const LimbState before = worstOf(scene_, rig_, motion, baked_, index, threads_);
    const std::vector<std::size_t> limbs = limbsBelowDual(before);
    if (limbs.empty()) return {};
    const KeptClip kept(baked_, start, motion.grid.frame_count);
    for (const double firm_lambda : kFirmLambdas) {
      if (firm_lambda <= lambda) continue;
      std::map<int, double> firmness;
      for (const std::size_t limb : limbs) firmness[rig_.limbs.nodeOf(limb)] = firm_lambda / lambda;
      TetMesh mesh = rig_.lattice.mesh;
      makeFirm(scene_, rig_, firmness, mesh);
      CLIPMILL_CHECK(solveEquilibria(mesh, settings_, threads_, {&baker}));
      baker.smooth(threads_);
      const LimbState now = worstOf(scene_, rig_, motion, baked_, index, threads_);
      if (isBetter(now, before, motion.grid.frame_count)) return {};
    }
    kept.putBack(start, baked_);
    return {};
  }

 private:
  const Scene& scene_;
  const BakeRig& rig_;
  const TetBakeSettings& settings_;
  int threads_;
  Baked& baked_;
};

}  // namespace

void makeFirm(const Scene& scene, const BakeRig& rig, const std::map<int, double>& firmness,
              TetMesh& mesh) {
  mesh.firmness.assign(mesh.tets.size(), 1.0);
  for (const auto& [joint, value] : firmness) {
    const std::vector<char> is_firm = cornersAbout(scene, rig, toSize(joint), mesh);
    for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
      const Tet& tet = mesh.tets[t];
      const bool is_in = std::any_of(tet.begin(), tet.end(),
                                     [&](std::uint32_t corner) { return is_firm[corner] != 0; });
      if (is_in) mesh.firmness[t] = std::max(mesh.firmness[t], value);
    }
  }
}

Status solveFirmLimbs(const Scene& scene, const BakeRig& rig, std::span<const Motion> motions,
                      const TetBakeSettings& settings, int threads, std::deque<ClipBaker>& bakers,
                      Baked& baked) {
  if (settings.method != SolveMethod::kNeoHookean || rig.limbs.limbCount() == 0) return {};
  FirmBake bake(scene, rig, settings, threads, baked);
  for (std::size_t clip = 0; clip < motions.size(); ++clip) {
    CLIPMILL_CHECK(bake.solve(motions[clip], clip, bakers[clip]));
  }
  return {};
}

}  // namespace clipmill::stages::tet_bake
