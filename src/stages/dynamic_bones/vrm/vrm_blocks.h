// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "core/math.h"
#include "stages/dynamic_bones/vrm/vrm_rig.h"
#include "stages/dynamic_bones/vrm/vrm_springs_simd.h"

/// Chains of a VrmRig sorted into the lanes of blocks.
namespace clipmill::bones {

/// Where a chain is simulated.
struct ChainLane {
  std::size_t block = 0;
  std::size_t lane = 0;
};

struct VrmBlocks {
  std::vector<SpringBlock> blocks;
  std::vector<std::size_t> wave_ends;  ///< Blocks before this one belong to waves up to this one.
  std::vector<ChainLane> lanes;        ///< One a chain of the rig.
};

/// Blocks of all chains, wave by wave; chains of like colliders and length share a block. What
/// depends on the step is not set yet. `rest`: local transforms of the rest pose, all nodes.
VrmBlocks makeVrmBlocks(const VrmRig& rig, const Skeleton& skeleton);

/// Sets what a step of `step_s` after one of `before_s` makes of drag, stiffness and gravity.
void setStep(const VrmRig& rig, double step_s, double before_s, VrmBlocks& blocks);

/// Sets the joint's own translation and scale.
void setJoint(const Vec3& translation, const Vec3& scale, std::size_t lane, BoneLanes& bone);

void setLane(Lanes* lanes, std::size_t lane, const Vec3& v);
Vec3 vectorOf(const Lanes* lanes, std::size_t lane);
void setLane(LaneAffine& lanes, std::size_t lane, const Affine& map);

}  // namespace clipmill::bones
