// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "checks.h"
#include "core/to_size.h"
#include "locomotion/foot_contacts.h"
#include "locomotion/made_walk.h"
#include "random.h"

TEST_SUITE_BEGIN("locomotion.random_contacts");

using namespace clipmill;
using namespace clipmill::locomotion;
using namespace clipmill::test;

namespace {

constexpr int kWalks = 60;            // of every kind
constexpr double kFrames = 30.0;      // a second, in which contacts are compared
constexpr double kSlackFrames = 2;    // of them
constexpr double kLeast = 0.95;       // precision and recall of a kind
constexpr double kLeastOfOne = 0.85;  // of a single walk

struct RandomWalk {
  MadeWalk walk;
  double fps = 30.0;
};

// A walk ahead over heel and ball, on level ground that rests, in metres with y up.
RandomWalk ahead(test::Random& random) {
  RandomWalk made;
  MadeWalk& walk = made.walk;
  walk.cycle_s = random.number(0.8, 1.4);
  walk.stance = random.number(0.55, 0.68);
  walk.stride_m = random.number(0.6, 1.6);
  walk.lift_m = random.number(0.06, 0.2);
  walk.length_s = random.number(1.5, 6.0);
  walk.ball_down = random.number(0.05, 0.2);
  walk.heel_lifts = random.number(0.55, 0.8);
  walk.strike_rad = random.number(5.0, 25.0) * kDegree;
  walk.push_rad = random.number(20.0, 50.0) * kDegree;
  made.fps = random.oneOf<double>({24.0, 30.0, 60.0, 120.0});
  return made;
}

// Feet that stay level, in any direction.
void goAnywhere(test::Random& random, MadeWalk& walk) {
  walk.direction_rad = random.number(-kPi, kPi);
  walk.ball_down = walk.strike_rad = walk.push_rad = 0.0;
  walk.heel_lifts = 1.0;
}

void addSpace(test::Random& random, MadeWalk& walk) {
  walk.metres_per_unit = random.oneOf<double>({1.0, 0.01, 0.0254, 10.0});
  walk.size = random.oneOf<double>({0.3, 0.6, 1.0, 1.0, 2.0, 100.0});
  walk.metric_from_file =
      random.oneOf<Quat>({kIdentityRotation, rotationAbout(Vec3(1, 0, 0), -0.5 * kPi),
                          rotationAbout(Vec3(0, 0, 1), 0.5 * kPi)});
  walk.start_m = Vec3{random.number(-150.0, 150.0), 0.0, random.number(-150.0, 150.0)};
}

void addNoise(test::Random& random, MadeWalk& walk) {
  walk.noise_m = 0.001;
  walk.noise_seed = static_cast<unsigned>(random.number(1.0, 1e6));
}

void addSlope(test::Random& random, MadeWalk& walk) {
  const double along = std::tan(random.number(-12.0, 12.0) * kDegree);
  const double aside = std::tan(random.number(-6.0, 6.0) * kDegree);
  walk.ground_m = [=](const Vec3& at) { return along * at.z + aside * at.x; };
}

void addStairs(test::Random& random, MadeWalk& walk) {
  const double run_m = random.number(0.26, 0.34);
  const double rise_m = random.oneOf<double>({-1.0, 1.0}) * random.number(0.12, 0.19);
  walk.stride_m = 2.0 * run_m;
  walk.lift_m = random.number(0.2, 0.3);
  walk.length_s = std::max(walk.length_s, 2.0 * walk.cycle_s);
  // No heel strike: the foot that is put on a step is level.
  walk.ball_down = walk.strike_rad = 0.0;
  walk.ground_m = [=](const Vec3& at) { return rise_m * std::floor(at.z / run_m + 0.5); };
}

void putOnSpot(test::Random& random, MadeWalk& walk) {
  walk.on_spot = true;
  walk.length_s = walk.cycle_s * random.oneOf<double>({1.0, 1.0, 2.0, 3.0});
}

void run(test::Random& random, MadeWalk& walk) {
  walk.cycle_s = random.number(0.6, 0.8);
  walk.stance = random.number(0.28, 0.42);
  walk.stride_m = random.number(1.8, 3.2);
  walk.lift_m = random.number(0.15, 0.3);
  walk.ball_down = walk.strike_rad = 0.0;
}

// Slowly, with feet that stay level and are hardly lifted.
void sneak(test::Random& random, MadeWalk& walk) {
  walk.cycle_s = random.number(1.4, 2.4);
  walk.stance = random.number(0.6, 0.75);
  walk.stride_m = random.number(0.4, 1.0);
  walk.lift_m = random.number(0.03, 0.06);
  walk.ball_down = walk.strike_rad = walk.push_rad = 0.0;
  walk.heel_lifts = 1.0;
  walk.length_s = walk.cycle_s * random.number(1.0, 3.0);
}

void rest(test::Random&, MadeWalk& walk) {
  walk.cycle_s = 1000.0;
  walk.stride_m = walk.lift_m = walk.ball_down = walk.strike_rad = walk.push_rad = 0.0;
  walk.heel_lifts = 1.0;
}

// Frames in which a part of a foot is on the ground.
std::vector<bool> framesIn(const std::vector<TimeSpan>& spans, double length_s) {
  std::vector<bool> frames(toSize(std::floor(length_s * kFrames)) + 1, false);
  for (const TimeSpan& span : spans) {
    for (std::size_t i = 0; i < frames.size(); ++i) {
      if (span.holds(static_cast<double>(i) / kFrames)) frames[i] = true;
    }
  }
  return frames;
}

struct Count {
  double right = 0.0, all = 0.0;

  double share() const { return all > 0.0 ? right / all : 1.0; }
  void add(const Count& other) { right += other.right, all += other.all; }
};

// How many frames of `a` have one of `b` near.
Count countNear(const std::vector<bool>& a, const std::vector<bool>& b) {
  Count count;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!a[i]) continue;
    const std::size_t reach = toSize(kSlackFrames), from = i >= reach ? i - reach : 0;
    const std::size_t to = std::min(b.size() - 1, i + reach);
    bool is_near = false;
    for (std::size_t k = from; k <= to; ++k) is_near = is_near || b[k];
    count.add({is_near ? 1.0 : 0.0, 1.0});
  }
  return count;
}

struct Score {
  Count precision, recall;
};

Score scoreOf(const RandomWalk& made) {
  const MadeWalk& walk = made.walk;
  const MadeScene scene = make(walk, made.fps);
  const FeetTrace trace = traceFeet(scene.scene, scene.map, scene.motion);
  REQUIRE(trace.feet.size() == 2);
  Score score;
  const auto compare = [&](const std::vector<TimeSpan>& found, const std::vector<TimeSpan>& known) {
    const auto ours = framesIn(found, walk.length_s), truth = framesIn(known, walk.length_s);
    score.precision.add(countNear(ours, truth));
    score.recall.add(countNear(truth, ours));
  };
  for (const FootTrace& foot : trace.feet) {
    compare(foot.heel_on, walk.heelRests(foot.marks.side));
    compare(foot.ball_on, walk.ballRests(foot.marks.side));
  }
  return score;
}

using Change = std::function<void(test::Random&, MadeWalk&)>;

// Walks of one kind: all changes are made, one after the other, to a walk ahead.
void checkWalks(const std::string& kind, const std::vector<Change>& changes) {
  Score all;
  for (unsigned seed = 0; seed < kWalks; ++seed) {
    test::Random random(seed);
    RandomWalk made = ahead(random);
    for (const Change& change : changes) change(random, made.walk);
    const Score score = scoreOf(made);
    const MadeWalk& walk = made.walk;
    INFO(kind << " " << seed << ": " << made.fps << " fps, " << walk.length_s << " s, cycle "
              << walk.cycle_s << " s, stance " << walk.stance << ", stride " << walk.stride_m
              << " m, size " << walk.size << ", direction " << walk.direction_rad);
    INFO("precision " << score.precision.share() << ", recall " << score.recall.share());
    CHECK(score.precision.share() >= kLeastOfOne);
    CHECK(score.recall.share() >= kLeastOfOne);
    all.precision.add(score.precision);
    all.recall.add(score.recall);
  }
  MESSAGE(kind << ": precision " << all.precision.share() << ", recall " << all.recall.share());
  CHECK(all.precision.share() >= kLeast);
  CHECK(all.recall.share() >= kLeast);
}

}  // namespace

TEST_CASE("contacts of made walks are found at any frame rate") { checkWalks("ahead", {}); }

TEST_CASE("contacts are found for any units, axes, sizes and positions") {
  checkWalks("space", {addSpace});
}

TEST_CASE("contacts are found with a noise of 1 mm") { checkWalks("noise", {addNoise}); }

TEST_CASE("contacts are found in any direction") { checkWalks("direction", {goAnywhere}); }

TEST_CASE("contacts are found on any slope") {
  checkWalks("slope", {addSlope});
  checkWalks("slope and noise", {addSlope, addNoise});
  checkWalks("slope, in any direction and space", {goAnywhere, addSlope, addSpace});
}

TEST_CASE("contacts are found on any stairs") {
  checkWalks("stairs", {addStairs});
  checkWalks("stairs and noise", {addStairs, addNoise});
}

TEST_CASE("contacts are found on the spot, in one cycle or several") {
  checkWalks("on the spot", {putOnSpot});
  checkWalks("on the spot, in any direction and space", {putOnSpot, goAnywhere, addSpace});
  checkWalks("on the spot, with noise", {putOnSpot, addNoise});
}

TEST_CASE("contacts of runs are found, also on the spot") {
  checkWalks("runs", {run});
  checkWalks("runs on the spot", {run, putOnSpot});
  checkWalks("runs on the spot, with noise", {run, putOnSpot, addNoise});
}

TEST_CASE("feet at rest have contacts for all the time") {
  checkWalks("at rest", {rest});
  checkWalks("at rest with noise", {rest, addSpace, addNoise});
}

TEST_CASE("contacts of feet that are hardly lifted are found, also on the spot") {
  checkWalks("sneaking", {sneak});
  checkWalks("sneaking with noise", {sneak, addNoise});
  checkWalks("sneaking on the spot", {sneak, putOnSpot});
  checkWalks("sneaking on the spot, with noise", {sneak, putOnSpot, addNoise});
}

TEST_SUITE_END();
