// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/fit/chain_fit.h"

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "core/to_size.h"
#include "stages/dynamic_bones/chains/moving_nodes.h"
#include "stages/dynamic_bones/springs/grid_step.h"
#include "stages/dynamic_bones/springs/spring.h"

namespace clipmill::stages::dynamic_bones {
namespace {

// Below this the rod does not leave the animated pose, and any springs fit.
constexpr double kNoSwing_m = 1e-6;

// The probes of each row: one a motion in which the row is simulated.
using RowProbes = std::vector<std::vector<RowProbe>>;

bool isAnimated(const ChainRow& row, const std::vector<bool>& moves) {
  return std::any_of(row.joints.begin(), row.joints.end(),
                     [&](int joint) { return moves[toSize(joint)]; });
}

RowProbes simulateProbes(const std::vector<ChainRow>& rows, const Rig& rig, const Scene& scene,
                         const DynamicBonesSettings& settings, std::span<const Motion> motions,
                         int threads) {
  RowProbes by_motion(motions.size());
  const double step_s = gridStep_s(rig, settings, scene);
  parallelFor(motions.size(), 1, threads, [&](std::size_t m, std::size_t) {
    const Motion& motion = motions[m];
    if (motion.grid.frame_count < 2) return;
    Motion simulated = copyOf(motion);
    simulateSpring(rig, settings, scene, motion, {}, step_s, simulated);
    const double stride = std::max(std::floor(motion.grid.fps / kProbeRate_hz + 0.5), 1.0);
    by_motion[m] = probesOf(rows, rig, scene, motion, simulated, toSize(stride));
  });
  RowProbes by_row(rows.size());
  for (std::size_t m = 0; m < motions.size(); ++m) {
    const std::vector<bool> moves = movingNodes(motions[m]);
    for (std::size_t r = 0; r < by_motion[m].size(); ++r) {
      const bool may_skip = settings.chain[toSize(rows[r].chain)].skip_animated;
      if (may_skip && isAnimated(rows[r], moves)) continue;
      by_row[r].push_back(std::move(by_motion[m][r]));
    }
  }
  return by_row;
}

std::string reasonAgainst(const ChainRow& row, SpringTarget target,
                          const std::vector<RowProbe>& probes) {
  if (probes.empty()) return "all motions animate it";
  if (target == SpringTarget::kVrm1 && row.end_node < 0 && row.bones.size() == 1) {
    return "VRM 1.0 needs a node at the end of its bone";
  }
  for (const Vec3& vector_m : probes.front().vectors_m) {
    if (!(lengthOf(vector_m) > 0.0)) return "one of its bones has no length";
  }
  return {};
}

ChainFit fitRow(const ChainRow& row, SpringTarget target, const std::vector<RowProbe>& probes) {
  ChainFit found;
  found.row = row;
  found.not_fitted = reasonAgainst(row, target, probes);
  if (!found.not_fitted.empty()) return found;
  for (const Vec3& vector_m : probes.front().vectors_m) {
    found.lengths_m.push_back(lengthOf(vector_m));
  }
  found.depths = depthsOfBones(probes.front());
  found.fit = fitSprings(target, probes);
  if (found.fit.error.swing_max_m < kNoSwing_m) {
    found.not_fitted = "it does not swing in these motions";
  }
  return found;
}

}  // namespace

DynamicBonesSettings settingsForFit(const DynamicBonesSettings& settings, SpringTarget target) {
  DynamicBonesSettings plain = settings;
  plain.loop = LoopPolicy::kOff;
  plain.preroll_s = 0.0;
  plain.wind_mps2 = {0.0, 0.0, 0.0};
  plain.continue_from.reset();
  plain.colliders = ColliderSource::kGiven;
  plain.collider.clear();
  plain.measures_skin = false;
  for (JointSettings& joint : plain.joint) joint.colliders = {"*"};
  for (ChainSettings& chain : plain.chain) {
    chain.colliders = {"none"};
    chain.avoid_chains.clear();
    chain.limit = LimitShape::kNone;
    chain.weight = 1.0;
    chain.weight_over_clip = 1.0;
    if (target == SpringTarget::kKawaii) chain.inertia_translation = chain.inertia_rotation = 1.0;
  }
  return plain;
}

Result<std::vector<ChainFit>> fitChains(const Scene& scene, const DynamicBonesSettings& settings,
                                        std::span<const Motion> motions, SpringTarget target,
                                        int threads) {
  const DynamicBonesSettings plain = settingsForFit(settings, target);
  CLIPMILL_TRY(const Rig rig, makeRig(scene, plain));
  std::vector<ChainRow> rows = rowsOf(rig, scene.skeleton);
  findCenters(scene.skeleton, motions, rows);
  const RowProbes probes = simulateProbes(rows, rig, scene, plain, motions, threads);
  std::vector<ChainFit> fits(rows.size());
  parallelFor(rows.size(), 1, threads,
              [&](std::size_t r, std::size_t) { fits[r] = fitRow(rows[r], target, probes[r]); });
  return fits;
}

}  // namespace clipmill::stages::dynamic_bones
