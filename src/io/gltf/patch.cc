// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/gltf/patch.h"

#include <algorithm>
#include <iterator>
#include <map>

#include <nlohmann/json.hpp>

#include "core/text.h"
#include "core/to_size.h"
#include "io/gltf/append_data.h"
#include "io/gltf/enum_names.h"
#include "io/gltf/json_fields.h"
#include "io/gltf/json_text.h"
#include "io/gltf/key_data.h"
#include "io/gltf/patch_morphs.h"

namespace clipmill::io::gltf {

// Where an animation's targets and samplers are used. The last channel of a target is the one that
// counts, as in readScene.
struct ChannelIndex {
  struct Channel {
    std::size_t index = 0;
    std::size_t sampler = 0;
  };
  std::map<std::pair<int, std::string>, Channel> channel_of;  // by glTF node and path
  std::map<std::size_t, std::size_t> users;                   // channels of a sampler
};

// What happens to one animation.
struct AnimationPatch {
  ChannelIndex channels;
  std::map<std::size_t, std::vector<json_text::Edits::Change>> samplers;  // changed in place
  std::map<std::size_t, std::size_t> channel_samplers;  // channel -> another sampler
  std::vector<std::string> new_samplers;
  std::vector<std::string> new_channels;
  std::optional<std::string> name;
};

namespace {

using json_text::arrayText;
using json_text::Edits;
using json_text::Span;
using Changes = std::vector<Edits::Change>;

constexpr const char* kExtras = "extras";
constexpr const char* kQuantization = "KHR_mesh_quantization";

std::string numbersText(std::initializer_list<double> numbers) {
  std::string text;
  for (double number : numbers) {
    text += (text.empty() ? "[" : ",") + numberText(number);
  }
  return text + "]";
}

ChannelIndex indexChannels(const Json& animation) {
  ChannelIndex result;
  const Json& channels = Fields(animation, "").array("channels");
  for (std::size_t i = 0; i < channels.size(); ++i) {
    Fields channel(channels[i], "");
    Fields target(channel.object("target"), "");
    const auto sampler = toSize(channel.integer("sampler", 0));
    const int node = static_cast<int>(target.integer("node", -1));
    result.channel_of[{node, target.text("path", "")}] = {i, sampler};
    ++result.users[sampler];
  }
  return result;
}

std::string samplerText(std::size_t input, std::size_t output, const Track& track) {
  return "{\"input\":" + std::to_string(input) + ",\"interpolation\":\"" +
         nameOf(track.interpolation) + "\",\"output\":" + std::to_string(output) + "}";
}

std::string channelText(std::size_t sampler, const Node& node, TrackPath path) {
  return "{\"sampler\":" + std::to_string(sampler) +
         ",\"target\":{\"node\":" + std::to_string(node.source_id) + ",\"path\":\"" + nameOf(path) +
         "\"}}";
}

}  // namespace

class Patcher {
 public:
  Patcher(const Document& document, const Skeleton& skeleton, std::span<const Clip> clips,
          MorphPatch morphs)
      : document_(document),
        json_(*document.json),
        skeleton_(skeleton),
        clips_(clips),
        edits_(document.text),
        root_(json_text::membersOf(document.text, json_text::rootOf(document.text))),
        morphs_(std::move(morphs)),
        keys_(Fields(json_, "").array("bufferViews").size() + morphs_.views.size(),
              Fields(json_, "").array("accessors").size() + morphs_.accessors.size()) {
    node_changes_ = morphs_.nodes;
  }

  Status plan(const ClipEdit& edit) {
    const bool is_new = toSize(edit.clip) >= Fields(json_, "").array("animations").size();
    if (edit.name && !is_new) planName(edit);
    if (edit.tracks.empty()) return {};
    if (is_new) return planAnimation(edit);
    for (const Track& track : edit.tracks) CLIPMILL_CHECK(planTrack(edit.clip, track));
    return {};
  }

  // The document with all that was planned.
  Result<Bytes> patch(std::span<const AddedExtra> extras) {
    for (const ClipEdit& edit : morphs_.widened) {
      for (const Track& track : edit.tracks) CLIPMILL_CHECK(planTrack(edit.clip, track));
    }
    const bool adds_morphs = !morphs_.meshes.empty() || !morphs_.new_meshes.empty();
    if (animations_.empty() && new_animations_.empty() && !adds_morphs && extras.empty()) {
      return document_.original;
    }
    if (!animations_.empty()) editAnimations();
    editMeshes();
    editNodes();
    NewData data = newData();
    editExtras(extras, data);
    return appendData(document_, std::move(edits_), std::move(data));
  }

 private:
  // Accessors of the keys of a track.
  struct KeyAccessors {
    std::size_t input = 0, output = 0;
  };

  Result<KeyAccessors> addKeys(const std::string& location, const Track& track) {
    auto input = keys_.addTimes(*track.times_s);
    if (!input) return within(location, input.error());
    auto output = keys_.addValues(scaled(track));
    if (!output) return within(location, output.error());
    return KeyAccessors{*input, *output};
  }

  // Weights of morphs that are stored in other parts than those that they were made in.
  Track scaled(const Track& track) const {
    const auto found = morphs_.weight_scales.find(track.node);
    if (track.path != TrackPath::kWeights || found == morphs_.weight_scales.end()) return track;
    Track result = track;
    const std::vector<double>& scales = found->second;
    const auto width = toSize(track.width);
    if (width < scales.size()) return track;
    for (std::size_t end = width; end <= result.values.size(); end += width) {
      double* added = result.values.data() + end - scales.size();
      for (std::size_t i = 0; i < scales.size(); ++i) added[i] *= scales[i];
    }
    return result;
  }

  Status planAnimation(const ClipEdit& edit) {
    const bool is_known = toSize(edit.clip) < clips_.size();
    const std::string name = edit.name.value_or(is_known ? clips_[toSize(edit.clip)].name : "");
    std::vector<std::string> samplers, channels;
    for (const Track& track : edit.tracks) {
      CLIPMILL_TRY(const KeyAccessors keys, addKeys("animation " + name, track));
      const Node& node = skeleton_.nodes[toSize(track.node)];
      if (track.path != TrackPath::kWeights) modified_nodes_[node.source_id] = track.node;
      channels.push_back(channelText(samplers.size(), node, track.path));
      samplers.push_back(samplerText(keys.input, keys.output, track));
    }
    const std::string name_member = name.empty() ? "" : "\"name\":" + jsonString(name) + ",";
    new_animations_.push_back("{" + name_member + "\"channels\":" + arrayText(channels) +
                              ",\"samplers\":" + arrayText(samplers) + "}");
    return {};
  }

  Status planTrack(int clip, const Track& track) {
    const std::string location = elementLocation("animations", toSize(clip));
    CLIPMILL_TRY(const KeyAccessors keys, addKeys(location, track));
    const Node& node = skeleton_.nodes[toSize(track.node)];
    const Json& animation = json_.at("animations").at(toSize(clip));
    AnimationPatch& patch = patchOf(clip, animation);
    if (track.path != TrackPath::kWeights) modified_nodes_[node.source_id] = track.node;
    const auto channel = patch.channels.channel_of.find({node.source_id, nameOf(track.path)});
    const bool has_channel = channel != patch.channels.channel_of.end();
    if (has_channel && patch.channels.users.at(channel->second.sampler) == 1) {
      const std::size_t sampler = channel->second.sampler;
      patch.samplers[sampler] = samplerChanges(animation, sampler, keys.input, keys.output, track);
      return {};
    }
    const std::size_t new_sampler =
        Fields(animation, "").array("samplers").size() + patch.new_samplers.size();
    patch.new_samplers.push_back(samplerText(keys.input, keys.output, track));
    if (has_channel) {
      patch.channel_samplers[channel->second.index] = new_sampler;
    } else {
      patch.new_channels.push_back(channelText(new_sampler, node, track.path));
    }
    return {};
  }

  void planName(const ClipEdit& edit) {
    const Json& animation = json_.at("animations").at(toSize(edit.clip));
    patchOf(edit.clip, animation).name = *edit.name;
  }

  AnimationPatch& patchOf(int clip, const Json& animation) {
    const auto [found, is_new] = animations_.try_emplace(clip);
    if (is_new) found->second.channels = indexChannels(animation);
    return found->second;
  }

  static Changes samplerChanges(const Json& animation, std::size_t sampler, std::size_t input,
                                std::size_t output, const Track& track) {
    Changes changes = {{"input", std::to_string(input)}, {"output", std::to_string(output)}};
    const std::string now =
        Fields(animation.at("samplers")[sampler], "").text("interpolation", "LINEAR");
    const std::string wanted = nameOf(track.interpolation);
    if (now != wanted) changes.emplace_back("interpolation", jsonString(wanted));
    return changes;
  }

  void editAnimations() {
    const auto spans =
        json_text::elementsOf(document_.text, *json_text::findMember(root_, "animations"));
    for (const auto& [clip, patch] : animations_) {
      const Span span = spans[toSize(clip)];
      const auto members = json_text::membersOf(document_.text, span);
      Changes missing;
      if (patch.name) missing.emplace_back("name", jsonString(*patch.name));
      changeElements(members, "samplers", patch.samplers, patch.new_samplers, missing);
      std::map<std::size_t, Changes> channels;
      for (const auto& [channel, sampler] : patch.channel_samplers) {
        channels[channel] = {{"sampler", std::to_string(sampler)}};
      }
      changeElements(members, "channels", channels, patch.new_channels, missing);
      if (!missing.empty()) edits_.changeObject(span, missing);
    }
  }

  // Changes some elements of the array `key` and adds others; an array that is not there yet is
  // left to the caller as a member to add.
  void changeElements(std::span<const json_text::Member> members, const char* key,
                      const std::map<std::size_t, Changes>& changes,
                      const std::vector<std::string>& added, Changes& missing) {
    const auto array = json_text::findMember(members, key);
    if (!array) {
      if (!added.empty()) missing.emplace_back(key, arrayText(added));
      return;
    }
    const auto elements = json_text::elementsOf(document_.text, *array);
    for (const auto& [index, change] : changes) edits_.changeObject(elements[index], change);
    edits_.appendElements(*array, added);
  }

  void editMeshes() {
    if (morphs_.meshes.empty() && morphs_.new_meshes.empty()) return;
    const Span array = *json_text::findMember(root_, "meshes");
    const auto spans = json_text::elementsOf(document_.text, array);
    for (const auto& [index, text] : morphs_.meshes) edits_.replace(spans[index], text);
    edits_.appendElements(array, morphs_.new_meshes);
  }

  // A node with a matrix has no properties that keys could animate.
  void editNodes() {
    for (const auto& [source, node] : modified_nodes_) {
      const std::size_t i = toSize(source);
      if (!json_.at("nodes")[i].contains("matrix")) continue;
      const Transform& rest = skeleton_.nodes[toSize(node)].rest;
      const Quat& q = rest.rotation;
      const Vec3 &t = rest.translation, &s = rest.scale;
      Changes& changes = node_changes_[source];
      changes.emplace_back("matrix", std::nullopt);
      changes.emplace_back("translation", numbersText({t.x, t.y, t.z}));
      changes.emplace_back("rotation", numbersText({q.x, q.y, q.z, q.w}));
      changes.emplace_back("scale", numbersText({s.x, s.y, s.z}));
    }
    if (node_changes_.empty()) return;
    const auto spans =
        json_text::elementsOf(document_.text, *json_text::findMember(root_, "nodes"));
    for (const auto& [source, changes] : node_changes_) {
      edits_.changeObject(spans[toSize(source)], changes);
    }
  }

  // The extras of the file get members; where it has none, the root gets them.
  void editExtras(std::span<const AddedExtra> extras, NewData& data) {
    if (extras.empty()) return;
    Changes changes;
    for (const AddedExtra& extra : extras) changes.emplace_back(extra.key, extra.json);
    const auto present = json_text::findMember(root_, kExtras);
    if (!present) {
      std::string text;
      for (const AddedExtra& extra : extras) {
        text += (text.empty() ? "{" : ",") + jsonString(extra.key) + ":" + extra.json;
      }
      data.members.emplace_back(kExtras, text + "}");
    } else if (json_.at(kExtras).is_object()) {
      edits_.changeObject(*present, changes);
    }
  }

  // What lies behind the last byte of the file's own: displacements, then keys. It takes them: of
  // thousands of clips they are large.
  NewData newData() {
    NewData data{std::move(morphs_.bytes), std::move(morphs_.views), {}};
    KeyData::Parts keys = keys_.take();
    if (!keys.bytes.empty()) {
      data.views.push_back({data.bytes.size(), keys.bytes.size(), ""});
      data.more = std::move(keys.bytes);
    }
    std::vector<std::string> accessors = std::move(morphs_.accessors);
    std::move(keys.accessor_texts.begin(), keys.accessor_texts.end(),
              std::back_inserter(accessors));
    data.elements.emplace_back("accessors", std::move(accessors));
    data.elements.emplace_back("animations", std::move(new_animations_));
    if (morphs_.has_integers) {
      for (const char* key : {"extensionsUsed", "extensionsRequired"}) {
        const Json& known = Fields(json_, "").array(key);
        if (std::find(known.begin(), known.end(), kQuantization) != known.end()) continue;
        data.elements.emplace_back(key, std::vector<std::string>{jsonString(kQuantization)});
      }
    }
    return data;
  }

  const Document& document_;
  const Json& json_;
  const Skeleton& skeleton_;
  std::span<const Clip> clips_;
  Edits edits_;
  std::vector<json_text::Member> root_;
  MorphPatch morphs_;
  KeyData keys_;
  std::map<int, AnimationPatch> animations_;
  std::vector<std::string> new_animations_;
  std::map<int, int> modified_nodes_;    // by glTF index, in the skeleton
  std::map<int, Changes> node_changes_;  // by glTF index
};

ClipPatch::ClipPatch(const Document& document, const Skeleton& skeleton,
                     std::span<const Clip> clips)
    : patcher_(std::make_unique<Patcher>(document, skeleton, clips, MorphPatch())) {}

ClipPatch::~ClipPatch() = default;

Status ClipPatch::add(const ClipEdit& edit) { return patcher_->plan(edit); }

Result<Bytes> ClipPatch::finish() { return patcher_->patch({}); }

Result<Bytes> patchDocument(const Document& document, const Skeleton& skeleton,
                            std::span<const ClipEdit> edits, std::span<const AddedMorph> morphs,
                            const io::Limits& limits, std::span<const AddedExtra> extras,
                            std::span<const Clip> clips) {
  CLIPMILL_TRY(MorphPatch planned, planMorphs(document, skeleton, edits, morphs, limits));
  Patcher patcher(document, skeleton, clips, std::move(planned));
  for (const ClipEdit& edit : edits) CLIPMILL_CHECK(patcher.plan(edit));
  return patcher.patch(extras);
}

}  // namespace clipmill::io::gltf
