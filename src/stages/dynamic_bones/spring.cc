// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/spring.h"

#include <algorithm>
#include <cmath>

#include "stages/dynamic_bones/grid_history.h"
#include "stages/dynamic_bones/spring_step.h"
#include "stages/dynamic_bones/wind.h"

namespace clipmill::bones {
namespace {

// Rounds of pushing out of all colliders in one step; between colliders that leave no room there is
// no end to it.
constexpr int kContactRounds = 4;
// Part of a grid step within which a time counts as on the grid: key times are stored as floats.
constexpr double kOnGrid = 1e-6;

double lengthOf(const Vec3& v) { return std::sqrt(glm::dot(v, v)); }

// The times begin, begin + h, .., end.
class StepGrid {
 public:
  StepGrid(const TimeGrid& frames, double step_s)
      : begin_s_(frames.begin_s), end_s_(frames.end_s), step_s_(step_s) {
    const double steps = (end_s_ - begin_s_) / step_s_;
    step_count_ = static_cast<std::size_t>(std::max(1.0, std::ceil(steps - kOnGrid)));
    const double last_s = end_s_ - timeOf(step_count_ - 1);
    last_ratio_ = std::abs(last_s / step_s_ - 1.0) < 2.0 * kOnGrid ? 1.0 : last_s / step_s_;
  }

  std::size_t stepCount() const { return step_count_; }
  // Length of the step that ends at grid time `index`, in whole steps.
  double ratioOf(std::size_t index) const { return index == step_count_ ? last_ratio_ : 1.0; }
  double timeOf(std::size_t index) const {
    return index >= step_count_ ? end_s_ : begin_s_ + static_cast<double>(index) * step_s_;
  }

  // The step in which a time falls, by the index of its begin, and how far in it.
  std::pair<std::size_t, double> locate(double time_s) const {
    const double steps = std::max(0.0, (time_s - begin_s_) / step_s_);
    const auto index =
        std::min(static_cast<std::size_t>(std::floor(steps + kOnGrid)), step_count_ - 1);
    const double fraction = (steps - static_cast<double>(index)) / ratioOf(index + 1);
    if (fraction < kOnGrid) return {index, 0.0};
    return {index, fraction > 1.0 - kOnGrid ? 1.0 : fraction};
  }

 private:
  double begin_s_, end_s_, step_s_;
  std::size_t step_count_ = 1;
  double last_ratio_ = 1.0;
};

// Settings of one bone, read from the curves once.
struct BoneConstants {
  double gravity_mps2 = 0.0;
  double radius_m = 0.0;
  bool rest_hangs = true;
  SpringStep step;  // of the full grid step
};

// What a bone remembers from one grid time to the next.
struct BoneState {
  Vec3 target{0.0};         // where the carried animated pose puts its end
  Vec3 target_move{0.0};    // how far that moved in the last step
  Vec3 offset{0.0};         // end minus target
  Vec3 offset_before{0.0};  // a step earlier
  Vec3 bone{0.0};           // end minus head
  Vec3 acceleration{0.0};   // by wind and gravity
  Vec3 posed{0.0};          // where the clip's own pose has its end
  Vec3 posed_before{0.0};   // a step earlier
  Vec3 pose_velocity{0.0};  // how that moves
};

class SpringSimulation {
 public:
  SpringSimulation(const Rig& rig, const DynamicBonesSettings& settings,
                   const Affine& metric_from_file, double step_s)
      : rig_(rig),
        settings_(settings),
        wind_(windOf(settings)),
        step_s_(step_s),
        pose_(rig, metric_from_file),
        states_(rig.bones.size()),
        history_(rig.bones.size(), rig.joints.size()) {
    for (const Bone& bone : rig.bones) {
      const ChainSettings& chain = chainOf(bone);
      constants_.push_back({chain.gravity_mps2.at(bone.depth), chain.radius_m.at(bone.depth),
                            chain.rest_hangs, stepOf(bone, step_s)});
    }
  }

  // Grid time 0: the clip's own pose.
  void start(std::span<const Transform> locals, double time_s) {
    GridSample& now = history_.append(time_s);
    pose_.follow(locals);
    pose_.swing(locals, [&](std::size_t joint, const JointFrame& frame) {
      for (std::size_t b = begin(joint); b < end(joint); ++b) {
        BoneState& state = states_[b];
        state.bone = frame.toMetric(frame.boneInParent(rig_.bones[b]));
        state.target = state.posed = now.positions[b] = frame.head_m + state.bone;
        state.acceleration = accelerationOf(b, frame, now.positions[b], time_s);
      }
      return frame.animated;
    });
  }

  // Adds `weight` times where the clip's own pose has each point to its initial velocity.
  void addToVelocity(std::span<const Transform> locals, double weight) {
    forEachPosed(locals, [&](BoneState& state, const Vec3& posed) {
      state.pose_velocity += posed * weight;
    });
  }

  // To the next grid time, whose animated pose is `locals`; `ratio` full steps away.
  void step(std::span<const Transform> locals, double time_s, double ratio) {
    const bool is_first = history_.count() == 1;
    const GridSample& last = history_.at(history_.count() - 1);
    GridSample& now = history_.append(time_s);
    const double smoothing = smoothingOver(settings_.smoothing, ratio * step_s_);
    if (ratio != 1.0) shorten(ratio);
    movePose(locals, ratio * step_s_, is_first);
    pose_.follow(locals);
    pose_.swing(locals, [&](std::size_t joint, const JointFrame& frame) {
      MeanRotation turn;
      for (std::size_t b = begin(joint); b < end(joint); ++b) {
        addWantedTurn(b, frame, is_first, last.swings[joint], turn);
      }
      now.swings[joint] = smoothed(joint, frame, last.swings[joint], turn.value(), smoothing);
      const Quat rotation = now.swings[joint] * frame.animated;
      for (std::size_t b = begin(joint); b < end(joint); ++b) {
        feedBack(b, frame, rotation, now.positions[b]);
        states_[b].acceleration = accelerationOf(b, frame, now.positions[b], time_s);
      }
      return rotation;
    });
    counts_.joint_steps += rig_.bones.size();
  }

  // Local rotations of all joints, in the animated pose `locals`, `fraction` of the way from grid
  // time `index` to the next.
  void read(std::span<const Transform> locals, std::size_t index, double fraction,
            std::span<Transform> out) {
    pose_.follow(locals);
    pose_.swing(locals, [&](std::size_t joint, const JointFrame& frame) {
      const Quat swing = swingBetween(joint, frame, index, fraction);
      const int node = rig_.slots[static_cast<std::size_t>(rig_.joints[joint].slot)].node;
      return out[static_cast<std::size_t>(node)].rotation =
                 normalizedOrIdentity(swing * frame.animated);
    });
  }

  const SimulationCounts& counts() const { return counts_; }

 private:
  std::size_t begin(std::size_t joint) const { return rig_.joints[joint].bones_begin; }
  std::size_t end(std::size_t joint) const { return rig_.joints[joint].bones_end; }
  const ChainSettings& chainOf(const Bone& bone) const {
    return settings_.chain[static_cast<std::size_t>(bone.chain)];
  }

  // The frequency is that of the chain as a whole. Every bone answers to the one above it, so with
  // one frequency for all a chain of many bones would be limp, and each bone would amplify the
  // swing of the last one. A bone that is one n-th of the chain is therefore n times as fast.
  SpringStep stepOf(const Bone& bone, double step_s) const {
    const ChainSettings& chain = chainOf(bone);
    return makeSpringStep(chain.frequency_hz.at(bone.depth) * bone.per_chain,
                          chain.damping_ratio.at(bone.depth), chain.air_drag_per_s.at(bone.depth),
                          step_s);
  }

  // Calls body(state, posed) for every bone with the place that the clip's own pose gives its end.
  template <class Body>
  void forEachPosed(std::span<const Transform> locals, Body&& body) {
    pose_.follow(locals);
    pose_.swing(locals, [&](std::size_t joint, const JointFrame& frame) {
      for (std::size_t b = begin(joint); b < end(joint); ++b) {
        const Vec3 bone = frame.toMetric(frame.boneInParent(rig_.bones[b]));
        body(states_[b], frame.head_m + bone);
      }
      return frame.animated;
    });
  }

  // The clip's own pose of the next grid time; gives its velocity at the last one.
  void movePose(std::span<const Transform> locals, double step_s, bool is_first) {
    forEachPosed(locals, [&](BoneState& state, const Vec3& posed) {
      if (!is_first) state.pose_velocity = (posed - state.posed_before) / (2.0 * step_s);
      state.posed_before = state.posed;
      state.posed = posed;
    });
  }

  // Prepares a step of another length: constants anew, and moves of the last step scaled to it.
  void shorten(double ratio) {
    for (std::size_t b = 0; b < states_.size(); ++b) {
      BoneState& state = states_[b];
      constants_[b].step = stepOf(rig_.bones[b], ratio * step_s_);
      state.offset_before = state.offset - (state.offset - state.offset_before) * ratio;
      state.target_move *= ratio;
      state.posed_before = state.posed - (state.posed - state.posed_before) * ratio;
    }
  }

  Vec3 accelerationOf(std::size_t b, const JointFrame& frame, const Vec3& position,
                      double time_s) const {
    const BoneConstants& constants = constants_[b];
    Vec3 up(0, 1, 0);
    if (constants.rest_hangs) {
      const Vec3 borne = frame.toMetric(frame.animated * (frame.scale * rig_.bones[b].rest_up));
      const double length = lengthOf(borne);
      if (length > 0.0) up -= borne / length;
    }
    return up * constants.gravity_mps2 + wind_.at(position, time_s);
  }

  // Adds the turn that one bone wants of its joint.
  void addWantedTurn(std::size_t b, const JointFrame& frame, bool is_first, const Quat& last_swing,
                     MeanRotation& turn) {
    BoneState& state = states_[b];
    const BoneConstants& constants = constants_[b];
    const Vec3 carried = frame.boneInParent(rig_.bones[b]);
    const Vec3 carried_m = frame.toMetric(carried);
    const double length_m = lengthOf(carried_m);
    const Vec3 target = frame.head_m + carried_m;
    const Vec3 move = target - state.target;
    const Vec3 offset =
        is_first ? firstSpringStep(constants.step, move, state.pose_velocity, state.acceleration)
                 : springStep(constants.step, state.offset, state.offset_before, move,
                              state.target_move, state.pose_velocity, state.acceleration);
    const Vec3 free = projectOnLength(frame.head_m, target + offset, state.bone, length_m);
    Vec3 point = afterContacts(b, frame.head_m, free, length_m);
    // A clip that begins inside a collider is put outside, not shot out: the move gives no speed.
    if (is_first) state.offset += point - free;
    if (!isFinite(point)) {
      point = target;
      state.offset = Vec3(0.0);
      ++counts_.resets;
    }
    state.target = target;
    state.target_move = isFinite(move) ? move : Vec3(0.0);
    if (!(length_m > 0.0)) return;
    const Vec3 last_axis(last_swing.x, last_swing.y, last_swing.z);
    turn.add(rotationBetween(carried, frame.toParent(point - frame.head_m), last_axis));
  }

  Vec3 afterContacts(std::size_t b, const Vec3& head_m, Vec3 point, double length_m) const {
    const auto& indices = rig_.colliders_of_chain[static_cast<std::size_t>(rig_.bones[b].chain)];
    for (int round = 0; round < kContactRounds; ++round) {
      const Vec3 free = avoidColliders(pose_.colliders(), indices, head_m, point, length_m,
                                       constants_[b].radius_m);
      if (free == point) break;
      point = free;
    }
    return point;
  }

  Quat smoothed(std::size_t joint, const JointFrame& frame, const Quat& last, const Quat& wanted,
                double share) const {
    if (settings_.smoothing >= 1.0) return wanted;
    const Quat swing = slerp(last, wanted, share);
    if (end(joint) - begin(joint) != 1) return swing;
    // The way between two arcs is no arc: only its direction is kept, the roll is the clip's.
    const Vec3 carried = frame.boneInParent(rig_.bones[begin(joint)]);
    return rotationBetween(carried, swing * carried, Vec3(swing.x, swing.y, swing.z));
  }

  // The simulated point goes on from where the hierarchy puts it.
  void feedBack(std::size_t b, const JointFrame& frame, const Quat& rotation, Vec3& position) {
    BoneState& state = states_[b];
    state.bone = frame.toMetric(frame.boneInParent(rig_.bones[b], rotation));
    position = frame.head_m + state.bone;
    state.offset_before = state.offset;
    state.offset = position - state.target;
  }

  Quat swingBetween(std::size_t joint, const JointFrame& frame, std::size_t index,
                    double fraction) const {
    const Quat& first = history_.at(index).swings[joint];
    if (fraction <= 0.0) return first;
    const Quat& second = history_.at(index + 1).swings[joint];
    if (fraction >= 1.0) return second;
    if (end(joint) - begin(joint) != 1) return slerp(first, second, fraction);
    const std::size_t b = begin(joint);
    const Vec3 way = history_.position(b, index, fraction) - frame.head_m;
    return rotationBetween(frame.boneInParent(rig_.bones[b]), frame.toParent(way),
                           Vec3(first.x, first.y, first.z));
  }

  const Rig& rig_;
  const DynamicBonesSettings& settings_;
  const Wind wind_;
  const double step_s_;
  RigPose pose_;
  std::vector<BoneConstants> constants_;  // one a bone
  std::vector<BoneState> states_;         // one a bone
  GridHistory history_;
  SimulationCounts counts_;
};

// The clip's own velocity at its begin: the central difference that the step itself means by
// velocity, (p1 - p-1) / 2h, where the cubic through the first four grid times stands for what was
// before.
void startFromClip(SpringSimulation& simulation, MotionCursor& cursor, const TimeGrid& grid,
                   double grid_step_s) {
  constexpr double kWeights[] = {-4.0, 7.0, -4.0, 1.0};
  const double step_s = std::min(grid_step_s, (grid.end_s - grid.begin_s) / 3.0);
  simulation.start(cursor.at(grid.begin_s).locals, grid.begin_s);
  double time_s = grid.begin_s;
  for (double weight : kWeights) {
    simulation.addToVelocity(cursor.at(time_s).locals, weight * 0.5 / step_s);
    time_s += step_s;
  }
}

// All nodes whose transforms a RigPose asks for.
std::vector<std::size_t> nodesOf(const Rig& rig) {
  std::vector<std::size_t> nodes;
  for (const Slot& slot : rig.slots) nodes.push_back(static_cast<std::size_t>(slot.node));
  for (const Bone& bone : rig.bones) {
    if (bone.tail_node >= 0) nodes.push_back(static_cast<std::size_t>(bone.tail_node));
  }
  return nodes;
}

}  // namespace

SimulationCounts simulateSpring(const Rig& rig, const DynamicBonesSettings& settings,
                                const Skeleton& skeleton, const Affine& metric_from_file,
                                const Motion& clip, Motion& out, double step_s) {
  SpringSimulation simulation(rig, settings, metric_from_file, step_s);
  const std::vector<std::size_t> nodes = nodesOf(rig);
  MotionCursor cursor(skeleton, clip, nodes);
  const StepGrid grid(clip.grid, step_s);
  startFromClip(simulation, cursor, clip.grid, step_s);
  std::size_t frame = 1;
  for (std::size_t reached = 1; reached <= grid.stepCount(); ++reached) {
    const double time_s = grid.timeOf(reached);
    simulation.step(cursor.at(time_s).locals, time_s, grid.ratioOf(reached));
    // A cubic between two grid times needs the one after them, which the last step does not have.
    const bool is_last = reached == grid.stepCount();
    for (; frame < clip.grid.frame_count; ++frame) {
      const auto [index, fraction] = grid.locate(clip.grid.timeOf(frame));
      if (!is_last && index + 2 > reached) break;
      simulation.read(clip.localsOf(frame), index, fraction, out.frame(frame).locals);
    }
  }
  return simulation.counts();
}

}  // namespace clipmill::bones
