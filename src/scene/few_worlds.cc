// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "scene/few_worlds.h"

#include <algorithm>

#include "anim/pose.h"

namespace clipmill {
namespace {

// `nodes` and all above them, ascending.
std::vector<std::size_t> withAncestors(const Skeleton& skeleton, std::span<const int> nodes) {
  std::vector<std::size_t> found;
  for (int node : nodes) {
    for (; node >= 0; node = skeleton.nodes[static_cast<std::size_t>(node)].parent) {
      found.push_back(static_cast<std::size_t>(node));
    }
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace

FewWorlds::FewWorlds(const Scene& scene, const Motion& motion, std::span<const int> nodes)
    : scene_(scene),
      motion_(motion),
      originals_(withAncestors(scene.skeleton, nodes)),
      cursor_(scene.skeleton, motion, originals_) {
  const auto placeOf = [&](int node) {
    const auto at =
        std::lower_bound(originals_.begin(), originals_.end(), static_cast<std::size_t>(node));
    return static_cast<std::size_t>(at - originals_.begin());
  };
  for (std::size_t original : originals_) {
    const Node& node = scene.skeleton.nodes[original];
    Node copy;
    copy.parent = node.parent < 0 ? -1 : static_cast<int>(placeOf(node.parent));
    copy.rest = node.rest;
    copy.inherit = node.inherit;
    chain_.nodes.push_back(std::move(copy));
  }
  for (int node : nodes) wanted_.push_back(placeOf(node));
  locals_.resize(originals_.size());
}

void FewWorlds::seekTime(double time_s) { compute(cursor_.at(time_s).locals); }

void FewWorlds::seekFrame(std::size_t frame) { compute(motion_.localsOf(frame)); }

void FewWorlds::seekRest() {
  for (std::size_t i = 0; i < locals_.size(); ++i) locals_[i] = chain_.nodes[i].rest;
  computeWorlds(chain_, locals_, scene_.metric_from_file, worlds_);
}

const Affine& FewWorlds::parentOf(std::size_t i) const {
  const int parent = chain_.nodes[wanted_[i]].parent;
  return parent < 0 ? scene_.metric_from_file : worlds_[static_cast<std::size_t>(parent)];
}

void FewWorlds::compute(std::span<const Transform> all_locals) {
  for (std::size_t i = 0; i < locals_.size(); ++i) locals_[i] = all_locals[originals_[i]];
  computeWorlds(chain_, locals_, scene_.metric_from_file, worlds_);
}

std::vector<Vec3> placesOf(const Scene& scene, const Motion& motion, int node) {
  FewWorlds worlds(scene, motion, std::span(&node, 1));
  std::vector<Vec3> places_m;
  for (std::size_t frame = 0; frame < motion.grid.frame_count; ++frame) {
    worlds.seekFrame(frame);
    places_m.push_back(worlds.worldOf(0).translation);
  }
  return places_m;
}

}  // namespace clipmill
