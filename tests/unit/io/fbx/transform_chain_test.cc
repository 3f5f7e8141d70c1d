// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/fbx/transform_chain.h"

#include "checks.h"
#include "random.h"

TEST_SUITE_BEGIN("fbx.transform_chain");

using namespace clipmill;
using namespace clipmill::io::fbx;
using test::distance;

namespace {

TransformChain randomChain(test::Random& random) {
  TransformChain chain;
  chain.translation = random.vector(50);
  chain.rotation_deg = random.vector(500);
  chain.scaling = random.vector(3);  // mirrored ones too
  chain.rotation_offset = random.vector(10);
  chain.rotation_pivot = random.vector(10);
  chain.scaling_offset = random.vector(10);
  chain.scaling_pivot = random.vector(10);
  chain.pre_rotation_deg = random.vector(180);
  chain.post_rotation_deg = random.vector(180);
  chain.order = static_cast<EulerOrder>(random.index(6));
  chain.rotation_active = !random.isChance(0.125);
  return chain;
}

Affine moved(const Vec3& by) { return {Mat3(1.0), by}; }
Affine rotated(const Quat& by) { return toAffine({Vec3(0.0), by, Vec3(1.0)}); }
Affine scaled(const Vec3& by) { return toAffine({Vec3(0.0), kIdentityRotation, by}); }

// The chain factor by factor, as the header writes it.
Affine product(const TransformChain& c) {
  const bool active = c.rotation_active;
  const auto xyz = [](const Vec3& deg) { return fromEuler(deg, EulerOrder::kXyz); };
  const Affine pre = active ? rotated(xyz(c.pre_rotation_deg)) : Affine{};
  const Affine post = active ? rotated(xyz(c.post_rotation_deg)) : Affine{};
  const Affine rotation = rotated(fromEuler(c.rotation_deg, active ? c.order : EulerOrder::kXyz));
  return moved(c.translation) * moved(c.rotation_offset) * moved(c.rotation_pivot) * pre *
         rotation * inverse(post) * moved(-c.rotation_pivot) * moved(c.scaling_offset) *
         moved(c.scaling_pivot) * scaled(c.scaling) * moved(-c.scaling_pivot);
}

double distance(const Affine& a, const Affine& b) {
  double worst = distance(a.translation, b.translation);
  for (int i = 0; i < 3; ++i) worst = std::max(worst, distance(a.linear[i], b.linear[i]));
  return worst;
}

}  // namespace

TEST_CASE("the local transform is the product of the chain") {
  test::Random random(29);
  for (int i = 0; i < 500; ++i) {
    const TransformChain chain = randomChain(random);
    CHECK(distance(toAffine(localTransform(chain)), product(chain)) < 1e-11);
  }
}

TEST_CASE("a chain without pivots is its translation, rotation and scale") {
  TransformChain chain;
  chain.translation = Vec3(1, 2, 3);
  chain.rotation_deg = Vec3(0, 90, 0);
  chain.scaling = Vec3(1, 2, 1);
  const Transform local = localTransform(chain);
  CHECK(local.translation == Vec3(1, 2, 3));
  CHECK(local.scale == Vec3(1, 2, 1));
  CHECK(distance(transformPoint(toAffine(local), Vec3(0, 1, 1)), Vec3(2, 4, 3)) < 1e-15);
}

TEST_CASE("the channels of a local transform are its inputs") {
  test::Random random(29);
  for (int i = 0; i < 2000; ++i) {
    const TransformChain chain = randomChain(random);
    const Transform local = localTransform(chain);
    const ChainChannels back = channelsOf(chain, local);
    CHECK(distance(back.translation, chain.translation) < 1e-11);
    CHECK(back.scaling == chain.scaling);
    // The second solution may replace the first close to 90 degrees, no further off.
    CHECK(distance(back.rotation_deg, chain.rotation_deg) < 1e-7);
  }
}

TEST_CASE("the channels of any local transform reproduce it") {
  test::Random random(29);
  for (int i = 0; i < 2000; ++i) {
    TransformChain chain = randomChain(random);
    const Transform wanted{random.vector(20), fromEuler(random.vector(180), EulerOrder::kXyz),
                           random.vector(2)};
    const ChainChannels channels = channelsOf(chain, wanted);
    chain.translation = channels.translation;
    chain.rotation_deg = channels.rotation_deg;
    chain.scaling = channels.scaling;
    const Transform got = localTransform(chain);
    CHECK(distance(got.translation, wanted.translation) < 1e-9);
    CHECK(distance(got.rotation, wanted.rotation) < 1e-9);
    CHECK(got.scale == wanted.scale);
  }
}

TEST_CASE("angles of a spinning node continue through 90 degrees") {
  test::Random random(29);
  TransformChain chain = randomChain(random);
  chain.rotation_active = true;
  chain.order = EulerOrder::kXyz;
  chain.rotation_deg = Vec3(5, 0, -20);
  const EulerRotation channel = rotationChannel(chain);
  for (int frame = 0; frame <= 800; ++frame) {
    const Vec3 angles(5, frame, -20);
    const Transform wanted{Vec3(1, 2, 3), localRotation(channel, angles), Vec3(1.0)};
    chain.rotation_deg = channelsOf(chain, wanted).rotation_deg;
    REQUIRE(distance(chain.rotation_deg, angles) < 1e-6);
  }
}

TEST_CASE("a rotation that is not active has no pre and post rotation and the order x, y, z") {
  TransformChain chain;
  chain.rotation_deg = Vec3(10, 20, 30);
  const Quat plain = localTransform(chain).rotation;
  chain.order = EulerOrder::kZyx;
  chain.pre_rotation_deg = Vec3(40, 0, 0);
  chain.post_rotation_deg = Vec3(0, 50, 0);
  CHECK(distance(localTransform(chain).rotation, plain) > 0.1);
  chain.rotation_active = false;
  CHECK(localTransform(chain).rotation == plain);
}

TEST_CASE("pivots that affect a change of rotation or scale are separated from those that do not") {
  test::Random random(29);
  TransformChain chain;
  CHECK_FALSE(hasOffsetPivots(chain));
  chain.rotation_offset = Vec3(1, 2, 3);
  chain.rotation_pivot = chain.scaling_offset = Vec3(4, 5, 6);
  CHECK_FALSE(hasOffsetPivots(chain));
  const Vec3 origin = localTransform(chain).translation;
  chain.rotation_deg = random.vector(100);
  chain.scaling = random.vector(3);
  CHECK(distance(localTransform(chain).translation, origin) < 1e-14);
  chain.scaling_pivot = Vec3(0, 0, 1);
  CHECK(hasOffsetPivots(chain));
  chain.scaling_pivot = Vec3(0.0);
  chain.rotation_pivot = Vec3(4, 5, 7);
  CHECK(hasOffsetPivots(chain));
}
