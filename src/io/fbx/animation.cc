// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/fbx/animation.h"

#include <algorithm>
#include <cmath>

#include "core/portable_math.h"
#include "core/to_size.h"

namespace clipmill::io::fbx {
namespace {

double powerOf(double base, double exponent) {
  const double power = portable::pow(std::fabs(base), exponent);
  return base < 0.0 ? -power : power;
}

// An animation with what does not change from frame to frame.
struct PlayedAnimation {
  Animation animation;
  std::vector<EulerRotation> channels;  ///< Of every node, its chain as it is without animation.
};

bool isOfRotationChannel(ChainProperty property) {
  return property == ChainProperty::kPreRotation || property == ChainProperty::kPostRotation;
}

// Evaluates one stack. Hints per curve make ascending times cheap.
class AnimationCursor : public PoseCursor {
 public:
  explicit AnimationCursor(std::shared_ptr<const PlayedAnimation> played)
      : played_(std::move(played)),
        animation_(&played_->animation),
        hints_(animation_->curves.size(), 0) {
    const std::size_t count = animation_->properties.size();
    for (std::size_t start = 0, end = 0; start < count; start = end) {
      const int node = animation_->properties[start].node;
      while (end < count && animation_->properties[end].node == node) ++end;
      nodes_.push_back({toSize(node), start, end});
    }
  }

  void limitTo(std::span<const std::size_t> nodes) override {
    std::vector<std::size_t> sorted(nodes.begin(), nodes.end());
    std::sort(sorted.begin(), sorted.end());
    std::erase_if(nodes_, [&](const AnimatedNode& animated) {
      return !std::binary_search(sorted.begin(), sorted.end(), animated.node);
    });
  }

  void sample(double time_s, PoseView pose) override {
    const std::vector<AnimatedProperty>& properties = animation_->properties;
    for (const auto& [node, start, end] : nodes_) {
      TransformChain chain = animation_->chains[node];
      bool has_rotation_channel = false;
      for (std::size_t i = start; i < end; ++i) {
        const ChainProperty property = properties[i].property;
        has_rotation_channel |= isOfRotationChannel(property);
        Vec3& member = memberOf(chain, property);
        member = blended(properties[i], member, chain.order, time_s);
      }
      pose.locals[node] = has_rotation_channel ? localTransform(chain)
                                               : localTransform(chain, played_->channels[node]);
    }
    for (const AnimatedChannel& shape : animation_->shapes) {
      const ShapeChannel& channel = animation_->channels[toSize(shape.channel)];
      Vec3 percent(channel.percent, 0.0, 0.0);
      for (const LayerValue& value : shape.layers) {
        const double weight = weightOf(layerOf(value), time_s);
        percent = joined(percent, valueOf(value, time_s), layerOf(value), weight, value.layer == 0);
      }
      setShapeWeights(channel, percent.x, pose.weights);
    }
  }

 private:
  // A node and its properties among those of the animation.
  struct AnimatedNode {
    std::size_t node, start, end;
  };

  const Layer& layerOf(const LayerValue& value) const {
    return animation_->layers[toSize(value.layer)];
  }

  double curveAt(int curve, double time_s) {
    const auto c = toSize(curve);
    return evaluate(animation_->curves[c], time_s, hints_[c]);
  }

  double weightOf(const Layer& layer, double time_s) {
    if (layer.weight_curve < 0) return layer.weight;
    return std::clamp(curveAt(layer.weight_curve, time_s) / 100.0, 0.0, 1.0);
  }

  Vec3 valueOf(const LayerValue& value, double time_s) {
    Vec3 v = value.defaults;
    for (int axis = 0; axis < 3; ++axis) {
      const int curve = value.curves[toSize(axis)];
      if (curve >= 0) v[axis] = curveAt(curve, time_s);
    }
    return v;
  }

  // Values as they are: added, or mixed by weight.
  static Vec3 joined(const Vec3& below, const Vec3& value, const Layer& layer, double weight,
                     bool is_base) {
    if (is_base || layer.blend == LayerBlend::kOverride) return value;
    if (layer.blend == LayerBlend::kAdditive) return below + value * weight;
    return below * (1.0 - weight) + value * weight;
  }

  static Vec3 joinedScale(const Vec3& below, const Vec3& value, const Layer& layer, double weight) {
    const double rest = layer.blend == LayerBlend::kAdditive ? 1.0 : 1.0 - weight;
    Vec3 result;
    for (int axis = 0; axis < 3; ++axis) {
      const double kept = rest == 1.0 ? below[axis] : powerOf(below[axis], rest);
      result[axis] = kept * powerOf(value[axis], weight);
    }
    return result;
  }

  static Vec3 joinedRotation(const Vec3& below_deg, const Vec3& value_deg, const Layer& layer,
                             double weight, EulerOrder order) {
    const Quat below = fromEuler(below_deg, order), value = fromEuler(value_deg, order);
    const Quat result = layer.blend == LayerBlend::kAdditive
                            ? below * slerp(kIdentityRotation, value, weight)
                            : slerp(below, value, weight);
    return toEuler(result, order);
  }

  Vec3 blended(const AnimatedProperty& property, const Vec3& rest, EulerOrder order,
               double time_s) {
    // Nothing but the lowest layer, whose weight counts as whole: what nearly all files have.
    if (property.layers.size() == 1 && property.layers[0].layer == 0)
      return valueOf(property.layers[0], time_s);
    Vec3 result = rest;
    for (const LayerValue& layer_value : property.layers) {
      const Layer& layer = layerOf(layer_value);
      const Vec3 value = valueOf(layer_value, time_s);
      const double weight = weightOf(layer, time_s);
      const bool is_base = layer_value.layer == 0;
      const bool mixes = !is_base && layer.blend != LayerBlend::kOverride;
      if (mixes && property.property == ChainProperty::kScaling && layer.scales_multiply) {
        result = joinedScale(result, value, layer, weight);
      } else if (mixes && property.property == ChainProperty::kRotation &&
                 layer.rotations_compose) {
        result = joinedRotation(result, value, layer, weight, order);
      } else {
        result = joined(result, value, layer, weight, is_base);
      }
    }
    return result;
  }

  std::shared_ptr<const PlayedAnimation> played_;
  const Animation* animation_;
  std::vector<std::size_t> hints_;
  std::vector<AnimatedNode> nodes_;  // those that are asked for
};

class AnimationSource : public PoseSource {
 public:
  explicit AnimationSource(PlayedAnimation animation)
      : animation_(std::make_shared<const PlayedAnimation>(std::move(animation))) {}
  std::unique_ptr<PoseCursor> cursor() const override {
    return std::make_unique<AnimationCursor>(animation_);
  }

 private:
  std::shared_ptr<const PlayedAnimation> animation_;
};

void markTracks(const AnimatedProperty& property, const TransformChain& chain, TrackMask& mask) {
  switch (property.property) {
    case ChainProperty::kRotation:
      mask.set(property.node, TrackPath::kRotation);
      break;
    case ChainProperty::kScaling:
      mask.set(property.node, TrackPath::kScale);
      break;
    case ChainProperty::kPreRotation:
    case ChainProperty::kPostRotation:
      if (chain.rotation_active) mask.set(property.node, TrackPath::kRotation);
      break;
    default:
      mask.set(property.node, TrackPath::kTranslation);
      return;
  }
  if (hasOffsetPivots(chain)) mask.set(property.node, TrackPath::kTranslation);
}

}  // namespace

Vec3& memberOf(TransformChain& chain, ChainProperty property) {
  switch (property) {
    case ChainProperty::kTranslation:
      return chain.translation;
    case ChainProperty::kRotation:
      return chain.rotation_deg;
    case ChainProperty::kScaling:
      return chain.scaling;
    case ChainProperty::kRotationOffset:
      return chain.rotation_offset;
    case ChainProperty::kRotationPivot:
      return chain.rotation_pivot;
    case ChainProperty::kScalingOffset:
      return chain.scaling_offset;
    case ChainProperty::kScalingPivot:
      return chain.scaling_pivot;
    case ChainProperty::kPreRotation:
      return chain.pre_rotation_deg;
    case ChainProperty::kPostRotation:
      break;
  }
  return chain.post_rotation_deg;
}

void setShapeWeights(const ShapeChannel& channel, double percent, std::span<double> weights) {
  const std::vector<InBetween>& shapes = channel.shapes;
  if (shapes.empty()) return;
  for (const InBetween& shape : shapes) weights[toSize(shape.weight)] = 0.0;
  // The mesh without shapes is one of them, at 0.
  constexpr int kNoShape = -1;
  std::vector<std::pair<double, int>> stops;
  for (const InBetween& shape : shapes) stops.emplace_back(shape.full_percent, shape.weight);
  const auto after_base =
      std::find_if(stops.begin(), stops.end(), [](const auto& stop) { return stop.first > 0.0; });
  stops.emplace(after_base, 0.0, kNoShape);
  std::size_t high = 1;
  while (high + 1 < stops.size() && percent > stops[high].first) ++high;
  const auto& [low_percent, low_weight] = stops[high - 1];
  const auto& [high_percent, high_weight] = stops[high];
  const double width = high_percent - low_percent;
  const double t = width > 0.0 ? (percent - low_percent) / width : 1.0;
  if (low_weight != kNoShape) weights[toSize(low_weight)] = 1.0 - t;
  if (high_weight != kNoShape) weights[toSize(high_weight)] = t;
}

TrackMask animatedTracks(const Animation& animation, std::span<const int> node_of_weight) {
  TrackMask mask(animation.chains.size());
  for (const AnimatedProperty& property : animation.properties) {
    markTracks(property, animation.chains[toSize(property.node)], mask);
  }
  for (const AnimatedChannel& shape : animation.shapes) {
    for (const InBetween& s : animation.channels[toSize(shape.channel)].shapes) {
      mask.set(node_of_weight[toSize(s.weight)], TrackPath::kWeights);
    }
  }
  return mask;
}

std::shared_ptr<const PoseSource> animationSource(Animation animation) {
  std::stable_sort(animation.properties.begin(), animation.properties.end(),
                   [](const auto& a, const auto& b) { return a.node < b.node; });
  std::vector<EulerRotation> channels;
  for (const TransformChain& chain : animation.chains) channels.push_back(rotationChannel(chain));
  return std::make_shared<AnimationSource>(
      PlayedAnimation{std::move(animation), std::move(channels)});
}

}  // namespace clipmill::io::fbx
