// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/fbx/channel_keys.h"

#include <algorithm>
#include <array>

#include "checks.h"
#include "core/to_size.h"

TEST_SUITE_BEGIN("fbx.channel_keys");

using namespace clipmill;
using namespace clipmill::io::fbx;
using test::distance;

namespace {

Skeleton oneNode(const TransformChain& chain) {
  Skeleton skeleton;
  Node node;
  node.name = "joint";
  node.rest = localTransform(chain);
  node.euler = rotationChannel(chain);
  skeleton.nodes.push_back(node);
  return skeleton;
}

std::vector<NewChannels> channels(const TransformChain& chain, const std::vector<Track>& tracks,
                                  bool bake_all = false) {
  std::vector<const Track*> pointers;
  for (const Track& track : tracks) pointers.push_back(&track);
  Clip clip;
  clip.end_s = 1.0;
  clip.fps = 10.0;
  return channelsFor(oneNode(chain), chain, 0, pointers, clip, bake_all);
}

KeyTimes seconds(std::vector<double> times) {
  return std::make_shared<const std::vector<double>>(std::move(times));
}

// Rotates about z by those angles, one second apart.
Track rotations(std::vector<double> angles_deg) {
  Track track{0, TrackPath::kRotation, Interpolation::kLinear, 4, nullptr, {}};
  std::vector<double> times;
  for (const double angle : angles_deg) {
    const Quat q = rotationAbout(Vec3(0, 0, 1), angle * kDegree);
    track.values.insert(track.values.end(), {q.x, q.y, q.z, q.w});
    times.push_back(static_cast<double>(times.size()));
  }
  track.times_s = seconds(std::move(times));
  return track;
}

// Rotates about z in one second, as a cubic of angles with slopes of 30 and -60 degrees a second.
// Its quaternions are those of no such rotation: they are not to be looked at.
Track cubicAngles() {
  Track track{0, TrackPath::kRotation, Interpolation::kCubicSpline, 4, seconds({0, 1}), {}};
  track.values.assign(2 * 3 * 4, 0.5);
  track.angles_deg = {Vec3(0, 0, 7),   Vec3(0),         Vec3(0, 0, 30),
                      Vec3(0, 0, -60), Vec3(0, 0, 370), Vec3(0, 0, 9)};
  return track;
}

// The chain with the channels' values of one key.
TransformChain atKey(TransformChain chain, const std::vector<NewChannels>& all, std::size_t key) {
  for (const NewChannels& one : all) {
    for (int axis = 0; axis < 3; ++axis) {
      memberOf(chain, one.property)[axis] = one.axes[toSize(axis)].values[key];
    }
  }
  return chain;
}

}  // namespace

TEST_CASE("a translation keeps its keys, minus the offset of the chain") {
  TransformChain chain;
  chain.rotation_offset = Vec3(1, 2, 3);
  Track track{0, TrackPath::kTranslation, Interpolation::kStep, 3, seconds({0, 2}), {}};
  track.values = {5, 5, 5, 6, 7, 8};
  const auto result = channels(chain, {track});
  REQUIRE(result.size() == 1);
  CHECK(result[0].property == ChainProperty::kTranslation);
  CHECK(result[0].axes[0].values == std::vector<double>{4, 5});
  CHECK(result[0].axes[2].values == std::vector<double>{2, 5});
  CHECK(result[0].axes[1].interpolation == Interpolation::kStep);
  CHECK(*result[0].axes[1].times_s == std::vector<double>{0, 2});
}

TEST_CASE("cubic keys keep their slopes on both sides") {
  Track track{0, TrackPath::kScale, Interpolation::kCubicSpline, 3, seconds({0}), {}};
  track.values = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  const auto result = channels(TransformChain{}, {track});
  REQUIRE(result.size() == 1);
  CHECK(result[0].axes[1].values == std::vector<double>{5});
  CHECK(result[0].axes[1].left_slopes == std::vector<double>{2});
  CHECK(result[0].axes[1].right_slopes == std::vector<double>{8});
}

TEST_CASE("angles are unrolled over full rotations") {
  const auto result = channels(TransformChain{}, {rotations({0, 100, 200, 300, 400})});
  REQUIRE(result.size() == 1);
  const std::vector<double>& z = result[0].axes[2].values;
  for (std::size_t k = 0; k < z.size(); ++k) {
    CHECK(z[k] == doctest::Approx(100.0 * static_cast<double>(k)));
  }
}

TEST_CASE(
    "angles between keys keep to the arc of a large rotation, and are not added to a small one") {
  TransformChain chain;
  const Vec3 axis = glm::normalize(Vec3(1, 2, -1));
  for (const double arc_deg : {1.0, 40.0, 120.0}) {
    INFO(arc_deg);
    Track track = rotations({0, 0});
    const Quat end = rotationAbout(axis, arc_deg * kDegree);
    std::copy_n(std::array{end.x, end.y, end.z, end.w}.begin(), 4, track.values.begin() + 4);
    const auto result = channels(chain, {track});
    REQUIRE(result.size() == 1);
    const std::vector<double>& times = *result[0].axes[0].times_s;
    CHECK((times.size() == 2) == (arc_deg == 1.0));
    for (std::size_t k = 0; k + 1 < times.size(); ++k) {
      for (const double u : {0.1, 0.5, 0.8}) {
        Vec3 mixed;
        for (int a = 0; a < 3; ++a) {
          const std::vector<double>& values = result[0].axes[toSize(a)].values;
          mixed[a] = values[k] + u * (values[k + 1] - values[k]);
        }
        const double time_s = times[k] + u * (times[k + 1] - times[k]);
        const Quat exact = rotationAbout(axis, time_s * arc_deg * kDegree);
        CHECK(angleBetween(localRotation(rotationChannel(chain), mixed), exact) < 1.1e-3);
      }
    }
  }
  CHECK(channels(chain, {rotations({0, 90, 179})})[0].axes[0].times_s->size() == 3);
}

TEST_CASE("Euler angles of a track are written unchanged") {
  Track track = rotations({0, 10});
  track.angles_deg = {Vec3(0), Vec3(360, 0, 370)};
  const auto result = channels(TransformChain{}, {track});
  CHECK(result[0].axes[0].values == std::vector<double>{0, 360});
  CHECK(result[0].axes[2].values == std::vector<double>{0, 370});
}

TEST_CASE("keys of a chain with pre and post rotation give back the local rotations") {
  TransformChain chain;
  chain.pre_rotation_deg = Vec3(10, 20, 30);
  chain.post_rotation_deg = Vec3(-40, 5, 60);
  chain.order = EulerOrder::kZxy;
  const auto result = channels(chain, {rotations({0, 80, 160})});
  const std::vector<double>& times = *result[0].axes[0].times_s;
  CHECK(times.size() > 3);
  for (std::size_t k = 0; k < times.size(); ++k) {
    const Quat q = localTransform(atKey(chain, result, k)).rotation;
    CHECK(distance(q, rotationAbout(Vec3(0, 0, 1), 80.0 * kDegree * times[k])) < 1e-7);
  }
}

TEST_CASE("a rotation about an offset pivot writes the translation too, at all keys and frames") {
  TransformChain chain;
  chain.translation = Vec3(1, 2, 3);
  chain.rotation_pivot = Vec3(4, 0, 0);
  const auto result = channels(chain, {rotations({0, 90})});
  REQUIRE(result.size() == 2);
  CHECK(result[0].property == ChainProperty::kTranslation);
  CHECK(result[1].property == ChainProperty::kRotation);
  REQUIRE(result[0].axes[0].values.size() == 11);
  for (std::size_t k = 0; k < 11; ++k) {
    const Transform local = localTransform(atKey(chain, result, k));
    CHECK(distance(local.translation, localTransform(chain).translation) < 1e-9);
    const double angle = 9.0 * kDegree * static_cast<double>(k);
    CHECK(distance(local.rotation, rotationAbout(Vec3(0, 0, 1), angle)) < 1e-7);
  }
}

TEST_CASE("cubic angles of a track are written unchanged, with their slopes") {
  const auto result = channels(TransformChain{}, {cubicAngles()});
  REQUIRE(result.size() == 1);
  const NewCurve& z = result[0].axes[2];
  CHECK(z.interpolation == Interpolation::kCubicSpline);
  CHECK(*z.times_s == std::vector<double>{0, 1});
  CHECK(z.values == std::vector<double>{0, 370});
  CHECK(z.left_slopes == std::vector<double>{7, -60});
  CHECK(z.right_slopes == std::vector<double>{30, 9});
}

TEST_CASE("about an offset pivot cubic angles are sampled as angles") {
  TransformChain chain;
  chain.rotation_pivot = Vec3(4, 0, 0);
  const auto result = channels(chain, {cubicAngles()});
  REQUIRE(result.size() == 2);
  REQUIRE(result[1].axes[2].values.size() == 11);
  CHECK(result[1].axes[2].interpolation == Interpolation::kLinear);
  for (std::size_t k = 0; k < 11; ++k) {
    const double t = 0.1 * static_cast<double>(k), u = 1.0 - t;
    // The points of Bezier are 0, 10, 390 and 370.
    const double angle = 30.0 * t * u * u + 1170.0 * t * t * u + 370.0 * t * t * t;
    const Transform local = localTransform(atKey(chain, result, k));
    CHECK(distance(local.rotation, rotationAbout(Vec3(0, 0, 1), angle * kDegree)) < 1e-7);
    CHECK(distance(local.translation, localTransform(chain).translation) < 1e-9);
  }
}

TEST_CASE("a bake writes all three channels") {
  CHECK(channels(TransformChain{}, {rotations({0, 90})}, true).size() == 3);
}
