// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/fbx/read_clips.h"

#include <algorithm>

namespace clipmill::io::fbx {
namespace {

// The span of all keys; nothing where there are none.
std::optional<std::pair<double, double>> spanOfKeys(const Animation& animation) {
  std::optional<std::pair<double, double>> span;
  for (const Curve& curve : animation.curves) {
    const double first = curve.keys.times()->front(), last = curve.keys.times()->back();
    if (!span) span = {first, last};
    span->first = std::min(span->first, first);
    span->second = std::max(span->second, last);
  }
  return span;
}

double keyRate(const Animation& animation, double start_s) {
  std::vector<KeyTimes> timelines;
  for (const Curve& curve : animation.curves) timelines.push_back(curve.keys.times());
  return inferFrameRate(start_s, timelines);
}

}  // namespace

std::vector<Clip> makeClips(std::vector<StackAnimation> stacks, double file_fps,
                            std::span<const int> node_of_weight) {
  std::vector<Clip> clips;
  for (StackAnimation& stack : stacks) {
    Clip clip;
    clip.name = stack.name;
    clip.start_s = stack.start_s;
    clip.end_s = stack.end_s;
    if (!stack.has_span) {
      if (const auto span = spanOfKeys(stack.animation)) {
        clip.start_s = span->first;
        clip.end_s = span->second;
      }
    }
    clip.end_s = std::max(clip.end_s, clip.start_s);
    clip.fps = file_fps > 0.0 ? file_fps : keyRate(stack.animation, clip.start_s);
    clip.animated = animatedTracks(stack.animation, node_of_weight);
    clip.source = animationSource(std::move(stack.animation));
    clips.push_back(std::move(clip));
  }
  return clips;
}

}  // namespace clipmill::io::fbx
