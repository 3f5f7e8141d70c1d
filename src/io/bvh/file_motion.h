// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "anim/pose.h"
#include "anim/track.h"

namespace clipmill::io::bvh {

/// The MOTION of a file.
struct FileMotion {
  std::size_t frame_count = 0;
  double frame_s = 0.0;
  std::vector<Track> tracks;
};

/// So many frames show the up axis and the roles of joints.
inline constexpr std::size_t kFewPoses = 16;

/// Frames spread evenly from the first to the last, at most `most` of them, in ascending order.
std::vector<std::size_t> spreadFrames(const FileMotion& motion, std::size_t most);

/// Calls `visit` with each of `frames` (ascending) and its pose.
void visitPoses(const Skeleton& skeleton, const FileMotion& motion,
                std::span<const std::size_t> frames,
                const std::function<void(std::size_t, const Pose&)>& visit);

}  // namespace clipmill::io::bvh
