// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/blend/mix_frames.h"

#include <algorithm>

#include "core/cancel.h"
#include "core/to_size.h"
#include "stages/blend/pose_mix.h"

namespace clipmill::stages::blend {
namespace {

bool isSame(const Skeleton& skeleton, const Motion& motion, std::size_t node, TrackPath path,
            std::size_t frame) {
  const Transform &a = motion.localsOf(frame - 1)[node], &b = motion.localsOf(frame)[node];
  switch (path) {
    case TrackPath::kTranslation:
      return a.translation == b.translation;
    case TrackPath::kRotation:
      return a.rotation == b.rotation;
    case TrackPath::kScale:
      return a.scale == b.scale;
    case TrackPath::kWeights: {
      const auto first = toSize(skeleton.nodes[node].weights_start);
      const auto count = toSize(skeleton.nodes[node].weights_count);
      const auto before = motion.weightsOf(frame - 1).subspan(first, count);
      return std::equal(before.begin(), before.end(),
                        motion.weightsOf(frame).subspan(first).begin());
    }
  }
  return true;
}

bool isStepped(const Skeleton& skeleton, const Motion& motion, std::size_t node, TrackPath path) {
  std::size_t jumps = 0, rests = 0;
  bool jumped = false;
  for (std::size_t frame = 1; frame < motion.grid.frame_count; ++frame) {
    const bool jumps_here = !isSame(skeleton, motion, node, path, frame);
    if (jumps_here && jumped) return false;  // two steps in a row are a movement
    jumped = jumps_here;
    ++(jumps_here ? jumps : rests);
  }
  return jumps > 0 && rests > jumps + 1;
}

// The parts of one node at one frame.
class NodeParts {
 public:
  NodeParts(const BlendPlan& plan, std::span<const Part> parts)
      : plan_(plan), parts_(parts), locals_(parts.size()), weights_(parts.size()) {}

  void seek(std::size_t frame, std::size_t node, double factor) {
    frame_ = frame;
    double others = 0.0;
    for (std::size_t i = 1; i < parts_.size(); ++i) {
      weights_[i] = factor * plan_.parts[i].weight[frame];
      others += weights_[i];
    }
    weights_[0] = std::max(1.0 - others, 0.0);
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      locals_[i] = parts_[i].played.localsOf(frame)[node];
    }
  }
  Transform mean() const { return meanTransform(locals_, weights_); }
  const Transform& heaviest() const { return locals_[heaviestPart()]; }
  std::size_t heaviestPart() const {
    return toSize(std::max_element(weights_.begin(), weights_.end()) - weights_.begin());
  }
  double meanWeight(std::size_t morph) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      // A part without weight may be NaN.
      if (weights_[i] != 0.0) sum += weights_[i] * parts_[i].played.weightsOf(frame_)[morph];
    }
    return sum;
  }
  double heaviestWeight(std::size_t morph) const {
    return parts_[heaviestPart()].played.weightsOf(frame_)[morph];
  }

 private:
  const BlendPlan& plan_;
  std::span<const Part> parts_;
  std::size_t frame_ = 0;
  std::vector<Transform> locals_;
  std::vector<double> weights_;
};

void mixNode(const Skeleton& skeleton, const NodeParts& parts, std::size_t node,
             const TrackMask& stepped, PoseView pose) {
  const int n = static_cast<int>(node);
  Transform& local = pose.locals[node];
  local = parts.mean();
  if (stepped.has(n, TrackPath::kTranslation)) local.translation = parts.heaviest().translation;
  if (stepped.has(n, TrackPath::kRotation)) local.rotation = parts.heaviest().rotation;
  if (stepped.has(n, TrackPath::kScale)) local.scale = parts.heaviest().scale;
  const Node& described = skeleton.nodes[node];
  const bool switched = stepped.has(n, TrackPath::kWeights);
  for (int w = described.weights_start; w < described.weights_start + described.weights_count;
       ++w) {
    const auto morph = toSize(w);
    pose.weights[morph] = switched ? parts.heaviestWeight(morph) : parts.meanWeight(morph);
  }
}

TrackMask anyOf(std::size_t node_count, std::span<const TrackMask> masks) {
  TrackMask any(node_count);
  for (const TrackMask& mask : masks) {
    for (int node = 0; node < static_cast<int>(node_count); ++node) {
      for (TrackPath path : kTrackPaths) {
        if (mask.has(node, path)) any.set(node, path);
      }
    }
  }
  return any;
}

// Marks the tracks of the parts at nodes with a factor above 0.
void markModified(std::span<const Part> parts, std::span<const double> factors, Motion& result) {
  for (std::size_t node = 0; node < factors.size(); ++node) {
    if (factors[node] == 0.0) continue;
    for (const Part& part : parts) {
      for (TrackPath path : kTrackPaths) {
        const int n = static_cast<int>(node);
        if (part.played.modified.has(n, path)) result.modified.set(n, path);
      }
    }
  }
}

}  // namespace

Result<std::vector<double>> maskFactors(const Skeleton& skeleton, std::span<const BlendMask> mask) {
  std::vector<double> factors(skeleton.size(), mask.empty() ? 1.0 : 0.0);
  for (const BlendMask& part : mask) {
    const std::vector<int> found = findNodes(skeleton, part.bone);
    if (found.empty()) return noSuchNode(skeleton, part.bone, "mask.bone");
    std::vector<bool> meant(skeleton.size(), false);
    for (int node : found) meant[toSize(node)] = true;
    for (std::size_t node = 0; node < meant.size(); ++node) {
      const int parent = skeleton.nodes[node].parent;
      if (part.below && parent >= 0 && meant[toSize(parent)]) meant[node] = true;
      if (meant[node]) factors[node] = part.weight;
    }
  }
  return factors;
}

TrackMask steppedTracks(const Skeleton& skeleton, const Motion& motion) {
  TrackMask stepped(skeleton.size());
  for (std::size_t node = 0; node < skeleton.size(); ++node) {
    pollCancel();
    for (TrackPath path : kTrackPaths) {
      if (isStepped(skeleton, motion, node, path)) stepped.set(static_cast<int>(node), path);
    }
  }
  return stepped;
}

void mixParts(const Skeleton& skeleton, const BlendPlan& plan, std::span<const Part> parts,
              std::span<const double> factors, Motion& result) {
  std::vector<TrackMask> of_parts;
  for (const Part& part : parts) of_parts.push_back(steppedTracks(skeleton, *part.clip));
  const TrackMask stepped = anyOf(skeleton.size(), of_parts);
  NodeParts node_parts(plan, parts);
  for (std::size_t frame = 0; frame < plan.grid.frame_count; ++frame) {
    pollCancel();
    for (std::size_t node = 0; node < factors.size(); ++node) {
      if (factors[node] == 0.0) continue;
      node_parts.seek(frame, node, factors[node]);
      mixNode(skeleton, node_parts, node, stepped, result.frame(frame));
    }
  }
  markModified(parts, factors, result);
}

void addParts(const Skeleton& skeleton, const BlendPlan& plan, std::span<const Part> parts,
              std::span<const Pose> references, std::span<const double> factors, Motion& result) {
  for (std::size_t frame = 0; frame < plan.grid.frame_count; ++frame) {
    pollCancel();
    const PoseView pose = result.frame(frame);
    for (std::size_t i = 1; i < parts.size(); ++i) {
      const Pose& reference = references[i - 1];
      const auto locals = parts[i].played.localsOf(frame);
      const auto morphs = parts[i].played.weightsOf(frame);
      for (std::size_t node = 0; node < factors.size(); ++node) {
        const double weight = factors[node] * plan.parts[i].weight[frame];
        if (weight == 0.0) continue;
        pose.locals[node] = withDifference(
            pose.locals[node], differenceFrom(reference.locals[node], locals[node]), weight);
        const Node& described = skeleton.nodes[node];
        for (int w = described.weights_start; w < described.weights_start + described.weights_count;
             ++w) {
          const auto morph = toSize(w);
          pose.weights[morph] += weight * (morphs[morph] - reference.weights[morph]);
        }
      }
    }
  }
  markModified(parts, factors, result);
}

Pose firstPose(const Motion& motion) {
  const auto locals = motion.localsOf(0);
  const auto weights = motion.weightsOf(0);
  return {{locals.begin(), locals.end()}, {weights.begin(), weights.end()}};
}

}  // namespace clipmill::stages::blend
