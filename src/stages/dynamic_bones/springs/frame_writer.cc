// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/springs/frame_writer.h"

#include "core/to_size.h"
#include "stages/dynamic_bones/springs/spring_bones.h"

namespace clipmill::stages::dynamic_bones {
namespace {

bool isStill(const Quat& swing) {
  constexpr double kStill = 1e-12;
  return glm::length(Vec3(swing.x, swing.y, swing.z)) < kStill;
}

}  // namespace

FrameWriter::FrameWriter(const Rig& rig, const DynamicBonesSettings& settings, const Scene& scene,
                         const Motion& clip, Motion& out)
    : rig_(rig),
      settings_(settings),
      clip_(clip),
      out_(out),
      pose_(rig, scene.metric_from_file),
      chain_weights_(settings.chain.size()) {
  for (const Joint& joint : rig.joints) {
    const std::size_t node = toSize(rig.slots[toSize(joint.slot)].node);
    const Bone& first = rig.bones[joint.bones_start];
    joints_.push_back({node, toSize(first.chain),
                       normalizedOrIdentity(scene.skeleton.nodes[node].rest.rotation),
                       chainOf(first).weight.at(first.depth)});
  }
  for (std::size_t b = 0; b < rig.bones.size(); ++b) {
    if (stretches(rig.bones[b], settings)) stretching_.push_back(b);
  }
}

void FrameWriter::write(std::size_t frame, const GridHistory& history, std::size_t at,
                        double fraction) {
  weighChains(frame);
  const std::span<const Transform> locals = clip_.localsOf(frame);
  const bool is_on_grid = fraction <= 0.0 || fraction >= 1.0;
  if (is_on_grid) {
    const GridSample& sample = history.at(fraction <= 0.0 ? at : at + 1);
    for (std::size_t joint = 0; joint < joints_.size(); ++joint) {
      const Quat animated = normalizedOrIdentity(locals[joints_[joint].node].rotation);
      const Quat base = baseIn(joint, animated);
      // If the joint is not rotated yet, its first frame is bit-identical to the clip.
      if (frame == 0 && base == animated && isStill(sample.swings[joint])) continue;
      writeRotation(joint, frame, animated, sample.swings[joint] * base);
    }
  } else {
    writeBetween(frame, history, at, fraction);
  }
  writeStretches(frame, history, at, fraction);
}

const ChainSettings& FrameWriter::chainOf(const Bone& bone) const {
  return settings_.chain[toSize(bone.chain)];
}

Quat FrameWriter::baseIn(std::size_t joint, const Quat& animated) const {
  return baseOf(settings_.chain[joints_[joint].chain], animated, joints_[joint].rest).rolled;
}

// The weights of the chains at the time of the frame.
void FrameWriter::weighChains(std::size_t frame) {
  const double length_s = clip_.grid.end_s - clip_.grid.start_s;
  const double part =
      length_s > 0.0 ? (clip_.grid.timeOf(frame) - clip_.grid.start_s) / length_s : 0.0;
  for (std::size_t chain = 0; chain < chain_weights_.size(); ++chain) {
    chain_weights_[chain] = settings_.chain[chain].weight_over_clip.at(part);
  }
}

// Positions are interpolated, so joints are posed one after the other to point at them.
void FrameWriter::writeBetween(std::size_t frame, const GridHistory& history, std::size_t at,
                               double fraction) {
  const std::span<const Transform> locals = clip_.localsOf(frame);
  pose_.follow(locals);
  pose_.swing(locals, [&](std::size_t joint, const JointFrame& state) {
    const Quat base = baseIn(joint, state.animated);
    const Quat rotated =
        normalizedOrIdentity(swingBetween(joint, state, base, history, at, fraction) * base);
    writeRotation(joint, frame, state.animated, rotated);
    return rotated;
  });
}

Quat FrameWriter::swingBetween(std::size_t joint, const JointFrame& state, const Quat& base,
                               const GridHistory& history, std::size_t at, double fraction) const {
  const Quat& first = history.at(at).swings[joint];
  const Joint& owner = rig_.joints[joint];
  if (owner.bones_end - owner.bones_start != 1) {
    return slerp(first, history.at(at + 1).swings[joint], fraction);
  }
  const std::size_t b = owner.bones_start;
  const Vec3 path = history.position(b, at, fraction) - state.head_m;
  return rotationBetween(state.boneInParent(rig_.bones[b], base), state.toParent(path),
                         Vec3(first.x, first.y, first.z));
}

void FrameWriter::writeRotation(std::size_t joint, std::size_t frame, const Quat& animated,
                                const Quat& rotated) {
  const WrittenJoint& written = joints_[joint];
  const double share = written.weight * chain_weights_[written.chain];
  const Quat rotation = normalizedOrIdentity(rotated);
  out_.frame(frame).locals[written.node].rotation =
      share >= 1.0 ? rotation : slerp(animated, rotation, share);
}

// The translation of a bone's end is scaled with the length of the bone.
void FrameWriter::writeStretches(std::size_t frame, const GridHistory& history, std::size_t at,
                                 double fraction) {
  for (std::size_t b : stretching_) {
    const Bone& bone = rig_.bones[b];
    const double weight = chainOf(bone).weight.at(bone.depth) * chain_weights_[toSize(bone.chain)];
    const double first = history.at(at).stretches[b];
    const double second = fraction > 0.0 ? history.at(at + 1).stretches[b] : first;
    const double stretch = first + (second - first) * fraction;
    const std::size_t node = toSize(bone.tail_node);
    out_.frame(frame).locals[node].translation =
        clip_.localsOf(frame)[node].translation * (1.0 + weight * (stretch - 1.0));
  }
}

}  // namespace clipmill::stages::dynamic_bones
