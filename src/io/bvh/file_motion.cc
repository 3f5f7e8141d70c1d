// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/bvh/file_motion.h"

#include <algorithm>

#include "anim/clip.h"

namespace clipmill::io::bvh {

std::vector<std::size_t> spreadFrames(const FileMotion& motion, std::size_t most) {
  std::vector<std::size_t> frames;
  const std::size_t count = std::min(motion.frame_count, most);
  for (std::size_t i = 0; i < count; ++i) {
    frames.push_back(count < 2 ? 0 : (motion.frame_count - 1) * i / (count - 1));
  }
  return frames;
}

void visitPoses(const Skeleton& skeleton, const FileMotion& motion,
                std::span<const std::size_t> frames,
                const std::function<void(std::size_t, const Pose&)>& visit) {
  const auto cursor = keyframeSource(skeleton, motion.tracks)->cursor();
  Pose pose = restPose(skeleton);
  for (const std::size_t frame : frames) {
    cursor->sample(static_cast<double>(frame) * motion.frame_s, pose.view());
    visit(frame, pose);
  }
}

}  // namespace clipmill::io::bvh
