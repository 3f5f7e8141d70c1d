// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "anim/key_reduction.h"

#include <algorithm>

#include "anim/keys_referee.h"
#include "anim/make_motion.h"
#include "anim/reduction_checks.h"
#include "checks.h"
#include "core/to_size.h"

TEST_SUITE_BEGIN("anim.key_reduction");

using namespace clipmill;
using namespace clipmill::test;

namespace {

// Translation, rotation and scale wander at random.
Motion makeRandomWalk(const Skeleton& skeleton, std::size_t frames, double step, unsigned seed) {
  Motion motion = makeMotion(skeleton, frames);
  MotionNoise random{std::mt19937(seed)};
  for (int node = 0; node < static_cast<int>(skeleton.size()); ++node) {
    for (std::size_t frame = 1; frame < motion.grid.frame_count; ++frame) {
      const Transform before = localAt(motion, frame - 1, node);
      Transform& local = localAt(motion, frame, node);
      local.translation = before.translation + random.vec(0.1 * step);
      local.rotation = normalizedOrIdentity(before.rotation * random.rotation(step));
      local.scale = before.scale * (Vec3(1.0) + random.vec(0.2 * step));
    }
  }
  setAllModified(motion, {TrackPath::kTranslation, TrackPath::kRotation, TrackPath::kScale});
  return motion;
}

}  // namespace

TEST_CASE("the bound holds on smooth and noisy chains of 1 to 12 joints") {
  for (int joints = 1; joints <= 12; ++joints) {
    for (double noise : {0.0, 1e-4, 0.02}) {
      CAPTURE(joints);
      CAPTURE(noise);
      const Skeleton skeleton = makeChain(joints);
      checkReduction(skeleton, makeSwing(skeleton, 60, noise, 7), 0.01, 0.5);
    }
  }
}

TEST_CASE("the bound holds on random walks of translation, rotation and scale") {
  for (unsigned seed = 0; seed < 12; ++seed) {
    for (double step : {0.003, 0.05, 0.8}) {
      CAPTURE(seed);
      CAPTURE(step);
      const Skeleton skeleton = makeChain(1 + static_cast<int>(seed) % 5);
      checkReduction(skeleton, makeRandomWalk(skeleton, 50, step, seed), 0.02, 0.3);
    }
  }
}

TEST_CASE("the bound holds where a long bone follows many joints") {
  const Skeleton skeleton = makeChain(40, 2.0);
  Motion motion = makeSwing(skeleton, 40, 0.0, 3);
  checkReduction(skeleton, motion, 0.05, 5.0);
}

TEST_CASE("the bound holds where values jump") {
  const Skeleton skeleton = makeChain(3);
  Motion motion = makeJumps(skeleton);
  setAllModified(motion, {TrackPath::kTranslation, TrackPath::kRotation});
  checkReduction(skeleton, motion, 1e-3, 0.2);
  const ReducedKeys reduced = reduceWithReach(skeleton, motion, 1e-3, 0.2);
  // Six jumps with a key on either side, two ends, on two tracks; a key on the four others.
  CHECK(reduced.keys_after == 2 * 14 + 4 * 1);
}

TEST_CASE("the bound holds between frames, where a fast rotation bulges out") {
  // The tip of a bone runs around the equator, two frames of it a little above. Without these the
  // tip is off by 0.00421 at the frames and by 0.00434 on the great circle between them.
  constexpr double kTolerance = 0.00428, kHeight = 0.0097, kStep = 48.0 * kDegree;
  const Skeleton skeleton = makeChain(2);
  Motion motion = makeMotion(skeleton, 4);
  Vec3 before(0, 1, 0);
  for (std::size_t frame = 1; frame < 4; ++frame) {
    const double longitude = kStep * static_cast<double>(frame);
    const double height = frame < 3 ? kHeight : 0.0;
    const double radius = std::sqrt(1.0 - height * height);
    const Vec3 tip(-radius * std::sin(longitude), radius * std::cos(longitude), height);
    localAt(motion, frame, 0).rotation =
        rotationBetween(before, tip) * localAt(motion, frame - 1, 0).rotation;
    before = tip;
  }
  motion.modified.set(0, TrackPath::kRotation);
  checkReduction(skeleton, motion, kTolerance, 0.0);
}

TEST_CASE("a smooth motion loses most of its keys") {
  const Skeleton skeleton = makeChain(4);
  const ReducedKeys reduced =
      reduceWithReach(skeleton, makeSwing(skeleton, 400, 0.0, 1), 0.02, 0.5);
  CHECK(reduced.keys_after < reduced.keys_before / 3);
  CHECK(reduced.worst_error > 0.5 * 0.02);  // the tolerance is used, not hoarded
}

TEST_CASE("a wider tolerance never needs more keys") {
  const Skeleton skeleton = makeChain(5);
  const Motion motion = makeSwing(skeleton, 120, 1e-3, 4);
  std::size_t before = reduceWithReach(skeleton, motion, 1e-5, 0.5).keys_after;
  for (double tolerance : {1e-4, 1e-3, 1e-2, 1e-1, 1.0}) {
    const std::size_t now = reduceWithReach(skeleton, motion, tolerance, 0.5).keys_after;
    CHECK(now <= before);
    before = now;
  }
  CHECK(before < 10 * 5);
}

TEST_CASE("linear motions collapse to their first and last key") {
  const Skeleton skeleton = makeChain(3);
  Motion motion = makeMotion(skeleton, 200);
  for (std::size_t frame = 0; frame < 200; ++frame) {
    const double t = static_cast<double>(frame) / 199.0;
    localAt(motion, frame, 0).translation = Vec3(3.0 * t, 1.0, -t);
    localAt(motion, frame, 1).rotation = rotationAbout(Vec3(0, 0.6, 0.8), 0.1 * t);
    localAt(motion, frame, 2).scale = Vec3(1.0 + t, 1.0, 1.0 - 0.5 * t);
  }
  setAllModified(motion, {TrackPath::kTranslation, TrackPath::kRotation, TrackPath::kScale});
  const ReducedKeys reduced = reduceWithReach(skeleton, motion, 1e-4, 0.5);
  CHECK(reduced.keys_after == 3 * 2 + 6 * 1);  // six are constant
}

TEST_CASE("at every frame the bound also holds for players that mix components") {
  const Skeleton skeleton = makeChain(1);
  Motion motion = makeMotion(skeleton, 61);
  for (std::size_t frame = 0; frame < 61; ++frame) {
    localAt(motion, frame, 0).rotation =
        rotationAbout(Vec3(0, 0, 1), 2.6 * static_cast<double>(frame) / 60.0);
  }
  motion.modified.set(0, TrackPath::kRotation);
  for (double tolerance : {1e-1, 1e-2, 1e-3, 1e-4}) {
    const Track track = reduceWithReach(skeleton, motion, tolerance, 1.0).tracks[0];
    const std::vector<double>& times = *track.times_s;
    double worst = 0.0;
    std::size_t key = 0;
    for (std::size_t frame = 0; frame + 1 < 61; ++frame) {
      const double time_s = motion.grid.timeOf(frame);
      while (times[key + 1] <= time_s) ++key;
      const double f = (time_s - times[key]) / (times[key + 1] - times[key]);
      const double* a = &track.values[4 * key];
      const double z = a[2] + (a[6] - a[2]) * f, w = a[3] + (a[7] - a[3]) * f;
      const double angle = 2.0 * std::atan2(z, w);
      worst = std::max(worst, std::abs(angle - 2.6 * static_cast<double>(frame) / 60.0));
    }
    CAPTURE(tolerance);
    CHECK(worst < tolerance);
    CHECK(times.size() < 61);
  }
}

TEST_CASE("at every frame the bound also holds for players that mix three angles") {
  for (int order = 0; order < 6; ++order) {
    Skeleton skeleton = makeChain(1);
    const EulerRotation euler{static_cast<EulerOrder>(order), rotationAbout(Vec3(0, 1, 0), 0.4),
                              rotationAbout(Vec3(1, 0, 0), -0.7)};
    skeleton.nodes[0].euler = euler;
    Motion motion = makeMotion(skeleton, 361);
    for (std::size_t frame = 0; frame < 361; ++frame) {  // tumbles one and a half times round
      const double angle = 3.0 * kPi * static_cast<double>(frame) / 360.0;
      localAt(motion, frame, 0).rotation = rotationAbout(glm::normalize(Vec3(1, 2, 0.5)), angle) *
                                           rotationAbout(Vec3(1, 0, 0), 0.3 * std::sin(angle));
    }
    motion.modified.set(0, TrackPath::kRotation);
    for (const double tolerance : {1e-1, 1e-2, 1e-3}) {
      const Track track = reduceWithReach(skeleton, motion, tolerance, 1.0).tracks[0];
      const std::vector<double>& times = *track.times_s;
      REQUIRE(track.angles_deg.size() == times.size());
      double worst = 0.0;
      std::size_t key = 0;
      for (std::size_t frame = 0; frame + 1 < 361; ++frame) {
        const double time_s = motion.grid.timeOf(frame);
        while (times[key + 1] <= time_s) ++key;
        const double f = (time_s - times[key]) / (times[key + 1] - times[key]);
        const Vec3 angles = track.angles_deg[key] * (1.0 - f) + track.angles_deg[key + 1] * f;
        const Quat expected = localAt(motion, frame, 0).rotation;
        worst = std::max(worst, test::distance(localRotation(euler, angles), expected));
      }
      CAPTURE(order);
      CAPTURE(tolerance);
      CHECK(worst < tolerance);
      CHECK(times.size() < 361);
    }
  }
}

TEST_CASE("first and last values are those of the motion, rounded to float") {
  const Skeleton skeleton = makeChain(4);
  const Motion motion = makeRandomWalk(skeleton, 70, 0.05, 9);
  const ReducedKeys reduced = reduceWithReach(skeleton, motion, 0.05, 0.3);
  const std::vector<Track> full = tracksOf(skeleton, motion);
  for (std::size_t i = 0; i < full.size(); ++i) {
    const std::size_t width = toSize(full[i].width);
    const auto& values = reduced.tracks[i].values;
    double sign = 1.0;
    if (full[i].path == TrackPath::kRotation &&
        full[i].values[full[i].values.size() - 1] * values[values.size() - 1] < 0.0) {
      sign = -1.0;
    }
    for (std::size_t k = 0; k < width; ++k) {
      CHECK(values[k] == static_cast<float>(full[i].values[k]));
      CHECK(sign * values[values.size() - width + k] ==
            static_cast<float>(full[i].values[full[i].values.size() - width + k]));
    }
    for (double value : values) CHECK(value == static_cast<double>(static_cast<float>(value)));
  }
}

TEST_CASE("consecutive quaternion keys lie in one hemisphere") {
  const Skeleton skeleton = makeChain(1);
  Motion motion = makeMotion(skeleton, 100);
  for (std::size_t frame = 0; frame < 100; ++frame) {  // 1440 degrees
    localAt(motion, frame, 0).rotation =
        rotationAbout(Vec3(0, 0, 1), 8.0 * kPi * static_cast<double>(frame) / 99.0);
  }
  motion.modified.set(0, TrackPath::kRotation);
  const ReducedKeys reduced = reduceWithReach(skeleton, motion, 0.02, 1.0);
  const Track& track = reduced.tracks[0];
  CHECK(track.times_s->size() >= 9);  // no key can reach 180 degrees
  CHECK(track.times_s->size() <= 20);
  for (std::size_t k = 4; k < track.values.size(); k += 4) {
    double cosine = 0.0;
    for (std::size_t i = 0; i < 4; ++i) cosine += track.values[k - 4 + i] * track.values[k + i];
    CHECK(cosine > 0.0);
  }
  checkReduction(skeleton, motion, 1e-3, 1.0);
}

TEST_CASE("motions of one and of two frames keep all keys") {
  const Skeleton skeleton = makeChain(2);
  for (std::size_t frames : {1u, 2u}) {
    const Motion motion = makeSwing(skeleton, frames, 0.1, 5);
    const ReducedKeys reduced = reduceWithReach(skeleton, motion, 1e-3, 1.0);
    CHECK(reduced.keys_after == 2 * frames);
    checkReduction(skeleton, motion, 1e-3, 1.0);
  }
}

TEST_CASE("a tolerance of zero keeps every key and reports the error of rounding") {
  const Skeleton skeleton = makeChain(3);
  const ReducedKeys reduced = reduceWithReach(skeleton, makeSwing(skeleton, 30, 0, 1), 0.0, 1.0);
  CHECK(reduced.keys_after == reduced.keys_before);
  CHECK(reduced.worst_error > 0.0);
  CHECK(reduced.worst_error < 1e-5);
}

TEST_CASE("morph weights have a tolerance of their own") {
  Skeleton skeleton = makeChain(1);
  skeleton.nodes[0].weights_count = 2;
  skeleton.rest_weights = {0.0, 0.0};
  Motion motion = makeMotion(skeleton, 101);
  motion.modified.set(0, TrackPath::kWeights);
  for (std::size_t frame = 0; frame < 101; ++frame) {
    motion.weights[2 * frame] = frame < 50 ? 0.02 * static_cast<double>(frame) : 1.0;
    motion.weights[2 * frame + 1] = 0.5 * static_cast<double>(frame % 2) * 1e-3;
  }
  const ReducedKeys coarse = reduceKeys(skeleton, motion, {0.0, 1e-3, {}});
  CHECK(coarse.keys_after == 3);
  const ReducedKeys fine = reduceKeys(skeleton, motion, {0.0, 1e-5, {}});
  CHECK(fine.keys_after == 101);
  for (std::size_t frame = 0; frame < 101; ++frame) {
    const auto value = refereeValue(coarse.tracks[0], motion.grid.timeOf(frame));
    CHECK(std::abs(value[0] - motion.weights[2 * frame]) <= 1e-3);
    CHECK(std::abs(value[1] - motion.weights[2 * frame + 1]) <= 1e-3);
  }
}

TEST_CASE("a modified tail under an animated and scaled body is measured in the world") {
  Skeleton skeleton = makeChain(6, 0.3);
  Node hat;
  hat.name = "hat";
  hat.parent = 1;
  skeleton.nodes.push_back(hat);
  Motion body = makeMotion(skeleton, 60);
  for (std::size_t frame = 0; frame < 60; ++frame) {
    const double phase = 0.1 * static_cast<double>(frame);
    localAt(body, frame, 0).scale = Vec3(4.0, 3.0, 5.0) * (1.5 + std::sin(phase));
    localAt(body, frame, 1).rotation = rotationAbout(Vec3(1, 0, 0), std::sin(0.7 * phase));
  }
  body.modified.set(0, TrackPath::kScale);
  body.modified.set(1, TrackPath::kRotation);
  const std::vector<Track> authored = tracksOf(skeleton, body);
  Clip clip;
  clip.end_s = body.grid.end_s;
  clip.source = keyframeSource(skeleton, authored);

  Motion motion = sampleClip(skeleton, clip, 0, body.grid);
  const Motion swing = makeSwing(skeleton, 60, 1e-3, 8);
  for (int node = 3; node < 6; ++node) {
    for (std::size_t frame = 0; frame < 60; ++frame) {
      localAt(motion, frame, node).rotation = swing.localsOf(frame)[toSize(node)].rotation;
    }
    motion.modified.set(node, TrackPath::kRotation);
  }
  const ReducedKeys reduced = reduceWithReach(skeleton, motion, 0.02, 0.1);
  CHECK(reduced.tracks.size() == 3);
  CHECK(reduced.keys_after < reduced.keys_before);

  // With the body's own tracks on both sides, the referee sees the same world.
  Motion whole = motion;
  whole.modified.set(0, TrackPath::kScale);
  whole.modified.set(1, TrackPath::kRotation);
  std::vector<Track> written = authored;
  written.insert(written.end(), reduced.tracks.begin(), reduced.tracks.end());
  const double error = refereeError(skeleton, whole, written, 0.1);
  CHECK(error <= 0.02);
  CHECK(error > 0.5 * reduced.worst_error);
}

TEST_CASE("a shorter last interval is interpolated by its own length") {
  const Skeleton skeleton = makeChain(2);
  Motion motion = makeSwing(skeleton, 50, 0.0, 2);
  motion.grid.end_s -= 0.6 / 30.0;
  checkReduction(skeleton, motion, 1e-3, 0.5);
}

TEST_CASE("the same motion gives the same keys again") {
  const Skeleton skeleton = makeChain(6);
  const Motion motion = makeRandomWalk(skeleton, 64, 0.05, 11);
  const ReducedKeys a = reduceWithReach(skeleton, motion, 0.01, 0.2);
  const ReducedKeys b = reduceWithReach(skeleton, motion, 0.01, 0.2);
  for (std::size_t i = 0; i < a.tracks.size(); ++i) {
    CHECK(*a.tracks[i].times_s == *b.tracks[i].times_s);
    CHECK(a.tracks[i].values == b.tracks[i].values);
  }
}

TEST_CASE("Held points keep their own tolerance, and other nodes lose keys as without them") {
  const Skeleton skeleton = makeChain(5);
  const Motion motion = makeSwing(skeleton, 120, 0.002, 7);
  const double loose = 0.02, tight = 2e-4;
  const std::vector<HeldPoint> held = {{3, Vec3(0.0, 0.1, 0.0), 40, 63, tight}};
  KeyReductionSettings settings;
  settings.tolerance = loose;
  const ReducedKeys without = reduceKeys(skeleton, motion, settings);
  settings.held = held;
  const ReducedKeys with = reduceKeys(skeleton, motion, settings);
  CHECK(without.worst_held_error == 0.0);
  CHECK(with.worst_held_error <= tight);
  CHECK(with.worst_held_error > 0.0);
  CHECK(with.worst_error <= loose);
  CHECK(with.worst_error > 10.0 * tight);
  CHECK(with.keys_after > without.keys_after);
  // The bound is looked at from outside: the point by forward kinematics of both.
  const auto source = keyframeSource(skeleton, with.tracks)->cursor();
  Pose pose = restPose(skeleton);
  double worst = 0.0, elsewhere = 0.0;
  for (std::size_t frame = 0; frame < motion.grid.frame_count; ++frame) {
    source->sample(motion.grid.timeOf(frame), {pose.locals, pose.weights});
    std::vector<Affine> exact, got;
    computeWorlds(skeleton, motion.localsOf(frame), {}, exact);
    computeWorlds(skeleton, pose.locals, {}, got);
    const double off =
        lengthOf(transformPoint(exact[3], held[0].offset) - transformPoint(got[3], held[0].offset));
    double& most = frame >= 40 && frame <= 63 ? worst : elsewhere;
    most = std::max(most, off);
  }
  CHECK(worst <= tight);
  CHECK(elsewhere > 5.0 * tight);
}

TEST_CASE("The histogram counts every moving node at every frame, within the tolerance") {
  const Skeleton skeleton = makeChain(5);
  const Motion motion = makeSwing(skeleton, 60, 0.002, 3);
  KeyReductionSettings settings;
  settings.tolerance = 0.01;
  const ReducedKeys reduced = reduceKeys(skeleton, motion, settings);
  REQUIRE(reduced.error_histogram.size() == kErrorBins);
  std::size_t all = 0;
  for (const std::size_t count : reduced.error_histogram) all += count;
  // Twice: for players that follow the arc, and for those that mix components; once at the end.
  CHECK(all == skeleton.size() * (2 * (motion.grid.frame_count - 1) + 1));
  CHECK(reduced.error_histogram.front() > 0);
}

TEST_SUITE_END();
