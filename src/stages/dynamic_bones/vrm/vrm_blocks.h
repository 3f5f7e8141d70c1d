// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "core/math.h"
#include "stages/dynamic_bones/vrm/vrm_rig.h"
#include "stages/dynamic_bones/vrm/vrm_springs_simd.h"

/// Chains of a VrmRig sorted into the lanes of blocks.
namespace clipmill::stages::dynamic_bones {

/// Position of a chain in the blocks.
struct ChainLane {
  std::size_t block = 0;
  std::size_t lane = 0;
};

struct VrmBlocks {
  std::vector<SpringBlock> blocks;
  std::vector<std::size_t> wave_ends;  ///< Blocks before this one belong to waves up to this one.
  std::vector<ChainLane> lanes;        ///< One per chain of the rig.
};

/// Blocks of all chains, wave by wave; chains of like colliders and length share a block. Values
/// that depend on the step are not set yet. `rest`: local transforms of the rest pose, all nodes.
VrmBlocks makeVrmBlocks(const VrmRig& rig, const Skeleton& skeleton);

/// Sets drag, stiffness and gravity for a step of `step_s` after one of `before_s`.
void setStep(const VrmRig& rig, double step_s, double before_s, VrmBlocks& blocks);

/// Sets the joint's own translation and scale.
void setJoint(const Vec3& translation, const Vec3& scale, std::size_t lane, BoneLanes& bone);

void setLane(Lanes* lanes, std::size_t lane, const Vec3& v);
Vec3 vectorOf(const Lanes* lanes, std::size_t lane);
void setLane(LaneAffine& lanes, std::size_t lane, const Affine& map);

}  // namespace clipmill::stages::dynamic_bones
