// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "scene/resample.h"

#include "anim/pose.h"
#include "core/cancel.h"
#include "core/reserve.h"
#include "core/to_size.h"

namespace clipmill {

TrackMask movedTracks(const Scene& scene, const Motion& motion) {
  const std::size_t clip = toSize(motion.clip_index);
  TrackMask mask = motion.modified;
  for (int node = 0; node < static_cast<int>(motion.node_count); ++node) {
    for (TrackPath path : kTrackPaths) {
      if (clip < scene.clips.size() && scene.clips[clip].animated.size() == motion.node_count &&
          scene.clips[clip].animated.has(node, path)) {
        mask.set(node, path);
      }
    }
    const auto i = toSize(node);
    const Transform& rest = scene.skeleton.nodes[i].rest;
    pollCancel();
    for (std::size_t frame = 0; frame < motion.grid.frame_count; ++frame) {
      const Transform& local = motion.localsOf(frame)[i];
      if (local.translation != rest.translation) mask.set(node, TrackPath::kTranslation);
      if (local.rotation != rest.rotation) mask.set(node, TrackPath::kRotation);
      if (local.scale != rest.scale) mask.set(node, TrackPath::kScale);
    }
  }
  return mask;
}

Status checkMotionSizes(const Skeleton& skeleton, std::span<const PlannedMotion> motions,
                        double max_bytes) {
  double bytes = 0.0;
  const PlannedMotion* longest = nullptr;
  for (const PlannedMotion& motion : motions) {
    bytes += motionBytes(skeleton, motion.grid);
    if (!longest || motion.grid.frame_count > longest->grid.frame_count) longest = &motion;
  }
  if (bytes <= max_bytes) return {};
  const bool is_one = motionBytes(skeleton, longest->grid) > max_bytes;
  const std::string frames = std::to_string(longest->grid.frame_count) + " frames";
  return Error{ErrorCode::kLimit, "",
               is_one ? "'" + longest->clip_name + "' would have " + frames +
                            ", which need more memory than --max-decoded-mb allows"
                      : std::to_string(motions.size()) + " clips of up to " + frames + " ('" +
                            longest->clip_name +
                            "') would need more memory than --max-decoded-mb allows together",
               is_one ? "make the clip shorter, lower the frame rate, or raise --max-decoded-mb"
                      : "choose fewer clips with --clip, make them shorter, or raise "
                        "--max-decoded-mb"};
}

Motion resampled(const Scene& scene, const Motion& motion, const TimeGrid& grid,
                 std::span<const double> source_s) {
  Motion result;
  result.clip_name = motion.clip_name;
  result.clip_index = motion.clip_index;
  result.grid = grid;
  result.node_count = motion.node_count;
  result.weight_count = motion.weight_count;
  result.modified = movedTracks(scene, motion);
  reserveToFill(result.locals, grid.frame_count * motion.node_count);
  result.weights.reserve(grid.frame_count * motion.weight_count);
  MotionCursor cursor(scene.skeleton, motion);
  for (std::size_t frame = 0; frame < grid.frame_count; ++frame) {
    pollCancel();
    const Pose& pose = cursor.at(source_s[frame]);
    result.locals.insert(result.locals.end(), pose.locals.begin(), pose.locals.end());
    result.weights.insert(result.weights.end(), pose.weights.begin(), pose.weights.end());
  }
  return result;
}

}  // namespace clipmill
