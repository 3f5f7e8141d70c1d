// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/solve/dynamic_tissue.h"

#include <cmath>
#include <vector>

#include "checks.h"
#include "core/portable_math.h"
#include "core/to_size.h"
#include "stages/tet_bake/limb.h"
#include "stages/tet_bake/solve/tissue_knots.h"
#include "stages/tet_bake/solve_checks.h"

TEST_SUITE_BEGIN("tet_bake.dynamic_tissue");

namespace {

using namespace clipmill;
using namespace clipmill::stages::tet_bake;
using clipmill::stages::tet_bake::Material;
using clipmill::test::cubeCorner;
using clipmill::test::farthest;

// Height of the bones at a time.
using Lift = double (*)(double time_s);

double bobbing(double time_s) { return 0.02 * portable::sinCos(2.0 * kPi * time_s).sine; }
double jolt(double time_s) { return time_s > 0.15 ? 0.02 : 0.0; }
double still(double) { return 0.0; }

struct Moved {
  std::vector<std::vector<Vec3>> positions;
  SoftTissueRun run;
};

// A clip of `seconds` in which the bones are lifted, and go along x with a speed.
Moved moved(double fps, double seconds, Lift lift, double speed_mps = 0.0,
            SoftTissueSettings tissue = {}, bool is_cycle = false, double knot_s = 0.0) {
  const TetMesh mesh = cubeCorner();
  Moved result;
  SoftTissueClip clip;
  clip.frame_count = toSize(seconds * fps + 0.5) + 1;
  clip.frame_s = 1.0 / fps;
  clip.knot_s = knot_s;
  result.positions.resize(clip.frame_count);
  clip.source = [&](std::size_t frame, std::span<Vec3> start, std::span<Vec3> target) {
    const double time_s = static_cast<double>(frame) / fps;
    for (std::size_t v = 0; v < start.size(); ++v) {
      start[v] = target[v] = mesh.positions[v] + Vec3(speed_mps * time_s, 0, lift(time_s));
    }
  };
  clip.sink = [&](std::size_t frame, std::span<const Vec3> positions, const FrameStats&) {
    result.positions[frame].assign(positions.begin(), positions.end());
  };
  if (is_cycle) {
    clip.cycle = TissueCycle{false, kIdentityRotation, Vec3(speed_mps * seconds, 0, 0), Vec3(0.0)};
  }
  const auto runs = solveSoftTissue(mesh, std::vector<SoftTissueClip>{clip}, {}, tissue);
  CHECK_OK(runs);
  result.run = runs->front();
  return result;
}

// The free corner of cubeCorner() against where bones would carry it.
double lag(const Moved& moved, std::size_t frame, double lift) {
  return moved.positions[frame][3].z - 1.0 - lift;
}

}  // namespace

// Tissue with jiggle and settle_s in a character.
SoftTissueSettings tissueOf(double jiggle, double settle_s, double character_m = 1.8) {
  SoftTissueSettings tissue;
  tissue.jiggle = jiggle;
  tissue.settle_s = settle_s;
  tissue.character_m = character_m;
  return tissue;
}

// The change of velocity of the free corner at a frame of a cycle of 30 frames.
double kinkAt(const Moved& loop, std::size_t frame) {
  const std::size_t before = frame == 0 ? 29 : frame - 1;
  const auto z = [&](std::size_t f) {
    return lag(loop, f, bobbing(static_cast<double>(f) / 30.0));
  };
  return std::abs((z(frame + 1) - z(frame)) - (z(frame == 0 ? 30 : frame) - z(before)));
}

TEST_CASE("A cycle is played until it repeats, and has no jump at its seam") {
  for (const double settle_s : {0.3, 1.0, 4.0}) {
    CAPTURE(settle_s);
    SoftTissueSettings tissue = tissueOf(1.0, settle_s);
    tissue.loop_tolerance_mm = 0.01;
    const Moved loop = moved(30.0, 1.0, bobbing, 0.0, tissue, true);
    CHECK(loop.run.cycles >= 2);
    CHECK(loop.run.loop_gap_m <= 0.01e-3);
    double swing = 0.0, kink = 0.0;
    for (std::size_t f = 0; f <= 30; ++f) {
      swing = std::max(swing, std::abs(lag(loop, f, bobbing(static_cast<double>(f) / 30.0))));
      if (f > 0 && f < 30) kink = std::max(kink, kinkAt(loop, f));
    }
    CHECK(swing > 1e-4);
    CHECK(farthest(loop.positions[0], loop.positions[30]) < 1e-6);
    CHECK(kinkAt(loop, 0) <= kink);
    // Without the loop the clip starts in equilibrium, and its seam has a jump.
    const Moved once = moved(30.0, 1.0, bobbing, 0.0, tissue);
    CHECK(once.run.cycles == 1);
    CHECK(std::max(farthest(once.positions[0], once.positions[30]), kinkAt(once, 0)) > 1e-5);
  }
}

TEST_CASE("A cycle that does not settle in the cycles allowed has no jump at its seam either") {
  SoftTissueSettings tissue = tissueOf(1.0, 20.0);
  tissue.loop_tolerance_mm = 1e-3;
  tissue.max_loop_cycles = 2;
  const Moved loop = moved(30.0, 1.0, bobbing, 0.0, tissue, true);
  CHECK(loop.run.cycles == 2);
  CHECK(loop.run.loop_gap_m > 1e-6);
  CHECK(farthest(loop.positions[0], loop.positions[30]) < 1e-6);
}

TEST_CASE("A cycle that travels swings as one that stays") {
  const SoftTissueSettings tissue = tissueOf(1.0, 0.5);
  const Moved stays = moved(30.0, 1.0, bobbing, 0.0, tissue, true);
  const Moved goes = moved(30.0, 1.0, bobbing, 1.5, tissue, true);
  REQUIRE(goes.run.cycles == stays.run.cycles);
  double swing = 0.0, difference = 0.0;
  for (std::size_t f = 0; f <= 30; ++f) {
    const double time_s = static_cast<double>(f) / 30.0;
    std::vector<Vec3> expected = stays.positions[f];
    for (Vec3& position : expected) position.x += 1.5 * time_s;
    swing = std::max(swing, std::abs(lag(stays, f, bobbing(time_s))));
    difference = std::max(difference, farthest(goes.positions[f], expected));
  }
  CHECK(swing > 1e-3);
  CHECK(difference < 0.02 * swing);
}

TEST_CASE("A clip that is no cycle starts at rest") {
  const TetMesh mesh = cubeCorner();
  std::vector<std::vector<Vec3>> positions(11);
  SoftTissueClip clip{11, 1.0 / 30.0,
                      [&](std::size_t frame, std::span<Vec3> start, std::span<Vec3> target) {
                        for (std::size_t v = 0; v < start.size(); ++v) {
                          start[v] = target[v] =
                              mesh.positions[v] * (1.0 + 0.05 * static_cast<double>(frame));
                        }
                      },
                      [&](std::size_t frame, std::span<const Vec3> at, const FrameStats&) {
                        positions[frame].assign(at.begin(), at.end());
                      }};
  const auto runs = solveSoftTissue(mesh, std::vector<SoftTissueClip>{clip}, {}, {});
  CHECK_OK(runs);
  CHECK(runs->front().cycles == 1);
  CHECK(farthest(positions[0], mesh.positions) < 1e-5);
}

TEST_CASE("Soft tissue settles in the time that is asked for, at any frame rate") {
  // After the jolt the swing's peaks fall to a tenth in settle_s; implicit steps brake too.
  for (const double fps : {24.0, 30.0, 60.0, 120.0}) {
    const Moved result = moved(fps, 2.0, jolt, 0.0, tissueOf(1.0, 0.6));
    double first = 0.0, later = 0.0;
    for (std::size_t f = 0; f < result.positions.size(); ++f) {
      const double time_s = static_cast<double>(f) / fps, off = std::abs(lag(result, f, 0.02));
      if (time_s > 0.2 && time_s <= 0.8) first = std::max(first, off);
      if (time_s > 0.85 && time_s <= 1.45) later = std::max(later, off);
    }
    CHECK(first > 1e-3);
    CHECK(later <= 0.12 * first);
  }
}

// The free corner of cubeCorner() swings with the frequency 2 c sqrt(1 + lambda), c the speed of
// shear waves (solve_moving_test.cc). Bones that bob by A sin(W t) make it lag by
// A W^2 / |w^2 - W^2 + i d W|.
TEST_CASE("The swing period follows from softness and size, at any frame rate") {
  for (const double character_m : {1.8, 1.2}) {
    for (const double jiggle : {0.5, 1.0}) {
      const double speed_mps = (jiggle == 0.5 ? 7.498942 : 3.162278) * character_m / 1.8;
      const double own = 2.0 * speed_mps * std::sqrt(1.0 + Material().lambda), bob = 2.0 * kPi;
      const double damping_per_s = 2.0 * 2.302585 / 0.5;
      const double expected =
          0.02 * bob * bob / std::hypot(own * own - bob * bob, damping_per_s * bob);
      for (const double fps : {60.0, 120.0}) {
        const Moved loop = moved(fps, 1.0, bobbing, 0.0, tissueOf(jiggle, 0.5, character_m), true);
        double most = 0.0;
        for (std::size_t f = 0; f < loop.positions.size(); ++f) {
          most = std::max(most, std::abs(lag(loop, f, bobbing(static_cast<double>(f) / fps))));
        }
        CAPTURE(character_m);
        CAPTURE(jiggle);
        CAPTURE(fps);
        CHECK(most == test::nearTo(expected, 0.15));
      }
    }
  }
}

TEST_CASE(
    "A bounded swing keeps its direction, is that of small ones, and never reaches the bound") {
  const Vec3 along(0.6, -0.8, 0.0);
  for (const double length : {1e-6, 0.01, 0.05, 1.0, 1e6}) {
    const Vec3 swing = boundedSwing(along * length, 0.05);
    CHECK(glm::length(swing) <= std::min(length, 0.05) * (1.0 + 1e-12));
    CHECK(glm::dot(swing, along) == doctest::Approx(glm::length(swing)));
  }
  CHECK(glm::length(boundedSwing(along * 0.05, 0.05)) == doctest::Approx(0.05 / std::sqrt(2.0)));
  CHECK(glm::length(boundedSwing(along * 0.001, 0.05)) == test::nearTo(0.001, 2.1e-4));
  CHECK(boundedSwing(along, 0.0) == Vec3(0.0));
}

TEST_CASE("What does not move stays, and clips of several frame rates go together") {
  const TetMesh mesh = cubeCorner();
  const Moved alone = moved(60.0, 0.5, still);
  for (const auto& positions : alone.positions) CHECK(farthest(positions, mesh.positions) < 1e-5);
}

// Keys of bobbing() at 30 Hz, joined by lines.
double keyedBobbing(double time_s) {
  const double key = std::floor(30.0 * time_s + 1e-9), share = 30.0 * time_s - key;
  return (1.0 - share) * bobbing(key / 30.0) + share * bobbing((key + 1.0) / 30.0);
}

TEST_CASE("Tissue is the same for every frame rate of a clip, and smooth between its keys") {
  for (const bool is_cycle : {false, true}) {
    CAPTURE(is_cycle);
    const SoftTissueSettings tissue = tissueOf(1.0, 0.4);
    const Moved keys = moved(30.0, 1.0, keyedBobbing, 0.3, tissue, is_cycle, 1.0 / 30.0);
    for (const std::size_t more : {2U, 4U, 8U, 16U}) {
      CAPTURE(more);
      const double fps = 30.0 * static_cast<double>(more);
      const Moved fine = moved(fps, 1.0, keyedBobbing, 0.3, tissue, is_cycle, 1.0 / 30.0);
      const auto swing = [&](std::size_t f) {
        return lag(fine, f, keyedBobbing(static_cast<double>(f) / fps));
      };
      double largest = 0.0, bend = 0.0;
      for (std::size_t f = 0; f <= 30; ++f) {
        CHECK(farthest(fine.positions[f * more], keys.positions[f]) < 1e-6);
        largest = std::max(largest, std::abs(swing(f * more)));
      }
      for (std::size_t f = 1; f < 30 * more; ++f) {
        bend = std::max(bend, std::abs(swing(f + 1) - 2.0 * swing(f) + swing(f - 1)));
      }
      // A sine of 1 Hz and one of the tissue's own few hertz.
      const double step_rad = 2.0 * kPi * 10.0 / fps;
      CHECK(bend < largest * step_rad * step_rad);
      if (is_cycle) CHECK(std::abs(swing(0) - swing(30 * more)) < 1e-6);
    }
  }
}

TEST_CASE("A clip has as many knots as its length has keys, and no more than frames") {
  SoftTissueClip clip;
  clip.frame_s = 1.0 / 120.0;
  clip.knot_s = 1.0 / 30.0;
  clip.frame_count = 9;
  CHECK(knotSteps(clip) == 2);
  clip.frame_count = 121;
  CHECK(knotSteps(clip) == 30);
  clip.knot_s = 1.0 / 24.0;
  CHECK(knotSteps(clip) == 24);
  clip.frame_count = 120;
  clip.cycle = TissueCycle{true, kIdentityRotation, Vec3(0.0), Vec3(0.0)};
  CHECK(knotSteps(clip) == 24);
  clip.cycle.reset();
  for (const std::size_t few : {0U, 1U, 2U, 3U}) {
    clip.frame_count = few;
    CHECK(knotSteps(clip) == (few > 0 ? few - 1 : 0));
  }
  clip.frame_count = 9;
  clip.knot_s = 0.0;
  CHECK(knotSteps(clip) == 8);
}

TEST_CASE("Methods without inertia are refused") {
  SolveSettings settings;
  settings.method = SolveMethod::kXpbd;
  const auto runs = solveSoftTissue(cubeCorner(), {}, settings, {});
  REQUIRE_FALSE(runs.ok());
  CHECK(runs.error().code == ErrorCode::kRecipe);
}
