// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/fade_shares.h"

#include <algorithm>
#include <cmath>

#include "checks.h"

TEST_SUITE_BEGIN("tet_bake.fade_shares");

namespace {

using clipmill::stages::tet_bake::fadedShares;

double largestSecondDifference(const std::vector<double>& values) {
  double largest = 0.0;
  for (std::size_t f = 1; f + 1 < values.size(); ++f) {
    largest = std::max(largest, std::abs(values[f + 1] - 2.0 * values[f] + values[f - 1]));
  }
  return largest;
}

}  // namespace

TEST_CASE("Without limits all of a correction is shown") {
  CHECK(fadedShares(std::vector<double>(20, 1.0), 5, false) == std::vector<double>(20, 1.0));
  CHECK(fadedShares({}, 5, true).empty());
  CHECK(fadedShares(std::vector<double>(3, 0.3), 5, false) == std::vector<double>(3, 0.3));
}

TEST_CASE("No frame shows more than its limit, and far frames show all") {
  std::vector<double> limits(101, 1.0);
  limits[50] = 0.25;
  limits[53] = 0.0;
  limits[60] = 0.5;
  for (const std::size_t radius : {1u, 4u, 11u}) {
    const std::vector<double> shares = fadedShares(limits, radius, false);
    for (std::size_t f = 0; f < limits.size(); ++f) {
      CHECK(shares[f] <= limits[f]);
      CHECK(shares[f] >= 0.0);
      if (f + 2 * radius < 50 || f > 60 + 2 * radius) CHECK(shares[f] == 1.0);
    }
  }
}

TEST_CASE("A fade accelerates by 1.44 over the square of its radius") {
  // The largest slope of 15/16 (1 - x^2)^2 is 15/4 x (1 - x^2) at x = 1/sqrt(3).
  std::vector<double> limits(400, 1.0);
  limits[200] = 0.0;
  for (const std::size_t radius : {10u, 20u, 40u}) {
    const double r = static_cast<double>(radius) + 1.0;
    const double expected = 15.0 / 4.0 / std::sqrt(3.0) * (2.0 / 3.0) / (r * r);
    const double found = largestSecondDifference(fadedShares(limits, radius, false));
    CHECK(found == clipmill::test::nearTo(expected, 0.03));
  }
}

TEST_CASE("A cycle fades over its ends, another clip goes on as it ends") {
  std::vector<double> limits(41, 1.0);
  limits[1] = 0.0;
  const std::vector<double> open = fadedShares(limits, 4, false);
  const std::vector<double> cycle = fadedShares(limits, 4, true);
  CHECK(open[0] == 0.0);
  CHECK(open[40] == 1.0);
  CHECK(cycle[0] == cycle[40]);
  CHECK(cycle[39] < 1.0);
  // The frame before the seam is two from the limit, as frame 3 is.
  CHECK(cycle[39] == clipmill::test::nearTo(cycle[3], 1e-12));
}

TEST_SUITE_END();
