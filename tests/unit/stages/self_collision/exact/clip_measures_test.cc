// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact/clip_measures.h"

#include <vector>

#include "checks.h"

TEST_SUITE_BEGIN("self_collision.clip_measures");

using namespace clipmill::stages::self_collision;

namespace {

std::vector<bool> marks(const char* text) {
  std::vector<bool> found;
  for (; *text; ++text) found.push_back(*text == 'x');
  return found;
}

}  // namespace

TEST_CASE("a deliberate contact is near, slow and lasts") {
  const clipmill::stages::self_collision::ContactLimits limits{0.04, 0.2, 0.15};
  const std::vector<double> near(20, 0.01), far(20, 0.1), inside(20, -0.1);
  std::vector<double> slow(20, 0.05), speeds(20, 0.05);
  CHECK(clipmill::stages::self_collision::findDeliberateContacts(near, slow, 0.02, limits) ==
        std::vector<bool>(20, true));
  CHECK(clipmill::stages::self_collision::findDeliberateContacts(inside, slow, 0.02, limits) ==
        std::vector<bool>(20, true));
  CHECK(clipmill::stages::self_collision::findDeliberateContacts(far, slow, 0.02, limits) ==
        std::vector<bool>(20, false));
  for (std::size_t i = 0; i < 20; ++i) speeds[i] = i >= 5 && i < 12 ? 0.05 : 1.0;
  CHECK(clipmill::stages::self_collision::findDeliberateContacts(near, speeds, 0.02, limits) ==
        std::vector<bool>(20, false));  // 0.12 s
  speeds[12] = speeds[13] = 0.05;
  CHECK(clipmill::stages::self_collision::findDeliberateContacts(near, speeds, 0.02, limits) ==
        marks(".....xxxxxxxxx......"));
}

TEST_CASE("a contact across the seam of a cycle is one, and no end cuts it") {
  using clipmill::stages::self_collision::findDeliberateContacts;
  clipmill::stages::self_collision::ContactLimits limits{0.04, 0.2, 0.15};
  const std::vector<double> near(20, 0.01);
  // 0.04 s before the seam and 0.06 s after it.
  std::vector<double> speeds(20, 1.0);
  for (const std::size_t i : {0, 1, 2, 3, 17, 18, 19}) speeds[i] = 0.05;
  CHECK(findDeliberateContacts(near, speeds, 0.02, limits) == marks("xxxx.............xxx"));
  limits.is_cycle = true;
  CHECK(findDeliberateContacts(near, speeds, 0.02, limits) == std::vector<bool>(20, false));
  // 0.06 s before it and 0.1 s after it.
  for (const std::size_t i : {4, 5, 16}) speeds[i] = 0.05;
  CHECK(findDeliberateContacts(near, speeds, 0.02, limits) == marks("xxxxxx..........xxxx"));
  // 0.06 s that end at the seam, which is the first sample too.
  speeds.assign(20, 1.0);
  for (const std::size_t i : {16, 17, 18, 19}) speeds[i] = 0.05;
  CHECK(findDeliberateContacts(near, speeds, 0.02, limits) == std::vector<bool>(20, false));
  // The whole cycle, however short.
  CHECK(findDeliberateContacts(std::vector<double>(4, 0.01), std::vector<double>(4, 0.05), 0.02,
                               limits) == std::vector<bool>(4, true));
}
