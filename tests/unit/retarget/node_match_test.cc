// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "retarget/node_match.h"

#include "checks.h"
#include "humanoid/make_character.h"

using namespace clipmill;
using namespace clipmill::humanoid;
using namespace clipmill::retarget;
using namespace clipmill::test;
using Role = HumanoidRole;

TEST_SUITE_BEGIN("retarget.node_match");

namespace {

// Two characters whose names do not correspond, the second one not known to be human.
struct Pair {
  Pair() : source(makeCharacter()) {
    danceOf(source);
    CharacterOptions options;
    options.prefix = "n";
    target = makeCharacter(options);
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
  Character source, target;
};

int sourceOf(const NodeMatch& match, int target) {
  for (const NodePair& pair : match.pairs) {
    if (pair.target == target) return pair.source;
  }
  return -1;
}

}  // namespace

TEST_CASE("given pairs suffice where nothing is found") {
  Pair characters;
  REQUIRE_FALSE(characters.match({}, HumanoidMap()).ok());
  const auto match = characters.match({"hips=nhips", "spine = nspine"}, HumanoidMap());
  CHECK_OK(match);
  CHECK(match->pairs.size() == 2);
  CHECK(sourceOf(*match, characters.target.map[Role::kSpine]) ==
        characters.source.map[Role::kSpine]);
}

TEST_CASE("a given pair precedes what is found") {
  Pair characters;
  const auto found = characters.match({}, characters.target.map);
  CHECK_OK(found);
  const auto match = characters.match({"head=nspine"}, characters.target.map);
  CHECK_OK(match);
  CHECK(match->pairs.size() == found->pairs.size());
  CHECK(sourceOf(*match, characters.target.map[Role::kSpine]) ==
        characters.source.map[Role::kHead]);
  CHECK(sourceOf(*match, characters.target.map[Role::kHead]) == characters.source.map[Role::kHead]);
}

TEST_CASE("a pair that names no node is refused with the nearest name") {
  Pair characters;
  CHECK(characters.errorOf({"hipz=nhips"}).find("hips") != std::string::npos);
  CHECK(characters.errorOf({"hips=nhipz"}).find("nhips") != std::string::npos);
  CHECK(characters.errorOf({"hips"}).find("source=target") != std::string::npos);
  CHECK(characters.errorOf({"hips=nhips", "spine=nhips"}).find("two pairs") != std::string::npos);
}

TEST_SUITE_END();
