// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "core/warnings.h"

#include "checks.h"

TEST_SUITE_BEGIN("core.warnings");

using clipmill::Warnings;

TEST_CASE("warnings are counted by code and keep their first location") {
  Warnings warnings;
  CHECK(warnings.empty());
  warnings.add("b", "text of b", "node 1");
  warnings.add("a", "text of a", "node 2", 3);
  warnings.add("b", "another text", "node 3", 4);
  REQUIRE(warnings.all().size() == 2);
  CHECK(warnings.all()[0].code == "b");
  CHECK(warnings.all()[0].first == "node 1");
  CHECK(warnings.all()[0].text == "text of b");
  CHECK(warnings.count("b") == 5);
  CHECK(warnings.count("a") == 3);
  CHECK(warnings.count("c") == 0);
}

TEST_CASE("merging adds counts and appends what is new") {
  Warnings one, two;
  one.add("a", "text", "here");
  two.add("b", "text", "there", 2);
  two.add("a", "text", "there", 7);
  one.merge(two);
  CHECK(one.count("a") == 8);
  CHECK(one.count("b") == 2);
  CHECK(one.all()[0].first == "here");
  CHECK(one.all()[1].code == "b");
}

TEST_SUITE_END();
