// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <array>

#include "checks.h"
#include "core/to_size.h"
#include "stages/dynamic_bones/rope_swing.h"

using namespace clipmill;
using namespace clipmill::stages::dynamic_bones;
using namespace clipmill::test;

TEST_SUITE_BEGIN("dynamic_bones.rope_motion");

namespace {

constexpr double kGravity_mps2 = 9.81;

// Laguerre polynomials L_0(x) .. L_n(x) by their recurrence.
std::vector<double> laguerre(int n, double x) {
  std::vector<double> values = {1.0, 1.0 - x};
  for (int k = 1; k < n; ++k) {
    const auto i = toSize(k);
    values.push_back(((2.0 * k + 1.0 - x) * values[i] - k * values[i - 1]) / (k + 1.0));
  }
  return values;
}

// The `which`-th positive zero of L_n, from 0 on; by bisection.
double laguerreZero(int n, int which) {
  const auto at = [&](double x) { return laguerre(n, x)[toSize(n)]; };
  const double stride = 0.01 / n;
  double x = 0.0;
  for (int found = 0;; x += stride) {
    if (at(x) * at(x + stride) < 0.0 && found++ == which) break;
  }
  double low = x, high = x + stride;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (at(low) * at(middle) <= 0.0 ? high : low) = middle;
  }
  return low;
}

// A rope of equal links held in the shape of one of its small oscillations, L_j(zero) j joints
// above the tip, sideways by `amplitude_m` at the tip.
RopeSwing ropeInMode(const std::vector<double>& shape, double length_m, double amplitude_m) {
  const std::size_t count = shape.size() - 1;
  RopeSwing rope;
  Vec3 end(0.0);
  for (std::size_t i = 0; i < count; ++i) {
    const double side = shape[count - 1 - i] * amplitude_m - end.x;
    end += Vec3(side, -std::sqrt(length_m * length_m - side * side), 0.0);
    rope.add(static_cast<int>(i) - 1, end);
  }
  return rope;
}

// Frequency of the projection on the shape, from the times at which it passes 0 upwards.
double measuredFrequency(RopeSwing& rope, const std::vector<double>& shape, int periods) {
  const auto project = [&] {
    double sum = 0.0;
    for (std::size_t i = 0; i < rope.size(); ++i) {
      sum += rope.ends[i].x * shape[rope.size() - 1 - i];
    }
    return sum;
  };
  RopeSolver solver(rope.parents, rope.inverse_masses);
  std::vector<double> times_s;
  double last = project();
  for (int i = 1; times_s.size() <= toSize(periods); ++i) {
    rope.step(solver);
    const double now = project();
    if (last < 0.0 && now >= 0.0) times_s.push_back((i - 1 + last / (last - now)) * rope.step_s);
    last = now;
  }
  return 2.0 * kPi * periods / (times_s.back() - times_s.front());
}

double energyOf(const RopeSwing& rope, const std::vector<Vec3>& earlier) {
  // At the state `before`: the velocity is that of the steps before and after it.
  double energy = 0.0;
  for (std::size_t i = 0; i < rope.size(); ++i) {
    const Vec3 velocity = (rope.ends[i] - earlier[i]) / (2.0 * rope.step_s);
    energy += (0.5 * glm::dot(velocity, velocity) - glm::dot(rope.gravity_mps2, rope.before[i])) /
              rope.inverse_masses[i];
  }
  return energy;
}

double worstEnergyError(double steps_per_s, double end_s) {
  RopeSwing rope = hangingRope({1.0, 1.0, 1.0, 1.0, 1.0}, 0.1);
  rope.step_s = 1.0 / steps_per_s;
  rope.startAtRest();
  const std::vector<Vec3> start = rope.ends;
  double lowest = 0.0, start_energy = 0.0;
  for (std::size_t i = 0; i < rope.size(); ++i) {
    start_energy += kGravity_mps2 * start[i].y;
    lowest -= kGravity_mps2 * 0.1 * static_cast<double>(i + 1);
  }
  double worst = 0.0;
  RopeSolver solver(rope.parents, rope.inverse_masses);
  for (int i = 0; i < static_cast<int>(end_s * steps_per_s); ++i) {
    const std::vector<Vec3> earlier = rope.before;
    rope.step(solver);
    worst = std::max(worst, std::abs(energyOf(rope, earlier) - start_energy));
  }
  return worst / (start_energy - lowest);
}

// Angles and their speeds of a chain of three equal links with unit masses at their ends.
using Angles = std::array<double, 6>;

// Lagrange's equations of the chain, solved for the accelerations.
Angles derivative(const Angles& state, double length_m) {
  double matrix[3][4];
  for (std::size_t i = 0; i < 3; ++i) {
    double right = -static_cast<double>(3 - i) * kGravity_mps2 / length_m * portable::sin(state[i]);
    for (std::size_t j = 0; j < 3; ++j) {
      const double below = static_cast<double>(3 - std::max(i, j));
      const auto [sine, cosine] = portable::sinCos(state[i] - state[j]);
      matrix[i][j] = below * cosine;
      right -= below * sine * state[j + 3] * state[j + 3];
    }
    matrix[i][3] = right;
  }
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t r = 0; r < 3; ++r) {
      if (r == i) continue;
      const double factor = matrix[r][i] / matrix[i][i];
      for (std::size_t c = i; c < 4; ++c) matrix[r][c] -= factor * matrix[i][c];
    }
  }
  return {state[3],
          state[4],
          state[5],
          matrix[0][3] / matrix[0][0],
          matrix[1][3] / matrix[1][1],
          matrix[2][3] / matrix[2][2]};
}

Angles plus(const Angles& a, const Angles& b, double times) {
  Angles sum;
  for (std::size_t i = 0; i < 6; ++i) sum[i] = a[i] + b[i] * times;
  return sum;
}

// The state after `end_s` by the classical Runge-Kutta method of fourth order.
Angles rungeKutta(Angles state, double length_m, double end_s, int steps) {
  const double h = end_s / steps;
  for (int i = 0; i < steps; ++i) {
    const Angles a = derivative(state, length_m);
    const Angles b = derivative(plus(state, a, 0.5 * h), length_m);
    const Angles c = derivative(plus(state, b, 0.5 * h), length_m);
    const Angles d = derivative(plus(state, c, h), length_m);
    for (std::size_t k = 0; k < 6; ++k) state[k] += h / 6.0 * (a[k] + 2.0 * (b[k] + c[k]) + d[k]);
  }
  return state;
}

Vec3 tipOfThree(const Angles& state, double length_m) {
  return hangingRope({state[0], state[1], state[2]}, length_m).ends.back();
}

}  // namespace

TEST_CASE("a chain of equal links swings at the zeros of Laguerre's polynomials") {
  CHECK(laguerreZero(2, 0) == nearTo(2.0 - std::sqrt(2.0), 1e-12));
  CHECK(laguerreZero(10, 0) == nearTo(0.137793470540, 1e-11));
  for (int count : {1, 2, 5, 10, 20}) {
    for (int mode = 0; mode < std::min(count, 3); ++mode) {
      const double length_m = 0.5 / count;
      const double zero = laguerreZero(count, mode);
      const std::vector<double> shape = laguerre(count, zero);
      RopeSwing rope = ropeInMode(shape, length_m, 1e-3 * length_m);
      rope.startAtRest();
      const double expected = std::sqrt(kGravity_mps2 / length_m * zero);
      const double measured = measuredFrequency(rope, shape, 8);
      CAPTURE(count);
      CAPTURE(mode);
      CHECK(std::abs(measured / expected - 1.0) < 5e-5);
    }
  }
}

TEST_CASE("two millimetres at the tip of ten bones swing as the sum of their modes") {
  // A straight chain, tilted: tip(t) = sum of c cos(w t) over the modes, c from their projections.
  constexpr int kLinks = 10;
  const double length_m = 0.05, tilt_m = 0.0002;
  std::vector<double> shares, frequencies;
  double widest_m = 0.0;
  for (int mode = 0; mode < kLinks; ++mode) {
    const double zero = laguerreZero(kLinks, mode);
    const std::vector<double> shape = laguerre(kLinks, zero);
    double along = 0.0, square = 0.0;
    for (std::size_t j = 0; j < kLinks; ++j) {
      along += shape[j] * tilt_m * static_cast<double>(kLinks - j);
      square += shape[j] * shape[j];
    }
    shares.push_back(along / square);
    frequencies.push_back(std::sqrt(kGravity_mps2 / length_m * zero));
    widest_m += std::abs(shares.back());
  }
  RopeSwing rope = hangingRope(std::vector<double>(kLinks, tilt_m / length_m), length_m);
  rope.startAtRest();
  RopeSolver solver(rope.parents, rope.inverse_masses);
  for (int i = 1; i <= 20 * 960; ++i) {
    rope.step(solver);
    CHECK(std::abs(rope.ends.back().x) < 1.001 * widest_m);  // no more in 20 s
    if (i > 2 * 960) continue;
    double tip_m = 0.0;
    for (std::size_t k = 0; k < kLinks; ++k) {
      tip_m += shares[k] * portable::cos(frequencies[k] * i * rope.step_s);
    }
    CHECK(std::abs(rope.ends.back().x - tip_m) < 2e-6);
  }
}

TEST_CASE("energy is conserved to second order in the step") {
  CHECK(worstEnergyError(960.0, 10.0) < 1e-4);
  const double ratio = worstEnergyError(960.0, 1.0) / worstEnergyError(1920.0, 1.0);
  CHECK(ratio > 3.7);
  CHECK(ratio < 4.3);
}

TEST_CASE("an ordinary swing needs at most two Newton steps") {
  RopeSwing rope = hangingRope(std::vector<double>(10, 0.8), 0.05);
  rope.step_s = 1.0 / 240.0;
  rope.startAtRest();
  CHECK(rope.run(240) <= 3);
  CHECK(rope.lengthError() < 1e-14);
}

TEST_CASE("a chain that is held at both ends hangs as a catenary") {
  constexpr std::size_t kLinks = 20;
  RopeSwing rope;
  Vec3 end(0.0);
  for (std::size_t i = 0; i < kLinks; ++i) {
    end += Vec3(0.03, i < kLinks / 2 ? -0.04 : 0.04, 0.0);
    rope.add(static_cast<int>(i) - 1, end, i + 1 < kLinks ? 1.0 : 0.0);
  }
  const Vec3 pinned = rope.ends.back();
  rope.step_s = 1.0 / 240.0;
  rope.kept = 0.97;
  rope.startAtRest();
  rope.run(40 * 240);
  CHECK(rope.ends.back() == pinned);
  CHECK(rope.lengthError() < 1e-12);
  // Equal weights at equal links: the slope grows by the same from each link to the next.
  std::vector<double> slopes;
  for (const Vec3& bone : rope.bones()) slopes.push_back(bone.y / bone.x);
  const double growth = (slopes.back() - slopes.front()) / (kLinks - 1.0);
  CHECK(growth > 0.1);
  for (std::size_t i = 1; i < kLinks; ++i) {
    CHECK(slopes[i] - slopes[i - 1] == nearTo(growth, 1e-9));
  }
}

TEST_CASE("a tree in free fall keeps its angular momentum about its center of mass") {
  Dice dice(61);
  RopeSwing tree = randomTree(dice, 12);
  tree.lengths_m[0] = -1.0;
  tree.step_s = 1.0 / 240.0;
  tree.before = tree.ends;
  // Thrown as a rotating rigid body, with a small random velocity of every point.
  for (Vec3& before : tree.before) {
    before -= (glm::cross(Vec3(1, 3, 2), before) + dice.vector() * 0.02) * tree.step_s;
  }
  RopeSolver solver(tree.parents, tree.inverse_masses);
  tree.step(solver);
  double mass = 0.0;
  for (double inverse : tree.inverse_masses) mass += 1.0 / inverse;
  const auto middleOf = [&](const std::vector<Vec3>& points) {
    Vec3 sum(0.0);
    for (std::size_t i = 0; i < points.size(); ++i) sum += points[i] / tree.inverse_masses[i];
    return sum / mass;
  };
  const auto angularMomentum = [&] {
    const Vec3 from = middleOf(tree.before), to = middleOf(tree.ends);
    Vec3 sum(0.0);
    for (std::size_t i = 0; i < tree.size(); ++i) {
      sum += glm::cross(tree.before[i] - from, tree.ends[i] - to) / tree.inverse_masses[i];
    }
    return sum / tree.step_s;
  };
  const Vec3 momentum = angularMomentum();
  const Vec3 start = middleOf(tree.ends);
  const Vec3 velocity = (start - middleOf(tree.before)) / tree.step_s;
  for (int i = 0; i < 240; ++i) tree.step(solver);
  CHECK(tree.lengthError() < 1e-12);
  CHECK(distance(angularMomentum(), momentum) < 1e-11 * std::sqrt(glm::dot(momentum, momentum)));
  // x(t + n h) - x(t) of the parabola through both states.
  const Vec3 fall = tree.gravity_mps2 * (0.5 * (1.0 + tree.step_s));
  CHECK(distance(middleOf(tree.ends), start + velocity + fall) < 1e-10);
}

TEST_CASE("the tip of a whip follows Lagrange's equations") {
  const double length_m = 0.3;
  const Angles start = {1.2, 1.5, 1.0, 0.0, 0.0, 0.0};
  const Vec3 expected = tipOfThree(rungeKutta(start, length_m, 1.0, 20000), length_m);
  const auto tipAt = [&](double steps_per_s) {
    RopeSwing rope = hangingRope({start[0], start[1], start[2]}, length_m);
    rope.step_s = 1.0 / steps_per_s;
    // From rest, time runs backwards as it runs on.
    const Angles first = rungeKutta(start, length_m, rope.step_s, 20);
    rope.before = hangingRope({first[0], first[1], first[2]}, length_m).ends;
    rope.run(static_cast<int>(steps_per_s));
    return rope.ends.back();
  };
  const Vec3 coarse = tipAt(960.0), fine = tipAt(1920.0);
  CHECK(distance(coarse, expected) < 2e-5);
  CHECK(distance(coarse, expected) > 1e-7);  // or nothing would have moved
  // Two steps of second order leave an error of fourth order together.
  CHECK(distance(fine + (fine - coarse) / 3.0, expected) < 0.02 * distance(fine, expected));
}

TEST_CASE("the same swing gives the same bits") {
  const auto swing = [] {
    Dice dice(73);
    RopeSwing tree = randomTree(dice, 40);
    tree.step_s = 1.0 / 240.0;
    tree.startAtRest();
    tree.run(100);
    return tree.ends;
  };
  CHECK(swing() == swing());
}

TEST_SUITE_END();
