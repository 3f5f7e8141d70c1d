// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <cmath>
#include <vector>

#include "checks.h"
#include "stages/self_collision/exact_contacts.h"
#include "stages/self_collision/exact_search.h"
#include "stages/self_collision/exact_windows.h"

TEST_SUITE_BEGIN("self_collision.exact_parts");

using namespace clipmill::collision;

namespace {

std::vector<bool> marks(const char* text) {
  std::vector<bool> found;
  for (; *text; ++text) found.push_back(*text == 'x');
  return found;
}

}  // namespace

TEST_CASE("runs that are nearer than the gap are one window") {
  const auto deep = marks("..xx.x....xx..");
  CHECK(findWindows(deep, 0.1, 0.05, false) == std::vector<Window>{{2, 3}, {5, 5}, {10, 11}});
  CHECK(findWindows(deep, 0.1, 0.25, false) == std::vector<Window>{{2, 5}, {10, 11}});
  CHECK(findWindows(deep, 0.1, 0.6, false) == std::vector<Window>{{2, 11}});
  CHECK(findWindows(marks("...."), 0.1, 1.0, false).empty());
}

TEST_CASE("a window of a cycle goes over the seam") {
  const auto deep = marks("xx......xx");  // the last sample is the first
  CHECK(findWindows(deep, 0.1, 0.05, false) == std::vector<Window>{{0, 1}, {8, 9}});
  const auto round = findWindows(deep, 0.1, 0.05, true);
  CHECK(round == std::vector<Window>{{8, 10}});
  CHECK(samplesOf(round[0], deep.size()) == std::vector<std::size_t>{8, 9, 1});
  CHECK(findWindows(marks("xxxx"), 0.1, 0.05, true) == std::vector<Window>{{0, 2}});
}

TEST_CASE("a touch is near, slow and lasts") {
  const TouchLimits limits{0.04, 0.2, 0.15};
  const std::vector<double> near(20, 0.01), far(20, 0.1), inside(20, -0.1);
  std::vector<double> slow(20, 0.05), speeds(20, 0.05);
  CHECK(findTouches(near, slow, 0.02, limits) == std::vector<bool>(20, true));
  CHECK(findTouches(inside, slow, 0.02, limits) == std::vector<bool>(20, true));
  CHECK(findTouches(far, slow, 0.02, limits) == std::vector<bool>(20, false));
  for (std::size_t i = 0; i < 20; ++i) speeds[i] = i >= 5 && i < 12 ? 0.05 : 1.0;
  CHECK(findTouches(near, speeds, 0.02, limits) == std::vector<bool>(20, false));  // 0.12 s
  speeds[12] = speeds[13] = 0.05;
  CHECK(findTouches(near, speeds, 0.02, limits) == marks(".....xxxxxxxxx......"));
}

TEST_CASE("the least free amount of a bent clearance is found to the precision") {
  for (const double edge : {0.03, 0.2, 0.41, 0.97}) {
    int calls = 0;
    const auto room = [&](double amount) {
      ++calls;
      return (amount - edge) * (1.0 + 3.0 * amount);
    };
    for (const double guess : {0.0, 0.1, 0.5, edge}) {
      calls = 0;
      const FreeAmount found = leastFree(room, {0.0, 1.0, guess, 0.01});
      CHECK(found.is_free);
      CHECK(found.amount >= edge);
      CHECK(found.amount <= edge + 0.01 + 1e-12);
      CHECK(calls <= 16);
    }
  }
}

TEST_CASE("a limb that is free as it is needs nothing, and one that never gets free says so") {
  const FreeAmount none = leastFree([](double) { return 0.0; }, {0.0, 1.0, 0.3, 0.01});
  CHECK(none.is_free);
  CHECK(none.amount == 0.0);
  const auto hill = [](double amount) { return -0.1 - (amount - 0.6) * (amount - 0.6); };
  const FreeAmount stuck = leastFree(hill, {0.0, 1.0, 0.0, 0.01});
  CHECK_FALSE(stuck.is_free);
  CHECK(stuck.room_m > hill(0.0));
  CHECK(stuck.amount == doctest::Approx(0.6).epsilon(0.4));
}

TEST_CASE("a search may start above nothing") {
  const auto room = [](double amount) { return amount - 0.5; };
  const FreeAmount found = leastFree(room, {0.4, 1.0, 0.0, 0.001});
  CHECK(found.amount == doctest::Approx(0.5).epsilon(0.003));
  CHECK(leastFree(room, {0.6, 1.0, 0.0, 0.001}).amount == 0.6);
}

TEST_CASE("room that is known is not asked for again") {
  int asked = 0;
  const auto room = [&](double amount) {
    ++asked;
    CHECK(amount > 0.0);
    return amount - 0.25;
  };
  SearchRange range{0.0, 1.0, 0.0, 1e-3};
  range.least_room_m = -0.25;
  const FreeAmount found = leastFree(room, range);
  CHECK(found.is_free);
  CHECK(found.amount == doctest::Approx(0.25).epsilon(0.01));
  CHECK(asked > 0);
}
