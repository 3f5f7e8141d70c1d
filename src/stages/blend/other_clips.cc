// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/blend/other_clips.h"

#include <algorithm>

#include "scene/clip_transfer.h"
#include "scene/find_clip.h"
#include "scene/node_match.h"
#include "scene/resample.h"

namespace clipmill::blend {
namespace {

// More than any clip of work asks for; what a file says of its length is not to be believed.
constexpr double kMostBytes = 4e9;

const AuxiliaryFile* fileOf(const StageInput& input, const std::string& path) {
  for (const AuxiliaryFile& file : input.files) {
    if (file.path == path) return &file;
  }
  return nullptr;
}

Result<int> chooseClip(const Scene& scene, const std::string& selector, const std::string& place) {
  if (!selector.empty()) return findOneClip(scene, selector, place);
  if (scene.clips.size() == 1) return 0;
  if (scene.clips.empty()) {
    return Error{ErrorCode::kNotFound, place, "has no clip to blend with",
                 "give a file with animation"};
  }
  return Error{ErrorCode::kRecipe, place,
               "names no clip, and there are " + std::to_string(scene.clips.size()),
               "name one of them"};
}

Result<Motion> sampledClip(const Scene& scene, int clip_index, const std::string& place) {
  const Clip& clip = scene.clips[static_cast<std::size_t>(clip_index)];
  const TimeGrid grid = makeGrid(clip.begin_s, clip.end_s, clip.fps);
  if (!(motionBytes(scene.skeleton, grid) <= kMostBytes)) {
    return Error{ErrorCode::kLimit, place, "needs more memory than a clip may", "cut it first"};
  }
  return sampleClip(scene.skeleton, clip, clip_index, grid);
}

Result<OtherClip> ofScene(const StageInput& input, const std::string& selector,
                          const std::string& place) {
  CLIPMILL_TRY(const int clip, chooseClip(input.scene, selector, place));
  OtherClip other;
  other.scene_clip = clip;
  other.name = input.scene.clips[static_cast<std::size_t>(clip)].name;
  const Motion* made = nullptr;
  for (const Motion& motion : input.motions) {
    if (motion.clip_index == clip) made = &motion;
  }
  if (made) {
    other.motion = *made;
  } else {
    CLIPMILL_TRY(other.motion, sampledClip(input.scene, clip, place));
  }
  return other;
}

Result<OtherClip> ofFile(const StageInput& input, const AuxiliaryFile& file,
                         const std::string& selector, const std::string& place) {
  const Scene& source = file.scene;
  CLIPMILL_TRY(const int clip, chooseClip(source, selector, place));
  CLIPMILL_TRY(const Motion motion, sampledClip(source, clip, place));
  const auto match =
      matchNodes(source, source.clips[static_cast<std::size_t>(clip)].animated, input.scene);
  if (!match) return within(place, match.error());
  if (!(motionBytes(input.scene.skeleton, motion.grid) <= kMostBytes)) {
    return Error{ErrorCode::kLimit, place, "needs more memory than a clip may", "cut it first"};
  }
  auto taken = transferClip(source, motion, input.scene, *match);
  if (!taken) return within(place, taken.error());
  return OtherClip{std::move(taken->motion), motion.clip_name + " of " + file.path,
                   std::move(taken->note), std::move(taken->warnings), -1};
}

Result<OtherClip> findOtherClip(const StageInput& input, const BlendClip& wanted,
                                const std::string& place) {
  if (wanted.file.empty()) return ofScene(input, wanted.clip, place);
  const AuxiliaryFile* found = fileOf(input, wanted.file);
  if (!found) return Error{ErrorCode::kInternal, place, "'" + wanted.file + "' was not loaded", ""};
  return ofFile(input, *found, wanted.clip, place + ": " + wanted.file);
}

}  // namespace

Result<std::vector<OtherClip>> findOtherClips(const StageInput& input,
                                              std::span<const BlendClip> with) {
  std::vector<OtherClip> others;
  for (std::size_t i = 0; i < with.size(); ++i) {
    CLIPMILL_TRY(OtherClip found, findOtherClip(input, with[i], "with[" + std::to_string(i) + "]"));
    others.push_back(std::move(found));
  }
  return others;
}

std::vector<std::string> filesOf(std::span<const BlendClip> with) {
  std::vector<std::string> files;
  for (const BlendClip& clip : with) {
    const bool is_known = std::find(files.begin(), files.end(), clip.file) != files.end();
    if (!clip.file.empty() && !is_known) files.push_back(clip.file);
  }
  return files;
}

bool isOtherClipOnly(const StageInput& input, std::span<const OtherClip> others,
                     const Motion& motion) {
  return input.motions.size() > 1 &&
         std::any_of(others.begin(), others.end(),
                     [&](const OtherClip& other) { return other.scene_clip == motion.clip_index; });
}

std::vector<Part> playParts(const Scene& scene, const BlendPlan& plan, const Motion& motion,
                            std::span<const OtherClip> others) {
  std::vector<Part> parts = {{&motion, resampled(scene, motion, plan.grid, plan.parts[0].time_s)}};
  for (std::size_t i = 0; i < others.size(); ++i) {
    const Motion& clip = others[i].motion;
    parts.push_back({&clip, resampled(scene, clip, plan.grid, plan.parts[i + 1].time_s)});
  }
  return parts;
}

}  // namespace clipmill::blend
