// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "pipeline/clip_choice.h"

#include "core/parallel.h"
#include "core/to_size.h"
#include "scene/find_clip.h"

namespace clipmill::pipeline {

Result<std::vector<int>> selectClips(const Scene& scene, const std::vector<std::string>& selectors,
                                     const std::string& location) {
  std::vector<bool> chosen(scene.clips.size(), selectors.empty());
  for (const std::string& selector : selectors) {
    const std::vector<int> found = clipsMatching(scene, selector);
    if (found.empty() && selector != "all") {
      return noSuchClip(scene, selector, location);
    }
    for (int clip : found) chosen[toSize(clip)] = true;
  }
  std::vector<int> indices;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (chosen[i]) indices.push_back(static_cast<int>(i));
  }
  return indices;
}

std::vector<std::string> clipLabels(const Scene& scene, const std::vector<int>& clips) {
  std::vector<std::string> labels;
  for (int clip : clips) {
    const std::string& name = scene.clips[toSize(clip)].name;
    labels.push_back(name.empty() ? std::to_string(clip) : name);
  }
  return labels;
}

Result<std::vector<Motion>> sampleClips(const Scene& scene, const std::vector<int>& clips,
                                        double fps, int threads, const io::Limits& limits) {
  double bytes = 0.0;
  for (int clip : clips) {
    const Clip& c = scene.clips[toSize(clip)];
    bytes += motionBytes(scene.skeleton, makeGrid(c.start_s, c.end_s, fps > 0.0 ? fps : c.fps));
  }
  if (bytes > static_cast<double>(limits.max_decoded_bytes)) {
    return Error{ErrorCode::kLimit, "",
                 "has clips that need more memory than --max-decoded-mb allows",
                 "choose fewer clips with --clip, lower --fps, or raise --max-decoded-mb"};
  }
  std::vector<Motion> motions(clips.size());
  parallelFor(clips.size(), 1, threads, [&](std::size_t start, std::size_t) {
    const Clip& c = scene.clips[toSize(clips[start])];
    motions[start] = sampleClip(scene.skeleton, c, clips[start],
                                makeGrid(c.start_s, c.end_s, fps > 0.0 ? fps : c.fps));
  });
  return motions;
}

}  // namespace clipmill::pipeline
