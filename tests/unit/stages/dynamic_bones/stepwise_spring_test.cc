// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/chains/stepwise_spring.h"

#include <cmath>
#include <vector>

#include "checks.h"
#include "stages/dynamic_bones/springs/spring_step.h"

using namespace clipmill;
using namespace clipmill::stages::dynamic_bones;

TEST_SUITE_BEGIN("dynamic_bones.stepwise_spring");

namespace {

// The step itself, of a point that has just been at `before`, with its target at 0.
std::vector<double> stepped(const StepwiseSpring& spring, double before, double now, double push,
                            int count) {
  std::vector<double> positions;
  for (int i = 0; i < count; ++i) {
    const double next =
        (1.0 - spring.relaxation) * (now + (1.0 - spring.drag) * (now - before) + push);
    before = now;
    now = next;
    positions.push_back(now);
  }
  return positions;
}

// The same with the equation, `finer` steps for one of the engine's; positions at the engine's
// times.
std::vector<double> solved(const StepwiseSpring& spring, double before, double now, double push,
                           int count, int finer) {
  const EquivalentSpring same = equivalentSpring(spring);
  const SpringStep step = makeSpringStep(same.frequency_hz, same.damping_ratio, same.air_drag_per_s,
                                         1.0 / (spring.rate_hz * finer));
  const Vec3 acceleration(push * same.acceleration_mps2, 0, 0);
  // A step of the engine's length first, which ends where the engine's does.
  Vec3 x(now, 0, 0), last(before, 0, 0);
  std::vector<double> positions;
  for (int i = 0; i < count; ++i) {
    for (int j = 0; j < finer; ++j) {
      const Vec3 next = springStep(step, x, last, Vec3(0), Vec3(0), Vec3(0), acceleration);
      last = x;
      x = next;
    }
    positions.push_back(x.x);
  }
  return positions;
}

const std::vector<StepwiseSpring> kSprings = {{0.4, 0.25, 60}, {0.1, 0.1, 60}, {0.0, 0.02, 60},
                                              {0.9, 0.01, 60}, {0.5, 0.8, 60}, {0.2, 0.1, 90},
                                              {0.99, 0.5, 60}, {0.0, 0.9, 30}};

}  // namespace

TEST_CASE("the equation passes through every step of the engine") {
  for (const StepwiseSpring& spring : kSprings) {
    CAPTURE(spring.drag);
    CAPTURE(spring.relaxation);
    const auto steps = stepped(spring, 0.9, 1.0, 0.0, 60);
    const auto positions = solved(spring, 0.9, 1.0, 0.0, 60, 1);
    for (std::size_t i = 0; i < steps.size(); ++i) CHECK(std::abs(steps[i] - positions[i]) < 1e-11);
  }
}

TEST_CASE("a steady push ends at the same position") {
  for (const StepwiseSpring& spring : kSprings) {
    CAPTURE(spring.drag);
    CAPTURE(spring.relaxation);
    const double rest = 0.01 * (1.0 - spring.relaxation) / spring.relaxation;
    CHECK(stepped(spring, 0, 0, 0.01, 20000).back() == test::nearTo(rest, 1e-9));
    CHECK(solved(spring, 0, 0, 0.01, 20000, 4).back() == test::nearTo(rest, 1e-9));
  }
}

TEST_CASE("without pull a push ends at the same speed") {
  const StepwiseSpring spring{0.3, 0.0, 60};
  const auto steps = stepped(spring, 0, 0, 0.01, 400);
  const auto positions = solved(spring, 0, 0, 0.01, 400, 4);
  // The speed of steps is push (1/drag - 1) + push.
  CHECK(steps[399] - steps[398] == test::nearTo(0.01 / 0.3, 1e-12));
  CHECK(positions[399] - positions[398] == test::nearTo(0.01 / 0.3, 1e-9));
}

TEST_CASE("a weak pull without drag is a constant force") {
  // VRM: stiffness 0.001 on 0.1 m; 60 s m/s^2 along the rest direction swing at sqrt(60 s/L).
  const double pull_m = 0.001 / 60.0;
  const EquivalentSpring same = equivalentSpring({0.0, pull_m / (0.1 + pull_m), 60.0});
  CHECK(same.frequency_hz * 2.0 * kPi == test::nearTo(std::sqrt(60 * 0.001 / 0.1), 1e-4));
  CHECK(same.air_drag_per_s == 0.0);
  CHECK(same.acceleration_mps2 == test::nearTo(3600.0, 1e-4));
}

TEST_CASE("both have the same lag behind a target in steady motion") {
  for (const StepwiseSpring& spring : kSprings) {
    CAPTURE(spring.drag);
    CAPTURE(spring.relaxation);
    // A steady y = x - t of the step: y = (1 - e)(y - r v/rate), so y = -(1 - e) r v/(e rate).
    const double lag_s =
        (1.0 - spring.relaxation) * spring.drag / (spring.relaxation * spring.rate_hz);
    const EquivalentSpring same = equivalentSpring(spring);
    const double w = 2.0 * kPi * same.frequency_hz;
    CHECK(same.air_drag_per_s / (w * w) == test::nearTo(lag_s, 1e-12));
    CHECK(same.damping_ratio > 0.0);
  }
}

TEST_CASE("without pull drag is the logarithm of the share that is kept") {
  CHECK(equivalentSpring({0.4, 0.0, 60}).air_drag_per_s ==
        test::nearTo(-60.0 * std::log(0.6), 1e-14));
  CHECK(equivalentSpring({0.4, 1e-9, 60}).air_drag_per_s ==
        test::nearTo(-60.0 * std::log(0.6), 1e-7));
  CHECK(equivalentSpring({0.4, 0.0, 60}).frequency_hz == 0.0);
}

TEST_CASE("shares of one and near zero give finite values") {
  for (double drag : {0.0, 1e-12, 1e-6, 1.0}) {
    for (double relaxation : {0.0, 1e-15, 1e-6, 1.0}) {
      CAPTURE(drag);
      CAPTURE(relaxation);
      const EquivalentSpring same = equivalentSpring({drag, relaxation, 60});
      CHECK(std::isfinite(same.frequency_hz));
      CHECK(std::isfinite(same.damping_ratio));
      CHECK(std::isfinite(same.air_drag_per_s));
      CHECK(std::isfinite(same.acceleration_mps2));
      CHECK(same.frequency_hz >= 0.0);
      CHECK(same.acceleration_mps2 >= 0.0);
    }
  }
}

TEST_CASE("a very weak pull is converted without cancellation") {
  // w^2 -> 60 e c/r for e -> 0, c = -60 ln(1-r); without drag 60^2 e.
  const double w = 2.0 * kPi * equivalentSpring({0.5, 1e-10, 60}).frequency_hz;
  CHECK(w * w == test::nearTo(60.0 * 1e-10 * 60.0 * std::log(2.0) / 0.5, 1e-8));
  const double u = 2.0 * kPi * equivalentSpring({0.0, 1e-10, 60}).frequency_hz;
  CHECK(u * u == test::nearTo(3600.0 * 1e-10, 1e-8));
}

TEST_SUITE_END();
