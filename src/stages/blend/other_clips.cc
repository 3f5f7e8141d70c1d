// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/blend/other_clips.h"

#include <algorithm>

#include "core/to_size.h"
#include "retarget/clip_transfer.h"
#include "retarget/node_match.h"
#include "scene/find_clip.h"
#include "scene/resample.h"

namespace clipmill::stages::blend {
namespace {

// More than any real clip needs; the length that a file states is not trusted.
constexpr double kMaxBytes = 4e9;

const AuxiliaryFile* fileOf(const StageInput& input, const std::string& path) {
  for (const AuxiliaryFile& file : input.files) {
    if (file.path == path) return &file;
  }
  return nullptr;
}

Result<int> chooseClip(const Scene& scene, const std::string& selector,
                       const std::string& location) {
  if (!selector.empty()) return findOneClip(scene, selector, location);
  if (scene.clips.size() == 1) return 0;
  if (scene.clips.empty()) {
    return Error{ErrorCode::kNotFound, location, "has no clip to blend with",
                 "give a file with animation"};
  }
  return Error{ErrorCode::kRecipe, location,
               "names no clip, and there are " + std::to_string(scene.clips.size()),
               "name one of them"};
}

Result<Motion> sampledClip(const Scene& scene, int clip_index, const std::string& location) {
  const Clip& clip = scene.clips[toSize(clip_index)];
  const TimeGrid grid = makeGrid(clip.start_s, clip.end_s, clip.fps);
  if (!(motionBytes(scene.skeleton, grid) <= kMaxBytes)) {
    return Error{ErrorCode::kLimit, location, "needs more memory than a clip may", "cut it first"};
  }
  return sampleClip(scene.skeleton, clip, clip_index, grid);
}

Result<OtherClip> ofScene(const StageInput& input, const std::string& selector,
                          const std::string& location) {
  CLIPMILL_TRY(const int clip, chooseClip(input.scene, selector, location));
  OtherClip other;
  other.scene_clip = clip;
  other.name = input.scene.clips[toSize(clip)].name;
  const Motion* made = nullptr;
  for (const Motion& motion : input.motions) {
    if (motion.clip_index == clip) made = &motion;
  }
  if (made) {
    other.motion = copyOf(*made);
  } else {
    CLIPMILL_TRY(other.motion, sampledClip(input.scene, clip, location));
  }
  return other;
}

Result<OtherClip> ofFile(const StageInput& input, const AuxiliaryFile& file,
                         const std::string& selector, const std::string& location) {
  const Scene& source = file.scene;
  CLIPMILL_TRY(const int clip, chooseClip(source, selector, location));
  CLIPMILL_TRY(const Motion motion, sampledClip(source, clip, location));
  const auto match = retarget::matchNodes(source, source.clips[toSize(clip)].animated, input.scene);
  if (!match) return within(location, match.error());
  if (!(motionBytes(input.scene.skeleton, motion.grid) <= kMaxBytes)) {
    return Error{ErrorCode::kLimit, location, "needs more memory than a clip may", "cut it first"};
  }
  auto taken = retarget::transferClip(source, motion, input.scene, *match);
  if (!taken) return within(location, taken.error());
  return OtherClip{std::move(taken->motion), motion.clip_name + " of " + file.path,
                   std::move(taken->note), std::move(taken->warnings), -1};
}

Result<OtherClip> findOtherClip(const StageInput& input, const BlendClip& wanted,
                                const std::string& location) {
  if (wanted.file.empty()) return ofScene(input, wanted.clip, location);
  const AuxiliaryFile* found = fileOf(input, wanted.file);
  if (!found)
    return Error{ErrorCode::kInternal, location, "'" + wanted.file + "' was not loaded", ""};
  return ofFile(input, *found, wanted.clip, location + ": " + wanted.file);
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
  std::vector<Part> parts;
  parts.reserve(others.size() + 1);  // a list of values would copy the motions
  parts.push_back({&motion, resampled(scene, motion, plan.grid, plan.parts[0].time_s)});
  for (std::size_t i = 0; i < others.size(); ++i) {
    const Motion& clip = others[i].motion;
    parts.push_back({&clip, resampled(scene, clip, plan.grid, plan.parts[i + 1].time_s)});
  }
  return parts;
}

}  // namespace clipmill::stages::blend
