// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact/resolve_clip.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <utility>

#include "anim/pose.h"
#include "checks.h"
#include "core/to_size.h"
#include "locomotion/foot_contacts.h"
#include "make_samples/gestures.h"
#include "make_samples/samples.h"
#include "scene/character_scene.h"
#include "stages/self_collision/exact/clip_samples.h"
#include "stages/self_collision/exact/joint_ranges.h"

TEST_SUITE_BEGIN("self_collision.resolve_clip");

using namespace clipmill;
using namespace clipmill::humanoid;
using namespace clipmill::penetration;
using namespace clipmill::stages;
using namespace clipmill::stages::self_collision;
using namespace clipmill::stages::self_collision;
using namespace clipmill::test;

namespace {

// The fat body of the samples with one clip.
struct Fat {
  explicit Fat(const KeyframeClip& clip)
      : scene(samples::makeHumanoid(rig(), samples::fatShape(), samples::Accessories::kNone)) {
    const Scene animated = characterScene(rig(), clip);
    scene.clips = animated.clips;
    map = characterMap(scene);
    map.nodes[toSize(HumanoidRole::kChest)] = nodeOf(scene, "Spine2");
    map.nodes[toSize(HumanoidRole::kNeck)] = nodeOf(scene, "Neck");
    map.nodes[toSize(HumanoidRole::kLeftShoulder)] = nodeOf(scene, "LeftShoulder");
    map.nodes[toSize(HumanoidRole::kRightShoulder)] = nodeOf(scene, "RightShoulder");
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

  StageResult resolved(const Motion& motion, const SelfCollisionSettings& settings = {}) const {
    Result<StageResult> result = resolveClip(scene, map, skin(), settings, motion);
    CHECK_OK(result);
    return std::move(result).value();
  }

  Scene scene;
  HumanoidMap map;
};

double after(const StageResult& result, const std::string& name) {
  for (const Metric& metric : result.metrics) {
    if (metric.name == name) return metric.after.value();
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

// Largest penetration of any limb in percent of the height, sampled `per_frame` times per frame as
// players show the motion.
double maxPenetration_percent(const Fat& fat, const Motion& motion, int per_frame) {
  const SelfPenetration skin = fat.skin();
  const auto pose = skin.makePose();
  MotionCursor cursor(fat.scene.skeleton, motion);
  const int last = static_cast<int>(motion.grid.frame_count - 1) * per_frame;
  double max_depth_m = 0.0;
  for (int i = 0; i <= last; ++i) {
    std::vector<Affine> worlds;
    computeWorlds(fat.scene.skeleton, cursor.at(i / (motion.grid.fps * per_frame)).locals, Affine(),
                  worlds);
    skin.pose(worlds, {}, *pose);
    for (std::size_t pair = 0; pair < skin.pairs().size(); ++pair) {
      max_depth_m = std::max(max_depth_m, skin.measure(pair, *pose).depth_m);
    }
  }
  return 100.0 * max_depth_m / skin.height_m();
}

Vec3 positionAt(const Fat& fat, const Motion& motion, const char* joint, double time_s) {
  MotionCursor cursor(fat.scene.skeleton, motion);
  std::vector<Affine> worlds;
  computeWorlds(fat.scene.skeleton, cursor.at(time_s).locals, Affine(), worlds);
  return worlds[toSize(nodeOf(fat.scene, joint))].translation;
}

bool isArm(const std::string& name) {
  return name.find("Arm") != std::string::npos || name.find("Hand") != std::string::npos ||
         name.find("Shoulder") != std::string::npos;
}

}  // namespace

TEST_CASE("arms do not penetrate the belly at any frame or midpoint, and nothing else moves") {
  const Fat fat(samples::armsThroughBellyClip(Fat::rig()));
  const Motion source = sampled(fat.scene);
  CHECK(maxPenetration_percent(fat, source, 1) > 5.0);
  const StageResult result = fat.resolved(source);
  CHECK(maxPenetration_percent(fat, result.motion, 2) < 1.0);
  CHECK(after(result, "penetrating_frames_percent") == 0.0);
  CHECK(after(result, "penetrating_midpoints_percent") == 0.0);
  CHECK(after(result, "shoulder_jerk_radps3") <= 1.1 * before(result, "shoulder_jerk_radps3"));
  CHECK(result.warnings.count("penetration_remains") == 0);
  CHECK(result.warnings.count("jerk_above_limit") == 0);
  // The hands meet inside the belly; in front of it they are too far apart.
  CHECK((after(result, "contacts_kept_percent") < 100.0) ==
        (result.warnings.count("contact_dropped") > 0));
  const Skeleton& skeleton = fat.scene.skeleton;
  for (std::size_t node = 0; node < skeleton.size(); ++node) {
    if (!isArm(skeleton.nodes[node].name))
      CHECK_FALSE(result.motion.modified.any(static_cast<int>(node)));
    for (std::size_t frame = 0; frame < source.grid.frame_count; ++frame) {
      const Transform &from = source.localsOf(frame)[node],
                      &to = result.motion.localsOf(frame)[node];
      CHECK(from.translation == to.translation);
      const bool may_rotate =
          isArm(skeleton.nodes[node].name) && frame > 0 && frame + 1 < source.grid.frame_count;
      if (!may_rotate) CHECK(from.rotation == to.rotation);
    }
  }
}

TEST_CASE("without easing the jerk limit leaves the window, which is reported") {
  const Fat fat(samples::armsThroughBellyClip(Fat::rig()));
  const Motion source = sampled(fat.scene);
  SelfCollisionSettings settings;
  settings.ease_s = settings.max_ease_s = 0.0;
  const StageResult result = fat.resolved(source, settings);
  for (const char* name : {"shoulder_jerk_radps3", "elbow_jerk_radps3"}) {
    CHECK(after(result, name) <= 1.1 * before(result, name) + 1e-6);
  }
  CHECK(after(result, "penetrating_frames_percent") > 0.0);
  CHECK(result.warnings.count("jerk_above_limit") > 0);
  settings.max_jerk_ratio = 1e6;
  const StageResult rough = fat.resolved(source, settings);
  CHECK(after(rough, "penetrating_frames_percent") == 0.0);
  CHECK(after(rough, "shoulder_jerk_radps3") > 1.1 * before(rough, "shoulder_jerk_radps3"));
}

TEST_CASE("hands on hips stay in contact with them, from outside") {
  const Fat fat(samples::handsOnHipsClip(Fat::rig()));
  const StageResult result = fat.resolved(sampled(fat.scene));
  CHECK(maxPenetration_percent(fat, result.motion, 2) < 1.0);
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

TEST_CASE("legs are separated, and a planted foot keeps its position and orientation") {
  const Fat fat(samples::legsCrossingClip(Fat::rig()));
  const Motion source = sampled(fat.scene);
  const StageResult result = fat.resolved(source);
  CHECK(maxPenetration_percent(fat, source, 1) > 3.0);
  CHECK(maxPenetration_percent(fat, result.motion, 2) < 1.0);
  for (std::size_t frame = 0; frame < source.grid.frame_count; ++frame) {
    const double time_s = source.grid.timeOf(frame);
    CHECK(distance(positionAt(fat, source, "RightFoot", time_s),
                   positionAt(fat, result.motion, "RightFoot", time_s)) < 1e-9);
    const auto from = worldsAt(fat.scene, source, frame);
    const auto to = worldsAt(fat.scene, result.motion, frame);
    for (const char* foot : {"LeftFoot", "RightFoot"}) {
      const std::size_t node = toSize(nodeOf(fat.scene, foot));
      CHECK(distance(rotationOf(from[node]), rotationOf(to[node])) < 1e-7);
    }
  }
}

TEST_CASE("the frame rate does not matter") {
  const Fat fat(samples::handsOnHipsClip(Fat::rig()));
  const StageResult at_30 = fat.resolved(sampled(fat.scene, 30.0));
  for (const double fps : {24.0, 60.0}) {
    const StageResult other = fat.resolved(sampled(fat.scene, fps));
    CHECK(after(other, "penetrating_frames_percent") == 0.0);
    for (double time_s = 0.0; time_s <= 2.0; time_s += 0.25) {
      for (const char* hand : {"LeftHand", "RightHand"}) {
        CHECK(distance(positionAt(fat, at_30.motion, hand, time_s),
                       positionAt(fat, other.motion, hand, time_s)) < 0.025);
      }
    }
  }
}

TEST_CASE("a clip below the tolerance stays as it is, bit for bit, and so does a resolved one") {
  const Fat fat(samples::handsOnHipsClip(Fat::rig()));
  const Motion source = sampled(fat.scene);
  SelfCollisionSettings wide;
  wide.tolerance_percent = 20.0;
  const StageResult result = fat.resolved(source, wide);
  CHECK(result.motion.modified.none());
  CHECK(result.motion.locals == source.locals);
  const StageResult resolved = fat.resolved(source);
  Motion again = resolved.motion;
  again.source = nullptr;
  CHECK(fat.resolved(again).motion.locals == resolved.motion.locals);
}

TEST_CASE("a single frame is resolved as well") {
  const Fat fat(samples::handsOnHipsClip(Fat::rig()));
  const Motion whole = sampled(fat.scene);
  Motion still = whole;
  still.source = nullptr;
  still.grid = makeGrid(0.0, 0.0, 30.0);
  const auto pose = whole.localsOf(30);
  still.locals.assign(pose.begin(), pose.end());
  const StageResult result = fat.resolved(still);
  CHECK(before(result, "penetrating_frames_percent") == 100.0);
  CHECK(after(result, "penetrating_frames_percent") == 0.0);
}

// The angle between two rotations by the trace of their matrices, degrees.
double traceAngle_deg(const Quat& a, const Quat& b) {
  const Mat3 apart = glm::transpose(glm::mat3_cast(a)) * glm::mat3_cast(b);
  const double cosine = 0.5 * (apart[0][0] + apart[1][1] + apart[2][2] - 1.0);
  return std::acos(std::clamp(cosine, -1.0, 1.0)) / kDegree;
}

// The largest rotation of any joint relative to the source, sampled `per_frame` times per frame.
double maxRotation_deg(const Fat& fat, const Motion& source, const Motion& result, int per_frame) {
  MotionCursor from(fat.scene.skeleton, source), to(fat.scene.skeleton, result);
  const int last = static_cast<int>(source.grid.frame_count - 1) * per_frame;
  double max_deg = 0.0;
  for (int i = 0; i <= last; ++i) {
    const double time_s = i / (source.grid.fps * per_frame);
    const Pose &a = from.at(time_s), &b = to.at(time_s);
    for (std::size_t node = 0; node < a.locals.size(); ++node) {
      max_deg = std::max(max_deg, traceAngle_deg(a.locals[node].rotation, b.locals[node].rotation));
    }
  }
  return max_deg;
}

TEST_CASE("no joint rotates by more than the limit at any frame or midpoint") {
  for (const KeyframeClip& clip :
       {samples::armsThroughBellyClip(Fat::rig()), samples::handsOnHipsClip(Fat::rig()),
        samples::legsCrossingClip(Fat::rig())}) {
    const Fat fat(clip);
    const Motion source = sampled(fat.scene);
    for (const double limit_deg : {3.0, 10.0, 20.0, 60.0}) {
      CAPTURE(limit_deg);
      SelfCollisionSettings settings;
      settings.max_rotation_deg = limit_deg;
      const StageResult result = fat.resolved(source, settings);
      CHECK(maxRotation_deg(fat, source, result.motion, 2) <= limit_deg + 1e-4);
      for (const char* name : {"penetrating_frames_percent", "penetrating_midpoints_percent",
                               "max_penetration_percent", "penetrating_vertices_percent"}) {
        CHECK(after(result, name) <= before(result, name));
      }
      const bool remains = after(result, "penetrating_frames_percent") > 0.0;
      if (remains) CHECK(result.warnings.count("penetration_remains") > 0);
      if (limit_deg == 60.0) CHECK_FALSE(remains);
      if (limit_deg == 3.0) {
        CHECK(remains);
        CHECK(result.warnings.count("rotation_limit") > 0);
      }
    }
  }
}

// The clip with both upper arms rotated inwards about themselves in every frame.
Motion rotatedInwards(const Fat& fat, const Motion& motion, double degrees) {
  Motion result = motion;
  result.source = nullptr;
  for (const auto& [upper, lower, side] :
       {std::tuple("LeftArm", "LeftForeArm", 1.0), std::tuple("RightArm", "RightForeArm", -1.0)}) {
    const Vec3 axis =
        unitOrZero(fat.scene.skeleton.nodes[toSize(nodeOf(fat.scene, lower))].rest.translation);
    for (std::size_t frame = 0; frame < motion.grid.frame_count; ++frame) {
      Quat& rotation = localAt(result, frame, nodeOf(fat.scene, upper)).rotation;
      rotation = rotation * rotationAbout(axis, side * degrees * kDegree);
    }
  }
  return result;
}

// The largest angle of any arm beyond its range, and beyond what it is in the source, at all frames
// and midpoints, degrees.
double beyondRange_deg(const Fat& fat, const Motion& source, const Motion& result) {
  const LimbPoser poser(fat.scene, fat.map, movableLimbs(fat.scene.skeleton, fat.map));
  const JointRanges ranges(fat.scene, fat.map, poser);
  ClipSamples before(fat.scene, source), now(fat.scene, result);
  double largest_deg = 0.0;
  const auto anglesAt = [&](ClipSamples& samples, std::size_t sample, std::size_t limb) {
    std::vector<Affine> worlds;
    computeWorlds(fat.scene.skeleton, samples.at(sample).locals, Affine(), worlds);
    return ranges.anglesOf(limb, worlds);
  };
  for (std::size_t s = 0; s < now.count(); ++s) {
    for (std::size_t limb = 0; limb < poser.limbCount(); ++limb) {
      const LimbAngles from = anglesAt(before, s, limb), to = anglesAt(now, s, limb);
      for (std::size_t i = 0; i < kLimbAngleCount; ++i) {
        const AngleRange range = anatomicalRange(static_cast<LimbAngle>(i));
        const double beyond_rad = std::max(to[i] - std::max(range.max_rad, from[i]),
                                           std::min(range.min_rad, from[i]) - to[i]);
        if (beyond_rad > 0.0) largest_deg = std::max(largest_deg, beyond_rad / kDegree);
      }
    }
  }
  return largest_deg;
}

TEST_CASE("no joint goes farther beyond its range, and nothing penetrates for it") {
  const Fat hips(samples::handsOnHipsClip(Fat::rig())),
      belly(samples::armsThroughBellyClip(Fat::rig()));
  for (const auto& [fat, inwards_deg] :
       {std::pair(&hips, 10.0), std::pair(&hips, 25.0), std::pair(&belly, 35.0)}) {
    CAPTURE(inwards_deg);
    const Motion source = rotatedInwards(*fat, sampled(fat->scene), inwards_deg);
    SelfCollisionSettings settings;
    const StageResult within = fat->resolved(source, settings);
    CHECK(beyondRange_deg(*fat, source, within.motion) <= 0.5 + 1e-6);
    CHECK(before(within, "penetrating_frames_percent") > 50.0);
    CHECK(after(within, "penetrating_frames_percent") == 0.0);
    settings.anatomical_ranges = false;
    CHECK(beyondRange_deg(*fat, source, fat->resolved(source, settings).motion) > 10.0);
  }
}

// The clip with a share of its motion away from its first frame.
Motion partOf(const Motion& motion, double share) {
  Motion result = motion;
  result.source = nullptr;
  for (std::size_t frame = 0; frame < motion.grid.frame_count; ++frame) {
    for (std::size_t node = 0; node < motion.node_count; ++node) {
      result.frame(frame).locals[node].rotation =
          Arc(motion.localsOf(0)[node].rotation, motion.localsOf(frame)[node].rotation).at(share);
    }
  }
  return result;
}

TEST_CASE("legs that penetrate little are not moved far") {
  const Fat fat(samples::legsCrossingClip(Fat::rig()));
  const Motion crossing = sampled(fat.scene);
  const double height_m = fat.skin().height_m();
  for (const double share : {0.5, 0.6, 0.7, 0.8, 0.9}) {
    CAPTURE(share);
    const Motion source = partOf(crossing, share);
    const StageResult result = fat.resolved(source);
    const double depth_m = 0.01 * maxPenetration_percent(fat, source, 2) * height_m;
    const double allowed_m = 6.0 * depth_m + 0.01 * height_m;
    double hip_deg = 0.0, moved_m = 0.0;
    for (std::size_t frame = 0; frame < source.grid.frame_count; ++frame) {
      const double time_s = source.grid.timeOf(frame);
      for (const std::string side : {"Left", "Right"}) {
        const std::size_t hip = toSize(nodeOf(fat.scene, (side + "UpLeg").c_str()));
        hip_deg = std::max(hip_deg, traceAngle_deg(source.localsOf(frame)[hip].rotation,
                                                   result.motion.localsOf(frame)[hip].rotation));
        const std::string foot = side + "Foot";
        moved_m = std::max(moved_m, distance(positionAt(fat, source, foot.c_str(), time_s),
                                             positionAt(fat, result.motion, foot.c_str(), time_s)));
      }
    }
    const double leg_m =
        distance(positionAt(fat, source, "LeftUpLeg", 0.0),
                 positionAt(fat, source, "LeftLeg", 0.0)) +
        distance(positionAt(fat, source, "LeftLeg", 0.0), positionAt(fat, source, "LeftFoot", 0.0));
    CHECK(moved_m <= allowed_m + 1e-6);
    CHECK(hip_deg * kDegree * leg_m <= allowed_m + 1e-6);
    if (after(result, "penetrating_frames_percent") > 0.0) {
      CHECK(result.warnings.count("penetration_remains") > 0);
    }
  }
}
