// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/vrm/vrm_springs.h"

#include <cmath>
#include <memory>

#include "core/math.h"
#include "core/to_size.h"
#include "stages/dynamic_bones/vrm/vrm_blocks.h"

namespace clipmill::stages::dynamic_bones {
namespace {

// Times nearer than this to a step of the grid are on it: files keep times as floats.
constexpr double kSameTime_s = 1e-5;

// True where the clip itself moves or scales the node, as far as is known.
bool isMoved(const Scene& scene, const Motion& clip, int node) {
  const auto moves = [&](const TrackMask& mask) {
    return mask.has(node, TrackPath::kTranslation) || mask.has(node, TrackPath::kScale);
  };
  const std::size_t index = toSize(clip.clip_index);
  if (index >= scene.clips.size()) return true;
  const TrackMask& animated = scene.clips[index].animated;
  if (animated.size() != scene.skeleton.size()) return true;
  return moves(animated) || (clip.modified.size() != 0 && moves(clip.modified));
}

// A joint whose bone has to be set at every step.
struct MovedBone {
  std::size_t chain = 0, depth = 0;
  bool is_moved = false;  // its own translation or scale; else only nodes between
};

// Where the simulation keeps the rotation of a joint.
struct JointRotation {
  const Lanes* lanes = nullptr;  // w, x, y, z
  std::size_t lane = 0;
  std::size_t node = 0;

  Quat rotation() const {
    return Quat(lanes[0].at[lane], lanes[1].at[lane], lanes[2].at[lane], lanes[3].at[lane]);
  }
};

class VrmSimulation {
 public:
  VrmSimulation(const VrmRig& rig, const Scene& scene, const Motion& clip)
      : rig_(rig),
        metric_from_file_(scene.metric_from_file),
        blocks_(makeVrmBlocks(rig, scene.skeleton)),
        worlds_(rig.nodes.size()),
        colliders_(rig.colliders.size()) {
    findMoved(scene, clip);
    findRotations();
    positionColliders();
  }

  // Joints at rest in the pose, not moving.
  void start(std::span<const Transform> locals) {
    poseNodes(0, rig_.following_count, locals);
    std::size_t nodes = rig_.following_count;
    for (const VrmWave& wave : rig_.waves) {
      for (std::size_t c = wave.chains_start; c < wave.chains_end; ++c) startChain(c, locals);
      poseNodes(nodes, wave.nodes_end, locals);
      nodes = wave.nodes_end;
    }
    for (std::size_t c = 0; c < rig_.chains.size(); ++c) keepInCenter(c);
  }

  // Moves the whole character.
  void displace(const Vec3& by_m) { metric_from_file_.translation += by_m; }

  // Of the nodes that chains hang on, their mean, in the pose of the last step or start.
  Vec3 meanPosition_m() const {
    Vec3 sum(0.0);
    for (const VrmChain& chain : rig_.chains) sum += worldOf(chain.parent).translation;
    return sum / static_cast<double>(rig_.chains.size());
  }

  // To the next time of the grid, whose pose is `locals`.
  void step(std::span<const Transform> locals, double step_s, double before_s) {
    if (step_s != step_s_ || before_s != before_s_) {
      setStep(rig_, step_s, before_s, blocks_);
      step_s_ = step_s;
      before_s_ = before_s;
    }
    for (const MovedBone& moved : moved_) setMoved(moved, locals);
    poseNodes(0, rig_.following_count, locals);
    std::size_t block = 0, nodes = rig_.following_count;
    for (std::size_t w = 0; w < rig_.waves.size(); ++w) {
      const VrmWave& wave = rig_.waves[w];
      for (std::size_t c = wave.chains_start; c < wave.chains_end; ++c) carryChain(c);
      const std::size_t end = blocks_.wave_ends[w];
      counts_.resets +=
          stepSpringBlocks(std::span(blocks_.blocks).subspan(block, end - block), colliders_);
      poseNodes(nodes, wave.nodes_end, locals);
      block = end;
      nodes = wave.nodes_end;
    }
    counts_.joint_steps += rig_.bone_count;
  }

  // In the order of chains and bones.
  const std::vector<JointRotation>& rotations() const { return rotations_; }

  const SimulationCounts& counts() const { return counts_; }

 private:
  BoneLanes& lanesOf(std::size_t chain, std::size_t depth) {
    return blocks_.blocks[blocks_.lanes[chain].block].bones[depth];
  }

  void findMoved(const Scene& scene, const Motion& clip) {
    for (std::size_t c = 0; c < rig_.chains.size(); ++c) {
      for (std::size_t depth = 0; depth < rig_.chains[c].bones.size(); ++depth) {
        const VrmBone& bone = rig_.chains[c].bones[depth];
        const bool is_moved = isMoved(scene, clip, bone.joint.node);
        if (is_moved || !bone.between.empty()) moved_.push_back({c, depth, is_moved});
      }
    }
  }

  void findRotations() {
    for (std::size_t c = 0; c < rig_.chains.size(); ++c) {
      const ChainLane& position = blocks_.lanes[c];
      first_rotations_.push_back(rotations_.size());
      for (std::size_t depth = 0; depth < rig_.chains[c].bones.size(); ++depth) {
        const Lanes* lanes = blocks_.blocks[position.block].bones[depth].rotation;
        const int node = rig_.chains[c].bones[depth].joint.node;
        rotations_.push_back({lanes, position.lane, toSize(node)});
      }
    }
  }

  // Finds the colliders of every node, and what of them does not change.
  void positionColliders() {
    colliders_of_slot_.resize(rig_.nodes.size());
    for (std::size_t i = 0; i < rig_.colliders.size(); ++i) {
      const SpringCollider& from = rig_.colliders[i];
      const std::size_t node = toSize(from.node);
      if (node >= rig_.slot_of_node.size() || rig_.slot_of_node[node] < 0) continue;
      colliders_of_slot_[toSize(rig_.slot_of_node[node])].push_back(i);
      using From = SpringCollider::Kind;
      using To = StepCollider::Kind;
      StepCollider& collider = colliders_[i];
      collider.radius_m = from.radius;
      if (from.kind == From::kSphere) collider.kind = from.inside ? To::kInsideSphere : To::kSphere;
      if (from.kind == From::kCapsule) {
        collider.kind = from.inside ? To::kInsideCapsule : To::kCapsule;
      }
      if (from.kind == From::kPlane) collider.kind = To::kPlane;
    }
  }

  const Affine& worldOf(int node) const {
    if (node < 0) return metric_from_file_;
    return worlds_[toSize(rig_.slot_of_node[toSize(node)])];
  }

  // Nodes [start, end) of the rig and their colliders.
  void poseNodes(std::size_t start, std::size_t end, std::span<const Transform> locals) {
    for (std::size_t n = start; n < end; ++n) {
      const VrmNode& node = rig_.nodes[n];
      Transform local = locals[toSize(node.node)];
      if (node.chain >= 0) {
        local.rotation =
            rotations_[first_rotations_[toSize(node.chain)] + toSize(node.bone)].rotation();
      }
      const Affine& parent = node.parent < 0 ? metric_from_file_ : worlds_[toSize(node.parent)];
      worlds_[n] = parent * toAffine(local);
      for (std::size_t i : colliders_of_slot_[n]) positionCollider(i, worlds_[n]);
    }
  }

  void positionCollider(std::size_t index, const Affine& world) {
    const SpringCollider& from = rig_.colliders[index];
    StepCollider& collider = colliders_[index];
    const Vec3 head = transformPoint(world, from.offset);
    Vec3 axis = transformPoint(world, from.tail) - head;
    if (from.kind == SpringCollider::Kind::kPlane) {
      // Normals go with the inverse transpose.
      axis = glm::transpose(glm::inverse(world.linear)) * from.normal;
      const double length = lengthOf(axis);
      axis = length > 0.0 ? axis / length : Vec3(0, 1, 0);
    }
    const double square = glm::dot(axis, axis);
    collider.inverse_square_m2 = square > 0.0 ? 1.0 / square : 0.0;
    for (int i = 0; i < 3; ++i) {
      collider.head_m[i] = head[i];
      collider.axis_m[i] = axis[i];
    }
  }

  static Affine linkOf(const VrmBone& bone, std::span<const Transform> locals) {
    Affine link;
    for (int node : bone.between) link = link * toAffine(locals[toSize(node)]);
    return link;
  }

  void setMoved(const MovedBone& moved, std::span<const Transform> locals) {
    const VrmBone& bone = rig_.chains[moved.chain].bones[moved.depth];
    const std::size_t lane = blocks_.lanes[moved.chain].lane;
    BoneLanes& lanes = lanesOf(moved.chain, moved.depth);
    if (moved.is_moved) {
      const Transform& local = locals[toSize(bone.joint.node)];
      setJoint(local.translation, local.scale, lane, lanes);
    }
    if (!bone.between.empty()) setLane(*lanes.link, lane, linkOf(bone, locals));
  }

  void carryChain(std::size_t c) {
    const VrmChain& chain = rig_.chains[c];
    const ChainLane& position = blocks_.lanes[c];
    SpringBlock& block = blocks_.blocks[position.block];
    setLane(block.world, position.lane, worldOf(chain.parent));
    if (chain.center < 0) return;
    const Affine& center = worldOf(chain.center);
    setLane(*block.world_from_center, position.lane, center);
    setLane(*block.center_from_world, position.lane, inverse(center));
  }

  void startChain(std::size_t c, std::span<const Transform> locals) {
    Affine world = worldOf(rig_.chains[c].parent);
    const std::size_t lane = blocks_.lanes[c].lane;
    for (std::size_t depth = 0; depth < rig_.chains[c].bones.size(); ++depth) {
      const VrmBone& bone = rig_.chains[c].bones[depth];
      BoneLanes& lanes = lanesOf(c, depth);
      setMoved({c, depth, true}, locals);
      Transform local = locals[toSize(bone.joint.node)];
      const Vec3 rest = vectorOf(lanes.rest_rotation + 1, lane);
      local.rotation = Quat(lanes.rest_rotation[0].at[lane], rest.x, rest.y, rest.z);
      world = world * linkOf(bone, locals) * toAffine(local);
      const Vec3 path = transformVector(world, bone.axis);
      const double length = lengthOf(path);
      const Vec3 tail = world.translation + path * (length > 0.0 ? bone.length_m / length : 0.0);
      setLane(lanes.tail_m, lane, tail);
      setLane(lanes.before_m, lane, tail);
      for (int i = 0; i < 4; ++i) lanes.rotation[i].at[lane] = lanes.rest_rotation[i].at[lane];
    }
  }

  void keepInCenter(std::size_t c) {
    if (rig_.chains[c].center < 0) return;
    const Affine center_from_world = inverse(worldOf(rig_.chains[c].center));
    const std::size_t lane = blocks_.lanes[c].lane;
    for (std::size_t depth = 0; depth < rig_.chains[c].bones.size(); ++depth) {
      BoneLanes& lanes = lanesOf(c, depth);
      const Vec3 tail = transformPoint(center_from_world, vectorOf(lanes.tail_m, lane));
      setLane(lanes.tail_m, lane, tail);
      setLane(lanes.before_m, lane, tail);
    }
  }

  const VrmRig& rig_;
  Affine metric_from_file_;
  VrmBlocks blocks_;
  std::vector<Affine> worlds_;  // of VrmRig::nodes
  std::vector<StepCollider> colliders_;
  std::vector<std::vector<std::size_t>> colliders_of_slot_;
  std::vector<MovedBone> moved_;
  std::vector<JointRotation> rotations_;
  std::vector<std::size_t> first_rotations_;  // one per chain: index in rotations_
  double step_s_ = 0.0, before_s_ = 0.0;
  SimulationCounts counts_;
};

// Poses of the clip at the times of the grid: a frame where there is one, else between frames.
class GridPoses {
 public:
  GridPoses(const VrmRig& rig, const Scene& scene, const Motion& clip)
      : clip_(clip), cursor_(scene.skeleton, clip, nodesOf(rig)) {}

  // Times must ascend. Valid until the next call.
  std::span<const Transform> at(double time_s) {
    const TimeGrid& grid = clip_.grid;
    while (frame_ + 1 < grid.frame_count && grid.timeOf(frame_) < time_s - kSameTime_s) ++frame_;
    if (std::abs(grid.timeOf(frame_) - time_s) <= kSameTime_s) return clip_.localsOf(frame_);
    return cursor_.at(time_s).locals;
  }

 private:
  static std::vector<std::size_t> nodesOf(const VrmRig& rig) {
    std::vector<std::size_t> nodes;
    for (const VrmNode& node : rig.nodes) nodes.push_back(toSize(node.node));
    for (const VrmChain& chain : rig.chains) {
      for (const VrmBone& bone : chain.bones) {
        nodes.push_back(toSize(bone.joint.node));
        for (int node : bone.between) nodes.push_back(toSize(node));
      }
    }
    return nodes;
  }

  const Motion& clip_;
  MotionCursor cursor_;
  std::size_t frame_ = 0;
};

// How far the character moves over the ground in the first step of the clip.
Vec3 firstMove_m(const VrmRig& rig, const Scene& scene, const Motion& clip) {
  VrmSimulation simulation(rig, scene, clip);
  GridPoses poses(rig, scene, clip);
  const TimeGrid& grid = clip.grid;
  simulation.start(poses.at(grid.start_s));
  const Vec3 from_m = simulation.meanPosition_m();
  const double step_s = std::min(1.0 / kVrmSteps_hz, grid.end_s - grid.start_s);
  simulation.start(poses.at(grid.start_s + step_s));
  const Vec3 move_m = (simulation.meanPosition_m() - from_m) / (step_s * kVrmSteps_hz);
  return isFinite(move_m) ? Vec3(move_m.x, 0.0, move_m.z) : Vec3(0.0);
}

// Steps in one pose of a character that moves by `move_m` in each, to where the clip starts.
void settle(VrmSimulation& simulation, std::span<const Transform> locals, const Vec3& move_m,
            std::size_t steps) {
  simulation.displace(-static_cast<double>(steps) * move_m);
  simulation.start(locals);
  for (std::size_t i = 0; i < steps; ++i) {
    simulation.displace(move_m);
    simulation.step(locals, 1.0 / kVrmSteps_hz, 1.0 / kVrmSteps_hz);
  }
}

// Copies all rotations of one step.
void keepRotations(const std::vector<JointRotation>& rotations, std::vector<Quat>& kept) {
  kept.clear();
  for (const JointRotation& rotation : rotations) kept.push_back(rotation.rotation());
}

// Writes a frame at `fraction` between the rotations `before` and the current ones.
void writeFrame(const std::vector<JointRotation>& rotations, const std::vector<Quat>& before,
                double fraction, PoseView frame) {
  if (fraction >= 1.0) {
    for (const JointRotation& rotation : rotations)
      frame.locals[rotation.node].rotation = rotation.rotation();
    return;
  }
  for (std::size_t i = 0; i < rotations.size(); ++i) {
    frame.locals[rotations[i].node].rotation = slerp(before[i], rotations[i].rotation(), fraction);
  }
}

// Nodes that are written.
std::vector<std::size_t> jointsOf(const VrmRig& rig) {
  std::vector<std::size_t> nodes;
  for (const VrmChain& chain : rig.chains) {
    for (const VrmBone& bone : chain.bones) {
      nodes.push_back(toSize(bone.joint.node));
    }
  }
  return nodes;
}

void markModifiedJoints(const VrmRig& rig, Motion& out) {
  for (std::size_t node : jointsOf(rig)) {
    out.modified.set(static_cast<int>(node), TrackPath::kRotation);
  }
}

}  // namespace

SimulationCounts simulateVrm(const VrmRig& rig, const Scene& scene, const Motion& given,
                             Motion& out, double preroll_s) {
  if (rig.chains.empty()) return {};
  const bool is_read_again = &given == &out && readsFrames(given, jointsOf(rig));
  const Motion copy = is_read_again ? copyOf(given) : Motion();
  const Motion& clip = is_read_again ? copy : given;
  constexpr double kStep_s = 1.0 / kVrmSteps_hz;
  const TimeGrid& grid = clip.grid;
  VrmSimulation simulation(rig, scene, clip);
  GridPoses poses(rig, scene, clip);
  markModifiedJoints(rig, out);
  simulation.start(poses.at(grid.start_s));
  if (preroll_s > 0.0 && grid.frame_count > 1) {
    const Vec3 move_m = firstMove_m(rig, scene, clip);
    settle(simulation, poses.at(grid.start_s), move_m, toSize(std::ceil(preroll_s / kStep_s)));
  }
  writeFrame(simulation.rotations(), {}, 1.0, out.frame(0));

  std::vector<Quat> before;
  double time_s = grid.start_s;
  std::size_t frame = 1;
  for (std::size_t k = 1; frame < grid.frame_count; ++k) {
    double next_s = grid.start_s + static_cast<double>(k) / kVrmSteps_hz;
    const bool is_short = next_s > grid.end_s + kSameTime_s;
    if (is_short) next_s = grid.end_s;
    const bool is_between = grid.timeOf(frame) < next_s - kSameTime_s;
    if (is_between) keepRotations(simulation.rotations(), before);
    simulation.step(poses.at(next_s), is_short ? next_s - time_s : kStep_s, kStep_s);
    for (; frame < grid.frame_count && grid.timeOf(frame) <= next_s + kSameTime_s; ++frame) {
      const double left_s = next_s - grid.timeOf(frame);
      const double fraction = left_s <= kSameTime_s ? 1.0 : 1.0 - left_s / (next_s - time_s);
      writeFrame(simulation.rotations(), before, fraction, out.frame(frame));
    }
    time_s = next_s;
  }
  return simulation.counts();
}

}  // namespace clipmill::stages::dynamic_bones
