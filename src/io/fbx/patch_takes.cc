// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// FBX 5 and 6: the channels of a Model in a Take are replaced where they stand.
#include <array>

#include "io/fbx/patch_parts.h"

namespace clipmill::fbx {
namespace {

constexpr const char* kAxisNames[] = {"X", "Y", "Z"};
constexpr const char* kPartNames[] = {"T", "R", "S"};
// The version whose key lists look as below.
constexpr std::int32_t kKeyVersion = 4005;

std::optional<Element> named(const Element& parent, std::string_view type, std::string_view name) {
  for (const Element child : parent.children()) {
    if (child.name() == type && child.text(0) == name) return child;
  }
  return std::nullopt;
}

NewElement leaf(const char* name, std::vector<NewValue> values) {
  return {name, std::move(values), {}, false};
}

// time, value, and L for a line, C s for a step, U s slope slope n for a cubic with given slopes.
std::vector<NewValue> keyList(const NewCurve& curve) {
  std::vector<NewValue> list;
  for (std::size_t k = 0; k < curve.values.size(); ++k) {
    list.emplace_back(ticksOf((*curve.times_s)[k]));
    list.emplace_back(curve.values[k]);
    switch (curve.interpolation) {
      case Interpolation::kLinear:
        list.emplace_back(Word{'L'});
        break;
      case Interpolation::kStep:
        list.emplace_back(Word{'C'});
        list.emplace_back(Word{'s'});
        break;
      case Interpolation::kCubicSpline: {
        const std::size_t next = std::min(k + 1, curve.values.size() - 1);
        const bool is_smooth = curve.left_slopes[k] == curve.right_slopes[k];
        list.emplace_back(Word{'U'});
        list.emplace_back(Word{is_smooth ? 's' : 'b'});
        list.emplace_back(curve.right_slopes[k]);
        list.emplace_back(curve.left_slopes[next]);
        list.emplace_back(Word{'n'});
        break;
      }
    }
  }
  return list;
}

NewElement channelElement(const char* name, const NewCurve& curve) {
  NewElement channel{"Channel", {std::string(name)}, {}, true};
  channel.children.push_back(leaf("Default", {curve.values.front()}));
  channel.children.push_back(leaf("KeyVer", {kKeyVersion}));
  channel.children.push_back(leaf("KeyCount", {static_cast<std::int32_t>(curve.values.size())}));
  channel.children.push_back(leaf("Key", keyList(curve)));
  channel.children.push_back(leaf("Color", {1.0, 1.0, 1.0}));
  return channel;
}

class TakePatcher {
 public:
  TakePatcher(const Document& document, const ReadScene& read, const Scene& scene,
              TreeEdits& edits)
      : document_(document), read_(read), scene_(scene), edits_(edits) {}

  Status patch(const Element& take, const ClipChannels& clip) {
    for (const NewChannels& channels : clip.channels) CLIPMILL_CHECK(writeChannels(take, channels));
    for (const NewPercent& percent : clip.percents) CLIPMILL_CHECK(writePercent(take, percent));
    if (clip.span_s) {
      const std::int64_t begin = ticksOf(clip.span_s->first), end = ticksOf(clip.span_s->second);
      for (const char* name : {"LocalTime", "ReferenceTime"}) {
        if (const auto time = take.child(name)) edits_.values[time->index()] = {begin, end};
      }
    }
    return {};
  }

 private:
  // The Model of a node in the take; an error where it has none: such files name all Models there.
  Result<Element> modelOf(const Element& take, int node) const {
    const int object = read_.nodes.object_of_node[static_cast<std::size_t>(node)];
    const std::string name = document_.object(object).element.text(0).value_or("");
    if (const auto model = named(take, "Model", name)) return *model;
    return Error{ErrorCode::kUnsupported,
                 scene_.skeleton.nodes[static_cast<std::size_t>(node)].name,
                 "has no channels in the take that could be replaced",
                 "save the file as FBX 7 first"};
  }

  Status writeChannels(const Element& take, const NewChannels& channels) {
    CLIPMILL_TRY(const Element model, modelOf(take, channels.node));
    const auto which = static_cast<std::size_t>(channels.property);
    const auto transform = named(model, "Channel", "Transform");
    if (!transform) {
      return Error{ErrorCode::kUnsupported,
                   scene_.skeleton.nodes[static_cast<std::size_t>(channels.node)].name,
                   "has no transform channels in the take", "save the file as FBX 7 first"};
    }
    const auto part = named(*transform, "Channel", kPartNames[which]);
    if (!part) {
      NewElement element{"Channel", {std::string(kPartNames[which])}, {}, true};
      for (std::size_t axis = 0; axis < 3; ++axis) {
        element.children.push_back(channelElement(kAxisNames[axis], channels.axes[axis]));
      }
      element.children.push_back(leaf("LayerType", {static_cast<std::int32_t>(which + 1)}));
      edits_.appended[transform->index()].push_back(std::move(element));
      return {};
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
      place(*part, kAxisNames[axis], channelElement(kAxisNames[axis], channels.axes[axis]));
    }
    return {};
  }

  Status writePercent(const Element& take, const NewPercent& percent) {
    const ShapeChannel& channel = read_.shapes.channels[static_cast<std::size_t>(percent.channel)];
    const int node = read_.nodes.node_of_object[static_cast<std::size_t>(channel.object)];
    CLIPMILL_TRY(const Element model, modelOf(take, node));
    place(model, channel.name.c_str(), channelElement(channel.name.c_str(), percent.curve));
    return {};
  }

  void place(const Element& parent, const char* name, NewElement element) {
    if (const auto old = named(parent, "Channel", name)) {
      edits_.replaced[old->index()] = std::move(element);
    } else {
      edits_.appended[parent.index()].push_back(std::move(element));
    }
  }

  const Document& document_;
  const ReadScene& read_;
  const Scene& scene_;
  TreeEdits& edits_;
};

}  // namespace

Status patchTakes(const Document& document, const Scene& scene, const ReadScene& read,
                  std::span<const ClipChannels> clips, TreeEdits& edits) {
  std::vector<Element> takes;
  if (const auto block = document.tree->root("Takes")) {
    for (const Element take : block->children()) {
      if (take.name() == "Take") takes.push_back(take);
    }
  }
  TakePatcher patcher(document, read, scene, edits);
  for (const ClipChannels& clip : clips) {
    CLIPMILL_CHECK(patcher.patch(takes[static_cast<std::size_t>(clip.clip)], clip));
  }
  return {};
}

}  // namespace clipmill::fbx
