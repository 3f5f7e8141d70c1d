// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "anim/pose.h"
#include "checks.h"
#include "make_samples/gestures.h"
#include "make_samples/samples.h"
#include "scene/figure_scene.h"
#include "scene/foot_contacts.h"

TEST_SUITE_BEGIN("self_collision.exact");

using namespace clipmill;
using namespace clipmill::test;

namespace {

// The fat body of the samples with one clip.
struct Fat {
  explicit Fat(const KeyframeClip& clip)
      : scene(samples::makeHumanoid(rig(), samples::fatShape(), samples::Accessories::kNone)) {
    const Scene animated = figureScene(rig(), clip);
    scene.clips = animated.clips;
    map = figureMap(scene);
    map.nodes[static_cast<std::size_t>(HumanoidRole::kChest)] = nodeOf(scene, "Spine2");
    map.nodes[static_cast<std::size_t>(HumanoidRole::kNeck)] = nodeOf(scene, "Neck");
    map.nodes[static_cast<std::size_t>(HumanoidRole::kLeftShoulder)] =
        nodeOf(scene, "LeftShoulder");
    map.nodes[static_cast<std::size_t>(HumanoidRole::kRightShoulder)] =
        nodeOf(scene, "RightShoulder");
  }

  static const samples::Rig& rig() {
    static const samples::Rig rig = samples::makeRig(samples::Accessories::kNone);
    return rig;
  }

  SelfPenetration skin() const {
    Result<SelfPenetration> skin = SelfPenetration::make(scene, map);
    CHECK_OK(skin);
    return std::move(skin).value();
  }

  StageResult freed(const Motion& motion, const ExactSettings& settings = {}) const {
    Result<StageResult> result = freeClip(scene, map, skin(), settings, motion);
    CHECK_OK(result);
    return std::move(result).value();
  }

  Scene scene;
  HumanoidMap map;
};

double after(const StageResult& result, const std::string& name) {
  for (const Metric& metric : result.metrics) {
    if (metric.name == name) return metric.after;
  }
  FAIL("no metric " << name);
  return 0.0;
}

double before(const StageResult& result, const std::string& name) {
  for (const Metric& metric : result.metrics) {
    if (metric.name == name) return metric.before.value_or(0.0);
  }
  FAIL("no metric " << name);
  return 0.0;
}

// Percent of the height that any limb is deep in anything, looked at `per_frame` times a frame as
// players show the motion.
double deepest_percent(const Fat& fat, const Motion& motion, int per_frame) {
  const SelfPenetration skin = fat.skin();
  const auto pose = skin.makePose();
  MotionCursor cursor(fat.scene.skeleton, motion);
  const int last = static_cast<int>(motion.grid.frame_count - 1) * per_frame;
  double deepest_m = 0.0;
  for (int i = 0; i <= last; ++i) {
    std::vector<Affine> worlds;
    computeWorlds(fat.scene.skeleton, cursor.at(i / (motion.grid.fps * per_frame)).locals, Affine(),
                  worlds);
    skin.pose(worlds, {}, *pose);
    for (std::size_t pair = 0; pair < skin.pairs().size(); ++pair) {
      deepest_m = std::max(deepest_m, skin.measure(pair, *pose).depth_m);
    }
  }
  return 100.0 * deepest_m / skin.height_m();
}

Vec3 placeAt(const Fat& fat, const Motion& motion, const char* joint, double time_s) {
  MotionCursor cursor(fat.scene.skeleton, motion);
  std::vector<Affine> worlds;
  computeWorlds(fat.scene.skeleton, cursor.at(time_s).locals, Affine(), worlds);
  return worlds[static_cast<std::size_t>(nodeOf(fat.scene, joint))].translation;
}

bool isArm(const std::string& name) {
  return name.find("Arm") != std::string::npos || name.find("Hand") != std::string::npos ||
         name.find("Shoulder") != std::string::npos;
}

}  // namespace

TEST_CASE("arms come out of the belly at every frame and between, and nothing else moves") {
  const Fat fat(samples::armsThroughBellyClip(Fat::rig()));
  const Motion source = sampled(fat.scene);
  CHECK(deepest_percent(fat, source, 1) > 5.0);
  const StageResult result = fat.freed(source);
  CHECK(deepest_percent(fat, result.motion, 2) < 1.0);
  CHECK(after(result, "frames_deeper_percent") == 0.0);
  CHECK(after(result, "midpoints_deeper_percent") == 0.0);
  CHECK(after(result, "shoulder_jerk_radps3") <= 1.1 * before(result, "shoulder_jerk_radps3"));
  CHECK(result.warnings.count("limb_stays_inside") == 0);
  CHECK(result.warnings.count("jerk_above_limit") == 0);
  // The hands met inside of the belly; in front of it they would be too far out.
  CHECK((after(result, "contacts_kept_percent") < 100.0) ==
        (result.warnings.count("contact_given_up") > 0));
  const Skeleton& skeleton = fat.scene.skeleton;
  for (std::size_t node = 0; node < skeleton.size(); ++node) {
    if (!isArm(skeleton.nodes[node].name))
      CHECK_FALSE(result.motion.touched.any(static_cast<int>(node)));
    for (std::size_t frame = 0; frame < source.grid.frame_count; ++frame) {
      const Transform &from = source.localsOf(frame)[node],
                      &to = result.motion.localsOf(frame)[node];
      CHECK(from.translation == to.translation);
      const bool may_turn =
          isArm(skeleton.nodes[node].name) && frame > 0 && frame + 1 < source.grid.frame_count;
      if (!may_turn) CHECK(from.rotation == to.rotation);
    }
  }
}

TEST_CASE("arms that have to jump free are told to be rougher than the limit") {
  const Fat fat(samples::armsThroughBellyClip(Fat::rig()));
  const Motion source = sampled(fat.scene);
  ExactSettings settings;
  settings.ease_s = settings.longest_ease_s = 0.0;
  const StageResult result = fat.freed(source, settings);
  CHECK(after(result, "shoulder_jerk_radps3") > 1.1 * before(result, "shoulder_jerk_radps3"));
  CHECK(result.warnings.count("jerk_above_limit") == 1);
}

TEST_CASE("hands that rest on hips still touch them, from outside") {
  const Fat fat(samples::handsOnHipsClip(Fat::rig()));
  const StageResult result = fat.freed(sampled(fat.scene));
  CHECK(deepest_percent(fat, result.motion, 2) < 1.0);
  CHECK(after(result, "contacts_kept_percent") >= 95.0);
  CHECK(after(result, "shoulder_jerk_radps3") <= 1.1 * before(result, "shoulder_jerk_radps3"));
  const SelfPenetration skin = fat.skin();
  const auto pose = skin.makePose();
  for (std::size_t frame = 22; frame <= 38; frame += 4) {
    skin.pose(worldsAt(fat.scene, result.motion, frame), {}, *pose);
    for (std::size_t pair = 0; pair < skin.pairs().size(); ++pair) {
      if (skin.pairs()[pair].name.find("arm - trunk") == std::string::npos) continue;
      CHECK(skin.clearance_m(pair, *pose, 1.0) < 0.02 * skin.height_m());
    }
  }
}

TEST_CASE("legs part, and a foot that stands keeps its place and direction") {
  const Fat fat(samples::legsCrossingClip(Fat::rig()));
  const Motion source = sampled(fat.scene);
  const StageResult result = fat.freed(source);
  CHECK(deepest_percent(fat, source, 1) > 3.0);
  CHECK(deepest_percent(fat, result.motion, 2) < 1.0);
  for (std::size_t frame = 0; frame < source.grid.frame_count; ++frame) {
    const double time_s = source.grid.timeOf(frame);
    CHECK(distance(placeAt(fat, source, "RightFoot", time_s),
                   placeAt(fat, result.motion, "RightFoot", time_s)) < 1e-9);
    const auto from = worldsAt(fat.scene, source, frame);
    const auto to = worldsAt(fat.scene, result.motion, frame);
    for (const char* foot : {"LeftFoot", "RightFoot"}) {
      const std::size_t node = static_cast<std::size_t>(nodeOf(fat.scene, foot));
      CHECK(distance(rotationOf(from[node]), rotationOf(to[node])) < 1e-7);
    }
  }
}

TEST_CASE("the frame rate does not matter") {
  const Fat fat(samples::handsOnHipsClip(Fat::rig()));
  const StageResult at_30 = fat.freed(sampled(fat.scene, 30.0));
  for (const double fps : {24.0, 60.0}) {
    const StageResult other = fat.freed(sampled(fat.scene, fps));
    CHECK(after(other, "frames_deeper_percent") == 0.0);
    for (double time_s = 0.0; time_s <= 2.0; time_s += 0.25) {
      for (const char* hand : {"LeftHand", "RightHand"}) {
        CHECK(distance(placeAt(fat, at_30.motion, hand, time_s),
                       placeAt(fat, other.motion, hand, time_s)) < 0.025);
      }
    }
  }
}

TEST_CASE(
    "a clip that is not too deep stays as it is, bit for bit, and so does one that is freed") {
  const Fat fat(samples::handsOnHipsClip(Fat::rig()));
  const Motion source = sampled(fat.scene);
  ExactSettings wide;
  wide.tolerance_percent = 20.0;
  const StageResult result = fat.freed(source, wide);
  CHECK(result.motion.touched.none());
  CHECK(result.motion.locals == source.locals);
  const StageResult freed = fat.freed(source);
  Motion again = freed.motion;
  again.source = nullptr;
  CHECK(fat.freed(again).motion.locals == freed.motion.locals);
}

TEST_CASE("a single frame is freed as well") {
  const Fat fat(samples::handsOnHipsClip(Fat::rig()));
  const Motion whole = sampled(fat.scene);
  Motion still = whole;
  still.source = nullptr;
  still.grid = makeGrid(0.0, 0.0, 30.0);
  const auto pose = whole.localsOf(30);
  still.locals.assign(pose.begin(), pose.end());
  const StageResult result = fat.freed(still);
  CHECK(before(result, "frames_deeper_percent") == 100.0);
  CHECK(after(result, "frames_deeper_percent") == 0.0);
}

TEST_CASE("a turn limit that is too small leaves the window or makes it better, and says so") {
  const Fat fat(samples::armsThroughBellyClip(Fat::rig()));
  ExactSettings narrow;
  narrow.most_turn_deg = 3.0;
  const StageResult result = fat.freed(sampled(fat.scene), narrow);
  for (const char* name : {"frames_deeper_percent", "midpoints_deeper_percent", "deepest_percent",
                           "limb_vertices_inside_percent"}) {
    CHECK(after(result, name) <= before(result, name));
  }
  if (after(result, "frames_deeper_percent") > 0.0) {
    CHECK(result.warnings.count("limb_stays_inside") > 0);
  }
}
