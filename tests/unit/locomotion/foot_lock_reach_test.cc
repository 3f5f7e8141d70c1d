// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "locomotion/foot_lock_reach.h"

#include <cmath>

#include "checks.h"

TEST_SUITE_BEGIN("locomotion.foot_lock_reach");

using namespace clipmill;
using namespace clipmill::locomotion;
using namespace clipmill::test;

namespace {

constexpr double kHip_m = 0.8;
// How far along the ground a leg of 1 m reaches from a hip at that height.
const double kRadius_m = std::sqrt(1.0 - kHip_m * kHip_m);

// A foot on the ground at (`foot_x_m`, 0, 0) whose frames 2 to 4 of `hips_x_m` are planted; its leg
// is 1 m long.
struct PlantedFoot {
  EndFrames frames;
  PlanSettings settings;
  LimbPlan plan;

  PlantedFoot(double foot_x_m, const std::vector<double>& hips_x_m) {
    for (std::size_t i = 0; i < hips_x_m.size(); ++i) {
      frames.times_s.push_back(static_cast<double>(i) / 30.0);
      frames.carried.push_back({Mat3(1.0), Vec3(foot_x_m, 0.0, 0.0)});
      frames.moved_m.push_back(static_cast<double>(i));
      frames.along_m.push_back(static_cast<double>(i));
      frames.reach.push_back({Vec3(hips_x_m[i], kHip_m, 0.0), 1.0, 0.0});
    }
    frames.source_times_s = frames.times_s;
    plan.offset_m.assign(hips_x_m.size(), Vec3(0.0));
    plan.planted_spans = {{2, 4}};
  }

  // Where frames 2 to 4 have the foot, which is one position.
  double planted() {
    keepSpansInReach(frames, settings, plan);
    CHECK(plan.offset_m[3] == plan.offset_m[2]);
    CHECK(plan.offset_m[4] == plan.offset_m[2]);
    return frames.carried[2].translation.x + plan.offset_m[2].x;
  }
};

}  // namespace

TEST_CASE("a foot in reach stays where it is, bit for bit") {
  CHECK(PlantedFoot(0.59, {0, 0, 0, 0, 0, 0}).planted() == 0.59);
}

TEST_CASE(
    "a foot out of reach is shifted to the farthest point on the ground that its leg reaches") {
  CHECK(PlantedFoot(0.9, {0, 0, 0, 0, 0, 0}).planted() == nearTo(kRadius_m, 1e-9));
  CHECK(PlantedFoot(0.9, {0, 0, 0, -0.2, 0, 0}).planted() == nearTo(kRadius_m - 0.2, 1e-9));
  CHECK(PlantedFoot(-0.9, {0, 0, 0.1, 0, 0, 0}).planted() == nearTo(0.1 - kRadius_m, 1e-9));
}

TEST_CASE("frames beside a contact count as long as the foot of the clip rests") {
  const std::vector<double> hips_x_m = {0, 0, 0, 0, 0, -0.3};
  CHECK(PlantedFoot(0.55, hips_x_m).planted() == 0.55);
  PlantedFoot rests(0.55, hips_x_m);
  rests.frames.along_m = {0.0, 1.0, 2.0, 3.0, 4.0, 4.001};
  CHECK(rests.planted() == nearTo(kRadius_m - 0.3, 1e-9));
}

TEST_CASE("hips that drop reach farther") {
  PlantedFoot foot(0.9, {0, 0, 0, 0, 0, 0});
  for (LimbReach& reach : foot.frames.reach) reach.max_drop_m = 0.2;
  CHECK(foot.planted() == nearTo(0.8, 1e-9));
}

TEST_CASE("a foot that no position serves, or whose hip is too high, is not thrown away") {
  const double between_m = PlantedFoot(0.0, {0, 0, -1.0, 1.0, 0, 0}).planted();
  CHECK(std::abs(between_m) <= 1.0);
  PlantedFoot high(0.9, {0, 0, 0, 0, 0, 0});
  for (LimbReach& reach : high.frames.reach) reach.hip_m.y = 1.5;
  CHECK(high.planted() == 0.9);
}

TEST_CASE("a contact that the seam of a cycle cuts is shifted as one") {
  PlantedFoot foot(0.55, {0, 0, 0, 0, 0, -0.3});
  foot.settings.is_cycle = true;
  foot.plan.planted_spans = {{0, 1}, {4, 5}};
  keepSpansInReach(foot.frames, foot.settings, foot.plan);
  for (const std::size_t i : {0, 1, 4, 5}) {
    CHECK(foot.plan.offset_m[i].x + 0.55 == nearTo(kRadius_m - 0.3, 1e-9));
  }
}

TEST_CASE("without the pace of a clip nothing is shifted") {
  PlantedFoot foot(0.9, {0, 0, 0, 0, 0, 0});
  foot.frames.moved_m.clear();
  CHECK(foot.planted() == 0.9);
}

TEST_SUITE_END();
