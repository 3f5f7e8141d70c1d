// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// AnimationStack <- AnimationLayer <- AnimationCurveNode <- AnimationCurve, each joined by a
// connection; a curve node is joined to the property it moves by another.
#include <bit>
#include <cmath>
#include <map>

#include "core/to_size.h"
#include "io/fbx/read_clips.h"

namespace clipmill::io::fbx {
namespace {

constexpr std::pair<std::string_view, ChainProperty> kProperties[] = {
    {"Lcl Translation", ChainProperty::kTranslation},
    {"Lcl Rotation", ChainProperty::kRotation},
    {"Lcl Scaling", ChainProperty::kScaling},
    {"RotationOffset", ChainProperty::kRotationOffset},
    {"RotationPivot", ChainProperty::kRotationPivot},
    {"ScalingOffset", ChainProperty::kScalingOffset},
    {"ScalingPivot", ChainProperty::kScalingPivot},
    {"PreRotation", ChainProperty::kPreRotation},
    {"PostRotation", ChainProperty::kPostRotation},
};

std::optional<ChainProperty> chainProperty(std::string_view name) {
  for (const auto& [word, property] : kProperties) {
    if (word == name) return property;
  }
  return std::nullopt;
}

// -- Curves

// The 32 bits of a stored float that hold two 16-bit numbers.
std::pair<int, int> halves(float stored) {
  const auto bits = std::bit_cast<std::uint32_t>(stored);
  return {static_cast<int>(bits & 0xffff), static_cast<int>(bits >> 16)};
}

// Binary files store the attribute values as floats, text files print the bits as integers.
Result<std::vector<float>> readAttributeValues(const Element& element) {
  CLIPMILL_TRY(const std::vector<double> numbers, element.numbers());
  const bool is_text = element.tree().encoding == Encoding::kText;
  std::vector<float> attributes;
  attributes.reserve(numbers.size());
  for (const double number : numbers) {
    if (!is_text) {
      attributes.push_back(static_cast<float>(number));
    } else if (number >= -2147483648.0 && number <= 4294967295.0) {
      const auto integer = static_cast<std::int64_t>(number);
      attributes.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(integer)));
    } else {
      return Error{ErrorCode::kMalformed, "KeyAttrDataFloat", "has a number out of range", ""};
    }
  }
  return attributes;
}

constexpr double kWeightUnit = 1.0 / 9999.0;
constexpr std::size_t kValuesPerAttribute = 4;

void setAttributes(std::uint32_t flags, std::span<const float> attributes, RawKey& key) {
  key.flags = flags;
  key.right_slope = attributes[0];
  key.next_left_slope = attributes[1];
  const auto [right_weight, next_left_weight] = halves(attributes[2]);
  key.right_weight = right_weight * kWeightUnit;
  key.next_left_weight = next_left_weight * kWeightUnit;
  key.bias = attributes[2];
}

Error malformedCurve(const Object& object, std::string message) {
  return {ErrorCode::kMalformed, "AnimationCurve " + std::to_string(object.id), std::move(message),
          ""};
}

struct KeyArrays {
  std::vector<std::int64_t> times, flags, counts;
  std::vector<double> values;
  std::vector<float> attributes;
};

Result<KeyArrays> keyArrays(const Object& object) {
  KeyArrays arrays;
  const auto find = [&](const char* name) { return object.element.child(name); };
  const auto times = find("KeyTime"), values = find("KeyValueFloat"), flags = find("KeyAttrFlags"),
             attributes = find("KeyAttrDataFloat"), counts = find("KeyAttrRefCount");
  if (!times || !values) return arrays;
  CLIPMILL_TRY(arrays.times, times->integers());
  CLIPMILL_TRY(arrays.values, values->numbers());
  if (flags) {
    CLIPMILL_TRY(arrays.flags, flags->integers());
  }
  if (attributes) {
    CLIPMILL_TRY(arrays.attributes, readAttributeValues(*attributes));
  }
  if (counts) {
    CLIPMILL_TRY(arrays.counts, counts->integers());
  }
  return arrays;
}

Result<std::vector<RawKey>> rawKeys(const Object& object) {
  auto read = keyArrays(object);
  if (!read) return within("AnimationCurve " + std::to_string(object.id), read.error());
  const KeyArrays& arrays = *read;
  if (arrays.times.size() != arrays.values.size()) {
    return malformedCurve(object, "has different numbers of key values and key times");
  }
  if (arrays.flags.size() != arrays.counts.size() ||
      arrays.attributes.size() < arrays.flags.size() * kValuesPerAttribute) {
    return malformedCurve(object, "has inconsistent key attributes");
  }
  std::vector<RawKey> keys(arrays.times.size());
  std::size_t attribute = 0;
  std::int64_t left = arrays.counts.empty() ? 0 : arrays.counts[0];
  for (std::size_t k = 0; k < keys.size(); ++k) {
    keys[k].ticks = arrays.times[k];
    keys[k].value = arrays.values[k];
    while (left <= 0 && attribute + 1 < arrays.counts.size()) left = arrays.counts[++attribute];
    if (attribute < arrays.flags.size()) {
      setAttributes(static_cast<std::uint32_t>(arrays.flags[attribute]),
                    std::span(arrays.attributes)
                        .subspan(attribute * kValuesPerAttribute, kValuesPerAttribute),
                    keys[k]);
    }
    --left;
  }
  return keys;
}

Extrapolate extrapolationOf(const Object& object, const char* name) {
  Extrapolate result;
  const auto block = object.element.child(name);
  if (!block) return result;
  const auto type = block->child("Type");
  const auto values = type ? type->values() : std::span<const Value>();
  if (values.empty()) return result;
  // A letter, as text or as the number of its character.
  const std::string word = type->text(0).value_or("");
  const char letter =
      word.size() == 1 ? word[0] : static_cast<char>(type->integer(0).value_or(0) & 0x7f);
  switch (letter) {
    case 'R':
      result.mode = Extrapolation::kRepetition;
      break;
    case 'M':
      result.mode = Extrapolation::kMirror;
      break;
    case 'K':
      result.mode = Extrapolation::kSlope;
      break;
    case 'A':
      result.mode = Extrapolation::kRelativeRepetition;
      break;
    default:
      break;
  }
  const auto repetition = block->child("Repetition");
  const std::int64_t count = repetition ? repetition->integer(0).value_or(-1) : -1;
  result.count = count < 0 || count > (1 << 30) ? -1 : static_cast<int>(count);
  return result;
}

Result<Curve> readCurve(const Object& object) {
  CLIPMILL_TRY(const std::vector<RawKey> keys, rawKeys(object));
  Curve curve;
  for (const RawKey& key : keys) {
    if (!(std::fabs(key.value) <= 1e300)) {
      return malformedCurve(object, "has a key that is not a finite number");
    }
  }
  curve.keys = resolveKeys(keys);
  curve.before = extrapolationOf(object, "Pre-Extrapolation");
  curve.after = extrapolationOf(object, "Post-Extrapolation");
  if (const auto value = object.element.child("Default")) {
    curve.default_value = value->number(0).value_or(0.0);
  }
  return curve;
}

// -- One stack

class StackReader {
 public:
  explicit StackReader(const AnimationContext& context) : context_(context) {
    for (std::size_t c = 0; c < context.channels.size(); ++c) {
      channels_of_object_[context.channels[c].object].push_back(static_cast<int>(c));
    }
  }

  Result<StackAnimation> read(int stack_object) {
    StackAnimation stack;
    stack.object = stack_object;
    stack.name = document().object(stack_object).name;
    stack.animation.chains = context_.nodes.chains;
    stack.animation.channels = context_.channels;
    readSpan(stack);
    curve_of_object_.clear();
    for (const int layer : activeLayers(stack_object)) {
      CLIPMILL_CHECK(readLayer(layer, stack.animation));
    }
    return stack;
  }

 private:
  const Document& document() const { return context_.document; }

  void readSpan(StackAnimation& stack) const {
    const Properties properties = document().properties(stack.object);
    const std::int64_t start = properties.integer("LocalStart").value_or(0);
    const std::int64_t end = properties.integer("LocalStop").value_or(0);
    stack.has_span = end > start;
    stack.start_s = secondsOf(start);
    stack.end_s = secondsOf(end);
  }

  // Muted layers are left out; where one is solo, all others are.
  std::vector<int> activeLayers(int stack_object) const {
    std::vector<int> layers, solo;
    for (const int layer : document().childrenOf(stack_object, "AnimationLayer", "")) {
      const Properties properties = document().properties(layer);
      if (properties.integer("Mute").value_or(0) != 0) continue;
      layers.push_back(layer);
      if (properties.integer("Solo").value_or(0) != 0) solo.push_back(layer);
    }
    return solo.empty() ? layers : solo;
  }

  Status readLayer(int layer_object, Animation& animation) {
    const Properties properties = document().properties(layer_object);
    Layer layer;
    const std::int64_t blend = properties.integer("BlendMode").value_or(0);
    layer.blend = blend == 1   ? LayerBlend::kOverride
                  : blend == 2 ? LayerBlend::kOverridePassthrough
                               : LayerBlend::kAdditive;
    layer.rotations_compose = properties.integer("RotationAccumulationMode").value_or(0) == 0;
    layer.scales_multiply = properties.integer("ScaleAccumulationMode").value_or(0) == 0;
    layer.weight = properties.number("Weight").value_or(100.0) / 100.0;
    const int layer_index = static_cast<int>(animation.layers.size());
    animation.layers.push_back(layer);
    for (const int node : document().childrenOf(layer_object, "AnimationCurveNode", "")) {
      for (const int c : document().parents[toSize(node)]) {
        const Connection& target = document().connections[toSize(c)];
        if (target.property.empty() || target.parent < 0) continue;
        CLIPMILL_CHECK(readTarget(node, target, layer_index, animation));
      }
    }
    return {};
  }

  Status readTarget(int curve_node, const Connection& target, int layer, Animation& animation) {
    const auto object = toSize(target.parent);
    const int node = context_.nodes.node_of_object[object];
    const auto property = chainProperty(target.property);
    if (node >= 0 && property) {
      CLIPMILL_TRY(LayerValue value, readValue(curve_node, layer, animation));
      propertyOf(animation, node, *property).layers.push_back(value);
      return {};
    }
    const auto channels = channels_of_object_.find(target.parent);
    if (channels != channels_of_object_.end() && target.property == "DeformPercent") {
      CLIPMILL_TRY(const LayerValue value, readValue(curve_node, layer, animation));
      for (const int channel : channels->second) {
        channelOf(animation, channel).layers.push_back(value);
      }
      return {};
    }
    if (document().object(target.parent).type == "AnimationLayer" && target.property == "Weight") {
      CLIPMILL_TRY(const LayerValue value, readValue(curve_node, layer, animation));
      animation.layers.back().weight_curve = value.curves[0];
    }
    return {};  // visibility and the like: not ours to move
  }

  // The entry of a property, made at first use.
  AnimatedProperty& propertyOf(Animation& animation, int node, ChainProperty property) {
    const auto [entry, is_new] =
        entries_.emplace(std::pair(node, property), animation.properties.size());
    if (is_new) animation.properties.push_back({node, property, {}});
    return animation.properties[entry->second];
  }

  static AnimatedChannel& channelOf(Animation& animation, int channel) {
    for (AnimatedChannel& shape : animation.shapes) {
      if (shape.channel == channel) return shape;
    }
    animation.shapes.push_back({channel, {}});
    return animation.shapes.back();
  }

  // Defaults of the curve node ("d|X" and so on), and the curves joined to them.
  Result<LayerValue> readValue(int curve_node, int layer, Animation& animation) {
    LayerValue value;
    value.layer = layer;
    const Properties properties = document().properties(curve_node);
    constexpr std::string_view kDefaultNames[] = {"d|X", "d|Y", "d|Z"};
    for (int axis = 0; axis < 3; ++axis) {
      value.defaults[axis] = properties.number(kDefaultNames[axis]).value_or(0.0);
    }
    if (const auto percent = properties.number("d|DeformPercent")) value.defaults.x = *percent;
    if (const auto weight = properties.number("d|Weight")) value.defaults.x = *weight;
    for (const int c : document().children[toSize(curve_node)]) {
      const Connection& connection = document().connections[toSize(c)];
      if (document().object(connection.child).type != "AnimationCurve") continue;
      std::size_t axis = 0;
      while (axis < 3 && connection.property != kDefaultNames[axis]) ++axis;
      if (axis == 3 &&
          (connection.property == "d|DeformPercent" || connection.property == "d|Weight")) {
        axis = 0;
      }
      if (axis == 3) continue;
      CLIPMILL_TRY(const int curve, curveOf(connection.child, animation));
      if (curve >= 0) value.curves[axis] = curve;
    }
    return value;
  }

  // A curve that several properties share is read once. Without keys there is nothing to follow.
  Result<int> curveOf(int object, Animation& animation) {
    const auto known = curve_of_object_.find(object);
    if (known != curve_of_object_.end()) return known->second;
    CLIPMILL_TRY(Curve curve, readCurve(document().object(object)));
    int index = -1;
    if (!curve.keys.empty()) {
      index = static_cast<int>(animation.curves.size());
      if (index > 0) curve.keys.shareTimes(animation.curves.back().keys);
      animation.curves.push_back(std::move(curve));
    }
    curve_of_object_[object] = index;
    return index;
  }

  const AnimationContext& context_;
  std::map<int, std::vector<int>> channels_of_object_;  // one a node that shows the shape
  std::map<int, int> curve_of_object_;
  std::map<std::pair<int, ChainProperty>, std::size_t> entries_;
};

}  // namespace

Result<std::vector<StackAnimation>> readStacks(const AnimationContext& context) {
  std::vector<StackAnimation> stacks;
  for (int o = 0; o < static_cast<int>(context.document.objects.size()); ++o) {
    if (context.document.object(o).type != "AnimationStack") continue;
    CLIPMILL_TRY(StackAnimation stack, StackReader(context).read(o));
    stacks.push_back(std::move(stack));
  }
  return stacks;
}

}  // namespace clipmill::io::fbx
