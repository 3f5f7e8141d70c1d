// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/fbx/animation.h"

#include "checks.h"

TEST_SUITE_BEGIN("fbx.animation");

using namespace clipmill;
using namespace clipmill::io::fbx;
using test::distance;

namespace {

// One node; each layer has constant values for one property.
struct Stack {
  explicit Stack(ChainProperty property) { animation.properties = {{0, property, {}}}; }

  Stack& layer(Layer layer, const Vec3& value) {
    const int index = static_cast<int>(animation.layers.size());
    animation.layers.push_back(layer);
    animation.properties[0].layers.push_back({index, {-1, -1, -1}, value});
    return *this;
  }

  Transform local(double time_s = 0.0) {
    if (animation.chains.empty()) animation.chains.resize(1);
    Pose pose;
    pose.locals.resize(1);
    animationSource(animation)->cursor()->sample(time_s, pose.view());
    return pose.locals[0];
  }

  Animation animation;
};

constexpr LayerBlend kAdd = LayerBlend::kAdditive, kOver = LayerBlend::kOverride,
                     kMix = LayerBlend::kOverridePassthrough;

Quat aboutX(double degrees) { return rotationAbout(Vec3(1, 0, 0), degrees * kDegree); }
Quat aboutZ(double degrees) { return rotationAbout(Vec3(0, 0, 1), degrees * kDegree); }

}  // namespace

TEST_CASE("a limited cursor evaluates only the requested nodes") {
  Animation animation;
  animation.layers.resize(1);
  animation.chains.resize(3);
  animation.chains[2].pre_rotation_deg = Vec3(90, 0, 0);
  for (int node : {2, 0, 1}) {
    animation.properties.push_back(
        {node, ChainProperty::kTranslation, {{0, {-1, -1, -1}, Vec3(node + 1, 0, 0)}}});
  }
  animation.properties.push_back(
      {2, ChainProperty::kRotation, {{0, {-1, -1, -1}, Vec3(20, 0, 0)}}});
  const auto cursor = animationSource(animation)->cursor();
  const std::vector<std::size_t> nodes{2, 1};
  cursor->limitTo(nodes);
  Pose pose;
  pose.locals.resize(3);
  cursor->sample(0.0, pose.view());
  CHECK(pose.locals[0].translation == Vec3(0, 0, 0));
  CHECK(pose.locals[1].translation == Vec3(2, 0, 0));
  CHECK(pose.locals[2].translation == Vec3(3, 0, 0));
  CHECK(distance(pose.locals[2].rotation, aboutX(110)) < 1e-12);
}

TEST_CASE("a pre-rotation with curves is animated") {
  Stack stack(ChainProperty::kPreRotation);
  stack.layer({}, Vec3(0, 0, 30));
  stack.animation.chains.resize(1);
  stack.animation.chains[0].rotation_deg = Vec3(40, 0, 0);
  CHECK(distance(stack.local().rotation, aboutZ(30) * aboutX(40)) < 1e-12);
}

TEST_CASE("additive layers add translations by their weight") {
  Stack stack(ChainProperty::kTranslation);
  stack.layer({}, Vec3(1, 2, 3)).layer({kAdd, true, true, 0.5}, Vec3(10, 20, 30));
  CHECK(stack.local().translation == Vec3(6, 12, 18));
}

TEST_CASE("override layers replace, override-passthrough layers mix by their weight") {
  Stack over(ChainProperty::kTranslation);
  over.layer({}, Vec3(1, 2, 3)).layer({kOver, true, true, 0.25}, Vec3(5, 6, 7));
  CHECK(over.local().translation == Vec3(5, 6, 7));
  Stack mix(ChainProperty::kTranslation);
  mix.layer({}, Vec3(1, 2, 3)).layer({kMix, true, true, 0.25}, Vec3(5, 6, 7));
  CHECK(mix.local().translation == Vec3(2, 3, 4));
}

TEST_CASE("the weight of the lowest layer is ignored") {
  Stack stack(ChainProperty::kTranslation);
  stack.layer({kAdd, true, true, 0.5}, Vec3(4, 4, 4));
  CHECK(stack.local().translation == Vec3(4, 4, 4));
}

TEST_CASE("additive rotations are multiplied, or add their angles") {
  Stack composed(ChainProperty::kRotation);
  composed.layer({}, Vec3(90, 0, 0)).layer({kAdd, true, true, 1.0}, Vec3(0, 0, 90));
  CHECK(distance(composed.local().rotation, aboutX(90) * aboutZ(90)) < 1e-7);
  Stack added(ChainProperty::kRotation);
  added.layer({}, Vec3(90, 0, 0)).layer({kAdd, false, true, 1.0}, Vec3(0, 0, 90));
  CHECK(distance(added.local().rotation, aboutZ(90) * aboutX(90)) < 1e-7);
  Stack half(ChainProperty::kRotation);
  half.layer({}, Vec3(90, 0, 0)).layer({kAdd, true, true, 0.5}, Vec3(0, 0, 90));
  CHECK(distance(half.local().rotation, aboutX(90) * aboutZ(45)) < 1e-7);
}

TEST_CASE("override-passthrough rotations are mixed along the shorter arc") {
  Stack stack(ChainProperty::kRotation);
  stack.layer({}, Vec3(0, 0, 20)).layer({kMix, true, true, 0.25}, Vec3(0, 0, 60));
  CHECK(distance(stack.local().rotation, aboutZ(30)) < 1e-7);
}

TEST_CASE("scales multiply, to the power of the weight, or add") {
  Stack product(ChainProperty::kScaling);
  product.layer({}, Vec3(2, 3, 4)).layer({kAdd, true, true, 0.5}, Vec3(4, 9, 1));
  CHECK(distance(product.local().scale, Vec3(4, 9, 4)) < 1e-12);
  Stack mixed(ChainProperty::kScaling);
  mixed.layer({}, Vec3(4, 1, 9)).layer({kMix, true, true, 0.5}, Vec3(9, 1, 4));
  CHECK(distance(mixed.local().scale, Vec3(6, 1, 6)) < 1e-12);
  Stack sum(ChainProperty::kScaling);
  sum.layer({}, Vec3(2, 3, 4)).layer({kAdd, true, false, 0.5}, Vec3(4, 9, 1));
  CHECK(distance(sum.local().scale, Vec3(4, 7.5, 4.5)) < 1e-12);
}

TEST_CASE("a curve on a layer's weight is in percent and kept within 0 and 100") {
  Stack stack(ChainProperty::kTranslation);
  stack.layer({}, Vec3(0)).layer({kAdd, true, true, 1.0, 0}, Vec3(8, 0, 0));
  RawKey start, end;
  start.flags = key_flags::kLinear;
  end.ticks = kTicksPerSecond;
  end.value = 200.0;
  stack.animation.curves.push_back({resolveKeys(std::vector{start, end}), {}, {}, 0.0});
  CHECK(stack.local(0.25).translation.x == doctest::Approx(4.0));
  CHECK(stack.local(0.5).translation.x == doctest::Approx(8.0));
  CHECK(stack.local(1.0).translation.x == doctest::Approx(8.0));
}

TEST_CASE("what is not animated keeps the value of the chain") {
  Stack stack(ChainProperty::kRotation);
  TransformChain chain;
  chain.translation = Vec3(7, 8, 9);
  chain.scaling = Vec3(2);
  stack.animation.chains = {chain};
  stack.layer({}, Vec3(0, 0, 30));
  CHECK(stack.local().translation == Vec3(7, 8, 9));
  CHECK(stack.local().scale == Vec3(2));
  CHECK(distance(stack.local().rotation, aboutZ(30)) < 1e-9);
}

// -- Blend shapes

namespace {

std::vector<double> weightsAt(const std::vector<double>& full, double percent) {
  ShapeChannel channel;
  for (std::size_t i = 0; i < full.size(); ++i) {
    channel.shapes.push_back({full[i], static_cast<int>(i)});
  }
  std::vector<double> weights(full.size(), -1.0);
  setShapeWeights(channel, percent, weights);
  return weights;
}

}  // namespace

TEST_CASE("one shape is full at its percentage and extrapolates beyond it") {
  CHECK(weightsAt({100}, 25) == std::vector<double>{0.25});
  CHECK(weightsAt({50}, 25) == std::vector<double>{0.5});
  CHECK(weightsAt({100}, 150) == std::vector<double>{1.5});
  CHECK(weightsAt({100}, -50) == std::vector<double>{-0.5});
  CHECK(weightsAt({}, 50).empty());
}

TEST_CASE("between two in-betweens both have a weight") {
  CHECK(weightsAt({50, 100}, 25) == std::vector<double>{0.5, 0});
  CHECK(weightsAt({50, 100}, 50) == std::vector<double>{1, 0});
  CHECK(weightsAt({50, 100}, 75) == std::vector<double>{0.5, 0.5});
  CHECK(weightsAt({50, 100}, 100) == std::vector<double>{0, 1});
  CHECK(weightsAt({50, 100}, 150) == std::vector<double>{-1, 2});
  CHECK(weightsAt({-100, 100}, -50) == std::vector<double>{0.5, 0});
}

TEST_CASE("shapes with the same full percentage give finite weights") {
  for (const double percent : {-10.0, 0.0, 50.0, 60.0}) {
    for (const double weight : weightsAt({0, 50, 50}, percent)) CHECK(std::isfinite(weight));
  }
}

TEST_CASE("rotations about an offset pivot count as translations too") {
  Animation animation;
  animation.chains.resize(2);
  animation.chains[1].rotation_pivot = Vec3(0, 5, 0);
  animation.properties = {{0, ChainProperty::kRotation, {}}, {1, ChainProperty::kRotation, {}}};
  const TrackMask mask = animatedTracks(animation, {});
  CHECK_FALSE(mask.has(0, TrackPath::kTranslation));
  CHECK(mask.has(1, TrackPath::kTranslation));
  CHECK(mask.has(1, TrackPath::kRotation));
}
