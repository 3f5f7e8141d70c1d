// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <algorithm>

#include "anim/key_reduction.h"
#include "anim/keys_referee.h"
#include "anim/make_motion.h"
#include "checks.h"
#include "core/integer_rounding.h"
#include "core/to_size.h"

TEST_SUITE_BEGIN("anim.short_rotations");

using namespace clipmill;
using namespace clipmill::test;

TEST_CASE("The bound holds for short rotations, which cost less where the tolerance allows them") {
  const Skeleton skeleton = makeChain(8);
  const Motion motion = makeSwing(skeleton, 120, 1e-3, 9);
  const std::vector<double> reaches(skeleton.size(), 0.5);
  std::size_t some = 0;
  for (const double tolerance : {1e-5, 3e-4, 1e-3, 1e-2}) {
    KeyReductionSettings settings;
    settings.tolerance = tolerance;
    settings.shell_distances = reaches;
    settings.short_rotations = true;
    const ReducedKeys reduced = reduceKeys(skeleton, motion, settings);
    CHECK(refereeError(skeleton, motion, reduced.tracks, 0.5) <= tolerance);
    std::size_t shorts = 0;
    for (const Track& track : reduced.tracks) {
      shorts += std::all_of(track.values.begin(), track.values.end(),
                            [](double x) { return roundedToShort(x) == x; });
    }
    CAPTURE(tolerance);
    if (tolerance == 1e-5) CHECK(shorts == 0);
    if (tolerance == 1e-2) CHECK(shorts == skeleton.size());
    if (shorts > 0 && shorts < skeleton.size()) ++some;
  }
  CHECK(some > 0);  // at a tolerance in between, joints near the tips alone
}

TEST_SUITE_END();
