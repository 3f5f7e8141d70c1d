// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "retarget/skin_map.h"

#include <memory>

#include "checks.h"
#include "humanoid/joint_layout.h"
#include "stages/self_collision/box_character.h"

namespace clipmill {
namespace {

constexpr double kSame_m = 1e-9;

struct MappedCharacter {
  test::BoxCharacter character = test::boxCharacter();
  std::shared_ptr<const penetration::BodySkin> skin = std::make_shared<const penetration::BodySkin>(
      penetration::BodySkin::make(character.scene(), character.map).value());
  retarget::SkinRegions regions{character.scene(), character.map, skin};
};

TEST_SUITE("retarget") {
  TEST_CASE("points of a character correspond to themselves where its parts are convex") {
    const MappedCharacter one, other;
    retarget::SkinMap map(one.regions, other.regions);
    std::size_t count = 0;
    for (const auto part : {humanoid::BodyPart::kLeftForearm, humanoid::BodyPart::kRightForearm}) {
      const auto range = one.skin->verticesOf(part);
      for (std::size_t v = range.start; v < range.end; ++v, ++count) {
        const auto vertex = static_cast<std::uint32_t>(v);
        const auto& point = map.pointOf(vertex);
        REQUIRE(point.has_value());
        const Vec3 at = positionOf(*point, other.regions.bound_m());
        CHECK(lengthOf(at - one.regions.bound_m()[vertex]) < kSame_m);
      }
    }
    CHECK(count > 8);
  }

  TEST_CASE("a point between vertices is the mean of what these correspond to") {
    const MappedCharacter one, other;
    retarget::SkinMap map(one.regions, other.regions);
    const auto first =
        static_cast<std::uint32_t>(one.skin->verticesOf(humanoid::BodyPart::kLeftForearm).start);
    const retarget::SkinPoint between{{first, 0.25}, {first + 1, 0.75}};
    const auto point = map.pointOf(between);
    REQUIRE(point.has_value());
    double sum = 0.0;
    for (const retarget::VertexShare& share : *point) sum += share.weight;
    CHECK(sum == doctest::Approx(1.0));
    const Vec3 wanted = positionOf(between, one.regions.bound_m());
    CHECK(lengthOf(positionOf(*point, other.regions.bound_m()) - wanted) < kSame_m);
  }

  TEST_CASE("equal vertices of a point are merged") {
    retarget::SkinPoint point{{7, 0.25}, {2, 0.5}, {7, 0.25}};
    retarget::mergeVertices(point);
    REQUIRE(point.size() == 2);
    CHECK(point[0].vertex == 2);
    CHECK(point[1].vertex == 7);
    CHECK(point[1].weight == 0.5);
  }
}

}  // namespace
}  // namespace clipmill
