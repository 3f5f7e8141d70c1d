// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <unordered_set>

#include <nlohmann/json.hpp>

#include "core/to_size.h"
#include "io/gltf/enum_names.h"
#include "io/gltf/json_fields.h"
#include "io/gltf/read_parts.h"

namespace clipmill::io::gltf {
namespace {

class ClipReader {
 public:
  ClipReader(const Document& document, const std::vector<int>& node_of_source, bool keeps_keys,
             AccessorReader& accessors, Scene& scene)
      : document_(document),
        json_(*document.json),
        node_of_source_(node_of_source),
        keeps_keys_(keeps_keys),
        accessors_(accessors),
        scene_(scene) {}

  Status readAll() {
    Fields root(json_, "");
    const Json& animations = root.array("animations");
    CLIPMILL_CHECK(root.status());
    for (std::size_t i = 0; i < animations.size(); ++i) {
      CLIPMILL_CHECK(readClip(animations[i], elementLocation("animations", i)));
    }
    return readSpans();
  }

 private:
  // Animations that the JSON of the document is without.
  Status readSpans() {
    for (std::size_t i = 0; i < document_.animation_spans.size(); ++i) {
      const json_text::Span span = document_.animation_spans[i];
      const Json animation = Json::parse(document_.text.substr(span.start, span.end - span.start));
      const std::string location = elementLocation("animations", i);
      if (!animation.is_object()) {
        return Error{ErrorCode::kMalformed, location, "is not an object", "export the file again"};
      }
      CLIPMILL_CHECK(readClip(animation, location));
    }
    return {};
  }

  Status readClip(const Json& animation, const std::string& location) {
    Fields fields(animation, location);
    Clip clip;
    clip.name = fields.text("name", "");
    // A clip without any key still has a bit mask of all nodes.
    CLIPMILL_CHECK(accessors_.charge(
        static_cast<double>(sizeof(Clip) + clip.name.size() + scene_.skeleton.size())));
    const Json& samplers = fields.array("samplers");
    const Json& channels = fields.array("channels");
    CLIPMILL_CHECK(fields.status());
    CLIPMILL_CHECK(readRange(samplers, location, clip));

    // The last channel of a target wins, as in players that apply them in order.
    std::map<std::pair<int, TrackPath>, Track> tracks;
    for (std::size_t i = 0; i < channels.size(); ++i) {
      const std::string channel_location = location + "." + elementLocation("channels", i);
      CLIPMILL_CHECK(readChannel(channels[i], samplers, location, channel_location, tracks));
    }
    clip.animated = TrackMask(scene_.skeleton.size());
    std::vector<Track> list;
    std::vector<KeyTimes> timelines;
    std::unordered_set<const void*> known_timelines;  // looked up, never walked
    for (auto& [target, track] : tracks) {
      clip.animated.set(target.first, target.second);
      if (known_timelines.insert(track.times_s.get()).second) timelines.push_back(track.times_s);
      list.push_back(std::move(track));
    }
    clip.fps = inferFrameRate(clip.start_s, timelines);
    if (keeps_keys_) clip.source = keyframeSource(scene_.skeleton, std::move(list));
    scene_.clips.push_back(std::move(clip));
    return {};
  }

  // From the first key of any sampler to the last one.
  Status readRange(const Json& samplers, const std::string& location, Clip& clip) {
    double start = std::numeric_limits<double>::infinity(), end = -start;
    for (std::size_t i = 0; i < samplers.size(); ++i) {
      Fields sampler(samplers[i], location + "." + elementLocation("samplers", i));
      const int input = sampler.requiredIndex("input", accessors_.count());
      CLIPMILL_CHECK(sampler.status());
      auto times = keyTimes(input);
      if (!times) return within(sampler.location(), times.error());
      if ((*times)->empty()) continue;
      start = std::min(start, (*times)->front());
      end = std::max(end, (*times)->back());
    }
    if (start <= end) {
      clip.start_s = start;
      clip.end_s = end;
    }
    return {};
  }

  Status readChannel(const Json& channel, const Json& samplers, const std::string& clip_location,
                     const std::string& location,
                     std::map<std::pair<int, TrackPath>, Track>& tracks) {
    Fields fields(channel, location);
    const int sampler = fields.requiredIndex("sampler", samplers.size());
    Fields target(fields.object("target"), location + ".target");
    const int source = target.index("node", node_of_source_.size());
    const std::string word = target.requiredText("path");
    CLIPMILL_CHECK(fields.status());
    CLIPMILL_CHECK(target.status());
    const auto path = trackPathOf(word);
    if (source < 0) {
      Fields pointer(Fields(target.object("extensions"), "").object("KHR_animation_pointer"), "");
      if (word != "pointer") {
        scene_.warnings.add("channel_without_node",
                            "a channel has no node; it is kept, and animates nothing",
                            target.location());
        return {};
      }
      scene_.warnings.add("animation_pointer",
                          "a channel animates a property by its path; it is kept, but not played",
                          pointer.text("pointer", target.location()));
      return {};
    }
    if (!path) {
      scene_.warnings.add("unknown_channel_path",
                          "a channel animates something other than a node's transform or weights",
                          target.location());
      return {};
    }
    const int node = node_of_source_[toSize(source)];
    const int weights = scene_.skeleton.nodes[toSize(node)].weights_count;
    if (*path == TrackPath::kWeights && weights == 0) {
      scene_.warnings.add("weights_without_targets",
                          "a channel animates morph weights of a node that has no morph targets",
                          target.location());
      return {};
    }
    const int width = *path == TrackPath::kWeights    ? weights
                      : *path == TrackPath::kRotation ? 4
                                                      : 3;
    auto track = readSampler(samplers[toSize(sampler)], width, *path,
                             clip_location + "." + elementLocation("samplers", toSize(sampler)));
    if (!track) return track.error();
    if (track->times_s->empty()) {
      scene_.warnings.add("sampler_without_keys",
                          "a channel has a sampler without keys; it is kept and animates nothing",
                          fields.location());
      return {};
    }
    track->node = node;
    track->path = *path;
    tracks.insert_or_assign({node, *path}, std::move(*track));
    return {};
  }

  Result<Track> readSampler(const Json& sampler, int width, TrackPath path,
                            const std::string& location) {
    Fields fields(sampler, location);
    const int input = fields.requiredIndex("input", accessors_.count());
    const int output = fields.requiredIndex("output", accessors_.count());
    const auto interpolation = interpolationOf(fields.text("interpolation", "LINEAR"));
    if (!interpolation) fields.fail("has an unknown 'interpolation'");
    CLIPMILL_CHECK(fields.status());
    Track track;
    track.width = width;
    track.interpolation = *interpolation;
    auto times = keyTimes(input);
    if (!times) return within(location, times.error());
    track.times_s = *times;
    if (track.times_s->empty()) return track;
    auto values =
        path == TrackPath::kWeights ? accessors_.read(output, 1) : accessors_.read(output, width);
    if (!values) return within(location, values.error());
    // Exporters write a constant as one cubic key without its tangents.
    if (track.interpolation == Interpolation::kCubicSpline && (*times)->size() == 1 &&
        values->values.size() == toSize(width)) {
      scene_.warnings.add("cubic_key_without_tangents",
                          "a cubic sampler has one key without tangents; it is a constant",
                          location);
      track.interpolation = Interpolation::kStep;
    }
    const std::size_t per_key = track.interpolation == Interpolation::kCubicSpline ? 3 : 1;
    const std::size_t expected = (*times)->size() * per_key * toSize(width);
    if (values->values.size() != expected) {
      fields.fail("has " + std::to_string((*times)->size()) + " key times, which need " +
                  std::to_string(expected) + " output values, but its output has " +
                  std::to_string(values->values.size()));
      return fields.status().error();
    }
    track.values = std::move(values->values);
    if (path == TrackPath::kRotation && values->component_type == kFloatComponent && per_key == 1) {
      checkUnits(track, location);
    }
    return track;
  }

  // Integers and tangents are coarser than that.
  void checkUnits(const Track& track, const std::string& location) {
    constexpr double kUnitTolerance = 1e-3;
    for (std::size_t at = 0; at + 4 <= track.values.size(); at += 4) {
      const Quat rotation = quatAt(&track.values[at]);
      if (!(std::abs(std::sqrt(glm::dot(rotation, rotation)) - 1.0) > kUnitTolerance)) continue;
      scene_.warnings.add("rotation_not_unit", "a quaternion is not of length 1; it is normalised",
                          location);
      return;
    }
  }

  // Key times of an accessor, one vector for all that share it; exporters write empty ones too.
  // Equal neighbours are let pass: they are a jump.
  Result<KeyTimes> keyTimes(int accessor) {
    if (auto known = times_.find(accessor); known != times_.end()) return known->second;
    CLIPMILL_TRY(Accessor times, accessors_.read(accessor, 1));
    const std::string location = elementLocation("accessors", toSize(accessor));
    if (!std::is_sorted(times.values.begin(), times.values.end())) {
      return Error{ErrorCode::kMalformed, location, "has key times that do not ascend", ""};
    }
    KeyTimes shared = std::make_shared<const std::vector<double>>(std::move(times.values));
    times_.emplace(accessor, shared);
    return shared;
  }

  const Document& document_;
  const Json& json_;
  const std::vector<int>& node_of_source_;
  bool keeps_keys_;
  AccessorReader& accessors_;
  Scene& scene_;
  std::map<int, KeyTimes> times_;
};

}  // namespace

Status readClips(const Document& document, const std::vector<int>& node_of_source, bool keeps_keys,
                 AccessorReader& accessors, Scene& scene) {
  return ClipReader(document, node_of_source, keeps_keys, accessors, scene).readAll();
}

}  // namespace clipmill::io::gltf
