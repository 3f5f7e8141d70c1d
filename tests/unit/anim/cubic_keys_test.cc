// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <algorithm>

#include "anim/key_reduction.h"
#include "anim/keys_referee.h"
#include "anim/make_motion.h"
#include "checks.h"
#include "core/integer_rounding.h"
#include "core/to_size.h"

TEST_SUITE_BEGIN("anim.cubic_keys");

using namespace clipmill;
using namespace clipmill::test;

namespace {

constexpr double kReach = 0.5;

ReducedKeys reduceCubic(const Skeleton& skeleton, const Motion& motion, double tolerance,
                        bool is_cubic = true) {
  const std::vector<double> reaches(skeleton.size(), kReach);
  KeyReductionSettings settings;
  settings.tolerance = tolerance;
  settings.shell_distances = reaches;
  settings.cubic_keys = is_cubic;
  return reduceKeys(skeleton, motion, settings);
}

bool isCubic(const Track& track) { return track.interpolation == Interpolation::kCubicSpline; }

std::size_t cubicCount(const ReducedKeys& keys) {
  return toSize(std::ranges::count_if(keys.tracks, isCubic));
}

// Of a glTF file. Keys at all frames share their times.
std::size_t bytesOf(const ReducedKeys& keys, std::size_t frames) {
  std::size_t bytes = 0;
  for (const Track& track : keys.tracks) {
    const bool is_short =
        track.path == TrackPath::kRotation && !isCubic(track) &&
        std::ranges::all_of(track.values, [](double x) { return roundedToShort(x) == x; });
    bytes += (is_short ? 2 : 4) * track.values.size();
    if (track.times_s->size() < frames) bytes += 4 * track.times_s->size();
  }
  return bytes;
}

// All joints keep their rotation as angles, in orders that differ.
Skeleton makeAngleChain(int joints) {
  Skeleton skeleton = makeChain(joints);
  for (int i = 0; i < joints; ++i) {
    skeleton.nodes[toSize(i)].euler =
        EulerRotation{static_cast<EulerOrder>(i % 6), rotationAbout(Vec3(0, 1, 0), 0.4 * i),
                      rotationAbout(Vec3(1, 0, 0), -0.7)};
  }
  return skeleton;
}

// The root moves along x by what `path` gives for the time in seconds.
template <class Path>
Motion makeTravel(const Skeleton& skeleton, std::size_t frames, const Path& path) {
  Motion motion = makeMotion(skeleton, frames);
  for (std::size_t frame = 0; frame < frames; ++frame) {
    localAt(motion, frame, 0).translation.x = path(motion.grid.timeOf(frame));
  }
  motion.modified.set(0, TrackPath::kTranslation);
  return motion;
}

}  // namespace

TEST_CASE("A motion that is a cubic in time has two cubic keys with its slopes") {
  const Skeleton skeleton = makeChain(2);
  const Motion motion = makeTravel(skeleton, 61, [](double t) { return t * t * t - 2.0 * t; });
  // A chord of the frames is off from the cubic by up to 0.0017.
  const ReducedKeys reduced = reduceCubic(skeleton, motion, 0.005);
  const Track& track = reduced.tracks[0];
  REQUIRE(isCubic(track));
  REQUIRE(track.times_s->size() == 2);
  REQUIRE(track.values.size() == 2 * 3 * 3);
  CHECK(track.values[3] == 0.0);
  CHECK(track.values[12] == doctest::Approx(4.0));
  CHECK(track.values[6] == doctest::Approx(-2.0).epsilon(0.01));
  CHECK(track.values[9] == doctest::Approx(10.0).epsilon(0.01));
  CHECK(reduceCubic(skeleton, motion, 0.005, false).keys_after > 10);
}

TEST_CASE("Angles that are cubics in time have two cubic keys with their slopes") {
  for (int order = 0; order < 6; ++order) {
    CAPTURE(order);
    Skeleton skeleton = makeChain(1);
    skeleton.nodes[0].euler = EulerRotation{static_cast<EulerOrder>(order), kIdentityRotation,
                                            rotationAbout(Vec3(1, 0, 0), 0.3)};
    Motion motion = makeMotion(skeleton, 61);
    for (std::size_t frame = 0; frame < 61; ++frame) {
      const double f = static_cast<double>(frame) / 60.0;
      const double eased = f * f * (3.0 - 2.0 * f);
      localAt(motion, frame, 0).rotation =
          localRotation(*skeleton.nodes[0].euler, Vec3(400.0, -50.0, 30.0) * eased);
    }
    motion.modified.set(0, TrackPath::kRotation);
    const ReducedKeys reduced = reduceCubic(skeleton, motion, 0.01);
    const Track& track = reduced.tracks[0];
    REQUIRE(isCubic(track));
    REQUIRE(track.times_s->size() == 2);
    REQUIRE(track.angles_deg.size() == 6);
    CHECK(lengthOf(track.angles_deg[4] - track.angles_deg[1] - Vec3(400.0, -50.0, 30.0)) < 1e-3);
    CHECK(lengthOf(track.angles_deg[2]) < 2.0);  // degrees a second, of 200 on average
    CHECK(lengthOf(track.angles_deg[3]) < 2.0);
    CHECK(refereeError(skeleton, motion, reduced.tracks, kReach) <= 0.01);
  }
}

TEST_CASE("A linear motion stays linear, and a constant one has one key") {
  const Skeleton skeleton = makeChain(2);
  Motion motion = makeTravel(skeleton, 90, [](double t) { return 3.0 * t; });
  motion.modified.set(1, TrackPath::kRotation);
  const ReducedKeys reduced = reduceCubic(skeleton, motion, 1e-3);
  CHECK(cubicCount(reduced) == 0);
  CHECK(reduced.keys_after == 2 + 1);
}

TEST_CASE("The bound holds for cubic keys of smooth and noisy chains") {
  for (const bool has_angles : {false, true}) {
    for (int joints = 1; joints <= 9; joints += 2) {
      for (const double noise : {0.0, 1e-3, 0.02}) {
        CAPTURE(has_angles);
        CAPTURE(joints);
        CAPTURE(noise);
        const Skeleton skeleton = has_angles ? makeAngleChain(joints) : makeChain(joints);
        const Motion motion = makeSwing(skeleton, 80, noise, 7);
        const ReducedKeys reduced = reduceCubic(skeleton, motion, 0.01);
        CHECK(reduced.worst_error <= 0.01);
        CHECK(refereeError(skeleton, motion, reduced.tracks, kReach) <= 0.01);
        if (noise == 0.0) CHECK(cubicCount(reduced) > 0);
      }
    }
  }
}

TEST_CASE("Cubic keys cost fewer bytes of glTF, and are fewer where angles are kept") {
  for (const double tolerance : {1e-3, 1e-2, 0.1}) {
    CAPTURE(tolerance);
    const Skeleton plain = makeChain(5), angles = makeAngleChain(5);
    const Motion motion = makeSwing(plain, 300, 1e-4, 4);
    CHECK(bytesOf(reduceCubic(plain, motion, tolerance), 300) <
          bytesOf(reduceCubic(plain, motion, tolerance, false), 300));
    const ReducedKeys cubic = reduceCubic(angles, motion, tolerance);
    CHECK(2 * cubic.keys_after < reduceCubic(angles, motion, tolerance, false).keys_after);
  }
}

TEST_CASE("Numbers of cubic keys are floats, and quaternions are those of the angles") {
  const Skeleton skeleton = makeAngleChain(4);
  const ReducedKeys reduced = reduceCubic(skeleton, makeSwing(skeleton, 120, 0.0, 2), 0.01);
  REQUIRE(cubicCount(reduced) > 0);
  const auto isFloat = [](double x) { return x == static_cast<double>(static_cast<float>(x)); };
  for (const Track& track : reduced.tracks) {
    CHECK(std::ranges::all_of(track.values, isFloat));
    if (!isCubic(track)) continue;
    REQUIRE(track.angles_deg.size() == 3 * track.times_s->size());
    const EulerRotation& euler = *skeleton.nodes[toSize(track.node)].euler;
    for (std::size_t k = 0; k < track.times_s->size(); ++k) {
      for (std::size_t part = 0; part < 3; ++part) {
        for (int axis = 0; axis < 3; ++axis) CHECK(isFloat(track.angles_deg[3 * k + part][axis]));
      }
      const Quat rotation = localRotation(euler, track.angles_deg[3 * k + 1]);
      CHECK(test::distance(rotation, quatAt(&track.values[12 * k + 4])) < 1e-6);
    }
    // Halfway between keys the quaternions are near the angles.
    const double time_s = 0.5 * ((*track.times_s)[0] + (*track.times_s)[1]);
    const std::vector<double> mixed = refereeValue(track, time_s);
    const Quat by_angles = localRotation(euler, refereeAngles(track, time_s));
    CHECK(test::distance(normalizedOrIdentity(quatAt(mixed.data())), by_angles) < 0.05);
  }
}

TEST_CASE("Quaternions of cubic keys lie in one hemisphere, within 120 degrees") {
  const Skeleton skeleton = makeChain(1);
  Motion motion = makeMotion(skeleton, 480);
  for (std::size_t frame = 0; frame < 480; ++frame) {
    const double phase = kPi / 60.0 * static_cast<double>(frame);
    const Quat rotation = rotationAbout(Vec3(0, 0, 1), 2.5 * std::sin(phase));
    localAt(motion, frame, 0).rotation = frame % 7 ? rotation : -rotation;
  }
  motion.modified.set(0, TrackPath::kRotation);
  const ReducedKeys reduced = reduceCubic(skeleton, motion, 0.002);
  const Track& track = reduced.tracks[0];
  REQUIRE(isCubic(track));
  CHECK(track.times_s->size() >= 1 + 16);  // each of 8 swings by 5 radians has two spans or more
  for (std::size_t k = 1; k < track.times_s->size(); ++k) {
    CHECK(glm::dot(quatAt(&track.values[12 * k - 8]), quatAt(&track.values[12 * k + 4])) > 0.499);
  }
  CHECK(refereeError(skeleton, motion, reduced.tracks, kReach) <= 0.002);
}

TEST_CASE("Where values jump the bound holds, and no cubic leads across") {
  const Skeleton skeleton = makeChain(3);
  Motion motion = makeJumps(skeleton);
  motion.modified.set(0, TrackPath::kTranslation);
  motion.modified.set(1, TrackPath::kRotation);
  const ReducedKeys reduced = reduceCubic(skeleton, motion, 1e-3);
  CHECK(refereeError(skeleton, motion, reduced.tracks, kReach) <= 1e-3);
  CHECK(cubicCount(reduced) == 0);
  CHECK(reduced.keys_after == 2 * 14);
}

TEST_CASE("Morph weights stay linear beside cubic keys") {
  Skeleton skeleton = makeChain(1);
  skeleton.nodes[0].weights_count = 1;
  skeleton.rest_weights = {0.0};
  Motion motion = makeTravel(skeleton, 61, [](double t) { return t * t * t; });
  motion.modified.set(0, TrackPath::kWeights);
  for (std::size_t frame = 0; frame < 61; ++frame) {
    motion.weights[frame] = std::sin(0.1 * static_cast<double>(frame));
  }
  const ReducedKeys reduced = reduceCubic(skeleton, motion, 0.01);
  CHECK(isCubic(reduced.tracks[0]));
  CHECK_FALSE(isCubic(reduced.tracks[1]));
}

TEST_CASE("Held points keep their own tolerance beside cubic keys") {
  const Skeleton skeleton = makeChain(5);
  const Motion motion = makeSwing(skeleton, 120, 0.0, 7);
  const std::vector<HeldPoint> held = {{3, Vec3(0.0, 0.1, 0.0), 40, 63, 2e-4}};
  KeyReductionSettings settings;
  settings.tolerance = 0.02;
  settings.cubic_keys = true;
  settings.held = held;
  const ReducedKeys reduced = reduceKeys(skeleton, motion, settings);
  CHECK(cubicCount(reduced) > 0);
  CHECK(reduced.worst_held_error <= 2e-4);
  double worst = 0.0;
  const std::vector<Track> full = tracksOf(skeleton, motion);
  for (std::size_t frame = 40; frame <= 63; ++frame) {
    const double time_s = motion.grid.timeOf(frame);
    const auto pointOf = [&](const std::vector<Track>& tracks) {
      return refereeWorld(skeleton, refereePose(skeleton, tracks, time_s), 3, held[0].offset);
    };
    worst = std::max(worst, lengthOf(pointOf(full) - pointOf(reduced.tracks)));
  }
  CHECK(worst > 0.0);
  CHECK(worst <= 2e-4);
}

TEST_CASE("Short rotations and cubic keys together cost no more than cubic keys alone") {
  const Skeleton skeleton = makeChain(6);
  const std::vector<double> reaches(skeleton.size(), kReach);
  for (const double noise : {0.0, 2e-3}) {
    CAPTURE(noise);
    const Motion motion = makeSwing(skeleton, 240, noise, 3);
    KeyReductionSettings settings;
    settings.tolerance = 0.01;
    settings.shell_distances = reaches;
    settings.short_rotations = settings.cubic_keys = true;
    const ReducedKeys both = reduceKeys(skeleton, motion, settings);
    CHECK(refereeError(skeleton, motion, both.tracks, kReach) <= 0.01);
    CHECK(bytesOf(both, 240) <= bytesOf(reduceCubic(skeleton, motion, 0.01), 240));
  }
}

TEST_CASE("The same motion gives the same cubic keys again") {
  for (const bool has_angles : {false, true}) {
    const Skeleton skeleton = has_angles ? makeAngleChain(6) : makeChain(6);
    const Motion motion = makeSwing(skeleton, 100, 1e-4, 11);
    const ReducedKeys a = reduceCubic(skeleton, motion, 0.01);
    const ReducedKeys b = reduceCubic(skeleton, motion, 0.01);
    for (std::size_t i = 0; i < a.tracks.size(); ++i) {
      CHECK(*a.tracks[i].times_s == *b.tracks[i].times_s);
      CHECK(a.tracks[i].values == b.tracks[i].values);
      CHECK(a.tracks[i].angles_deg == b.tracks[i].angles_deg);
    }
  }
}

TEST_SUITE_END();
