// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "scene/pose_diff.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <utility>

#include "anim/motion.h"
#include "anim/pose.h"
#include "core/cancel.h"
#include "core/math.h"
#include "core/text.h"
#include "core/to_size.h"

namespace clipmill {
namespace {

double durationOf(const Clip& clip) { return std::max(0.0, clip.end_s - clip.start_s); }

// A path and which of the nodes with this path.
using NodeKey = std::pair<std::string, std::size_t>;

std::vector<NodeKey> keysOf(const Skeleton& skeleton) {
  std::map<std::string, std::size_t> seen;
  std::vector<NodeKey> keys;
  for (int i = 0; i < static_cast<int>(skeleton.size()); ++i) {
    std::string path = pathOf(skeleton, i);
    const std::size_t occurrence = seen[path]++;
    keys.emplace_back(std::move(path), occurrence);
  }
  return keys;
}

void matchNodes(const Skeleton& a, const Skeleton& b, PoseDiff& diff) {
  const std::vector<NodeKey> keys_a = keysOf(a), keys_b = keysOf(b);
  std::map<NodeKey, int> left_of_b;
  for (std::size_t i = 0; i < keys_b.size(); ++i) left_of_b[keys_b[i]] = static_cast<int>(i);
  for (std::size_t i = 0; i < keys_a.size(); ++i) {
    const auto match = left_of_b.find(keys_a[i]);
    if (match == left_of_b.end()) {
      diff.only_in_a.push_back(keys_a[i].first);
      continue;
    }
    NodeDiff node;
    node.path = keys_a[i].first;
    node.node_a = static_cast<int>(i);
    node.node_b = match->second;
    diff.nodes.push_back(std::move(node));
    left_of_b.erase(match);
  }
  for (const NodeKey& key : keys_b) {
    if (left_of_b.count(key)) diff.only_in_b.push_back(key.first);
  }
}

// World maps of one clip, in metric space, at one time after another.
class WorldCursor {
 public:
  WorldCursor(const Scene& scene, const Clip& clip)
      : scene_(scene),
        clip_(clip),
        cursor_(clip.source ? clip.source->cursor() : nullptr),
        pose_(restPose(scene.skeleton)) {}

  // `time_s` counts from the clip's start.
  const std::vector<Affine>& at(double time_s) {
    const double end_s = clip_.start_s + durationOf(clip_);
    if (cursor_) cursor_->sample(std::min(clip_.start_s + time_s, end_s), pose_.view());
    computeWorlds(scene_.skeleton, pose_.locals, scene_.metric_from_file, worlds_);
    return worlds_;
  }

 private:
  const Scene& scene_;
  const Clip& clip_;
  std::unique_ptr<PoseCursor> cursor_;
  Pose pose_;
  std::vector<Affine> worlds_;
};

// Adds one time to the maxima and to the sums that are where the means will be.
void addTime(double time_s, const std::vector<Affine>& a, const std::vector<Affine>& b,
             std::vector<NodeDiff>& nodes) {
  for (NodeDiff& node : nodes) {
    const Affine& world_a = a[toSize(node.node_a)];
    const Affine& world_b = b[toSize(node.node_b)];
    const double distance_m = lengthOf(world_b.translation - world_a.translation);
    const double angle_rad = angleBetween(rotationOf(world_a), rotationOf(world_b));
    node.mean_distance_m += distance_m;
    node.mean_angle_rad += angle_rad;
    node.max_angle_rad = std::max(node.max_angle_rad, angle_rad);
    // Negated so that a distance that is NaN is the worst and is not passed over.
    if (!(distance_m <= node.max_distance_m) && !std::isnan(node.max_distance_m)) {
      node.max_distance_m = distance_m;
      node.worst_time_s = time_s;
    }
  }
}

void finish(double metres_per_unit, PoseDiff& diff) {
  for (std::size_t i = 0; i < diff.nodes.size(); ++i) {
    NodeDiff& node = diff.nodes[i];
    node.mean_distance_m /= static_cast<double>(diff.frame_count);
    node.mean_angle_rad /= static_cast<double>(diff.frame_count);
    node.max_distance_file = node.max_distance_m / metres_per_unit;
    node.mean_distance_file = node.mean_distance_m / metres_per_unit;
    if (diff.worst < 0) diff.worst = static_cast<int>(i);
    const double worst_m = diff.nodes[toSize(diff.worst)].max_distance_m;
    if (!(node.max_distance_m <= worst_m) && !std::isnan(worst_m)) diff.worst = static_cast<int>(i);
  }
}

}  // namespace

Result<PoseDiff> compareClips(const Scene& scene_a, const Clip& clip_a, const Scene& scene_b,
                              const Clip& clip_b, const PoseDiffSettings& settings) {
  if (!(settings.fps > 0.0) || !std::isfinite(settings.fps)) {
    return Error{ErrorCode::kUsage, "fps", "is " + numberText(settings.fps) + ", not positive", ""};
  }
  const double length_s = std::max(durationOf(clip_a), durationOf(clip_b));
  const TimeGrid grid = makeGrid(0.0, length_s, settings.fps);
  if (grid.frame_count > settings.max_frames) {
    return Error{ErrorCode::kLimit, clip_a.name,
                 "needs " + std::to_string(grid.frame_count) + " poses, over the limit of " +
                     std::to_string(settings.max_frames),
                 "compare at fewer frames a second"};
  }
  PoseDiff diff;
  diff.frame_count = grid.frame_count;
  diff.length_difference_s = durationOf(clip_b) - durationOf(clip_a);
  matchNodes(scene_a.skeleton, scene_b.skeleton, diff);
  WorldCursor cursor_a(scene_a, clip_a), cursor_b(scene_b, clip_b);
  for (std::size_t i = 0; i < grid.frame_count; ++i) {
    pollCancel();
    const double time_s = grid.timeOf(i);
    addTime(time_s, cursor_a.at(time_s), cursor_b.at(time_s), diff.nodes);
  }
  finish(lengthOf(scene_a.metric_from_file.linear[0]), diff);
  return diff;
}

}  // namespace clipmill
