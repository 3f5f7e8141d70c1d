// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/greedy_search.h"

#include <cstdlib>
#include <vector>

#include "checks.h"

TEST_SUITE_BEGIN("self_collision.greedy_search");

using namespace clipmill::stages::self_collision;

TEST_CASE("five degrees away until free, one back until it hits, the last free one is taken") {
  for (int least = 1; least <= 60; ++least) {
    std::vector<int> asked;
    const auto found = clipmill::stages::self_collision::leastFreeAngle(
        [&](int angle_deg) {
          asked.push_back(angle_deg);
          return angle_deg >= least;
        },
        60);
    REQUIRE(found);
    CHECK(*found == least);
    for (std::size_t i = 0; i < asked.size(); ++i) CHECK(asked[i] > 0);
  }
}

TEST_CASE("the steps are those of the paper") {
  std::vector<int> asked;
  const auto found = clipmill::stages::self_collision::leastFreeAngle(
      [&](int angle_deg) {
        asked.push_back(angle_deg);
        return angle_deg >= 12;
      },
      60);
  CHECK(found == 12);
  CHECK(asked == std::vector<int>{5, 10, 15, 14, 13, 12, 11});
}

TEST_CASE("what is free between two coarse steps is not seen") {
  const auto found = clipmill::stages::self_collision::leastFreeAngle(
      [](int angle_deg) { return angle_deg == 7 || angle_deg >= 13; }, 60);
  CHECK(found == 13);
}

TEST_CASE("no free angle up to the most is none") {
  CHECK_FALSE(clipmill::stages::self_collision::leastFreeAngle([](int) { return false; }, 180));
  CHECK_FALSE(clipmill::stages::self_collision::leastFreeAngle(
      [](int angle_deg) { return angle_deg > 60; }, 60));
}

TEST_CASE("the cheapest angle is found to a degree, where all are free") {
  const auto free = [](int) { return true; };
  for (int best = 0; best <= 50; ++best) {
    const auto cost = [&](int angle_deg) {
      return static_cast<double>(std::abs(angle_deg - best));
    };
    CHECK(clipmill::stages::self_collision::cheapestFreeAngle(free, cost, 150) == best);
  }
}

TEST_CASE("a forearm stops short of what it would hit") {
  const auto cost = [](int angle_deg) { return static_cast<double>(std::abs(angle_deg - 40)); };
  for (int first_hit = 1; first_hit <= 45; ++first_hit) {
    const auto free = [&](int angle_deg) { return angle_deg < first_hit; };
    CHECK(clipmill::stages::self_collision::cheapestFreeAngle(free, cost, 150) ==
          std::min(first_hit - 1, 40));
  }
}

TEST_CASE("an elbow that is best as it is stays, free or not") {
  const auto cost = [](int angle_deg) { return static_cast<double>(angle_deg); };
  CHECK(clipmill::stages::self_collision::cheapestFreeAngle([](int) { return true; }, cost, 150) ==
        0);
  CHECK(clipmill::stages::self_collision::cheapestFreeAngle([](int) { return false; }, cost, 150) ==
        0);
}

TEST_CASE("no elbow bends farther than the most") {
  const auto cost = [](int angle_deg) { return -static_cast<double>(angle_deg); };
  CHECK(clipmill::stages::self_collision::cheapestFreeAngle([](int) { return true; }, cost, 150) ==
        150);
  CHECK(clipmill::stages::self_collision::cheapestFreeAngle([](int) { return true; }, cost, 12) ==
        12);
}

TEST_SUITE_END();
