// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/firm_limbs.h"

#include <algorithm>
#include <array>
#include <vector>

#include "core/to_size.h"
#include "stages/tet_bake/equilibria.h"
#include "stages/tet_bake/fill_limbs.h"
#include "stages/tet_bake/kept_clip.h"
#include "stages/tet_bake/limb_state.h"

namespace clipmill::stages::tet_bake {
namespace {

// Lambda over the shear modulus of firm tissue, in the order in which it is tried: Poisson's ratios
// of 0.495 and 0.49.
constexpr std::array<double, 2> kFirmLambdas = {100.0, 50.0};
// Beyond the volume of dual quaternion skinning.
constexpr double kFirmMargin = 0.005;
// In one of so many frames more may be worse: the correction fades about it.
constexpr std::size_t kFewFrames = 10;
// A corner with less of a bone is not of its limb.
constexpr double kLimbWeight = 0.01;
// What a bend deforms, in radii of the limb.
constexpr double kFirmReach = 3.0;

bool isBetter(const LimbState& now, const LimbState& before, std::size_t frame_count) {
  const auto least = [](const LimbState& state) {
    return *std::min_element(state.volumes.begin(), state.volumes.end());
  };
  return least(now) > least(before) &&
         now.worse_frames <= before.worse_frames + frame_count / kFewFrames;
}

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

  // Widens limbs, and first makes them firm where that is not enough. Helper joints follow firm
  // tissue better than widened skin.
  Status bake(const Motion& motion, std::size_t index, ClipBaker& baker) {
    const LimbState before = stateOf(motion, index);
    const double wanted = baked_.limb_goals[index].wanted(kFirmMargin);
    const std::vector<std::size_t> limbs = limbsBelow(before, wanted);
    const KeptClip kept(baked_, baked_.start[index], motion.grid.frame_count);
    if (settings_.bake_to != TetBakeOutput::kBones || limbs.empty()) {
      fillLimbs(scene_, rig_, motion, index, threads_, baker, baked_);
      if (limbs.empty() || limbsBelow(stateOf(motion, index), wanted).empty()) return {};
      kept.putBack(baked_.start[index], baked_);
    }
    CLIPMILL_CHECK(solve(motion, index, limbs, before, kept, baker));
    fillLimbs(scene_, rig_, motion, index, threads_, baker, baked_);
    return {};
  }

 private:
  LimbState stateOf(const Motion& motion, std::size_t index) const {
    return worstLimbState(scene_, rig_, motion, baked_, index, threads_);
  }

  // Solves the clip with firm limbs. What was kept is put back if that makes nothing better.
  Status solve(const Motion& motion, std::size_t index, std::span<const std::size_t> limbs,
               const LimbState& before, const KeptClip& kept, ClipBaker& baker) {
    const double lambda = materialOfVolume(settings_.volume_preservation).lambda;
    for (const double firm_lambda : kFirmLambdas) {
      if (firm_lambda <= lambda) continue;
      std::map<int, double> firmness;
      for (const std::size_t limb : limbs) firmness[rig_.limbs.nodeOf(limb)] = firm_lambda / lambda;
      TetMesh mesh = rig_.lattice.mesh;
      makeFirm(scene_, rig_, firmness, mesh);
      CLIPMILL_CHECK(solveEquilibria(mesh, settings_, threads_, {&baker}));
      baker.smooth(threads_);
      if (isBetter(stateOf(motion, index), before, motion.grid.frame_count)) return {};
    }
    kept.putBack(baked_.start[index], baked_);
    return {};
  }

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
    CLIPMILL_CHECK(bake.bake(motions[clip], clip, bakers[clip]));
  }
  return {};
}

}  // namespace clipmill::stages::tet_bake
