// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "locomotion/foot_lock_support.h"

#include "checks.h"
#include "core/portable_math.h"

TEST_SUITE_BEGIN("locomotion.foot_lock_support");

using namespace clipmill;
using namespace clipmill::locomotion;

namespace {

constexpr std::size_t kFrameCount = 31;
constexpr double kRate = 30.0;

using EndAt = std::function<Affine(double time_s)>;

Affine endAt(const Vec3& position, double yaw_rad = 0.0, double pitch_rad = 0.0) {
  const Quat rotation =
      rotationAbout(Vec3(0, 1, 0), yaw_rad) * rotationAbout(Vec3(1, 0, 0), pitch_rad);
  return {glm::mat3_cast(rotation), position};
}

// An end of one second at 30 frames a second, planted from its first to its last frame.
struct PlantedEnd {
  Support support;
  EndFrames frames;
  LimbPlan plan;

  PlantedEnd(const EndAt& source_at, const EndAt& carried_at) {
    support.step_s = 1.0 / kRate;
    support.spans = {{0.0, 1.0}};
    support.pivots = {{{}, support.spans}};
    for (std::size_t i = 0; i < kFrameCount; ++i) {
      const double time_s = static_cast<double>(i) / kRate;
      frames.times_s.push_back(time_s);
      frames.source_times_s.push_back(time_s);
      frames.source.push_back(source_at(time_s));
      frames.carried.push_back(carried_at(time_s));
      support.pivots[0].positions_m.push_back(frames.source.back().translation);
    }
    plan.offset_m.assign(kFrameCount, Vec3(0.0));
    plan.yaw_rad.assign(kFrameCount, 0.0);
    plan.planted_spans = {{0, kFrameCount - 1}};
  }

  void lock(const PlanSettings& settings = {}) {
    planPlantedSpans(support, frames, settings, plan);
  }

  Vec3 lockedAt(std::size_t i) const { return frames.carried[i].translation + plan.offset_m[i]; }

  bool isMoved() const {
    for (std::size_t i = 0; i < kFrameCount; ++i) {
      if (plan.movesAt(i)) return true;
    }
    return false;
  }
};

// A source foot that stays where it is.
Affine still(double) { return endAt(Vec3(0.1, 0.08, 0.3)); }

}  // namespace

TEST_CASE("a planted end that one rigid motion about the vertical carries is not moved") {
  // A heel that rises: the source moves and tips while its toes are planted.
  const auto rolls = [](double t) {
    return endAt(Vec3(0.1, 0.08 + 0.05 * t * t, 0.3 + 0.02 * t), 0.2, 0.5 * t);
  };
  const double yaw = 0.7;
  const Quat rotation = rotationAbout(Vec3(0, 1, 0), yaw);
  PlantedEnd end(rolls, [&](double t) {
    const Affine source = rolls(t);
    return Affine{glm::mat3_cast(rotation) * source.linear,
                  rotation * source.translation + Vec3(2.0, 0.0, -1.0)};
  });
  // Its contact point is still; a point that moves would be a slide.
  end.support.pivots[0].positions_m.assign(kFrameCount, Vec3(0.1, 0.0, 0.4));
  end.lock();
  for (std::size_t i = 0; i < kFrameCount; ++i) {
    CHECK(lengthOf(end.plan.offset_m[i]) < 1e-9);
    CHECK(std::abs(end.plan.yaw_rad[i]) < 1e-9);
  }
}

TEST_CASE("a planted end that is carried along keeps one position and one yaw") {
  PlantedEnd end(still, [](double t) {
    return endAt(Vec3(0.1 + 0.6 * t, 0.08 + 0.1 * t, 0.3 + portable::sin(t)), 0.8 * t);
  });
  end.lock();
  for (std::size_t i = 0; i < kFrameCount; ++i) {
    CHECK(test::distance(end.lockedAt(i), end.lockedAt(0)) < 1e-12);
    const double yaw = 0.8 * static_cast<double>(i) / kRate + end.plan.yaw_rad[i];
    CHECK(std::abs(yaw - end.plan.yaw_rad[0]) < 1e-12);
  }
  CHECK(end.isMoved());
}

TEST_CASE("the position of a planted end is the one in which it is carried least") {
  // It rests at x = 1 for two thirds of a second, and is carried along at 3 m/s after that.
  PlantedEnd end(still, [](double t) {
    return endAt(Vec3(1.0 + 3.0 * std::max(0.0, t - 2.0 / 3.0), 0.08, 0.3));
  });
  end.lock();
  // A sample in motion weighs (0.02 / 3)^4 = 2e-9 of one at rest, the one beside it 16 times that.
  for (std::size_t i = 0; i < kFrameCount; ++i) {
    CHECK(std::abs(end.lockedAt(i).x - 1.0) < 1e-7);
  }
}

TEST_CASE("the contact point stays where an end is carried with another tilt") {
  // The ball of the foot is 0.15 m before the ankle. The carried foot tips about the ankle.
  const Vec3 ankle(0.1, 0.08, 0.3), ball(0.1, 0.0, 0.45);
  PlantedEnd end(still, [&](double t) { return endAt(ankle, 0.0, 0.4 * (t - 0.5)); });
  end.support.pivots[0].positions_m.assign(kFrameCount, ball);
  end.lock();
  for (std::size_t i = 0; i < kFrameCount; ++i) {
    const Vec3 carried_ball = end.lockedAt(i) + end.frames.carried[i].linear * (ball - ankle);
    CHECK(test::distance(carried_ball, ball) < 1e-9);
  }
}

TEST_CASE("a slide of the source is removed where it exceeds half a centimetre and is to be held") {
  const auto slides = [](double length_m) {
    return [length_m](double t) { return endAt(Vec3(0.1, 0.08, length_m * t)); };
  };
  PlantedEnd held(slides(0.04), slides(0.04));
  held.lock();
  for (std::size_t i = 0; i < kFrameCount; ++i) {
    CHECK(test::distance(held.lockedAt(i), Vec3(0.1, 0.08, 0.02)) < 1e-9);
  }
  PlantedEnd kept(slides(0.04), slides(0.04));
  PlanSettings keeping;
  keeping.holds_slides = false;
  kept.lock(keeping);
  CHECK_FALSE(kept.isMoved());
  // A slide of 9 mm is 4.5 mm to either side of its middle.
  PlantedEnd small(slides(0.009), slides(0.009));
  small.lock();
  CHECK_FALSE(small.isMoved());
}

TEST_CASE("a span that the end of a cycle cuts in two has one position") {
  // The source goes 1 m in a cycle, the stretched motion 1.5 m; the foot is planted for the first
  // and the last third, and is carried along by the difference.
  const auto source = [](double t) {
    return endAt(
        Vec3(0.1, 0.08, portable::sin(kPi * std::clamp(t - 1.0 / 3.0, 0.0, 1.0 / 3.0) * 1.5)));
  };
  const auto carried = [&](double t) {
    Affine end = source(t);
    end.translation.z += 0.5 * t;
    return end;
  };
  PlantedEnd end(source, carried);
  end.support.pivots[0].spans = {{0.0, 0.3}, {0.7, 1.0}};
  end.plan.planted_spans = {{0, 9}, {21, kFrameCount - 1}};
  PlanSettings settings;
  settings.is_cycle = true;
  end.lock(settings);
  const Vec3 step(0.0, 0.0, 1.5);
  for (std::size_t i = 0; i <= 9; ++i) {
    CHECK(test::distance(end.lockedAt(i), end.lockedAt(0)) < 1e-9);
  }
  for (std::size_t i = 21; i < kFrameCount; ++i) {
    CHECK(test::distance(end.lockedAt(i), end.lockedAt(0) + step) < 1e-9);
  }
  // Each alone would have the middle of its own drift, a third of a metre less than the step apart.
  PlantedEnd apart(source, carried);
  apart.support.pivots[0].spans = {{0.0, 0.3}, {0.7, 1.0}};
  apart.plan.planted_spans = {{0, 9}, {21, kFrameCount - 1}};
  apart.lock();
  CHECK(test::distance(apart.lockedAt(30), apart.lockedAt(0) + step) > 0.05);
}

TEST_CASE("a limb that is never planted has no offsets") {
  PlantedEnd end(still, [](double t) { return endAt(Vec3(t, 0, 0)); });
  end.plan.planted_spans.clear();
  end.lock();
  CHECK_FALSE(end.isMoved());
}

TEST_CASE("a contact that covers three quarters of an interval lasts from key to key") {
  EndFrames frames;
  for (int i = 0; i < 10; ++i) frames.source_times_s.push_back(0.1 * i);
  const auto widened = [&](const TimeSpan& span) {
    Support support;
    support.spans = {span};
    support.pivots = {{{}, {span}}};
    const Support wide = widenedToFrames(support, frames);
    CHECK(wide.pivots[0].spans[0].start_s == wide.spans[0].start_s);
    CHECK(wide.pivots[0].spans[0].end_s == wide.spans[0].end_s);
    CHECK(wide.isInNarrowSpan(span.start_s));
    CHECK_FALSE(wide.isInNarrowSpan(span.start_s - 0.01));
    return wide.spans[0];
  };
  const TimeSpan wide = widened({0.22, 0.58});
  CHECK(wide.start_s == doctest::Approx(0.2));
  CHECK(wide.end_s == doctest::Approx(0.6));
  const TimeSpan same = widened({0.23, 0.57});
  CHECK(same.start_s == 0.23);
  CHECK(same.end_s == 0.57);
  // Between two keys: no inner key holds the foot.
  const TimeSpan brief = widened({0.21, 0.29});
  CHECK(brief.start_s == 0.21);
  CHECK(brief.end_s == 0.29);
}

TEST_CASE("an end that leaves a contact at speed is not carried on farther than max_overshoot_m") {
  // Carried at 6 m/s, and planted in the first two frames.
  const auto carried = [](double t) { return endAt(Vec3(0.1, 0.08, 0.3 + 6.0 * t)); };
  PlantedEnd end(still, carried);
  end.support.spans = end.support.pivots[0].spans = {{0.0, 1.0 / kRate}};
  const auto farthest = [&](double max_overshoot_m) {
    PlanSettings settings;
    settings.max_overshoot_m = max_overshoot_m;
    const LimbPlan plan =
        planLimb(end.support, end.frames, settings, plantedSpansOf(end.support, end.frames));
    double farthest_m = 0.0;
    for (std::size_t i = 2; i < kFrameCount; ++i) {
      farthest_m = std::max(farthest_m, lengthOf(plan.offset_m[i]));
    }
    return farthest_m - lengthOf(plan.offset_m[1]);
  };
  CHECK(farthest(10.0) > 0.3);
  CHECK(farthest(0.17) < 0.17);
}

TEST_SUITE_END();
