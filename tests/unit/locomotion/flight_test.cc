// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "locomotion/flight.h"

#include <cmath>
#include <vector>

#include "checks.h"
#include "stages/stretch/time_map.h"

using namespace clipmill;
using namespace clipmill::locomotion;
using namespace clipmill::stages::stretch;

TEST_SUITE_BEGIN("locomotion.flight");

namespace {

struct Heights {
  std::vector<double> times_s, heights_m;
};

// At rest, crouches, flies from 1 s to 1.5 s with 9.81 m/s^2, and is at rest again.
Heights jump(double gravity_mps2 = 9.81) {
  Heights jump;
  for (int i = 0; i <= 150; ++i) {
    const double t = i / 60.0, u = t - 1.0;
    double y = 1.0;
    if (t > 0.5 && t <= 1.0) y = 1.0 - 0.3 * std::sin(kPi * (t - 0.5) / 0.5);
    if (t > 1.0 && t < 1.5) y = 1.0 + gravity_mps2 * u * (0.5 - u) / 2.0;
    jump.times_s.push_back(t);
    jump.heights_m.push_back(y);
  }
  return jump;
}

}  // namespace

TEST_CASE("A parabola is found again with its take-off and its gravity") {
  std::vector<double> times_s, heights_m;
  for (int i = 0; i < 9; ++i) {
    times_s.push_back(100.0 + 0.05 * i);
    const double u = times_s.back() - 100.0;
    heights_m.push_back(0.7 + 3.0 * u - 4.0 * u * u);
  }
  const auto flight = fitParabola(times_s, heights_m);
  REQUIRE(flight);
  CHECK(flight->height_m == doctest::Approx(0.7));
  CHECK(flight->rise_mps == doctest::Approx(3.0));
  CHECK(flight->gravity_mps2 == doctest::Approx(8.0));
  CHECK(flight->heightAfter(0.1) == doctest::Approx(0.96));
  CHECK_FALSE(fitParabola(std::span(times_s).first(2), std::span(heights_m).first(2)));
}

TEST_CASE("The flight of a jump is found within a frame, and none where nothing flies") {
  const Heights found = jump();
  const auto flight = findFlight(found.times_s, found.heights_m, 1.8);
  REQUIRE(flight);
  CHECK(std::abs(flight->start_s - 1.0) < 1.5 / 60.0);
  CHECK(std::abs(flight->end_s - 1.5) < 1.5 / 60.0);
  CHECK(flight->gravity_mps2 == test::nearTo(9.81, 0.02));
  const Heights slow = jump(1.0);
  CHECK_FALSE(findFlight(slow.times_s, slow.heights_m, 1.8));
  const std::vector<double> flat(found.times_s.size(), 1.0);
  CHECK_FALSE(findFlight(found.times_s, flat, 1.8));
}

TEST_CASE("A landing at another height takes the time that gravity asks for") {
  const Flight flight{1.0, 1.5, 1.0, 9.81 * 0.25, 9.81};
  CHECK(*flightTime(flight, 0.0) == doctest::Approx(0.5));
  for (double rise_m : {-1.0, -0.2, 0.1, 0.3}) {
    const auto time_s = flightTime(flight, rise_m);
    REQUIRE(time_s);
    CHECK(flight.heightAfter(*time_s) == doctest::Approx(1.0 + rise_m));
    CHECK(*time_s > flight.rise_mps / flight.gravity_mps2);  // descending
  }
  CHECK_FALSE(flightTime(flight, 0.31));  // the apex is at 0.3066 m
}

TEST_CASE("A time map stretches its parts, multiplies where they overlap, and can be undone") {
  const TimeMap map(1.0, 5.0, {{2.0, 4.0, 2.0}, {3.0, 4.0, 0.5}});
  CHECK(map.outputAt(1.0) == 1.0);
  CHECK(map.outputAt(3.0) == doctest::Approx(4.0));
  CHECK(map.outputAt(4.0) == doctest::Approx(5.0));
  CHECK(map.outputEnd_s() == doctest::Approx(6.0));
  for (double t : {1.0, 1.7, 2.0, 3.3, 3.9, 5.0}) {
    CHECK(map.sourceAt(map.outputAt(t)) == doctest::Approx(t));
  }
  CHECK(TimeMap(1.0, 5.0, {}).isIdentity());
  CHECK(TimeMap(1.0, 5.0, {{2.0, 3.0, 1.0}}).isIdentity());
}

TEST_SUITE_END();
