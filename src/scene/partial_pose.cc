// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "scene/partial_pose.h"

#include <algorithm>

#include "anim/pose.h"
#include "core/cancel.h"
#include "core/to_size.h"

namespace clipmill {
namespace {

// `nodes` and all above them, ascending.
std::vector<std::size_t> withAncestors(const Skeleton& skeleton, std::span<const int> nodes) {
  std::vector<std::size_t> found;
  for (int node : nodes) {
    for (; node >= 0; node = skeleton.nodes[toSize(node)].parent) {
      found.push_back(toSize(node));
    }
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace

PartialPose::PartialPose(const Scene& scene, const Motion& motion, std::span<const int> nodes)
    : scene_(scene),
      motion_(motion),
      originals_(withAncestors(scene.skeleton, nodes)),
      cursor_(scene.skeleton, motion, originals_) {
  const auto positionOf = [&](int node) {
    const auto at = std::lower_bound(originals_.begin(), originals_.end(), toSize(node));
    return toSize(at - originals_.begin());
  };
  for (std::size_t original : originals_) {
    const Node& node = scene.skeleton.nodes[original];
    Node copy;
    copy.parent = node.parent < 0 ? -1 : static_cast<int>(positionOf(node.parent));
    copy.rest = node.rest;
    copy.inherit = node.inherit;
    chain_.nodes.push_back(std::move(copy));
  }
  for (int node : nodes) wanted_.push_back(positionOf(node));
  locals_.resize(originals_.size());
}

void PartialPose::seekTime(double time_s) { compute(cursor_.at(time_s).locals); }

void PartialPose::seekFrame(std::size_t frame) {
  pollCancel();
  compute(motion_.localsOf(frame));
}

void PartialPose::seekRest() {
  for (std::size_t i = 0; i < locals_.size(); ++i) locals_[i] = chain_.nodes[i].rest;
  computeWorlds(chain_, locals_, scene_.metric_from_file, worlds_);
}

const Affine& PartialPose::parentOf(std::size_t i) const {
  const int parent = chain_.nodes[wanted_[i]].parent;
  return parent < 0 ? scene_.metric_from_file : worlds_[toSize(parent)];
}

void PartialPose::compute(std::span<const Transform> all_locals) {
  for (std::size_t i = 0; i < locals_.size(); ++i) locals_[i] = all_locals[originals_[i]];
  computeWorlds(chain_, locals_, scene_.metric_from_file, worlds_);
}

std::vector<Vec3> positionsOf(const Scene& scene, const Motion& motion, int node) {
  PartialPose worlds(scene, motion, std::span(&node, 1));
  std::vector<Vec3> positions_m;
  for (std::size_t frame = 0; frame < motion.grid.frame_count; ++frame) {
    worlds.seekFrame(frame);
    positions_m.push_back(worlds.worldOf(0).translation);
  }
  return positions_m;
}

}  // namespace clipmill
