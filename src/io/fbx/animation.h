// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "anim/clip.h"
#include "io/fbx/curve.h"
#include "io/fbx/transform_chain.h"

/// The animation of one stack (or take), independent of its storage in the file.
namespace clipmill::io::fbx {

/// The members of TransformChain that curves may move.
enum class ChainProperty : std::uint8_t {
  kTranslation,
  kRotation,
  kScaling,
  kRotationOffset,
  kRotationPivot,
  kScalingOffset,
  kScalingPivot,
  kPreRotation,
  kPostRotation,
};

Vec3& memberOf(TransformChain& chain, ChainProperty property);

/// How a layer is combined with those below it (FBX SDK, FbxAnimLayer).
enum class LayerBlend : std::uint8_t { kAdditive, kOverride, kOverridePassthrough };

struct Layer {
  LayerBlend blend = LayerBlend::kAdditive;
  bool rotations_compose = true;  ///< Additive rotations are multiplied, not added.
  bool scales_multiply = true;
  double weight = 1.0;    ///< 0..1
  int weight_curve = -1;  ///< In percent; index in Animation::curves, or -1.
};

/// The values of one property in one layer.
struct LayerValue {
  int layer = 0;
  std::array<int, 3> curves{-1, -1, -1};  ///< Indices in Animation::curves; -1: the default.
  Vec3 defaults{0.0};
};

/// One property of one node, in all layers that have it, from the bottom up.
struct AnimatedProperty {
  int node = 0;
  ChainProperty property = ChainProperty::kTranslation;
  std::vector<LayerValue> layers;
};

/// One shape of a channel; its effect is full where the channel is at `full_percent`.
struct InBetween {
  double full_percent = 100.0;
  int weight = 0;  ///< Index in Pose::weights.
};

/// A blend shape channel: in-betweens in ascending order of full_percent.
struct ShapeChannel {
  int object = -1;  ///< Index in Document::objects: the channel, or (FBX 6) the Model.
  std::string name;
  double percent = 0.0;  ///< Without animation.
  std::vector<InBetween> shapes;
};

/// Sets the weights of the channel's shapes for a DeformPercent: between two in-betweens both have
/// a weight, below the first and above the last their line goes on (FBX SDK, FbxBlendShapeChannel).
void setShapeWeights(const ShapeChannel& channel, double percent, std::span<double> weights);

struct AnimatedChannel {
  int channel = 0;  ///< Index in Animation::channels.
  std::vector<LayerValue> layers;
};

struct Animation {
  std::vector<Curve> curves;
  std::vector<Layer> layers;
  std::vector<AnimatedProperty> properties;
  std::vector<AnimatedChannel> shapes;
  std::vector<ShapeChannel> channels;
  std::vector<TransformChain> chains;  ///< Of every node, without animation.
};

/// What the animation moves, in terms of local transforms: a rotation about an offset pivot moves
/// the translation too.
TrackMask animatedTracks(const Animation& animation, std::span<const int> node_of_weight);

/// The animation as poses.
std::shared_ptr<const PoseSource> animationSource(Animation animation);

}  // namespace clipmill::io::fbx
