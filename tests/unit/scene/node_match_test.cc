// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "scene/node_match.h"

#include "checks.h"
#include "scene/make_figure.h"

using namespace clipmill;
using namespace clipmill::test;
using Role = HumanoidRole;

TEST_SUITE_BEGIN("scene.node_match");

namespace {

// Two figures whose names tell nothing of each other, the second one not known to be human.
struct Pair {
  Pair() : source(makeFigure()) {
    danceOf(source);
    FigureOptions options;
    options.prefix = "n";
    target = makeFigure(options);
  }
  Result<NodeMatch> match(const std::vector<std::string>& texts, const HumanoidMap& map) {
    const auto given = parsePairs(source.scene, target.scene, texts);
    if (!given) return given.error();
    return matchNodes(source.scene, source.scene.clips[0].animated, source.map, target.scene, map,
                      *given);
  }
  std::string errorOf(const std::vector<std::string>& texts) {
    const auto given = parsePairs(source.scene, target.scene, texts);
    REQUIRE_FALSE(given.ok());
    return describe(given.error());
  }
  Figure source, target;
};

int sourceOf(const NodeMatch& match, int target) {
  for (const NodePair& pair : match.pairs) {
    if (pair.target == target) return pair.source;
  }
  return -1;
}

}  // namespace

TEST_CASE("pairs that are given are enough where nothing is found") {
  Pair figures;
  REQUIRE_FALSE(figures.match({}, HumanoidMap()).ok());
  const auto match = figures.match({"hips=nhips", "spine = nspine"}, HumanoidMap());
  CHECK_OK(match);
  CHECK(match->pairs.size() == 2);
  CHECK(sourceOf(*match, figures.target.map[Role::kSpine]) == figures.source.map[Role::kSpine]);
}

TEST_CASE("a pair that is given stands before what is found") {
  Pair figures;
  const auto found = figures.match({}, figures.target.map);
  CHECK_OK(found);
  const auto match = figures.match({"head=nspine"}, figures.target.map);
  CHECK_OK(match);
  CHECK(match->pairs.size() == found->pairs.size());
  CHECK(sourceOf(*match, figures.target.map[Role::kSpine]) == figures.source.map[Role::kHead]);
  CHECK(sourceOf(*match, figures.target.map[Role::kHead]) == figures.source.map[Role::kHead]);
}

TEST_CASE("a pair that names no node is refused with the nearest name") {
  Pair figures;
  CHECK(figures.errorOf({"hipz=nhips"}).find("hips") != std::string::npos);
  CHECK(figures.errorOf({"hips=nhipz"}).find("nhips") != std::string::npos);
  CHECK(figures.errorOf({"hips"}).find("theirs=ours") != std::string::npos);
  CHECK(figures.errorOf({"hips=nhips", "spine=nhips"}).find("two pairs") != std::string::npos);
}

TEST_SUITE_END();
