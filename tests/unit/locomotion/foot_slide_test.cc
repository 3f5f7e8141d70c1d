// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "locomotion/foot_slide.h"

#include <cmath>

#include "checks.h"

TEST_SUITE_BEGIN("locomotion.foot_slide");

using namespace clipmill;
using namespace clipmill::locomotion;

namespace {

// A second on level ground: the body moves at 1 m/s, the heel at a share of that, and the ball
// stays high in the air.
FeetTrace lowFoot(double share) {
  FeetTrace feet;
  feet.step_s = 1.0 / 120.0;
  feet.sample_count = 121;
  feet.leg_m = kReferenceLeg_m;
  FootTrace foot;
  for (std::size_t i = 0; i < feet.sample_count; ++i) {
    const double time_s = feet.timeOf(i);
    feet.body_m.push_back(Vec3(0.0, 0.9, time_s));
    foot.heel_on_ground_m.push_back(Vec3(0.0, 0.0, share * time_s));
    foot.ball_on_ground_m.push_back(Vec3(0.0, 0.5, share * time_s));
  }
  feet.feet.push_back(foot);
  return feet;
}

}  // namespace

TEST_CASE("a low foot that is slower than the body slides, by what its speed makes in the time") {
  for (const double share : {0.0, 0.1, 0.5}) {
    const FootSlide slide = measureFootSlide(lowFoot(share));
    REQUIRE(slide.ground_spans.size() == 1);
    CHECK(slide.ground_spans[0].part == ContactPart::kHeel);
    CHECK(slide.contacts.empty());
    // From the middle of the second to its end, and in a thirtieth of it.
    CHECK(std::abs(slide.drift_mm().value() - 500.0 * share) < 1e-6);
    CHECK(std::abs(slide.skate.cmPerFrame().value() - 100.0 * share / 30.0) < 1e-9);
  }
}

TEST_CASE("a low foot that keeps up with the body glides, and is not on the ground") {
  for (const double share : {0.7, 1.0, 2.0}) {
    const FootSlide slide = measureFootSlide(lowFoot(share));
    CHECK(slide.ground_spans.empty());
    CHECK_FALSE(slide.drift_mm().has_value());
    CHECK_FALSE(slide.skate.cmPerFrame().has_value());
  }
}

TEST_CASE("the drift of a contact counts where no ground span is") {
  FeetTrace feet = lowFoot(1.0);
  feet.feet[0].heel_on = {{0.0, 0.5}};
  const FootSlide slide = measureFootSlide(feet);
  REQUIRE(slide.contacts.size() == 1);
  CHECK(std::abs(slide.drift_mm().value() - 250.0) < 1e-6);
  const std::vector<Metric> metrics = slideMetrics({}, slide);
  REQUIRE(metrics.size() == 2);
  CHECK_FALSE(metrics[1].before.has_value());
  CHECK(metrics[1].after == slide.drift_mm());
}

TEST_SUITE_END();
