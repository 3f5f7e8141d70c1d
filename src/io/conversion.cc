// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/conversion.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "anim/motion.h"
#include "anim/track_fit.h"
#include "core/parallel.h"
#include "core/to_size.h"
#include "core/units.h"
#include "io/fbx/read_views.h"
#include "io/fbx/write.h"
#include "io/formats.h"
#include "io/gltf/gltf_document.h"
#include "io/gltf/write.h"
#include "io/io.h"
#include "scene/key_budgets.h"
#include "scene/plain_scene.h"
#include "scene/shell_distance.h"
#include "scene/view_axes.h"

namespace clipmill::io {
namespace {

// The tolerance of positions is at most this part of the extent of the scene; that of axes is the
// angle that moves a point at that distance by about as much.
constexpr double kRelativeTolerance = 2e-5;
constexpr double kAngleTolerance_rad = 3e-5;

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
                   std::span<const double> shell_distances) {
  double extent = extentOf(scene);
  for (const double reach : shell_distances) extent = std::max(extent, reach);
  const double asked = keys.tolerance_mm * kMetresInMillimetre;
  return extent > 0.0 ? std::min(asked, kRelativeTolerance * extent) : asked;
}

// Clips start at 0 in the new file: glTF players would show a still pose until the first key.
void shiftToZero(double start_s, std::vector<Track>& tracks) {
  if (start_s == 0.0 || tracks.empty()) return;
  const KeyTimes before = tracks[0].times_s;  // all tracks of a motion share their times
  auto times = std::make_shared<std::vector<double>>(*before);
  for (double& time : *times) time = std::max(0.0, time - start_s);
  for (Track& track : tracks) track.times_s = times;
}

// What is the same for all clips.
struct ConversionPlan {
  const Scene& scene;
  const ConversionKeys& keys;
  double tolerance_m;
  std::vector<double> shell_distances;
  const Limits& limits;
};

std::vector<Track> fittedTracks(const ConversionPlan& plan, const Clip& clip, const Motion& motion,
                                const TrackMask& mask) {
  const KeyBudgets budgets =
      keyBudgets(plan.scene, motion, plan.shell_distances, plan.tolerance_m, kAngleTolerance_rad);
  return fitTracks(plan.scene.skeleton, clip, mask,
                   {budgets.nodes, budgets.weights, motion.grid.fps});
}

Result<KeyframeClip> keysOf(const ConversionPlan& plan, std::size_t index) {
  const Skeleton& skeleton = plan.scene.skeleton;
  const Clip& clip = plan.scene.clips[index];
  const double fps = plan.keys.fps > 0.0 ? plan.keys.fps : clip.fps;
  const TimeGrid grid = makeGrid(clip.start_s, clip.end_s, fps);
  // A clip in which nothing moves is a clip all the same: it keeps one still track.
  TrackMask mask = clip.animated;
  if (mask.none() && skeleton.size() > 0) mask.set(0, TrackPath::kTranslation);
  const double bytes = motionBytes(skeleton, grid) +
                       (plan.keys.every_frame ? 0.0 : fitBytes(skeleton, clip, mask, fps));
  if (!(bytes <= static_cast<double>(plan.limits.max_decoded_bytes))) {
    return Error{ErrorCode::kLimit, clip.name, "needs more memory than the limit allows",
                 "raise --max-decoded-mb"};
  }
  Motion motion = sampleClip(skeleton, clip, static_cast<int>(index), grid);
  if (!plan.keys.every_frame)
    return KeyframeClip{clip.name, fittedTracks(plan, clip, motion, mask)};
  motion.modified = mask;
  KeyframeClip result{clip.name, tracksOf(skeleton, motion)};
  shiftToZero(clip.start_s, result.tracks);
  return result;
}

Result<std::vector<KeyframeClip>> keysOfAll(const ConversionPlan& plan, Warnings& warnings) {
  const std::vector<Clip>& clips = plan.scene.clips;
  std::vector<KeyframeClip> keyed(clips.size());
  std::vector<Status> done(clips.size());
  parallelFor(clips.size(), 1, plan.keys.threads, [&](std::size_t i, std::size_t) {
    Result<KeyframeClip> result = keysOf(plan, i);
    if (result.ok()) {
      keyed[i] = std::move(*result);
    } else {
      done[i] = result.error();
    }
  });
  for (std::size_t i = 0; i < clips.size(); ++i) {
    CLIPMILL_CHECK(done[i]);
    if (clips[i].start_s == 0.0) continue;
    warnings.add("clip_moved_to_zero", "a clip is shifted to start at 0 s in the new file",
                 clips[i].name);
  }
  return keyed;
}

void warnOfMissingImages(const Scene& scene, Warnings& warnings) {
  for (const Image& image : scene.images) {
    if (!image.bytes.empty()) continue;
    warnings.add("missing_image", "an image file does not exist; the new file stores only its path",
                 image.path.empty() ? image.name : image.path);
  }
}

}  // namespace

Scene editedScene(const Scene& scene, std::span<const ClipEdit> edits, const Additions& additions) {
  Scene edited = withAdditions(scene, additions);
  for (const ClipEdit& edit : edits) {
    Clip& clip = edited.clips[toSize(edit.clip)];
    for (const Track& track : edit.tracks) clip.animated.set(track.node, track.path);
    clip.source =
        std::make_shared<OverlaidSource>(clip.source, keyframeSource(edited.skeleton, edit.tracks));
    if (edit.span_s) std::tie(clip.start_s, clip.end_s) = *edit.span_s;
    if (edit.name) clip.name = *edit.name;
  }
  return edited;
}

Result<Output> convertScene(const Scene& scene, std::span<const ClipEdit> edits,
                            const ConversionKeys& keys, Warnings loss_before,
                            const std::filesystem::path& output_path, const Limits& limits,
                            const Additions& additions) {
  const bool is_fbx = outputFormatOf(output_path) == OutputFormat::kFbx;
  Scene plain = withViewAxes(plainScene(editedScene(scene, edits, additions)),
                             is_fbx ? fbx::fbxViewAxes() : ViewAxes{});
  const bool is_vrma = isVrmAnimationPath(output_path);
  if (is_vrma && !plain.face.is_animation) {
    return Error{ErrorCode::kUnsupported, "", "cannot be written as VRM animation by this command",
                 "use clipmill convert"};
  }
  if (is_fbx) {
    for (Node& node : plain.skeleton.nodes) node.euler.emplace();
  }
  Output output;
  output.warnings = std::move(loss_before);
  output.warnings.merge(plain.warnings);
  warnOfMissingImages(plain, output.warnings);
  std::vector<double> shell_distances = shellDistances(plain);
  const double tolerance_m = toleranceOf(plain, keys, shell_distances);
  const ConversionPlan plan{plain, keys, tolerance_m, std::move(shell_distances), limits};
  CLIPMILL_TRY(const std::vector<KeyframeClip> clips, keysOfAll(plan, output.warnings));
  if (is_fbx) {
    fbx::FbxWriteOptions options;
    if (!plain.clips.empty()) options.fps = plain.clips.front().fps;
    CLIPMILL_TRY(output.main, fbx::writeFbx(plain, clips, options, output.warnings));
    return output;
  }
  CLIPMILL_TRY(Bytes glb, gltf::writeGlb(plain, clips, {"clipmill", "", is_vrma}));
  CLIPMILL_TRY(Output contained, gltf::glbOutput(std::move(glb), output_path, limits));
  contained.warnings = std::move(output.warnings);
  return contained;
}

Result<Asset> convertedAsset(const Asset& asset, const std::filesystem::path& output_path,
                             const ConversionKeys& keys, const LoadOptions& options) {
  // One file, whatever container the output has.
  const bool is_gltf = outputFormatOf(output_path) == OutputFormat::kGltf;
  const std::filesystem::path path = is_gltf ? "converted.glb" : "converted.fbx";
  CLIPMILL_TRY(Output made, convertScene(asset.scene, {}, keys, asset.document->conversionLoss(),
                                         path, options.limits));
  Asset converted;
  converted.path = asset.path;
  converted.content_hash = asset.content_hash;
  converted.file_bytes = asset.file_bytes;
  converted.limits = options.limits;
  const FormatType* format = findFormat(made.main, path);
  if (!format) return Error{ErrorCode::kInternal, "", "has no format after its conversion", ""};
  CLIPMILL_CHECK(format->load(std::move(made.main), options, converted));
  converted.scene.warnings.merge(asset.scene.warnings);
  converted.scene.warnings.merge(made.warnings);
  return converted;
}

}  // namespace clipmill::io
