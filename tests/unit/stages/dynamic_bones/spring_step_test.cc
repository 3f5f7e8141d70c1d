// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/springs/spring_step.h"

#include <cmath>

#include "checks.h"

using namespace clipmill;
using namespace clipmill::stages::dynamic_bones;
using clipmill::test::distance;

TEST_SUITE_BEGIN("dynamic_bones.spring_step");

namespace {

struct Oscillator {
  double w = 0.0;  // angular frequency
  double c = 0.0;  // decay rate

  // y(t) of y'' = -c y' - w^2 y with y(0) = y0, y'(0) = 0; textbook closed forms.
  double at(double y0, double t) const {
    const double half = 0.5 * c, q = w * w - half * half;
    if (std::abs(q) < 1e-9) return y0 * std::exp(-half * t) * (1.0 + half * t);
    if (q > 0.0) {
      const double r = std::sqrt(q);
      return y0 * std::exp(-half * t) * (std::cos(r * t) + half / r * std::sin(r * t));
    }
    const double r = std::sqrt(-q);
    return y0 / (2.0 * r) *
           ((half + r) * std::exp(-(half - r) * t) - (half - r) * std::exp(-(half + r) * t));
  }
};

Vec3 repeated(const SpringStep& step, Vec3 offset, Vec3 before, const Vec3& acceleration,
              int count) {
  for (int i = 0; i < count; ++i) {
    const Vec3 next = springStep(step, offset, before, Vec3(0), Vec3(0), Vec3(0), acceleration);
    before = offset;
    offset = next;
  }
  return offset;
}

}  // namespace

TEST_CASE("the step response is the closed-form damped oscillator at any step") {
  for (double h : {1.0 / 30.0, 1.0 / 240.0}) {
    for (double frequency : {0.5, 3.0, 40.0}) {
      for (double ratio : {0.0, 0.3, 1.0, 4.0}) {
        const Oscillator exact{2.0 * kPi * frequency, 4.0 * kPi * frequency * ratio};
        const SpringStep step = makeSpringStep(frequency, ratio, 0.0, h);
        const Vec3 start(1, 0, 0), before(exact.at(1.0, -h), 0, 0);
        for (int count : {1, 7, 50}) {
          CAPTURE(frequency);
          CAPTURE(ratio);
          CAPTURE(count);
          const double scale = std::max(1.0, std::abs(before.x));
          CHECK(std::abs(repeated(step, start, before, Vec3(0), count).x -
                         exact.at(1.0, count * h)) < 1e-11 * scale);
        }
      }
    }
  }
}

TEST_CASE("a constant force settles at force over stiffness") {
  const double w = 2.0 * kPi * 2.0;
  const SpringStep step = makeSpringStep(2.0, 0.5, 0.0, 1.0 / 240.0);
  const Vec3 rest = repeated(step, Vec3(0), Vec3(0), Vec3(0, -9.81, 0), 4000);
  CHECK(distance(rest, Vec3(0, -9.81 / (w * w), 0)) < 1e-12);
}

TEST_CASE("without spring and drag the step is free fall") {
  const double h = 1.0 / 60.0;
  const SpringStep step = makeSpringStep(0.0, 0.7, 0.0, h);
  // x(t) = -g t^2 / 2 starts with x(-h) = -g h^2 / 2.
  const Vec3 end = repeated(step, Vec3(0), Vec3(0, -0.5 * 9.81 * h * h, 0), Vec3(0, -9.81, 0), 60);
  CHECK(std::abs(end.y + 0.5 * 9.81) < 1e-12);
}

TEST_CASE("in air the speed tends to acceleration over drag, at any step") {
  for (double h : {1.0 / 30.0, 1.0 / 240.0}) {
    const SpringStep step = makeSpringStep(0.0, 0.0, 4.0, h);
    const Vec3 late = repeated(step, Vec3(0), Vec3(0), Vec3(2, 0, 0), 2000);
    const Vec3 later = repeated(step, Vec3(0), Vec3(0), Vec3(2, 0, 0), 2001);
    CHECK(std::abs((later.x - late.x) / h - 0.5) < 1.5e-12);
  }
}

TEST_CASE("a target in steady motion is followed without lag unless there is air") {
  const double h = 1.0 / 240.0;
  const Vec3 move(5.0 * h, 0, 0);
  const SpringStep still = makeSpringStep(2.0, 0.3, 0.0, h);
  const Vec3 velocity(5.0, 0, 0);
  CHECK(distance(springStep(still, Vec3(0), Vec3(0), move, move, velocity, Vec3(0)), Vec3(0)) <
        1e-17);
  CHECK(distance(firstSpringStep(still, move, velocity, Vec3(0)), Vec3(0)) < 1e-17);
  const SpringStep air = makeSpringStep(2.0, 0.3, 1.5, h);
  Vec3 offset(0), before(0);
  for (int i = 0; i < 5000; ++i) {
    const Vec3 next = springStep(air, offset, before, move, move, velocity, Vec3(0));
    before = offset;
    offset = next;
  }
  // Steady drift: w^2 y = -c_a v.
  const double w = 4.0 * kPi;
  CHECK(offset.x == test::nearTo(-1.5 * 5.0 / (w * w), 1e-9));
}

TEST_CASE("without a spring a moving target has no effect") {
  const double h = 1.0 / 240.0;
  const SpringStep step = makeSpringStep(0.0, 0.0, 3.0, h);
  // In space: x + e (x - x_before), whatever the target does.
  const Vec3 x(0.3, 0, 0), x_before(0.29, 0, 0);
  const Vec3 t_before(1, 2, 3), t(1.1, 2, 3), t_after(1.3, 1.9, 3);
  const Vec3 offset = springStep(step, x - t, x_before - t_before, t_after - t, t - t_before,
                                 Vec3(7, 7, 7), Vec3(0));
  CHECK(distance(t_after + offset, x + (x - x_before) * std::exp(-3.0 * h)) < 1e-15);
  const Vec3 first = firstSpringStep(step, t_after - t, Vec3(2, 0, 0), Vec3(0));
  CHECK(distance(t_after + first, t + Vec3(2, 0, 0) * ((1.0 - std::exp(-3.0 * h)) / 3.0)) < 1e-15);
}

TEST_CASE("extreme settings stay bounded") {
  for (double frequency : {0.0, 1e-9, 1000.0}) {
    for (double ratio : {0.0, 1e-9, 1.0, 100.0}) {
      for (double air : {0.0, 1e-9, 1e4}) {
        const SpringStep step = makeSpringStep(frequency, ratio, air, 1.0 / 240.0);
        CHECK(std::isfinite(step.force_s2));
        CHECK(std::isfinite(step.target_share));
        const double far = std::abs(repeated(step, Vec3(1, 0, 0), Vec3(1, 0, 0), Vec3(0), 10000).x);
        CHECK(far <= 2.0);
      }
    }
  }
}

TEST_CASE("the length is restored along the old bone") {
  // w = (1.2, 0.5, 0), old bone along x, length 1.3: x = sqrt(1.69 - 0.25) = 1.2: no change.
  CHECK(distance(projectOnLength(Vec3(0), Vec3(1.2, 0.5, 0), Vec3(2, 0, 0), 1.3),
                 Vec3(1.2, 0.5, 0)) < 1e-15);
  // w = (2, 0.5, 0): moved along x to sqrt(1 - 0.25).
  CHECK(distance(projectOnLength(Vec3(1, 1, 1), Vec3(3, 1.5, 1), Vec3(3, 0, 0), 1.0),
                 Vec3(1 + std::sqrt(0.75), 1.5, 1)) < 1e-15);
  // Out of reach sideways: along the new direction.
  CHECK(distance(projectOnLength(Vec3(0), Vec3(0.3, 4, 0), Vec3(1, 0, 0), 1.0),
                 Vec3(0.3, 4, 0) / std::sqrt(16.09)) < 1e-15);
  // Nothing to go by.
  CHECK(projectOnLength(Vec3(0), Vec3(0), Vec3(0, 0, 2), 1.0) == Vec3(0, 0, 1));
  CHECK(isFinite(projectOnLength(Vec3(0), Vec3(0), Vec3(0), 0.0)));
}

TEST_CASE("smoothing over several steps is that of their sum") {
  const double once = smoothingOver(0.3, 1.0 / 60.0);
  CHECK(once == test::nearTo(0.3, 1e-14));
  const double quarter = smoothingOver(0.3, 1.0 / 240.0);
  CHECK(1.0 - std::pow(1.0 - quarter, 4) == test::nearTo(0.3, 1e-14));
  CHECK(smoothingOver(1.0, 1.0 / 240.0) == 1.0);
}

TEST_SUITE_END();
