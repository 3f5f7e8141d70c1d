// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "locomotion/foot_contacts.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "checks.h"
#include "locomotion/foot_skate.h"
#include "make_samples/gait.h"
#include "make_samples/leap.h"
#include "scene/character_scene.h"

TEST_SUITE_BEGIN("locomotion.foot_contacts");

using namespace clipmill;
using namespace clipmill::humanoid;
using namespace clipmill::locomotion;
using namespace clipmill::test;

namespace {

constexpr double kStep_s = 1.0 / 120.0;

// At rest at the origin for a second, then rises at 2 m/s.
std::vector<Vec3> restThenRise(double step_s) {
  std::vector<Vec3> positions;
  for (double t = 0.0; t < 2.0; t += step_s) {
    positions.push_back(Vec3(0, t < 1.0 ? 0.0 : 2.0 * (t - 1.0), 0));
  }
  return positions;
}

bool sameSpans(const std::vector<TimeSpan>& a, const std::vector<TimeSpan>& b, double within_s) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::abs(a[i].start_s - b[i].start_s) > within_s) return false;
    if (std::abs(a[i].end_s - b[i].end_s) > within_s) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("a contact ends when the point leaves, at any rate of samples") {
  for (const double step_s : {1.0 / 120.0, 1.0 / 240.0, 1.0 / 480.0}) {
    const auto spans = findContacts(0.0, step_s, restThenRise(step_s), 0.0, {});
    REQUIRE(spans.size() == 1);
    CHECK(spans[0].start_s == 0.0);
    CHECK(std::abs(spans[0].end_s - 1.0) < 0.03);
  }
}

TEST_CASE("a point that is high, fast, briefly down or NaN has no contact") {
  const std::vector<Vec3> still(120, Vec3(0.0));
  CHECK(findContacts(0.0, kStep_s, still, 0.0, {}).size() == 1);
  CHECK(findContacts(0.0, kStep_s, still, -0.06, {}).empty());
  CHECK(findContacts(0.0, kStep_s, std::vector<Vec3>(6, Vec3(0.0)), 0.0, {}).empty());
  CHECK(findContacts(0.0, 0.0, std::vector<Vec3>(1), 0.0, {}).empty());
  std::vector<Vec3> fast, nowhere(120, Vec3(std::numeric_limits<double>::quiet_NaN()));
  for (int i = 0; i < 120; ++i) fast.push_back(Vec3(0.4 * i * kStep_s, 0, 0));
  CHECK(findContacts(0.0, kStep_s, fast, 0.0, {}).empty());
  CHECK(findContacts(0.0, kStep_s, nowhere, 0.0, {}).empty());
}

TEST_CASE("a contact that has started survives what would not have started it") {
  // 0.25 m/s lies between two thirds of the limit and the limit.
  std::vector<Vec3> positions(60, Vec3(0.0));
  for (int i = 1; i < 60; ++i) positions.push_back(Vec3(0.25 * i * kStep_s, 0, 0));
  const auto spans = findContacts(0.0, kStep_s, positions, 0.0, {});
  REQUIRE(spans.size() == 1);
  CHECK(spans[0].end_s > 0.95);
  const std::vector<Vec3> slow_only(positions.begin() + 60, positions.end());
  CHECK(findContacts(0.0, kStep_s, slow_only, 0.0, {}).empty());
}

TEST_CASE("gaps of less than half the shortest contact are closed") {
  std::vector<TimeSpan> spans = unionOf({{0.0, 0.3}, {0.34, 0.6}}, {}, 0.05);
  REQUIRE(spans.size() == 1);
  CHECK(spans[0].end_s == 0.6);
  CHECK(unionOf({{0.0, 0.3}, {0.4, 0.6}}, {}, 0.05).size() == 2);
  const TimeSpan other{0.25, 0.45};
  CHECK(unionOf({{0.0, 0.3}, {0.4, 0.6}}, {&other, 1}, 0.0).size() == 1);
}

TEST_CASE("the feet of a leap are planted until push-off, heels first, and after the landing") {
  const Scene scene =
      characterScene(samples::makeBodyRig(), samples::leapClip(samples::makeBodyRig()));
  const FeetTrace trace = traceFeet(scene, characterMap(scene), sampled(scene));
  REQUIRE(trace.feet.size() == 2);
  for (const FootTrace& foot : trace.feet) {
    REQUIRE(foot.ball_on.size() == 2);
    REQUIRE(foot.heel_on.size() == 2);
    CHECK(foot.ball_on[0].start_s == 0.0);
    // The heel rises from frame 11, the toes leave at 18; the landing is at 41.
    CHECK(std::abs(foot.ball_on[0].end_s - 18.0 / 30.0) < 1.0 / 30.0);
    CHECK(std::abs(foot.heel_on[0].end_s - 11.5 / 30.0) < 1.5 / 30.0);
    CHECK(std::abs(foot.ball_on[1].start_s - 41.0 / 30.0) < 1.0 / 30.0);
    CHECK(std::abs(foot.ball_on[1].end_s - 62.0 / 30.0) < 1e-9);
    // Between keys the foot is a millimetre or so off.
    CHECK(std::abs(foot.ball_level_m - 0.025) < 2e-3);
    CHECK(std::abs(foot.heel_level_m) < 2e-3);
  }
  CHECK(std::abs(trace.ground_m) < 2e-3);
}

TEST_CASE("contacts are the same at any frame rate, to within one frame") {
  const samples::Rig rig = samples::makeBodyRig();
  for (const KeyframeClip& clip :
       {samples::leapClip(rig), samples::lungeClip(rig),
        samples::gaitClip(rig, "Walk", samples::walkGait(), samples::Travel::kRoot)}) {
    const Scene scene = characterScene(rig, clip);
    const FeetTrace exact = traceFeet(scene, characterMap(scene), sampled(scene));
    for (const double fps : {24.0, 30.0, 60.0, 120.0}) {
      // As a clip that was sampled at that rate and has forgotten where it came from.
      Motion baked = sampled(scene, fps);
      baked.source = nullptr;
      const FeetTrace trace = traceFeet(scene, characterMap(scene), baked);
      for (std::size_t f = 0; f < 2; ++f) {
        CHECK(sameSpans(trace.feet[f].ball_on, exact.feet[f].ball_on, 1.0 / 24.0));
        CHECK(sameSpans(trace.feet[f].heel_on, exact.feet[f].heel_on, 1.0 / 24.0));
      }
    }
  }
}

TEST_CASE("contacts do not depend on units and axes of the file") {
  const samples::Rig rig = samples::makeBodyRig();
  const Scene metres = characterScene(rig, samples::leapClip(rig));
  const Scene z_up_cm =
      characterScene(rig, samples::leapClip(rig), {0.01, rotationAbout(Vec3(1, 0, 0), -0.5 * kPi)});
  const FeetTrace a = traceFeet(metres, characterMap(metres), sampled(metres));
  const FeetTrace b = traceFeet(z_up_cm, characterMap(z_up_cm), sampled(z_up_cm));
  for (std::size_t f = 0; f < 2; ++f) {
    CHECK(sameSpans(a.feet[f].ball_on, b.feet[f].ball_on, 1e-9));
    CHECK(sameSpans(a.feet[f].heel_on, b.feet[f].heel_on, 1e-9));
    CHECK(distance(a.feet[f].heel_m[100], b.feet[f].heel_m[100]) < 1e-9);
  }
}

TEST_CASE("contacts do not depend on the size of the world, where it lies and how it slopes") {
  const samples::Rig rig = samples::makeBodyRig();
  const Scene plain = characterScene(rig, samples::leapClip(rig));
  // A file in centimetres that claims metres.
  const Scene large = characterScene(rig, samples::leapClip(rig), {100.0, kIdentityRotation});
  const FeetTrace a = traceFeet(plain, characterMap(plain), sampled(plain));
  const FeetTrace b = traceFeet(large, characterMap(large), sampled(large));
  CHECK(std::abs(a.leg_m - legLength(plain, characterMap(plain))) < 1e-12);
  for (std::size_t f = 0; f < 2; ++f) {
    CHECK(sameSpans(a.feet[f].ball_on, b.feet[f].ball_on, 1e-9));
    CHECK(sameSpans(a.feet[f].heel_on, b.feet[f].heel_on, 1e-9));
  }
  CHECK(a.slope == Vec3(0.0));
  CHECK(a.treadmill_mps == Vec3(0.0));
}

TEST_CASE("a walk on the spot has the contacts of the walk that travels") {
  const samples::Rig rig = samples::makeBodyRig();
  const samples::Gait gait = samples::walkGait();
  const Scene moving =
      characterScene(rig, samples::gaitClip(rig, "Walk", gait, samples::Travel::kRoot));
  const Scene on_spot =
      characterScene(rig, samples::gaitClip(rig, "Walk", gait, samples::Travel::kInPlace));
  const FeetTrace a = traceFeet(moving, characterMap(moving), sampled(moving));
  const FeetTrace b = traceFeet(on_spot, characterMap(on_spot), sampled(on_spot));
  const double length_s = a.step_s * static_cast<double>(a.sample_count - 1);
  CHECK(a.treadmill_mps == Vec3(0.0));
  CHECK(std::abs(lengthOf(b.treadmill_mps) - gait.stride_m / length_s) < 0.05);
  CHECK(b.hasContacts());
  for (std::size_t f = 0; f < 2; ++f) {
    CHECK(sameSpans(a.feet[f].heel_on, b.feet[f].heel_on, 2.0 / 30.0));
    CHECK(sameSpans(a.feet[f].ball_on, b.feet[f].ball_on, 2.0 / 30.0));
  }
}

TEST_CASE(
    "contacts are taken from a clip by side, on ground that rests or moves as that of the clip") {
  const samples::Rig rig = samples::makeBodyRig();
  const samples::Gait gait = samples::walkGait();
  const auto traceOf = [&](samples::Travel travel) {
    const Scene scene = characterScene(rig, samples::gaitClip(rig, "Walk", gait, travel));
    return traceFeet(scene, characterMap(scene), sampled(scene));
  };
  const FeetTrace clip = traceOf(samples::Travel::kRoot);
  FeetTrace trace = clip;
  for (FootTrace& foot : trace.feet) foot.heel_on.clear();
  std::reverse(trace.feet.begin(), trace.feet.end());
  takeContacts(clip, trace);
  for (std::size_t f = 0; f < 2; ++f) {
    CHECK(trace.feet[1 - f].marks.side == clip.feet[f].marks.side);
    CHECK(sameSpans(trace.feet[1 - f].heel_on, clip.feet[f].heel_on, 0.0));
  }
  FeetTrace on_spot = traceOf(samples::Travel::kInPlace);
  const Vec3 treadmill_mps = on_spot.treadmill_mps;
  REQUIRE(lengthOf(treadmill_mps) > 0.5);
  const FeetTrace clip_on_spot = on_spot;
  takeContacts(clip, on_spot);
  CHECK(on_spot.treadmill_mps == Vec3(0.0));
  CHECK(on_spot.feet[0].heel_on_ground_m == on_spot.feet[0].heel_m);
  takeContacts(clip_on_spot, on_spot);
  CHECK(lengthOf(on_spot.treadmill_mps - treadmill_mps) < 0.01);
  // In lengths of a leg the ground is no faster than under the clip, and may be slower.
  for (const double factor : {0.5, 2.0}) {
    FeetTrace other = clip_on_spot;
    other.leg_m *= 2.0;
    other.treadmill_mps *= 2.0 * factor;
    takeContacts(clip_on_spot, other);
    CHECK(lengthOf(other.treadmill_mps - 2.0 * std::min(factor, 1.0) * treadmill_mps) < 1e-9);
  }
}

TEST_CASE("a character without feet has no trace") {
  const samples::Rig rig = samples::makeBodyRig();
  const Scene scene = characterScene(rig, samples::leapClip(rig));
  CHECK(traceFeet(scene, HumanoidMap(), sampled(scene)).feet.empty());
}

TEST_CASE(
    "skate is the horizontal distance in a thirtieth of a second, less the higher the point is") {
  const TimeSpan span{0.0, 1.0};
  for (const auto& [height_m, weight] :
       {std::pair(0.0, 1.0), std::pair(-0.01, 1.0), std::pair(0.0125, 2.0 - std::sqrt(2.0)),
        std::pair(0.025, 0.0), std::pair(0.1, 0.0)}) {
    std::vector<Vec3> positions;
    for (int i = 0; i <= 120; ++i) positions.push_back(Vec3(0.3 * i * kStep_s, height_m, 0));
    // 0.3 m/s are 1 cm in a thirtieth of a second.
    const auto skate_cm = skateIn({&span, 1}, 0.0, kStep_s, positions, 0.0).cmPerFrame();
    REQUIRE(skate_cm.has_value());
    CHECK(std::abs(*skate_cm - weight) < 1e-9);
    // The mean position is in the middle.
    CHECK(std::abs(driftIn(span, 0.0, kStep_s, positions) - 0.15) < 1e-9);
  }
  CHECK_FALSE(Skate().cmPerFrame().has_value());
}

TEST_CASE("a foot that slides is on the ground, one that swings past it is not") {
  std::vector<Vec3> slides, swings;
  for (int i = 0; i < 120; ++i) {
    const double t = i * kStep_s;
    slides.push_back(Vec3(0.8 * t, 0.002, 0));
    swings.push_back(Vec3(3.0 * t, 2.0 * (t - 0.5) * (t - 0.5), 0));
  }
  const auto on = findGroundSpans(0.0, kStep_s, slides, 0.0);
  REQUIRE(on.size() == 1);
  CHECK(on[0].length() > 0.95);
  CHECK(findContacts(0.0, kStep_s, slides, 0.0, {}).empty());
  CHECK(findGroundSpans(0.0, kStep_s, swings, 0.0).empty());
}

TEST_SUITE_END();
