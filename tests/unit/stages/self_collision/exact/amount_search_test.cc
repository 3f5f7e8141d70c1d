// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact/amount_search.h"

#include <vector>

#include "checks.h"

TEST_SUITE_BEGIN("self_collision.amount_search");

using namespace clipmill::stages::self_collision;

TEST_CASE("the least free amount of a bent clearance is found to the precision") {
  for (const double edge : {0.03, 0.2, 0.41, 0.97}) {
    int calls = 0;
    const auto work = [&](double amount) {
      ++calls;
      return (amount - edge) * (1.0 + 3.0 * amount);
    };
    for (const double guess : {0.0, 0.1, 0.5, edge}) {
      calls = 0;
      const clipmill::stages::self_collision::FoundAmount found =
          clipmill::stages::self_collision::leastFreeAmount(work, {0.0, 1.0, guess, 0.01});
      CHECK(found.is_free);
      CHECK(found.amount >= edge);
      CHECK(found.amount <= edge + 0.01 + 1e-12);
      CHECK(calls <= 16);
    }
  }
}

TEST_CASE(
    "a limb that is free needs no change, and one that never becomes free is reported as not "
    "free") {
  const clipmill::stages::self_collision::FoundAmount none =
      clipmill::stages::self_collision::leastFreeAmount([](double) { return 0.0; },
                                                        {0.0, 1.0, 0.3, 0.01});
  CHECK(none.is_free);
  CHECK(none.amount == 0.0);
  const auto hill = [](double amount) { return -0.1 - (amount - 0.6) * (amount - 0.6); };
  const clipmill::stages::self_collision::FoundAmount stuck =
      clipmill::stages::self_collision::leastFreeAmount(hill, {0.0, 1.0, 0.0, 0.01});
  CHECK_FALSE(stuck.is_free);
  CHECK(stuck.margin_m > hill(0.0));
  CHECK(stuck.amount == clipmill::test::nearTo(0.6, 0.4));
}

TEST_CASE("a search may start above 0") {
  const auto work = [](double amount) { return amount - 0.5; };
  const clipmill::stages::self_collision::FoundAmount found =
      clipmill::stages::self_collision::leastFreeAmount(work, {0.4, 1.0, 0.0, 0.001});
  CHECK(found.amount == clipmill::test::nearTo(0.5, 0.003));
  CHECK(clipmill::stages::self_collision::leastFreeAmount(work, {0.6, 1.0, 0.0, 0.001}).amount ==
        0.6);
}

TEST_CASE("a known margin is not computed again") {
  int asked = 0;
  const auto work = [&](double amount) {
    ++asked;
    CHECK(amount > 0.0);
    return amount - 0.25;
  };
  clipmill::stages::self_collision::SearchRange range{0.0, 1.0, 0.0, 1e-3};
  range.min_margin_m = -0.25;
  const clipmill::stages::self_collision::FoundAmount found =
      clipmill::stages::self_collision::leastFreeAmount(work, range);
  CHECK(found.is_free);
  CHECK(found.amount == clipmill::test::nearTo(0.25, 0.01));
  CHECK(asked > 0);
}
