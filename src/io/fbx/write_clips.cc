// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/fbx/write_clips.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "anim/clip.h"
#include "core/cancel.h"
#include "core/to_size.h"
#include "core/units.h"
#include "io/fbx/curve.h"
#include "io/fbx/new_curve.h"
#include "io/fbx/rotation_keys.h"

namespace clipmill::io::fbx {
namespace {

constexpr std::int32_t kKeyVersion = 4008;

// Times that 32-bit floats have moved off their frame go back onto it, so that people see whole
// frame numbers. Files that keep times as floats get the same floats again.
KeyTimes onFrames(const KeyTimes& times, double fps) {
  constexpr double kFloatRounding = 1.0 / (1 << 23);
  std::vector<double> moved = *times;
  for (std::size_t k = 0; k < moved.size(); ++k) {
    const double frame_s = std::floor(moved[k] * fps + 0.5) / fps;
    const bool is_near = std::fabs(frame_s - moved[k]) <= kFloatRounding * moved[k];
    const bool has_space =
        (k == 0 || moved[k - 1] < frame_s) && (k + 1 == moved.size() || frame_s < moved[k + 1]);
    if (is_near && has_space) moved[k] = frame_s;
  }
  return std::make_shared<const std::vector<double>>(std::move(moved));
}

// Number `index` of each key of a track as a curve.
NewCurve componentCurve(const Track& track, std::size_t index, double factor) {
  const auto width = toSize(track.width);
  const bool is_cubic = track.interpolation == Interpolation::kCubicSpline;
  NewCurve curve;
  curve.interpolation = track.interpolation;
  curve.times_s = track.times_s;
  for (std::size_t k = 0; k < track.times_s->size(); ++k) {
    const double* key = &track.values[k * width * (is_cubic ? 3 : 1)];
    curve.values.push_back(factor * key[index + (is_cubic ? width : 0)]);
    if (!is_cubic) continue;
    curve.left_slopes.push_back(factor * key[index]);
    curve.right_slopes.push_back(factor * key[index + 2 * width]);
  }
  return curve;
}

// What any of the clips moves, for every node.
TrackMask movedInAny(std::size_t node_count, std::span<const KeyframeClip> clips) {
  TrackMask mask(node_count);
  for (const KeyframeClip& clip : clips) {
    for (const Track& track : clip.tracks) mask.set(track.node, track.path);
  }
  return mask;
}

class StackWriter {
 public:
  StackWriter(const Scene& scene, const TrackMask& moved_in_any, const WrittenIds& ids, double fps,
              FileBuilder& file)
      : scene_(scene), moved_in_any_(moved_in_any), ids_(ids), fps_(fps), file_(file) {}

  WrittenStack write(const KeyframeClip& clip) {
    const WrittenStack stack = spanOf(clip);
    std::vector<NewElement> span = {timeProperty("LocalStart", stack.start_ticks),
                                    timeProperty("LocalStop", stack.end_ticks),
                                    timeProperty("ReferenceStart", stack.start_ticks),
                                    timeProperty("ReferenceStop", stack.end_ticks)};
    const std::int64_t stack_id = file_.add("AnimationStack", clip.name, "AnimStack", "",
                                            {block("Properties70", std::move(span))});
    layer_ = file_.add("AnimationLayer", clip.name, "AnimLayer", "", {});
    file_.connect(layer_, stack_id);
    for (const Track& track : clip.tracks) writeTrack(track);
    for (const Track& track : restTracks(clip)) writeTrack(track);
    return stack;
  }

 private:
  WrittenStack spanOf(const KeyframeClip& clip) {
    WrittenStack stack{file_.cleanName(clip.name), 0, 0};
    bool is_first = true;
    for (const Track& track : clip.tracks) {
      const KeyTimes times = movedTimes(track.times_s);
      const std::int64_t start = ticksOf(times->front()), end = ticksOf(times->back());
      stack.start_ticks = is_first ? start : std::min(stack.start_ticks, start);
      stack.end_ticks = is_first ? end : std::max(stack.end_ticks, end);
      is_first = false;
    }
    return stack;
  }

  // A node with keys for some channels gets rest-pose keys for the others, because Blender
  // takes missing channels from the clip before.
  std::vector<Track> restTracks(const KeyframeClip& clip) const {
    std::vector<Track> tracks;
    if (clip.tracks.empty()) return tracks;
    const TrackMask moved = movedInAny(scene_.skeleton.size(), std::span(&clip, 1));
    const KeyTimes first = std::make_shared<const std::vector<double>>(
        std::vector<double>{clip.tracks.front().times_s->front()});
    for (int n = 0; n < static_cast<int>(moved.size()); ++n) {
      const Transform& rest = scene_.skeleton.nodes[toSize(n)].rest;
      const Vec3 &t = rest.translation, &s = rest.scale;
      const Quat& q = rest.rotation;
      const auto add = [&](TrackPath path, std::vector<double> values) {
        if (moved.has(n, path) || !moved_in_any_.has(n, path)) return;
        const int width = static_cast<int>(values.size());
        tracks.push_back({n, path, Interpolation::kLinear, width, first, std::move(values)});
      };
      if (!moved.has(n, TrackPath::kTranslation) && !moved.has(n, TrackPath::kRotation) &&
          !moved.has(n, TrackPath::kScale)) {
        continue;
      }
      add(TrackPath::kTranslation, {t.x, t.y, t.z});
      add(TrackPath::kRotation, {q.x, q.y, q.z, q.w});
      add(TrackPath::kScale, {s.x, s.y, s.z});
    }
    return tracks;
  }

  KeyTimes movedTimes(const KeyTimes& times) {
    auto& [original, moved] = moved_times_[times.get()];
    if (!moved) {
      original = times;  // kept alive: its address is the key
      moved = onFrames(times, fps_);
    }
    return moved;
  }

  void writeTrack(const Track& original) {
    pollCancel();
    Track track = original;
    track.times_s = movedTimes(original.times_s);
    const auto node = toSize(track.node);
    switch (track.path) {
      case TrackPath::kTranslation:
        writeChannels(vectorCurves(track), "T", "Lcl Translation", ids_.models[node]);
        break;
      case TrackPath::kScale:
        writeChannels(vectorCurves(track), "S", "Lcl Scaling", ids_.models[node]);
        break;
      case TrackPath::kRotation: {
        const Vec3 rest = toEuler(scene_.skeleton.nodes[node].rest.rotation, EulerOrder::kXyz);
        writeChannels(rotationCurves(track, rest), "R", "Lcl Rotation", ids_.models[node]);
        break;
      }
      case TrackPath::kWeights:
        writeWeights(track);
        break;
    }
  }

  static std::array<NewCurve, 3> vectorCurves(const Track& track) {
    return {componentCurve(track, 0, 1.0), componentCurve(track, 1, 1.0),
            componentCurve(track, 2, 1.0)};
  }

  void writeChannels(std::array<NewCurve, 3> curves, const char* name, const char* property,
                     std::int64_t model) {
    constexpr std::string_view kAxes[] = {"X", "Y", "Z"};
    const double firsts[] = {curves[0].values.front(), curves[1].values.front(),
                             curves[2].values.front()};
    const std::int64_t curve_node = addCurveNode(name, kAxes, firsts, model, property);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      addCurve(curves[axis], curve_node, "d|" + std::string(kAxes[axis]));
    }
  }

  void writeWeights(const Track& track) {
    constexpr std::string_view kAxes[] = {"DeformPercent"};
    const Node& node = scene_.skeleton.nodes[toSize(track.node)];
    for (std::size_t w = 0; w < toSize(track.width); ++w) {
      const std::int64_t channel = ids_.channels[toSize(node.weights_start) + w];
      if (channel == 0) {
        file_.losses().add("weights_without_mesh",
                           "keys of morph weights of a node without a mesh are dropped", node.name);
        return;
      }
      NewCurve curve = componentCurve(track, w, kPercent);
      const double firsts[] = {curve.values.front()};
      addCurve(curve, addCurveNode("DeformPercent", kAxes, firsts, channel, "DeformPercent"),
               "d|DeformPercent");
    }
  }

  std::int64_t addCurveNode(const char* name, std::span<const std::string_view> axes,
                            std::span<const double> values, std::int64_t target,
                            const char* property) {
    const std::int64_t id = file_.newId();
    file_.add(curveNodeElement(id, name, axes, values));
    file_.connect(id, layer_);
    file_.connect(id, target, property);
    return id;
  }

  void addCurve(NewCurve& curve, std::int64_t curve_node, const std::string& axis) {
    dropIdleKeys(curve);
    const std::int64_t id = file_.newId();
    file_.add(curveElement(id, curve, kKeyVersion, Encoding::kBinary));
    file_.connect(id, curve_node, axis);
  }

  const Scene& scene_;
  const TrackMask& moved_in_any_;
  const WrittenIds& ids_;
  const double fps_;
  FileBuilder& file_;
  std::int64_t layer_ = 0;
  std::map<const std::vector<double>*, std::pair<KeyTimes, KeyTimes>> moved_times_;
};

}  // namespace

double frameRateOf(std::span<const KeyframeClip> clips) {
  std::vector<KeyTimes> timelines;
  double start_s = 0.0;
  for (const KeyframeClip& clip : clips) {
    for (const Track& track : clip.tracks) {
      start_s =
          timelines.empty() ? track.times_s->front() : std::min(start_s, track.times_s->front());
      timelines.push_back(track.times_s);
    }
  }
  return inferFrameRate(start_s, timelines);
}

std::vector<WrittenStack> writeClips(const Scene& scene, std::span<const KeyframeClip> clips,
                                     double fps, const WrittenIds& ids, FileBuilder& file) {
  std::vector<WrittenStack> stacks;
  const TrackMask moved_in_any = movedInAny(scene.skeleton.size(), clips);
  for (const KeyframeClip& clip : clips) {
    stacks.push_back(StackWriter(scene, moved_in_any, ids, fps, file).write(clip));
  }
  return stacks;
}

}  // namespace clipmill::io::fbx
