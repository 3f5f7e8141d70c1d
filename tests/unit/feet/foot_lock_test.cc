// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/feet/foot_lock.h"

#include <algorithm>
#include <cmath>

#include "anim/pose.h"
#include "checks.h"
#include "make_samples/gait.h"
#include "make_samples/leap.h"
#include "scene/figure_scene.h"

TEST_SUITE_BEGIN("feet.foot_lock");

using namespace clipmill;
using namespace clipmill::test;

namespace {

struct Figure {
  explicit Figure(const KeyframeClip& clip, const FileSpace& space = {}, double fps = 30.0)
      : scene(figureScene(samples::makeBodyRig(), clip, space)),
        map(figureMap(scene)),
        root(nodeOf(scene, "Root")),
        source(sampled(scene, fps)) {}

  // The source with the way of its root made longer along its own net direction.
  Motion stretchedBy(double factor) const {
    Motion motion = source;
    const Vec3 begin = source.localsOf(0)[static_cast<std::size_t>(root)].translation;
    for (std::size_t i = 0; i < motion.grid.frame_count; ++i) {
      Vec3& place = motion.frame(i).locals[static_cast<std::size_t>(root)].translation;
      place = begin + (place - begin) * factor;
    }
    motion.touched.set(root, TrackPath::kTranslation);
    return motion;
  }

  Vec3 placeOf(const Motion& motion, const char* joint, std::size_t frame) const {
    return worldsAt(scene, motion, frame)[static_cast<std::size_t>(nodeOf(scene, joint))]
        .translation;
  }

  Scene scene;
  HumanoidMap map;
  int root;
  Motion source;
};

const samples::Rig& bodyRig() {
  static const samples::Rig rig = samples::makeBodyRig();
  return rig;
}

// How far a joint strays from where it is at the first of the frames.
double straysIn(const Figure& figure, const Motion& motion, const char* joint, std::size_t from,
                std::size_t to) {
  const Vec3 first = figure.placeOf(motion, joint, from);
  double farthest = 0.0;
  for (std::size_t i = from; i <= to; ++i) {
    farthest = std::max(farthest, glm::length(figure.placeOf(motion, joint, i) - first));
  }
  return farthest;
}

double accelerationOf(const Figure& figure, const Motion& motion, const char* joint) {
  double most = 0.0;
  const double step = 1.0 / motion.grid.fps;
  for (std::size_t i = 1; i + 1 < motion.grid.frame_count; ++i) {
    const Vec3 second = figure.placeOf(motion, joint, i + 1) -
                        2.0 * figure.placeOf(motion, joint, i) +
                        figure.placeOf(motion, joint, i - 1);
    most = std::max(most, glm::length(second) / (step * step));
  }
  return most;
}

double kneeAngle(const Figure& figure, const Motion& motion, const std::string& side,
                 std::size_t i) {
  const Vec3 hip = figure.placeOf(motion, (side + "UpLeg").c_str(), i);
  const Vec3 knee = figure.placeOf(motion, (side + "Leg").c_str(), i);
  const Vec3 ankle = figure.placeOf(motion, (side + "Foot").c_str(), i);
  return angleBetween(hip - knee, ankle - knee);
}

double kneeAngularAcceleration(const Figure& figure, const Motion& motion,
                               const std::string& side) {
  double most = 0.0;
  for (std::size_t i = 1; i + 1 < motion.grid.frame_count; ++i) {
    most = std::max(most, std::abs(kneeAngle(figure, motion, side, i + 1) -
                                   2.0 * kneeAngle(figure, motion, side, i) +
                                   kneeAngle(figure, motion, side, i - 1)));
  }
  return most * motion.grid.fps * motion.grid.fps;
}

}  // namespace

TEST_CASE("a motion that goes the way of its source stays as it is, bit for bit") {
  for (const KeyframeClip& clip :
       {samples::leapClip(bodyRig()), samples::lungeClip(bodyRig()),
        samples::gaitClip(bodyRig(), "Walk", samples::walkGait(), samples::Travel::kRoot)}) {
    const Figure figure(clip);
    Motion locked = figure.source;
    const FootLockReport report =
        lockFeet(figure.scene, figure.map, figure.source, locked, FootLockSettings());
    CHECK(report.found_limbs);
    CHECK(report.plants.size() >= 2);
    CHECK_FALSE(report.changed);
    CHECK(locked.touched.none());
    CHECK(locked.locals == figure.source.locals);
  }
}

TEST_CASE("a motion that is elsewhere as a whole keeps its legs") {
  const Figure figure(samples::leapClip(bodyRig()));
  Motion moved = figure.source;
  for (std::size_t i = 0; i < moved.grid.frame_count; ++i) {
    moved.frame(i).locals[static_cast<std::size_t>(figure.root)].translation += Vec3(3, 1, -2);
  }
  const Motion before = moved;
  CHECK_FALSE(lockFeet(figure.scene, figure.map, figure.source, moved, {}).changed);
  CHECK(moved.locals == before.locals);
}

TEST_CASE("feet of a stretched leap stand still before take-off and after landing") {
  const Figure figure(samples::leapClip(bodyRig()));
  for (const double factor : {5.0 / 3.0, 4.0 / 3.0, 0.6}) {
    const Motion free = figure.stretchedBy(factor);
    Motion locked = free;
    const FootLockReport report = lockFeet(figure.scene, figure.map, figure.source, locked, {});
    CHECK(report.changed);
    REQUIRE(report.plants.size() == 4);
    // Without the lock the toes slide with the root: it goes 0.285 m until frame 17.
    CHECK(straysIn(figure, free, "LeftToeBase", 0, 17) > 0.28 * std::abs(factor - 1.0));
    // The last frame of the push-off is out of reach at 5 m.
    const std::size_t off = factor > 1.5 ? 16 : 17;
    for (const char* toe : {"LeftToeBase", "RightToeBase"}) {
      CHECK(straysIn(figure, locked, toe, 0, off) < 0.005);
      CHECK(straysIn(figure, locked, toe, 42, 62) < 0.005);
      CHECK(std::abs(figure.placeOf(locked, toe, 0).z - 0.11) < 1e-4);
      CHECK(std::abs(figure.placeOf(locked, toe, 62).z - 0.11 - 3.0 * factor) < 1e-4);
    }
    for (const Metric& metric : report.metrics) {
      if (metric.name == "planted_drift_mm") CHECK(metric.after < 5.0);
      if (metric.name == "foot_skate_cm") CHECK(metric.after < *metric.before + 0.2);
    }
  }
}

TEST_CASE("a foot out of reach is reported, and one in reach is not") {
  const Figure figure(samples::leapClip(bodyRig()));
  Motion near = figure.stretchedBy(4.0 / 3.0), far = figure.stretchedBy(5.0 / 3.0);
  CHECK(lockFeet(figure.scene, figure.map, figure.source, near, {}).warnings.empty());
  const FootLockReport report = lockFeet(figure.scene, figure.map, figure.source, far, {});
  CHECK(report.warnings.count("foot_out_of_reach") == 2);
  // At frame 17 the ankle is to stay where it was; the hip joint is 0.19 m farther ahead.
  const Plant& plant = report.plants[0];
  CHECK(plant.limb == "left foot");
  CHECK(plant.begin_s == 0.0);
  CHECK(std::abs(plant.end_s - 17.0 / 30.0) < 1e-9);
  const Vec3 hip = figure.placeOf(far, "LeftUpLeg", 17);
  const double leg = 0.43 * std::sqrt(1.0 + 0.012 * 0.012 / 0.43 / 0.43) +
                     std::sqrt(0.415 * 0.415 + 0.032 * 0.032);
  const double beyond = glm::length(figure.placeOf(figure.source, "LeftFoot", 17) - hip) - leg;
  CHECK(beyond > 0.0);
  CHECK(plant.short_m > beyond);
  CHECK(plant.short_m < beyond + 0.02 * leg);
  CHECK(std::abs(plant.out_of_reach_s - 1.0 / 30.0) < 1e-9);
}

TEST_CASE("knees do not snap") {
  for (const auto& [clip, factor] :
       {std::pair(samples::leapClip(bodyRig()), 5.0 / 3.0),
        std::pair(samples::leapClip(bodyRig()), 4.0 / 3.0),
        std::pair(samples::leapClip(bodyRig()), 0.6), std::pair(samples::lungeClip(bodyRig()), 1.6),
        std::pair(samples::gaitClip(bodyRig(), "Walk", samples::walkGait(), samples::Travel::kRoot),
                  1.3),
        std::pair(samples::gaitClip(bodyRig(), "Run", samples::runGait(), samples::Travel::kRoot),
                  1.2)}) {
    const Figure figure(clip);
    Motion locked = figure.stretchedBy(factor);
    lockFeet(figure.scene, figure.map, figure.source, locked, {});
    for (const std::string side : {"Left", "Right"}) {
      INFO(clip.name << " " << factor << " " << side);
      CHECK(kneeAngularAcceleration(figure, locked, side) <
            1.5 * kneeAngularAcceleration(figure, figure.source, side));
      CHECK(accelerationOf(figure, locked, (side + "Leg").c_str()) <
            1.5 * accelerationOf(figure, figure.source, (side + "Leg").c_str()));
    }
  }
}

TEST_CASE("a planted foot keeps the direction in which it points in the source") {
  const Figure figure(samples::leapClip(bodyRig()));
  Motion locked = figure.stretchedBy(4.0 / 3.0);
  lockFeet(figure.scene, figure.map, figure.source, locked, {});
  const auto foot = static_cast<std::size_t>(nodeOf(figure.scene, "RightFoot"));
  for (std::size_t i = 0; i < locked.grid.frame_count; ++i) {
    const Quat was = rotationOf(worldsAt(figure.scene, figure.source, i)[foot]);
    CHECK(distance(rotationOf(worldsAt(figure.scene, locked, i)[foot]), was) < 1e-9);
  }
}

TEST_CASE("bones keep their lengths and only legs, feet and hips are written") {
  const Figure figure(samples::leapClip(bodyRig()));
  const Motion free = figure.stretchedBy(5.0 / 3.0);
  Motion locked = free;
  lockFeet(figure.scene, figure.map, figure.source, locked, {});
  for (int n = 0; n < static_cast<int>(figure.scene.skeleton.size()); ++n) {
    const std::string& name = figure.scene.skeleton.nodes[static_cast<std::size_t>(n)].name;
    const bool is_leg = name.find("Leg") != name.npos || name.find("Foot") != name.npos;
    CHECK(locked.touched.has(n, TrackPath::kRotation) == is_leg);
    CHECK(locked.touched.has(n, TrackPath::kTranslation) == (name == "Root" || name == "Hips"));
    CHECK_FALSE(locked.touched.has(n, TrackPath::kScale));
    for (std::size_t i = 0; i < locked.grid.frame_count; ++i) {
      const auto at = static_cast<std::size_t>(n);
      const Transform &a = free.localsOf(i)[at], &b = locked.localsOf(i)[at];
      if (!is_leg) CHECK(a.rotation == b.rotation);
      if (name != "Hips") CHECK(a.translation == b.translation);
    }
  }
}

TEST_CASE("hips do not sink in the air nor next to it") {
  const Figure figure(samples::leapClip(bodyRig()));
  const Motion free = figure.stretchedBy(5.0 / 3.0);
  Motion locked = free;
  lockFeet(figure.scene, figure.map, figure.source, locked, {});
  const auto sinks = [&](std::size_t i) {
    return figure.placeOf(free, "Hips", i).y - figure.placeOf(locked, "Hips", i).y;
  };
  for (std::size_t i = 18; i < 42; ++i) CHECK(sinks(i) == 0.0);
  for (std::size_t i = 0; i < 62; ++i) CHECK(sinks(i) < 0.02);
}

TEST_CASE("hips sink for a step that is too wide for the legs") {
  const Figure figure(samples::lungeClip(bodyRig()));
  Motion stiff = figure.stretchedBy(2.0), soft = stiff;
  FootLockSettings settings;
  const FootLockReport sunk = lockFeet(figure.scene, figure.map, figure.source, soft, settings);
  settings.pelvis_drop = 0.0;
  const FootLockReport stood = lockFeet(figure.scene, figure.map, figure.source, stiff, settings);
  CHECK(sunk.pelvis_drop_m > 0.02);
  CHECK(sunk.pelvis_drop_m <= 0.08 * 0.85);
  CHECK(stood.pelvis_drop_m == 0.0);
  CHECK(sunk.warnings.empty());
  CHECK(stood.warnings.count("foot_out_of_reach") > 0);
}

TEST_CASE("a figure that turns takes the places of its feet along") {
  const Figure figure(samples::leapClip(bodyRig()));
  // A quarter turn about the begin, which sets in with the flight and ends with it.
  Motion turned = figure.source;
  for (std::size_t i = 0; i < turned.grid.frame_count; ++i) {
    const double share = std::clamp((static_cast<double>(i) - 14.0) / 30.0, 0.0, 1.0);
    const Quat turn = rotationAbout(Vec3(0, 1, 0), 0.5 * kPi * samples::smoothStep(share));
    Transform& root = turned.frame(i).locals[static_cast<std::size_t>(figure.root)];
    root.translation = turn * root.translation;
    root.rotation = turn * root.rotation;
  }
  const Motion free = turned;
  lockFeet(figure.scene, figure.map, figure.source, turned, {});
  for (const char* toe : {"LeftToeBase", "RightToeBase"}) {
    CHECK(straysIn(figure, turned, toe, 0, 17) < 0.005);
    CHECK(straysIn(figure, turned, toe, 42, 62) < 0.005);
    CHECK(glm::length(figure.placeOf(turned, toe, 62) - figure.placeOf(free, toe, 62)) < 1e-4);
  }
  const auto foot = static_cast<std::size_t>(nodeOf(figure.scene, "LeftFoot"));
  const Quat first = rotationOf(worldsAt(figure.scene, turned, 0)[foot]);
  CHECK(distance(first, rotationOf(worldsAt(figure.scene, free, 0)[foot])) < 1e-4);
  for (std::size_t i = 42; i < 62; ++i) {
    const Quat last = rotationOf(worldsAt(figure.scene, turned, 62)[foot]);
    CHECK(distance(rotationOf(worldsAt(figure.scene, turned, i)[foot]), last) < 1e-4);
  }
}

TEST_CASE("a foot that slides in the source is held") {
  Figure figure(samples::leapClip(bodyRig()));
  // 30 mm sideways while both feet stand, in the source itself.
  for (std::size_t i = 0; i < figure.source.grid.frame_count; ++i) {
    const double share = std::min(1.0, static_cast<double>(i) / 12.0);
    figure.source.frame(i).locals[static_cast<std::size_t>(figure.root)].translation.x +=
        0.03 * share;
  }
  figure.source.touched.set(figure.root, TrackPath::kTranslation);
  Motion locked = figure.source;
  const FootLockReport report = lockFeet(figure.scene, figure.map, figure.source, locked, {});
  CHECK(report.changed);
  CHECK(straysIn(figure, figure.source, "LeftToeBase", 0, 16) > 0.01);
  CHECK(straysIn(figure, locked, "LeftToeBase", 0, 16) < 0.002);
  CHECK(straysIn(figure, locked, "RightToeBase", 0, 16) < 0.002);
}

TEST_CASE("units and axes of the file do not matter") {
  const KeyframeClip leap = samples::leapClip(bodyRig());
  const Figure metric(leap);
  Motion expected = metric.stretchedBy(5.0 / 3.0);
  lockFeet(metric.scene, metric.map, metric.source, expected, {});
  const FileSpace z_up_cm{0.01, rotationAbout(Vec3(1, 0, 0), -0.5 * kPi)};
  const Figure other(leap, z_up_cm);
  Motion locked = other.stretchedBy(5.0 / 3.0);
  lockFeet(other.scene, other.map, other.source, locked, {});
  for (std::size_t i = 0; i < locked.grid.frame_count; ++i) {
    const auto a = worldsAt(metric.scene, expected, i), b = worldsAt(other.scene, locked, i);
    for (std::size_t n = 0; n < a.size(); ++n) {
      CHECK(distance(a[n].translation, b[n].translation) < 1e-9);
    }
  }
}

TEST_CASE("the frame rate does not matter where feet stand") {
  const KeyframeClip leap = samples::leapClip(bodyRig());
  for (const double fps : {24.0, 60.0, 120.0}) {
    const Figure figure(leap, {}, fps);
    Motion locked = figure.stretchedBy(4.0 / 3.0);
    lockFeet(figure.scene, figure.map, figure.source, locked, {});
    const std::size_t take_off = static_cast<std::size_t>(0.55 * fps);
    const std::size_t landed = static_cast<std::size_t>(1.42 * fps) + 1;
    CHECK(straysIn(figure, locked, "LeftToeBase", 0, take_off) < 0.005);
    CHECK(straysIn(figure, locked, "LeftToeBase", landed, locked.grid.frame_count - 1) < 0.005);
  }
}

TEST_CASE("frames may show other times of the source") {
  const Figure figure(samples::leapClip(bodyRig()));
  // The same leap at half the speed, and longer.
  Motion slow = figure.source;
  slow.grid = makeGrid(0.0, 2.0 * figure.source.grid.end_s, 30.0);
  slow.source = nullptr;
  slow.locals.clear();
  std::vector<double> source_times_s;
  MotionCursor cursor(figure.scene.skeleton, figure.source);
  for (std::size_t i = 0; i < slow.grid.frame_count; ++i) {
    source_times_s.push_back(0.5 * slow.grid.timeOf(i));
    const Pose& pose = cursor.at(source_times_s.back());
    slow.locals.insert(slow.locals.end(), pose.locals.begin(), pose.locals.end());
    slow.locals[slow.locals.size() - pose.locals.size() + static_cast<std::size_t>(figure.root)]
        .translation.z *= 4.0 / 3.0;
  }
  const FootLockReport report =
      lockFeet(figure.scene, figure.map, figure.source, slow, {}, {source_times_s});
  REQUIRE(report.plants.size() == 4);
  CHECK(std::abs(report.plants[0].end_s - 2.0 * 17.25 / 30.0) < 2.0 / 30.0);
  CHECK(straysIn(figure, slow, "LeftToeBase", 0, 33) < 0.005);
  CHECK(straysIn(figure, slow, "LeftToeBase", 85, slow.grid.frame_count - 1) < 0.005);
}

TEST_CASE("a cycle still ends in the pose in which it begins") {
  const Figure figure(
      samples::gaitClip(bodyRig(), "Walk", samples::walkGait(), samples::Travel::kRoot));
  Motion locked = figure.stretchedBy(1.3);
  CHECK(lockFeet(figure.scene, figure.map, figure.source, locked, {}).changed);
  const auto first = locked.localsOf(0), last = locked.localsOf(locked.grid.frame_count - 1);
  for (std::size_t n = 0; n < first.size(); ++n) {
    const Vec3 way = last[n].translation - first[n].translation;
    CHECK(distance(first[n].rotation, last[n].rotation) < 1e-6);
    CHECK(distance(way, Vec3(0, 0, static_cast<int>(n) == figure.root ? 1.3 * 1.2 : 0)) < 1e-6);
  }
}

TEST_CASE("a hand that keeps still is held where it is asked for") {
  const Figure figure(samples::leapClip(bodyRig()));
  // The root slides under a figure that stands; its left hand is to stay where it is.
  Motion source = figure.source, slid = figure.source;
  for (std::size_t i = 0; i < slid.grid.frame_count; ++i) {
    const auto rest = figure.source.localsOf(0);
    std::copy(rest.begin(), rest.end(), source.frame(i).locals.begin());
    std::copy(rest.begin(), rest.end(), slid.frame(i).locals.begin());
    const double t = static_cast<double>(i) / 62.0;
    slid.frame(i).locals[static_cast<std::size_t>(figure.root)].translation.z = 0.04 * t * t;
  }
  source.source = slid.source = nullptr;
  FootLockSettings settings;
  Motion feet_only = slid;
  lockFeet(figure.scene, figure.map, source, feet_only, settings);
  settings.hands = true;
  lockFeet(figure.scene, figure.map, source, slid, settings);
  CHECK(straysIn(figure, feet_only, "LeftHand", 0, 62) > 0.03);
  // Arms and legs of the rest pose are straight but for a little, where reach is soft.
  CHECK(straysIn(figure, slid, "LeftHand", 0, 62) < 1e-3);
  CHECK(straysIn(figure, slid, "LeftFoot", 0, 62) < 1e-3);
}

TEST_CASE("nothing is held when feet are off, without legs and in a single frame") {
  const Figure figure(samples::leapClip(bodyRig()));
  const Motion free = figure.stretchedBy(2.0);
  Motion motion = free;
  FootLockSettings off;
  off.feet = FeetPolicy::kOff;
  CHECK_FALSE(lockFeet(figure.scene, figure.map, figure.source, motion, off).changed);
  const FootLockReport none = lockFeet(figure.scene, HumanoidMap(), figure.source, motion, {});
  CHECK_FALSE(none.found_limbs);
  CHECK(motion.locals == free.locals);
  const Clip& clip = figure.scene.clips[0];
  Motion still = sampleClip(figure.scene.skeleton, clip, 0, makeGrid(0.0, 0.0, 30.0));
  const Motion source = still;
  CHECK_FALSE(lockFeet(figure.scene, figure.map, source, still, {}).changed);
}

TEST_SUITE_END();
