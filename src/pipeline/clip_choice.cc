// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "pipeline/clip_choice.h"

#include "core/parallel.h"
#include "scene/find_clip.h"

namespace clipmill {

Result<std::vector<int>> selectClips(const Scene& scene,
                                     const std::vector<std::string>& selectors) {
  std::vector<bool> chosen(scene.clips.size(), selectors.empty());
  for (const std::string& selector : selectors) {
    const std::vector<int> found = clipsMatching(scene, selector);
    if (found.empty() && selector != "all") {
      return noSuchClip(scene, selector, "--clip " + selector);
    }
    for (int clip : found) chosen[static_cast<std::size_t>(clip)] = true;
  }
  std::vector<int> indices;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (chosen[i]) indices.push_back(static_cast<int>(i));
  }
  return indices;
}

Result<std::vector<Motion>> sampleClips(const Scene& scene, const std::vector<int>& clips,
                                        double fps, int threads, const io::Limits& limits) {
  double bytes = 0.0;
  for (int clip : clips) {
    const Clip& c = scene.clips[static_cast<std::size_t>(clip)];
    bytes += motionBytes(scene.skeleton, makeGrid(c.begin_s, c.end_s, fps > 0.0 ? fps : c.fps));
  }
  if (bytes > static_cast<double>(limits.max_decoded_bytes)) {
    return Error{ErrorCode::kLimit, "", "has clips that need more memory than the limit allows",
                 "choose fewer with --clip, a lower --fps, or raise --max-decoded-mb"};
  }
  std::vector<Motion> motions(clips.size());
  parallelFor(clips.size(), 1, threads, [&](std::size_t begin, std::size_t) {
    const Clip& c = scene.clips[static_cast<std::size_t>(clips[begin])];
    motions[begin] = sampleClip(scene.skeleton, c, clips[begin],
                                makeGrid(c.begin_s, c.end_s, fps > 0.0 ? fps : c.fps));
  });
  return motions;
}

}  // namespace clipmill
