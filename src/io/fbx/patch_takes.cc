// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// FBX 5 and 6: the channels of a Model in a Take are replaced in place.
#include <array>
#include <map>

#include "core/to_size.h"
#include "io/fbx/patch_parts.h"

namespace clipmill::io::fbx {
namespace {

constexpr const char* kAxisNames[] = {"X", "Y", "Z"};
constexpr const char* kPartNames[] = {"T", "R", "S"};
// The version whose key lists look as below.
constexpr std::int32_t kTakeKeyVersion = 4005;

std::optional<Element> named(const Element& parent, std::string_view type, std::string_view name) {
  for (const Element child : parent.children()) {
    if (child.name() == type && child.text(0) == name) return child;
  }
  return std::nullopt;
}

NewElement takeLeaf(const char* name, std::vector<NewValue> values) {
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
  channel.children.push_back(takeLeaf("Default", {curve.values.front()}));
  channel.children.push_back(takeLeaf("KeyVer", {kTakeKeyVersion}));
  channel.children.push_back(
      takeLeaf("KeyCount", {static_cast<std::int32_t>(curve.values.size())}));
  channel.children.push_back(takeLeaf("Key", keyList(curve)));
  channel.children.push_back(takeLeaf("Color", {1.0, 1.0, 1.0}));
  return channel;
}

NewElement constantElement(const char* name, double value) {
  NewElement channel{"Channel", {std::string(name)}, {}, true};
  channel.children.push_back(takeLeaf("Default", {value}));
  channel.children.push_back(takeLeaf("Color", {1.0, 1.0, 1.0}));
  return channel;
}

// One of T, R, S with all three axes.
NewElement partElement(std::size_t which, std::array<NewElement, 3> axes) {
  NewElement part{"Channel", {std::string(kPartNames[which])}, {}, true};
  for (NewElement& axis : axes) part.children.push_back(std::move(axis));
  part.children.push_back(takeLeaf("LayerType", {static_cast<std::int32_t>(which + 1)}));
  return part;
}

NewElement partElement(std::size_t which, const NewChannels& channels) {
  const auto axis = [&](std::size_t a) { return channelElement(kAxisNames[a], channels.axes[a]); };
  return partElement(which, {axis(0), axis(1), axis(2)});
}

NewElement restElement(std::size_t which, const Vec3& value) {
  const auto axis = [&](int a) { return constantElement(kAxisNames[a], value[a]); };
  return partElement(which, {axis(0), axis(1), axis(2)});
}

// The element of a Model that the take did not have before.
struct NewModel {
  std::array<const NewChannels*, 3> channels{};
  std::vector<NewElement> percents;
};

class TakePatcher {
 public:
  TakePatcher(const Document& document, const ReadScene& read, TreeEdits& edits)
      : document_(document), read_(read), edits_(edits) {}

  // A take that the file does not have yet.
  NewElement newTake(const ClipChannels& clip) {
    new_models_.clear();
    for (const NewChannels& channels : clip.channels) {
      new_models_[channels.node].channels[toSize(channels.property)] = &channels;
    }
    for (const NewPercent& percent : clip.percents) {
      new_models_[nodeOf(percent)].percents.push_back(
          channelElement(channelOf(percent).name.c_str(), percent.curve));
    }
    std::vector<NewElement> models;
    for (const auto& [node, model] : new_models_) models.push_back(modelElement(node, model));
    return takeElement(*clip.new_name, ticksOf(clip.span_s->first), ticksOf(clip.span_s->second),
                       std::move(models));
  }

  Status patch(const Element& take, const ClipChannels& clip) {
    new_models_.clear();
    for (const NewChannels& channels : clip.channels) writeChannels(take, channels);
    for (const NewPercent& percent : clip.percents) writePercent(take, percent);
    for (const auto& [node, model] : new_models_) addModel(take, node, model);
    if (clip.other_name) renameTake(document_, take, *clip.other_name, edits_);
    if (!clip.span_s) return {};
    const std::int64_t start = ticksOf(clip.span_s->first), end = ticksOf(clip.span_s->second);
    for (const char* name : {"LocalTime", "ReferenceTime"}) {
      if (const auto time = take.child(name)) edits_.values[time->index()] = {start, end};
    }
    return {};
  }

 private:
  // The name of a Model with its class.
  std::string fullName(int node) const {
    const int object = read_.nodes.object_of_node[toSize(node)];
    return document_.object(object).element.text(0).value_or("");
  }

  const ShapeChannel& channelOf(const NewPercent& percent) const {
    return read_.shapes.channels[toSize(percent.channel)];
  }

  int nodeOf(const NewPercent& percent) const {
    return read_.nodes.node_of_object[toSize(channelOf(percent).object)];
  }

  std::optional<Element> modelOf(const Element& take, int node) const {
    return named(take, "Model", fullName(node));
  }

  void writeChannels(const Element& take, const NewChannels& channels) {
    const auto which = toSize(channels.property);
    const auto model = modelOf(take, channels.node);
    const auto transform = model ? named(*model, "Channel", "Transform") : std::nullopt;
    if (!transform) {
      new_models_[channels.node].channels[which] = &channels;
      return;
    }
    const auto part = named(*transform, "Channel", kPartNames[which]);
    if (!part) {
      edits_.appended[transform->index()].push_back(partElement(which, channels));
      return;
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
      putElement(*part, kAxisNames[axis], channelElement(kAxisNames[axis], channels.axes[axis]));
    }
  }

  void writePercent(const Element& take, const NewPercent& percent) {
    const ShapeChannel& channel = channelOf(percent);
    const int node = nodeOf(percent);
    NewElement element = channelElement(channel.name.c_str(), percent.curve);
    if (const auto model = modelOf(take, node)) {
      putElement(*model, channel.name.c_str(), std::move(element));
    } else {
      new_models_[node].percents.push_back(std::move(element));
    }
  }

  // All of T, R and S: readers take what is not there for zero.
  NewElement transformElement(int node, const NewModel& model) const {
    NewElement transform{"Channel", {std::string("Transform")}, {}, true};
    TransformChain rest = read_.nodes.chains[toSize(node)];
    for (std::size_t which = 0; which < 3; ++which) {
      const NewChannels* channels = model.channels[which];
      transform.children.push_back(
          channels ? partElement(which, *channels)
                   : restElement(which, memberOf(rest, static_cast<ChainProperty>(which))));
    }
    return transform;
  }

  void addModel(const Element& take, int node, const NewModel& model) {
    if (const auto old = modelOf(take, node)) {  // without Transform
      edits_.appended[old->index()].push_back(transformElement(node, model));
      return;
    }
    edits_.appended[take.index()].push_back(modelElement(node, model));
  }

  NewElement modelElement(int node, const NewModel& model) const {
    NewElement element{"Model", {fullName(node)}, {}, true};
    element.children.push_back(takeLeaf("Version", {1.1}));
    element.children.push_back(transformElement(node, model));
    for (const NewElement& percent : model.percents) element.children.push_back(percent);
    return element;
  }

  void putElement(const Element& parent, const char* name, NewElement element) {
    if (const auto old = named(parent, "Channel", name)) {
      edits_.replaced[old->index()] = std::move(element);
    } else {
      edits_.appended[parent.index()].push_back(std::move(element));
    }
  }

  const Document& document_;
  const ReadScene& read_;
  TreeEdits& edits_;
  std::map<int, NewModel> new_models_;  // by node
};

}  // namespace

NewElement takeElement(const std::string& name, std::int64_t start, std::int64_t end,
                       std::vector<NewElement> models) {
  NewElement take{"Take", {name}, {}, true};
  take.children = {takeLeaf("FileName", {name + ".tak"}), takeLeaf("LocalTime", {start, end}),
                   takeLeaf("ReferenceTime", {start, end})};
  for (NewElement& model : models) take.children.push_back(std::move(model));
  return take;
}

void renameTake(const Document& document, const Element& take, const std::string& name,
                TreeEdits& edits) {
  edits.values[take.index()] = {name};
  const auto takes = document.tree->root("Takes");
  const auto current = takes ? takes->child("Current") : std::nullopt;
  if (current && current->text(0) == take.text(0)) edits.values[current->index()] = {name};
}

Status patchTakes(const Document& document, const ReadScene& read,
                  std::span<const ClipChannels> clips, TreeEdits& edits) {
  std::vector<Element> takes;
  if (const auto block = document.tree->root("Takes")) {
    for (const Element take : block->children()) {
      if (take.name() == "Take") takes.push_back(take);
    }
  }
  TakePatcher patcher(document, read, edits);
  std::vector<NewElement> added;
  for (const ClipChannels& clip : clips) {
    if (clip.new_name) {
      added.push_back(patcher.newTake(clip));
    } else {
      CLIPMILL_CHECK(patcher.patch(takes[toSize(clip.clip)], clip));
    }
  }
  if (added.empty()) return {};
  if (const auto block = document.tree->root("Takes")) {
    auto& list = edits.appended[block->index()];
    for (NewElement& take : added) list.push_back(std::move(take));
  } else {
    NewElement current = takeLeaf("Current", {added.front().values.front()});
    added.insert(added.begin(), std::move(current));
    edits.appended_roots.push_back({"Takes", {}, std::move(added), true});
  }
  return {};
}

}  // namespace clipmill::io::fbx
