// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/gltf/patch.h"

#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

#include "core/text.h"
#include "io/gltf/data_uri.h"
#include "io/gltf/glb.h"
#include "io/gltf/json_fields.h"
#include "io/gltf/json_text.h"
#include "io/gltf/key_data.h"
#include "io/gltf/patch_morphs.h"
#include "io/gltf/words.h"

namespace clipmill::gltf {
namespace {

using json_text::arrayText;
using json_text::Edits;
using json_text::Span;
using Changes = std::vector<Edits::Change>;

std::string numbersText(std::initializer_list<double> numbers) {
  std::string text;
  for (double number : numbers) {
    text += (text.empty() ? "[" : ",") + numberText(number);
  }
  return text + "]";
}

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

ChannelIndex indexChannels(const Json& animation) {
  ChannelIndex result;
  const Json& channels = Fields(animation, "").array("channels");
  for (std::size_t i = 0; i < channels.size(); ++i) {
    Fields channel(channels[i], "");
    Fields target(channel.object("target"), "");
    const auto sampler = static_cast<std::size_t>(channel.integer("sampler", 0));
    const int node = static_cast<int>(target.integer("node", -1));
    result.channel_of[{node, target.text("path", "")}] = {i, sampler};
    ++result.users[sampler];
  }
  return result;
}

// What happens to one animation.
struct AnimationPatch {
  ChannelIndex channels;
  std::map<std::size_t, Changes> samplers;              // changed where they stand
  std::map<std::size_t, std::size_t> channel_samplers;  // channel -> another sampler
  std::vector<std::string> new_samplers;
  std::vector<std::string> new_channels;
  std::optional<std::string> name;
};

std::string samplerText(std::size_t input, std::size_t output, const Track& track) {
  return "{\"input\":" + std::to_string(input) + ",\"interpolation\":\"" +
         wordOf(track.interpolation) + "\",\"output\":" + std::to_string(output) + "}";
}

std::string channelText(std::size_t sampler, const Node& node, TrackPath path) {
  return "{\"sampler\":" + std::to_string(sampler) +
         ",\"target\":{\"node\":" + std::to_string(node.source_id) + ",\"path\":\"" + wordOf(path) +
         "\"}}";
}

class Patcher {
 public:
  Patcher(const Document& document, const Skeleton& skeleton, MorphPatch morphs)
      : document_(document),
        json_(*document.json),
        skeleton_(skeleton),
        edits_(document.text),
        root_span_(json_text::rootOf(document.text)),
        root_(json_text::membersOf(document.text, root_span_)),
        morphs_(std::move(morphs)),
        keys_(Fields(json_, "").array("bufferViews").size() + morphs_.views.size(),
              Fields(json_, "").array("accessors").size() + morphs_.accessors.size()) {
    node_changes_ = morphs_.nodes;
  }

  Result<Bytes> patch(std::span<const ClipEdit> edits) {
    const std::size_t present = Fields(json_, "").array("animations").size();
    for (const ClipEdit& edit : edits) {
      const bool is_new = static_cast<std::size_t>(edit.clip) >= present;
      if (edit.is_renamed && !is_new) planName(edit);
      if (edit.tracks.empty()) continue;
      if (is_new) {
        CLIPMILL_CHECK(planAnimation(edit));
        continue;
      }
      for (const Track& track : edit.tracks) CLIPMILL_CHECK(planTrack(edit.clip, track));
    }
    for (const ClipEdit& edit : morphs_.widened) {
      for (const Track& track : edit.tracks) CLIPMILL_CHECK(planTrack(edit.clip, track));
    }
    const bool adds_morphs = !morphs_.meshes.empty() || !morphs_.new_meshes.empty();
    if (animations_.empty() && new_animations_.empty() && !adds_morphs) return document_.original;
    if (!animations_.empty()) editAnimations();
    editMeshes();
    editNodes();
    return finish();
  }

 private:
  // Accessors of the keys of a track.
  struct KeyAccessors {
    std::size_t input = 0, output = 0;
  };

  Result<KeyAccessors> addKeys(const std::string& place, const Track& track) {
    auto input = keys_.addTimes(*track.times_s);
    if (!input) return within(place, input.error());
    auto output = keys_.addValues(track);
    if (!output) return within(place, output.error());
    return KeyAccessors{*input, *output};
  }

  Status planAnimation(const ClipEdit& edit) {
    std::vector<std::string> samplers, channels;
    for (const Track& track : edit.tracks) {
      CLIPMILL_TRY(const KeyAccessors keys, addKeys("animation " + edit.name, track));
      const Node& node = skeleton_.nodes[static_cast<std::size_t>(track.node)];
      if (track.path != TrackPath::kWeights) touched_nodes_[node.source_id] = track.node;
      channels.push_back(channelText(samplers.size(), node, track.path));
      samplers.push_back(samplerText(keys.input, keys.output, track));
    }
    const std::string name =
        edit.name.empty() ? "" : "\"name\":" + json_text::jsonString(edit.name) + ",";
    new_animations_.push_back("{" + name + "\"channels\":" + arrayText(channels) +
                              ",\"samplers\":" + arrayText(samplers) + "}");
    return {};
  }

  Status planTrack(int clip, const Track& track) {
    const std::string place = elementPlace("animations", static_cast<std::size_t>(clip));
    CLIPMILL_TRY(const KeyAccessors keys, addKeys(place, track));
    const Node& node = skeleton_.nodes[static_cast<std::size_t>(track.node)];
    const Json& animation = json_.at("animations").at(static_cast<std::size_t>(clip));
    AnimationPatch& patch = patchOf(clip, animation);
    if (track.path != TrackPath::kWeights) touched_nodes_[node.source_id] = track.node;
    const auto channel = patch.channels.channel_of.find({node.source_id, wordOf(track.path)});
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
    const Json& animation = json_.at("animations").at(static_cast<std::size_t>(edit.clip));
    patchOf(edit.clip, animation).name = edit.name;
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
    const std::string wanted = wordOf(track.interpolation);
    if (now != wanted) changes.emplace_back("interpolation", json_text::jsonString(wanted));
    return changes;
  }

  void editAnimations() {
    const auto spans =
        json_text::elementsOf(document_.text, *json_text::findMember(root_, "animations"));
    for (const auto& [clip, patch] : animations_) {
      const Span span = spans[static_cast<std::size_t>(clip)];
      const auto members = json_text::membersOf(document_.text, span);
      Changes missing;
      if (patch.name) missing.emplace_back("name", json_text::jsonString(*patch.name));
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

  // A node that is given as a matrix has nothing that keys could stand for.
  void editNodes() {
    for (const auto& [source, node] : touched_nodes_) {
      const std::size_t i = static_cast<std::size_t>(source);
      if (!json_.at("nodes")[i].contains("matrix")) continue;
      const Transform& rest = skeleton_.nodes[static_cast<std::size_t>(node)].rest;
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
      edits_.changeObject(spans[static_cast<std::size_t>(source)], changes);
    }
  }

  // What lies behind the last byte of the file's own: displacements, then keys.
  Bytes newBytes() const {
    Bytes bytes = morphs_.bytes;
    bytes.insert(bytes.end(), keys_.bytes().begin(), keys_.bytes().end());
    return bytes;
  }

  std::vector<std::string> viewTexts(std::size_t buffer, std::size_t offset) const {
    std::vector<NewView> views = morphs_.views;
    if (!keys_.bytes().empty()) views.push_back({morphs_.bytes.size(), keys_.bytes().size(), ""});
    std::vector<std::string> texts;
    for (const NewView& view : views) {
      texts.push_back("{\"buffer\":" + std::to_string(buffer) +
                      ",\"byteOffset\":" + std::to_string(offset + view.offset) +
                      ",\"byteLength\":" + std::to_string(view.length) + view.members + "}");
    }
    return texts;
  }

  Result<Bytes> finish() {
    Changes missing;
    const bool grow_bin =
        document_.container == Container::kGlb &&
        (document_.buffers.empty() || (document_.has_bin && document_.buffers.front().uri.empty()));
    Bytes bin(document_.bin.begin(), document_.bin.end());
    bin.resize((bin.size() + 3) / 4 * 4);
    const std::size_t offset = grow_bin ? bin.size() : 0;
    const Bytes added = newBytes();
    // Morphs that move nothing need no bytes.
    if (grow_bin && !added.empty()) {
      bin.insert(bin.end(), added.begin(), added.end());
      growFirstBuffer(bin.size(), missing);
    } else if (!added.empty()) {
      append("buffers", {bufferText(added)}, missing);
    }
    const std::size_t buffer = grow_bin ? 0 : document_.buffers.size();
    if (!added.empty()) append("bufferViews", viewTexts(buffer, offset), missing);
    std::vector<std::string> accessors = morphs_.accessors;
    accessors.insert(accessors.end(), keys_.accessorTexts().begin(), keys_.accessorTexts().end());
    append("accessors", accessors, missing);
    if (!new_animations_.empty()) append("animations", new_animations_, missing);
    if (!missing.empty()) edits_.changeObject(root_span_, missing);

    const std::string text = edits_.apply();
    if (document_.container == Container::kText) {
      const auto bytes = asBytes(text);
      return Bytes(bytes.begin(), bytes.end());
    }
    const bool with_bin = grow_bin || document_.has_bin;
    return assembleGlb(text, with_bin ? &bin : nullptr, document_.extra_chunks);
  }

  void growFirstBuffer(std::size_t size, Changes& missing) {
    const auto array = json_text::findMember(root_, "buffers");
    if (document_.buffers.empty()) {
      append("buffers", {"{\"byteLength\":" + std::to_string(size) + "}"}, missing);
      return;
    }
    const auto elements = json_text::elementsOf(document_.text, *array);
    const Changes changes = {{"byteLength", std::to_string(size)}};
    edits_.changeObject(elements.front(), changes);
  }

  static std::string bufferText(const Bytes& bytes) {
    return "{\"byteLength\":" + std::to_string(bytes.size()) +
           ",\"uri\":\"data:application/octet-stream;base64," + encodeBase64(bytes) + "\"}";
  }

  void append(const char* key, const std::vector<std::string>& elements, Changes& missing) {
    if (const auto array = json_text::findMember(root_, key)) {
      edits_.appendElements(*array, elements);
    } else {
      missing.emplace_back(key, arrayText(elements));
    }
  }

  const Document& document_;
  const Json& json_;
  const Skeleton& skeleton_;
  Edits edits_;
  Span root_span_;
  std::vector<json_text::Member> root_;
  MorphPatch morphs_;
  KeyData keys_;
  std::map<int, AnimationPatch> animations_;
  std::vector<std::string> new_animations_;
  std::map<int, int> touched_nodes_;     // by glTF index, in the skeleton
  std::map<int, Changes> node_changes_;  // by glTF index
};

}  // namespace

Result<Bytes> patchDocument(const Document& document, const Skeleton& skeleton,
                            std::span<const ClipEdit> edits, std::span<const AddedMorph> morphs,
                            const io::Limits& limits) {
  CLIPMILL_TRY(MorphPatch planned, planMorphs(document, skeleton, edits, morphs, limits));
  return Patcher(document, skeleton, std::move(planned)).patch(edits);
}

}  // namespace clipmill::gltf
