// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// The stiffness of discrete rods against the continuum: Euler-Bernoulli beams, the heavy elastica,
// Greenhill's column.
#include "stages/dynamic_bones/rods/rod_stiffness.h"

#include <cmath>
#include <numeric>

#include "checks.h"
#include "core/math.h"
#include "core/to_size.h"

using namespace clipmill;
using namespace clipmill::stages::dynamic_bones;

TEST_SUITE_BEGIN("dynamic_bones.rod_stiffness");

namespace {

constexpr double kGravity_mps2 = 9.81;

// A straight uniform rod of mass 1 per metre.
RodShape uniformRod(int bone_count, double length_m) {
  RodShape shape;
  const double bone_m = length_m / bone_count;
  for (int i = 0; i < bone_count; ++i) {
    const std::size_t at = toSize(i);
    shape.joints.push_back({i - 1, at, at + 1, (i == 0 ? 2.0 : 1.0) / bone_m});
    shape.bones.push_back({i, bone_m, bone_m});
  }
  return shape;
}

std::vector<std::size_t> allBones(const RodShape& shape) {
  std::vector<std::size_t> path(shape.bones.size());
  std::iota(path.begin(), path.end(), std::size_t(0));
  return path;
}

// The chord's droop of the continuous heavy cantilever, EI a'' = -w (L - s) cos a with a the angle
// below the level, a(0) = 0 and a'(L) = 0: shooting with the Runge-Kutta method.
double elasticaDroop_rad(double rigidity, double weight_per_m, double length_m) {
  constexpr int kSteps = 2000;
  const double h = length_m / kSteps;
  struct State {
    double angle, bend, x, y;
  };
  const auto rate = [&](double s, const State& a) {
    return State{a.bend, -weight_per_m * (length_m - s) * std::cos(a.angle) / rigidity,
                 std::cos(a.angle), std::sin(a.angle)};
  };
  const auto shoot = [&](double bend) {
    State a{0.0, bend, 0.0, 0.0};
    const auto moved = [](const State& p, const State& d, double t) {
      return State{p.angle + d.angle * t, p.bend + d.bend * t, p.x + d.x * t, p.y + d.y * t};
    };
    for (int i = 0; i < kSteps; ++i) {
      const double s = i * h;
      const State k1 = rate(s, a), k2 = rate(s + h / 2, moved(a, k1, h / 2));
      const State k3 = rate(s + h / 2, moved(a, k2, h / 2)), k4 = rate(s + h, moved(a, k3, h));
      a = moved(moved(moved(moved(a, k1, h / 6), k2, h / 3), k3, h / 3), k4, h / 6);
    }
    return a;
  };
  double low = 0.0, high = weight_per_m * length_m * length_m / (2.0 * rigidity);
  for (int i = 0; i < 80; ++i) {
    const double middle = 0.5 * (low + high);
    (shoot(middle).bend > 0.0 ? high : low) = middle;
  }
  const State end = shoot(low);
  return std::atan2(end.y, end.x);
}

}  // namespace

TEST_CASE("a limp rod swings as a hanging rope, and a rod without weight as a beam") {
  constexpr double kBesselRoot = 2.4048255577;  // first zero of J0
  for (double length_m : {0.2, 1.5}) {
    const RodShape shape = uniformRod(64, length_m);
    const double rope_radps = 0.5 * kBesselRoot * std::sqrt(kGravity_mps2 / length_m);
    const double weight = kGravity_mps2 * length_m * length_m * length_m;
    CHECK(hangingMode(shape, 1e-7 * weight, kGravity_mps2).angular_radps ==
          test::nearTo(rope_radps, 0.01));
    const HangingMode beam = hangingMode(shape, 2.0, 0.0);
    CHECK(beam.angular_radps == test::nearTo(std::sqrt(2.0) * firstMode_radps(shape), 1e-9));
    CHECK(beam.damping_s == test::nearTo(2.0 / beam.angular_radps, 1e-9));
  }
}

TEST_CASE("the first mode of a rod of 16 bones is that of an Euler-Bernoulli cantilever") {
  constexpr double kFirstRoot = 1.8751040687;  // cos b cosh b = -1
  for (double length_m : {0.1, 2.0}) {
    const double expected = kFirstRoot * kFirstRoot / (length_m * length_m);
    CHECK(firstMode_radps(uniformRod(16, length_m)) == test::nearTo(expected, 0.003));
    CHECK(firstMode_radps(uniformRod(64, length_m)) == test::nearTo(expected, 2e-4));
  }
}

TEST_CASE("one bone on a spring swings as a rigid rod") {
  // k / (m L^2 / 3) with k = 2 / L and m = L.
  CHECK(firstMode_radps(uniformRod(1, 0.5)) == doctest::Approx(std::sqrt(6.0 / 0.0625)));
}

TEST_CASE("the rigidity for a droop is that of the heavy elastica") {
  for (double droop_deg : {5.0, 30.0, 60.0, 80.0}) {
    for (double length_m : {0.1, 2.0}) {
      CAPTURE(droop_deg);
      const RodShape shape = uniformRod(16, length_m);
      const double rigidity = rigidityForDroop(shape, allBones(shape), droop_deg * kDegree);
      const double droop_rad = elasticaDroop_rad(rigidity, kGravity_mps2, length_m);
      CHECK(droop_rad / kDegree == test::nearTo(droop_deg, 0.01));
    }
  }
}

TEST_CASE("a small droop is that of the linear beam") {
  // The tip sinks by w L^4 / 8 EI.
  const RodShape shape = uniformRod(32, 1.0);
  const double rigidity = rigidityForDroop(shape, allBones(shape), 0.01);
  CHECK(kGravity_mps2 / (8.0 * rigidity) == test::nearTo(0.01, 0.002));
}

TEST_CASE("an upright rod is stable from Greenhill's rigidity on") {
  // w L^3 / EI = 7.8373 (Greenhill 1881).
  const RodShape shape = uniformRod(32, 0.7);
  const std::vector<double> up(32, 1.0), down(32, -1.0);
  const double expected = kGravity_mps2 * 0.343 / 7.8373;
  CHECK(leastStableRigidity(shape, up, kGravity_mps2) == test::nearTo(expected, 0.003));
  CHECK(leastStableRigidity(shape, down, kGravity_mps2) == 0.0);
}
