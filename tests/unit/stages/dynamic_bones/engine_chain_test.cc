// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/chains/engine_chain.h"

#include <cmath>
#include <limits>

#include "checks.h"
#include "core/text.h"

using namespace clipmill;
using namespace clipmill::stages::dynamic_bones;

TEST_SUITE_BEGIN("dynamic_bones.engine_chain");

namespace {

EngineBone boneOf(double length_m, double drag, double push_m, double radius_m) {
  return {length_m, {drag, 0.1, 60.0}, push_m, radius_m};
}

Skeleton skeletonOf(const std::vector<std::pair<std::string, int>>& nodes) {
  Skeleton skeleton;
  for (const auto& [name, parent] : nodes) {
    Node node;
    node.name = name;
    node.parent = parent;
    node.source_id = static_cast<int>(skeleton.size()) + 100;
    skeleton.nodes.push_back(node);
  }
  return skeleton;
}

}  // namespace

TEST_CASE("the frequency of a chain is that of a bone times the bone's share of its length") {
  ChainSettings chain;
  setMotion({boneOf(0.1, 0.2, 0, 0), boneOf(0.3, 0.2, 0, 0)}, chain);
  const double own_hz = equivalentSpring({0.2, 0.1, 60.0}).frequency_hz;
  CHECK(chain.frequency_hz.at(0.25) == doctest::Approx(own_hz * 0.25));
  CHECK(chain.frequency_hz.at(1.0) == doctest::Approx(own_hz * 0.75));
  CHECK(chain.damping_ratio.points.size() == 1);
}

TEST_CASE("values of a bone are at the depth of its far end") {
  ChainSettings chain;
  setMotion({boneOf(1, 0.1, -0.01, 0.5), boneOf(0, 0.9, 0, 9), boneOf(3, 0.3, 0, 0.25)}, chain);
  CHECK(chain.radius_m == Curve({{0.25, 0.5}, {1.0, 0.25}}));
  CHECK(chain.air_drag_per_s.at(0.25) == equivalentSpring({0.1, 0.1, 60}).air_drag_per_s);
  CHECK(chain.air_drag_per_s.at(1.0) == equivalentSpring({0.3, 0.1, 60}).air_drag_per_s);
  CHECK(chain.gravity_mps2.at(0.25) == -0.01 * equivalentSpring({0.1, 0.1, 60}).acceleration_mps2);
  CHECK(chain.gravity_mps2.at(1.0) == 0.0);
}

TEST_CASE("equal values give a constant curve, and values are clamped to their bounds") {
  CHECK(chainCurve("radius_m", {0.5, 1.0}, {2.0, 2.0}) == Curve(2.0));
  CHECK(chainCurve("radius_m", {0.5, 1.0}, {-1.0, 1e9}) == Curve({{0.5, 0.0}, {1.0, 1e6}}));
  CHECK(chainCurve("radius_m", {}, {}) == Curve(0.0));
}

TEST_CASE("lengths and values that are not finite or too large are ignored") {
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(usableLength(0.25) == 0.25);
  for (double length_m : {infinity, -1.0, 1e300, std::nan("")})
    CHECK(usableLength(length_m) == 0.0);
  CHECK(chainCurve("radius_m", {1.0}, {std::nan("")}) == Curve(0.0));
  ColliderSettings collider;
  CHECK(isWithinBounds(collider));
  collider.offset_m[1] = infinity;
  CHECK_FALSE(isWithinBounds(collider));
  collider.offset_m[1] = 0.0;
  collider.radius_m = -1.0;
  CHECK_FALSE(isWithinBounds(collider));
}

TEST_CASE("a node is referenced by its unique name, path or id") {
  const Skeleton skeleton = skeletonOf({{"Hips", -1},
                                        {"Left", 0},
                                        {"Hair", 1},
                                        {"Right", 0},
                                        {"Hair", 3},
                                        {"Twin", 0},
                                        {"Twin", 0},
                                        {"A*", 0},
                                        {"a/b", 0},
                                        {"#7", 0},
                                        {"#110", 0},
                                        {"Under", 8}});
  const NodeReferences references(skeleton);
  CHECK(references.plain(0) == "Hips");
  CHECK(references.plain(2) == "Hips/Left/Hair");
  CHECK(references.plain(4) == "Hips/Right/Hair");
  CHECK(references.plain(5) == "#105");
  CHECK(references.plain(7) == "#107");
  CHECK(references.plain(8) == "#108");
  CHECK(references.plain(9) == "Hips/#7");
  CHECK(references.plain(10) == "#110");
  CHECK(references.plain(11) == "Under");
  CHECK(references.glob(7) == "A[*]");
  for (int node : {0, 2, 4, 7, 9, 11}) {
    CAPTURE(node);
    CHECK(findNodes(skeleton, references.glob(node)) == std::vector<int>{node});
  }
}

TEST_CASE("an escaped text matches itself and nothing else") {
  const std::string odd = "a[1]*?b";
  CHECK(matchesGlob(escapedGlob(odd), odd));
  CHECK_FALSE(matchesGlob(escapedGlob(odd), "a[1]xyb"));
  CHECK_FALSE(matchesGlob(escapedGlob(odd), "a1*?b"));
}

TEST_SUITE_END();
