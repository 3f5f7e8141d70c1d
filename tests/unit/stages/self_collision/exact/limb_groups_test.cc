// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact/limb_groups.h"

#include <algorithm>

#include "stages/self_collision/exact/forearms.h"

TEST_SUITE_BEGIN("self_collision.limb_groups");

using namespace clipmill;
using namespace clipmill::stages::self_collision;
using namespace clipmill::test;
using namespace clipmill::stages::self_collision;

TEST_CASE("groups are ordered by rank: legs, both arms as one unit, each arm, arm against arm") {
  const Forearms arms;
  const ClipContext clip = arms.clip();
  const std::vector<PairGroup> groups = groupPairs(clip.skin.pairs(), clip.poser);
  std::vector<std::string> names;
  for (const PairGroup& group : groups) names.push_back(group.name);
  CHECK(names == std::vector<std::string>{"left leg and right leg", "left arm and right arm",
                                          "left arm", "right arm", "left arm and right arm"});
  CHECK(std::is_sorted(groups.begin(), groups.end(),
                       [](const PairGroup& a, const PairGroup& b) { return a.rank < b.rank; }));
}

TEST_CASE("every pair is in one group without links, and the unit of both arms has the links") {
  const Forearms arms;
  const ClipContext clip = arms.clip();
  std::vector<int> count(clip.skin.pairs().size(), 0);
  std::vector<std::size_t> links, arm_pairs;
  for (const PairGroup& group : groupPairs(clip.skin.pairs(), clip.poser)) {
    if (!group.links.empty()) {
      links = group.links;
      CHECK(group.limbs.size() == 2);
      for (const std::size_t pair : group.pairs) {
        CHECK(std::find(links.begin(), links.end(), pair) == links.end());
      }
      continue;
    }
    if (group.name == "left arm and right arm") arm_pairs = group.pairs;
    for (const std::size_t pair : group.pairs) ++count[pair];
  }
  for (const int times : count) CHECK(times == 1);
  CHECK(links == arm_pairs);
}
