// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "pipeline/clip_choice.h"

#include <cmath>

#include "core/parallel.h"
#include "core/text.h"

namespace clipmill {

Result<std::vector<int>> selectClips(const Scene& scene,
                                     const std::vector<std::string>& selectors) {
  std::vector<bool> chosen(scene.clips.size(), selectors.empty());
  for (const std::string& selector : selectors) {
    bool found = selector == "all";
    if (found) chosen.assign(chosen.size(), true);
    for (std::size_t i = 0; i < scene.clips.size(); ++i) {
      if (matchesGlob(selector, scene.clips[i].name) || scene.clips[i].name == selector) {
        chosen[i] = found = true;
      }
    }
    const auto index = parseNumber(selector);
    if (!found && index && *index >= 0 && *index < static_cast<double>(scene.clips.size()) &&
        *index == std::floor(*index)) {
      chosen[static_cast<std::size_t>(*index)] = found = true;
    }
    if (!found) {
      std::vector<std::string> names;
      for (const Clip& clip : scene.clips) names.push_back(clip.name);
      const auto nearest = nearestWord(selector, names);
      return Error{ErrorCode::kNotFound, "--clip " + selector, "no clip has that name or index",
                   nearest ? "did you mean '" + *nearest + "'?"
                           : "the file has " + counted(names.size(), "clip")};
    }
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
