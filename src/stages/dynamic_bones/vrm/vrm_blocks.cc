// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/vrm/vrm_blocks.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "core/portable_math.h"
#include "core/to_size.h"
#include "stages/dynamic_bones/vrm/vrm_springs.h"

namespace clipmill::stages::dynamic_bones {
namespace {

const VrmChain& chainAt(const VrmRig& rig, std::size_t chain) { return rig.chains[chain]; }

// Chains [start, end), sorted so that similar ones are next to each other.
std::vector<std::size_t> sortedChains(const VrmRig& rig, std::size_t start, std::size_t end) {
  std::vector<std::size_t> chains(end - start);
  std::iota(chains.begin(), chains.end(), start);
  const auto key = [&](std::size_t c) {
    const VrmChain& chain = chainAt(rig, c);
    return std::make_tuple(chain.center < 0, std::cref(chain.colliders), chain.bones.size(), c);
  };
  std::sort(chains.begin(), chains.end(),
            [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  return chains;
}

// Adds one lane's colliders to the block's list, so that each lane finds its own in their order.
// Colliders in the list after the last one found are shared.
void addColliders(const std::vector<int>& colliders, std::size_t lane,
                  std::vector<BlockCollider>& list) {
  std::size_t from = 0;
  for (int collider : colliders) {
    const std::size_t index = toSize(collider);
    auto found = std::find_if(list.begin() + static_cast<std::ptrdiff_t>(from), list.end(),
                              [&](const BlockCollider& entry) { return entry.index == index; });
    if (found == list.end()) {
      found = list.insert(list.begin() + static_cast<std::ptrdiff_t>(from), BlockCollider{});
      found->index = index;
    }
    found->avoids.at[lane] = 1.0;
    from = toSize(found - list.begin()) + 1;
  }
}

void setQuat(Lanes* lanes, std::size_t lane, const Quat& q) {
  lanes[0].at[lane] = q.w;
  setLane(lanes + 1, lane, Vec3(q.x, q.y, q.z));
}

void setFrame(Lanes* lanes, std::size_t lane, const Mat3& frame) {
  for (int column = 0; column < 3; ++column) setLane(lanes + 3 * column, lane, frame[column]);
}

void setLimit(const AngleLimit& limit, const Quat& rest, const Vec3& axis, std::size_t lane,
              BoneLanes& lanes) {
  if (limit.kind == AngleLimit::Kind::kNone) return;
  if (!lanes.limits) lanes.limits = std::make_unique<LaneLimits>();
  lanes.limits->limits[lane] = &limit;
  lanes.limits->parent_from_limit[lane] = rest * jointFromLimit(limit, axis);
}

// `bone` must stay at its address as long as the lanes are used.
void setBone(const VrmBone& bone, const Transform& rest, std::size_t lane, BoneLanes& lanes) {
  const Quat rotation = normalizedOrIdentity(rest.rotation);
  const Quat half_rotation = rotationBetween(bone.axis, -bone.axis);
  lanes.real.at[lane] = 1.0;
  setLane(lanes.axis, lane, bone.axis);
  setLane(lanes.half_rotation, lane, Vec3(half_rotation.x, half_rotation.y, half_rotation.z));
  setQuat(lanes.rest_rotation, lane, rotation);
  setFrame(lanes.rest_frame, lane, glm::mat3_cast(rotation));
  lanes.length_m.at[lane] = bone.length_m;
  lanes.radius_m.at[lane] = bone.joint.hit_radius;
  if (!bone.between.empty() && !lanes.link) {
    lanes.link = std::make_unique<LaneAffine>();
    for (std::size_t i = 0; i < kSpringLanes; ++i) setLane(*lanes.link, i, Affine{});
  }
  setLimit(bone.joint.limit, rotation, bone.axis, lane, lanes);
  setJoint(rest.translation, rest.scale, lane, lanes);
}

// A bone that is not read and does not move.
void setIdle(std::size_t lane, BoneLanes& lanes) {
  static const VrmBone kIdle{{}, {}, Vec3(0, 1, 0), 1.0, Vec3(0, 1, 0)};
  setBone(kIdle, Transform{}, lane, lanes);
  lanes.real.at[lane] = 0.0;
  lanes.stiffness_m.at[lane] = 1.0;
}

SpringBlock makeBlock(const VrmRig& rig, const Skeleton& skeleton,
                      const std::vector<std::size_t>& chains) {
  SpringBlock block;
  std::size_t max_depth = 0;
  bool has_center = false;
  for (std::size_t c : chains) {
    max_depth = std::max(max_depth, chainAt(rig, c).bones.size());
    has_center = has_center || chainAt(rig, c).center >= 0;
  }
  block.bones.resize(max_depth);
  for (std::size_t lane = 0; lane < kSpringLanes; ++lane) {
    setLane(block.world, lane, Affine{});
    const std::size_t count = lane < chains.size() ? chainAt(rig, chains[lane]).bones.size() : 0;
    for (std::size_t depth = 0; depth < max_depth; ++depth) {
      if (depth >= count) {
        setIdle(lane, block.bones[depth]);
        continue;
      }
      const VrmBone& bone = chainAt(rig, chains[lane]).bones[depth];
      const Node& node = skeleton.nodes[toSize(bone.joint.node)];
      setBone(bone, node.rest, lane, block.bones[depth]);
    }
    if (count > 0) addColliders(chainAt(rig, chains[lane]).colliders, lane, block.colliders);
  }
  if (!has_center) return block;
  block.world_from_center = std::make_unique<LaneAffine>();
  block.center_from_world = std::make_unique<LaneAffine>();
  for (std::size_t lane = 0; lane < kSpringLanes; ++lane) {
    setLane(*block.world_from_center, lane, Affine{});
    setLane(*block.center_from_world, lane, Affine{});
  }
  return block;
}

}  // namespace

void setLane(Lanes* lanes, std::size_t lane, const Vec3& v) {
  lanes[0].at[lane] = v.x;
  lanes[1].at[lane] = v.y;
  lanes[2].at[lane] = v.z;
}

Vec3 vectorOf(const Lanes* lanes, std::size_t lane) {
  return Vec3(lanes[0].at[lane], lanes[1].at[lane], lanes[2].at[lane]);
}

void setLane(LaneAffine& lanes, std::size_t lane, const Affine& map) {
  setFrame(lanes.linear, lane, map.linear);
  setLane(lanes.translation, lane, map.translation);
}

void setJoint(const Vec3& translation, const Vec3& scale, std::size_t lane, BoneLanes& bone) {
  Mat3 frame;
  for (int column = 0; column < 3; ++column) {
    frame[column] = vectorOf(bone.rest_frame + 3 * column, lane);
  }
  Vec3 inverse(0.0);
  for (int axis = 0; axis < 3; ++axis) {
    if (scale[axis] != 0.0) inverse[axis] = 1.0 / scale[axis];
  }
  setLane(bone.translation, lane, translation);
  setLane(bone.scale, lane, scale);
  setLane(bone.inverse_scale, lane, inverse);
  setLane(bone.rest_bone, lane, frame * (scale * vectorOf(bone.axis, lane)));
}

void setStep(const VrmRig& rig, double step_s, double before_s, VrmBlocks& blocks) {
  // Exponents of the step of the specification, which has no rate of its own.
  const double steps = step_s * kVrmSteps_hz, steps_before = before_s * kVrmSteps_hz;
  const bool is_whole = steps == 1.0 && steps_before == 1.0;
  for (std::size_t c = 0; c < rig.chains.size(); ++c) {
    const ChainLane& position = blocks.lanes[c];
    for (std::size_t depth = 0; depth < rig.chains[c].bones.size(); ++depth) {
      const SpringJoint& joint = rig.chains[c].bones[depth].joint;
      BoneLanes& bone = blocks.blocks[position.block].bones[depth];
      double kept = 1.0 - joint.drag, force_s = step_s;
      if (!is_whole && kept > 0.0 && joint.drag != 0.0) {
        // Velocity falls by e in a step; ratio of the distances of this step and the one before.
        const double stays = portable::pow(kept, steps);
        const double covered = (1.0 - stays) / joint.drag;
        kept = covered * joint.drag / (portable::pow(kept, -steps_before) - 1.0);
        force_s = step_s * covered;
      } else if (!is_whole && joint.drag == 0.0) {
        kept = steps / steps_before;
        force_s = step_s * steps;
      }
      bone.kept.at[position.lane] = kept;
      bone.stiffness_m.at[position.lane] = joint.stiffness * force_s;
      setLane(bone.gravity_m, position.lane, joint.gravity_dir * (joint.gravity_power * force_s));
    }
  }
}

VrmBlocks makeVrmBlocks(const VrmRig& rig, const Skeleton& skeleton) {
  VrmBlocks blocks;
  blocks.lanes.resize(rig.chains.size());
  for (const VrmWave& wave : rig.waves) {
    const std::vector<std::size_t> sorted = sortedChains(rig, wave.chains_start, wave.chains_end);
    for (std::size_t start = 0; start < sorted.size(); start += kSpringLanes) {
      const std::size_t count = std::min(kSpringLanes, sorted.size() - start);
      const auto first = sorted.begin() + static_cast<std::ptrdiff_t>(start);
      const std::vector<std::size_t> chains(first, first + static_cast<std::ptrdiff_t>(count));
      for (std::size_t lane = 0; lane < count; ++lane) {
        blocks.lanes[chains[lane]] = {blocks.blocks.size(), lane};
      }
      blocks.blocks.push_back(makeBlock(rig, skeleton, chains));
    }
    blocks.wave_ends.push_back(blocks.blocks.size());
  }
  return blocks;
}

}  // namespace clipmill::stages::dynamic_bones
