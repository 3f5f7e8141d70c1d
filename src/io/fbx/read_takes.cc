// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// FBX 5 and 6: Takes > Take > Model > Channel "Transform" > Channel "T" > Channel "X" > Key.
#include <map>

#include "core/to_size.h"
#include "io/fbx/legacy_keys.h"
#include "io/fbx/read_clips.h"

namespace clipmill::io::fbx {
namespace {

constexpr std::string_view kChannelAxes[] = {"X", "Y", "Z"};

std::optional<Element> channelNamed(const Element& parent, std::string_view name) {
  for (const Element child : parent.children()) {
    if (child.name() == "Channel" && child.text(0) == name) return child;
  }
  return std::nullopt;
}

class TakeReader {
 public:
  TakeReader(const AnimationContext& context, const std::map<std::string, int>& node_of_name)
      : context_(context), node_of_name_(node_of_name) {}

  Result<StackAnimation> read(const Element& take) {
    StackAnimation stack;
    stack.name = take.text(0).value_or("");
    stack.animation.chains = context_.nodes.chains;
    stack.animation.channels = context_.channels;
    stack.animation.layers.emplace_back();
    const auto span = take.child("LocalTime");
    if (span) {
      const std::int64_t start = span->integer(0).value_or(0), end = span->integer(1).value_or(0);
      stack.has_span = end > start;
      stack.start_s = secondsOf(start);
      stack.end_s = secondsOf(end);
    }
    for (const Element model : take.children()) {
      if (model.name() != "Model") continue;
      const auto node = node_of_name_.find(plainName(model.text(0).value_or("")));
      if (node == node_of_name_.end()) continue;
      CLIPMILL_CHECK(readModel(model, node->second, stack.animation));
    }
    return stack;
  }

 private:
  Status readModel(const Element& model, int node, Animation& animation) {
    constexpr std::pair<std::string_view, ChainProperty> kParts[] = {
        {"T", ChainProperty::kTranslation},
        {"R", ChainProperty::kRotation},
        {"S", ChainProperty::kScaling},
    };
    if (const auto transform = channelNamed(model, "Transform")) {
      for (const auto& [name, property] : kParts) {
        const auto channel = channelNamed(*transform, name);
        if (!channel) continue;
        TransformChain chain = context_.nodes.chains[toSize(node)];
        LayerValue value;
        value.defaults = memberOf(chain, property);
        for (int axis = 0; axis < 3; ++axis) {
          const auto curve = channelNamed(*channel, kChannelAxes[axis]);
          if (curve) CLIPMILL_CHECK(readAxis(*curve, axis, animation, value));
        }
        animation.properties.push_back({node, property, {value}});
      }
    }
    return readShapes(model, node, animation);
  }

  Status readShapes(const Element& model, int node, Animation& animation) {
    const int object = context_.nodes.object_of_node[toSize(node)];
    for (std::size_t c = 0; c < context_.channels.size(); ++c) {
      const ShapeChannel& shape = context_.channels[c];
      if (shape.object != object) continue;
      const auto channel = channelNamed(model, shape.name);
      if (!channel) continue;
      LayerValue value;
      value.defaults.x = shape.percent;
      CLIPMILL_CHECK(readAxis(*channel, 0, animation, value));
      animation.shapes.push_back({static_cast<int>(c), {value}});
    }
    return {};
  }

  static Status readAxis(const Element& channel, int axis, Animation& animation,
                         LayerValue& value) {
    if (const auto fallback = channel.child("Default")) {
      value.defaults[axis] = fallback->number(0).value_or(value.defaults[axis]);
    }
    CLIPMILL_TRY(const std::vector<RawKey> keys, legacyKeys(channel));
    if (keys.empty()) return {};
    value.curves[toSize(axis)] = static_cast<int>(animation.curves.size());
    animation.curves.push_back({resolveKeys(keys), {}, {}, value.defaults[axis]});
    return {};
  }

  const AnimationContext& context_;
  const std::map<std::string, int>& node_of_name_;
};

}  // namespace

Result<std::vector<StackAnimation>> readTakes(const AnimationContext& context) {
  std::vector<StackAnimation> stacks;
  const auto takes = context.document.tree->root("Takes");
  if (!takes) return stacks;
  std::map<std::string, int> node_of_name;
  const std::vector<Node>& nodes = context.nodes.skeleton.nodes;
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    node_of_name.emplace(nodes[n].name, static_cast<int>(n));
  }
  for (const Element take : takes->children()) {
    if (take.name() != "Take") continue;
    auto stack = TakeReader(context, node_of_name).read(take);
    if (!stack) return within("Take " + take.text(0).value_or(""), stack.error());
    stacks.push_back(std::move(*stack));
  }
  return stacks;
}

}  // namespace clipmill::io::fbx
