// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/conversion.h"

#include <algorithm>
#include <cmath>

#include "anim/key_reduction.h"
#include "anim/motion.h"
#include "io/fbx/write.h"
#include "io/gltf/write.h"
#include "io/gltf_document.h"
#include "scene/plain_scene.h"
#include "scene/tips.h"

namespace clipmill::io {
namespace {

// Keys may stand at so many places in a frame: linear keys at frames alone would miss what curves
// do between them.
constexpr double kStepsPerFrame = 8.0;
constexpr double kMostStepsPerSecond = 960.0;
// Where sampling so finely would take more than this, fewer steps are taken.
constexpr double kSamplingBytes = 512.0 * 1024 * 1024;
constexpr double kMetresInMillimetre = 1e-3;
// The tolerance is at most this part of the extent of the scene.
constexpr double kRelativeTolerance = 2e-5;

// A clip with other keys laid over it.
class OverlaidSource : public PoseSource {
 public:
  OverlaidSource(std::shared_ptr<const PoseSource> below, std::shared_ptr<const PoseSource> above)
      : below_(std::move(below)), above_(std::move(above)) {}

  std::unique_ptr<PoseCursor> cursor() const override {
    class Cursor : public PoseCursor {
     public:
      Cursor(std::unique_ptr<PoseCursor> below, std::unique_ptr<PoseCursor> above)
          : below_(std::move(below)), above_(std::move(above)) {}
      void sample(double time_s, PoseView pose) override {
        below_->sample(time_s, pose);
        above_->sample(time_s, pose);
      }

     private:
      std::unique_ptr<PoseCursor> below_, above_;
    };
    return std::make_unique<Cursor>(below_->cursor(), above_->cursor());
  }

 private:
  std::shared_ptr<const PoseSource> below_, above_;
};

Scene withEdits(const Scene& scene, std::span<const ClipTracks> edits) {
  Scene edited = scene;
  for (const ClipTracks& edit : edits) {
    Clip& clip = edited.clips[static_cast<std::size_t>(edit.clip)];
    for (const Track& track : edit.tracks) clip.animated.set(track.node, track.path);
    clip.source =
        std::make_shared<OverlaidSource>(clip.source, keyframeSource(scene.skeleton, edit.tracks));
  }
  return edited;
}

// The largest side of the box around all nodes at rest, in metres.
double extentOf(const Scene& scene) {
  std::vector<Affine> worlds;
  computeWorlds(scene.skeleton, restPose(scene.skeleton).locals, {}, worlds);
  if (worlds.empty()) return 0.0;
  Vec3 low = worlds[0].translation, high = low;
  for (const Affine& world : worlds) {
    low = glm::min(low, world.translation);
    high = glm::max(high, world.translation);
  }
  const Vec3 size = high - low;
  return std::max({size.x, size.y, size.z});
}

double toleranceOf(const Scene& scene, const ConversionKeys& keys,
                   std::span<const double> tip_reach) {
  double extent = extentOf(scene);
  for (const double reach : tip_reach) extent = std::max(extent, reach);
  const double asked = keys.tolerance_mm * kMetresInMillimetre;
  return extent > 0.0 ? std::min(asked, kRelativeTolerance * extent) : asked;
}

// The finest grid that memory allows, of up to kStepsPerFrame steps a frame.
TimeGrid samplingGrid(const Skeleton& skeleton, const Clip& clip, const ConversionKeys& keys) {
  const double fps = keys.fps > 0.0 ? keys.fps : clip.fps;
  if (keys.every_frame) return makeGrid(clip.begin_s, clip.end_s, fps);
  double steps = kStepsPerFrame;
  while (steps > 1.0 && fps * steps > kMostStepsPerSecond) steps /= 2.0;
  TimeGrid grid = makeGrid(clip.begin_s, clip.end_s, fps * steps);
  while (steps > 1.0 && motionBytes(skeleton, grid) > kSamplingBytes) {
    steps /= 2.0;
    grid = makeGrid(clip.begin_s, clip.end_s, fps * steps);
  }
  return grid;
}

// Clips begin at 0 in the new file: players of glTF would stand still until the first key.
void shiftToZero(double begin_s, std::vector<Track>& tracks) {
  if (begin_s == 0.0) return;
  std::vector<std::pair<KeyTimes, KeyTimes>> shifted;  // tracks share their times
  for (Track& track : tracks) {
    const auto known = std::find_if(shifted.begin(), shifted.end(),
                                    [&](const auto& pair) { return pair.first == track.times_s; });
    if (known != shifted.end()) {
      track.times_s = known->second;
      continue;
    }
    auto times = std::make_shared<std::vector<double>>(*track.times_s);
    for (double& time : *times) time = std::max(0.0, time - begin_s);
    shifted.emplace_back(track.times_s, times);
    track.times_s = std::move(times);
  }
}

Result<KeyframeClip> keysOf(const Scene& scene, std::size_t index, const ConversionKeys& keys,
                            double tolerance_m, std::span<const double> tip_reach,
                            const Limits& limits, Warnings& lost) {
  const Clip& clip = scene.clips[index];
  const TimeGrid grid = samplingGrid(scene.skeleton, clip, keys);
  if (!(motionBytes(scene.skeleton, grid) <= static_cast<double>(limits.max_decoded_bytes))) {
    return Error{ErrorCode::kLimit, clip.name, "needs more memory than the limit allows",
                 "raise --max-decoded-mb"};
  }
  Motion motion = sampleClip(scene.skeleton, clip, static_cast<int>(index), grid);
  motion.touched = clip.animated;
  // A clip in which nothing moves is a clip all the same: it keeps one still track.
  if (motion.touched.none() && scene.skeleton.size() > 0) {
    motion.touched.set(0, TrackPath::kTranslation);
  }
  KeyframeClip result{clip.name, {}};
  if (keys.every_frame) {
    result.tracks = tracksOf(scene.skeleton, motion);
  } else {
    KeyReductionSettings settings;
    settings.tolerance = tolerance_m;
    settings.tip_reach = tip_reach;
    result.tracks = reduceKeys(scene.skeleton, motion, settings).tracks;
  }
  if (clip.begin_s != 0.0) {
    lost.add("clip_moved_to_zero", "a clip begins at 0 in the new file, not where it did",
             clip.name);
  }
  shiftToZero(clip.begin_s, result.tracks);
  return result;
}

void warnOfMissingImages(const Scene& scene, Warnings& lost) {
  for (const Image& image : scene.images) {
    if (!image.bytes.empty()) continue;
    lost.add("missing_image", "a picture was not found; the new file only names it",
             image.path.empty() ? image.name : image.path);
  }
}

}  // namespace

Result<Output> convertScene(const Scene& scene, std::span<const ClipTracks> edits,
                            const ConversionKeys& keys, Warnings lost_before,
                            const std::filesystem::path& output_path, const Limits& limits) {
  Scene plain = plainScene(withEdits(scene, edits));
  const bool is_fbx = outputFormatOf(output_path) == OutputFormat::kFbx;
  if (is_fbx) {
    for (Node& node : plain.skeleton.nodes) node.euler.emplace();
  }
  Output output;
  output.lost = std::move(lost_before);
  output.lost.merge(plain.warnings);
  warnOfMissingImages(plain, output.lost);
  const std::vector<double> tip_reach = tipReach(plain);
  const double tolerance_m = toleranceOf(plain, keys, tip_reach);
  std::vector<KeyframeClip> clips;
  for (std::size_t c = 0; c < plain.clips.size(); ++c) {
    CLIPMILL_TRY(KeyframeClip clip,
                 keysOf(plain, c, keys, tolerance_m, tip_reach, limits, output.lost));
    clips.push_back(std::move(clip));
  }
  if (is_fbx) {
    CLIPMILL_TRY(output.main, writeFbx(plain, clips, {}, output.lost));
    return output;
  }
  CLIPMILL_TRY(Bytes glb, writeGlb(plain, clips));
  CLIPMILL_TRY(Output contained, glbIn(std::move(glb), output_path, limits));
  contained.lost = std::move(output.lost);
  return contained;
}

}  // namespace clipmill::io
