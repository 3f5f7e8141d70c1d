// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "locomotion/foot_lock_pelvis.h"

#include <algorithm>
#include <cmath>

#include "checks.h"

TEST_SUITE_BEGIN("locomotion.foot_lock_pelvis");

using namespace clipmill;

TEST_CASE("a hip drops until the leg reaches") {
  // 3-4-5: a leg of 5 reaches 3 aside from a height of 4.
  CHECK(std::abs(locomotion::dropToReach(Vec3(0, 6, 0), Vec3(0, 0, 3), 5.0) - 2.0) < 1e-12);
  CHECK(locomotion::dropToReach(Vec3(0, 4, 0), Vec3(0, 0, 3), 5.0) == 0.0);
  CHECK(locomotion::dropToReach(Vec3(0, 1, 0), Vec3(1, 0, 0), 5.0) == 0.0);
  CHECK(std::isinf(locomotion::dropToReach(Vec3(0, 6, 0), Vec3(6, 0, 0), 5.0)));
  CHECK(std::isinf(locomotion::dropToReach(Vec3(0, 0, 0), Vec3(0, 6, 0), 5.0)));
}

TEST_CASE("hips drop smoothly and nowhere less than needed") {
  std::vector<double> needed(90, 0.0);
  needed[40] = 0.05;
  needed[55] = 0.02;
  const std::vector<double> drop =
      locomotion::smoothDrop(needed, std::vector<bool>(90, false), 30.0, false);
  for (std::size_t i = 0; i < drop.size(); ++i) CHECK(drop[i] >= needed[i] - 1e-15);
  CHECK(*std::max_element(drop.begin(), drop.end()) <= 0.05 + 1e-15);
  CHECK(drop[20] == 0.0);
  // The rise of 0.05 m takes 9 frames of a raised cosine: its steps are no larger than two ninths.
  for (std::size_t i = 1; i < drop.size(); ++i) {
    CHECK(std::abs(drop[i] - drop[i - 1]) < 0.05 * 2.0 / 9.0 + 1e-12);
  }
}

TEST_CASE("hips do not drop in the air") {
  const std::vector<double> needed(60, 0.04);
  std::vector<bool> airborne(60, false);
  std::fill(airborne.begin() + 30, airborne.begin() + 40, true);
  const std::vector<double> drop = locomotion::smoothDrop(needed, airborne, 30.0, false);
  for (std::size_t i = 30; i < 40; ++i) CHECK(drop[i] == 0.0);
  CHECK(drop[29] < 0.002);
  CHECK(std::abs(drop[20] - 0.04) < 1e-12);
  CHECK(std::abs(drop[50] - 0.04) < 1e-12);
}

TEST_CASE("hips that drop between two flights rise again without a corner") {
  const std::vector<double> needed(31, 0.05);
  std::vector<bool> airborne(31, false);
  for (const std::size_t flight : {0, 20}) {
    std::fill_n(airborne.begin() + static_cast<std::ptrdiff_t>(flight), 8, true);
  }
  const std::vector<double> drop = locomotion::smoothDrop(needed, airborne, 30.0, false);
  CHECK(drop[13] > 0.02);
  // A corner there would be twice the steps on its two sides, 0.014 m.
  for (std::size_t i = 9; i < 18; ++i) {
    INFO(i);
    CHECK(std::abs(drop[i + 1] - 2.0 * drop[i] + drop[i - 1]) < 0.007);
  }
}

TEST_CASE("hips of a cycle are as low at its end as at its start") {
  std::vector<double> needed(31, 0.0);
  needed[1] = 0.05;
  const std::vector<double> drop =
      locomotion::smoothDrop(needed, std::vector<bool>(31, false), 30.0, true);
  CHECK(drop.front() == drop.back());
  CHECK(drop.front() > 0.04);
  CHECK(drop[29] > 0.03);
}

TEST_SUITE_END();
