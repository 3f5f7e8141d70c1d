// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cmath>

#include "anim/clip.h"
#include "anim/pose.h"
#include "checks.h"
#include "core/to_size.h"
#include "make_samples/gait.h"
#include "make_samples/gestures.h"
#include "make_samples/leap.h"
#include "make_samples/samples.h"

TEST_SUITE_BEGIN("samples.clips");

namespace {

using namespace clipmill;
using namespace clipmill::samples;

constexpr double kSlide_m = 0.005;

// Where joints are in a clip, between keys too.
class Player {
 public:
  Player(const Rig& rig, const KeyframeClip& clip)
      : rig_(rig), source_(keyframeSource(rig.skeleton(), clip.tracks)) {}

  Affine worldOf(const char* joint, double frame) const {
    Pose pose = restPose(rig_.skeleton());
    source_->cursor()->sample(frame / kFps, pose.view());
    std::vector<Affine> worlds;
    computeWorlds(rig_.skeleton(), pose.locals, {}, worlds);
    return worlds[toSize(rig_.at(joint))];
  }
  Vec3 at(const char* joint, double frame) const { return worldOf(joint, frame).translation; }

  // How far a joint strays from where it is at the first of the frames; four looks a frame.
  double stray(const char* joint, double from, double to) const {
    const Vec3 first = at(joint, from);
    double farthest = 0.0;
    for (double frame = from; frame <= to; frame += 0.25) {
      farthest = std::max(farthest, glm::length(at(joint, frame) - first));
    }
    return farthest;
  }

 private:
  const Rig& rig_;
  std::shared_ptr<const PoseSource> source_;
};

const Track& trackOf(const KeyframeClip& clip, int node, TrackPath path) {
  const auto found = std::find_if(clip.tracks.begin(), clip.tracks.end(), [&](const Track& track) {
    return track.node == node && track.path == path;
  });
  REQUIRE(found != clip.tracks.end());
  return *found;
}

// The height of Root and its sideways position stay 0; this is how far forward it is at a key.
double rootForward(const Rig& rig, const KeyframeClip& clip, std::size_t key) {
  const Track& root = trackOf(clip, rig.at("Root"), TrackPath::kTranslation);
  const double* value = &root.values[3 * key];
  CHECK(value[0] == 0.0);
  CHECK(value[1] == 0.0);
  return value[2];
}

std::size_t lastKey(const Rig& rig, const KeyframeClip& clip) {
  return trackOf(clip, rig.at("Hips"), TrackPath::kTranslation).times_s->size() - 1;
}

// Largest difference between the first and the last key of any track.
double openness(const KeyframeClip& clip) {
  double worst = 0.0;
  for (const Track& track : clip.tracks) {
    const auto width = toSize(track.width);
    for (std::size_t i = 0; i < width; ++i) {
      const double last = track.values[track.values.size() - width + i];
      worst = std::max(worst, std::abs(track.values[i] - last));
    }
  }
  return worst;
}

Vec3 boneDirection(const Player& player, const char* joint, double frame) {
  return player.worldOf(joint, frame).linear[1];
}

// The share of all directions from `p` in which the surface is seen from inside: 1 inside a closed
// part, 0 outside (van Oosterom and Strackee, 1983).
double windingAt(const Scene& scene, const Vec3& p) {
  double sum = 0.0;
  for (const SkinnedMesh& mesh : scene.meshes) {
    for (std::size_t t = 0; t < mesh.triangles.size(); t += 3) {
      std::array<Vec3, 3> d;
      for (std::size_t c = 0; c < 3; ++c) d[c] = mesh.positions[mesh.triangles[t + c]] - p;
      const double a = glm::length(d[0]), b = glm::length(d[1]), c = glm::length(d[2]);
      const double volume = glm::dot(d[0], glm::cross(d[1], d[2]));
      const double spread = a * b * c + glm::dot(d[0], d[1]) * c + glm::dot(d[1], d[2]) * a +
                            glm::dot(d[2], d[0]) * b;
      sum += 2.0 * std::atan2(volume, spread);
    }
  }
  return sum / (4.0 * kPi);
}

}  // namespace

TEST_CASE("idle, walk and run end in their first pose") {
  const Rig rig = makeRig(Accessories::kNone);
  CHECK(openness(idleClip(rig)) == 0.0);
  CHECK(openness(gaitClip(rig, "Walk", walkGait(), Travel::kInPlace)) == 0.0);
  CHECK(openness(gaitClip(rig, "Run", runGait(), Travel::kInPlace)) == 0.0);
}

TEST_CASE("a walk with root motion advances one stride and keeps its pose") {
  const Rig rig = makeRig(Accessories::kNone);
  const KeyframeClip walk = gaitClip(rig, "WalkForward", walkGait(), Travel::kRoot);
  CHECK(rootForward(rig, walk, 0) == 0.0);
  CHECK(rootForward(rig, walk, lastKey(rig, walk)) == walkGait().stride_m);
  CHECK(openness(walk) == walkGait().stride_m);
}

TEST_CASE("a foot on the ground does not slide") {
  const Rig rig = makeRig(Accessories::kNone);
  for (const Gait& gait : {walkGait(), runGait()}) {
    const Player player(rig, gaitClip(rig, "Forward", gait, Travel::kRoot));
    const double contact = std::ceil(0.09 * gait.frames);
    CHECK(player.stray("LeftToeBase", contact, std::floor(gait.stance * gait.frames)) < kSlide_m);
    CHECK(player.stray("LeftFoot", contact, std::floor(gait.flat_end * gait.frames)) < kSlide_m);
    const double half = 0.5 * gait.frames;
    CHECK(player.stray("RightToeBase", half + contact,
                       std::floor(half + gait.stance * gait.frames)) < kSlide_m);
  }
}

TEST_CASE("arms swing against the legs") {
  const Rig rig = makeRig(Accessories::kNone);
  for (const Gait& gait : {walkGait(), runGait()}) {
    const Player player(rig, gaitClip(rig, "Gait", gait, Travel::kInPlace));
    CHECK(player.at("LeftFoot", 0).z > player.at("RightFoot", 0).z + 0.2);
    CHECK(player.at("LeftHand", 0).z < player.at("RightHand", 0).z - 0.2);
  }
}

TEST_CASE("knees bend forward and elbows backward at all times") {
  const Rig rig = makeRig(Accessories::kNone);
  for (const KeyframeClip& clip : {gaitClip(rig, "Walk", walkGait(), Travel::kInPlace),
                                   gaitClip(rig, "Run", runGait(), Travel::kInPlace), leapClip(rig),
                                   lungeClip(rig), idleClip(rig)}) {
    const Player player(rig, clip);
    for (std::size_t frame = 0; frame <= lastKey(rig, clip); ++frame) {
      for (const std::string side : {"Left", "Right"}) {
        const auto along = [&](const char* bone) {
          return boneDirection(player, (side + bone).c_str(), static_cast<double>(frame));
        };
        const Vec3 hinge =
            player.worldOf((side + "UpLeg").c_str(), static_cast<double>(frame)).linear[0];
        CHECK(glm::dot(glm::cross(along("UpLeg"), along("Leg")), hinge) > -1e-9);
        CHECK(hinge.x > 0.7);
        const Vec3 elbow =
            player.worldOf((side + "Arm").c_str(), static_cast<double>(frame)).linear[0];
        CHECK(glm::dot(glm::cross(along("Arm"), along("ForeArm")), elbow) > -1e-9);
      }
    }
  }
}

TEST_CASE("the leap is exactly 3 m and holds its pose in the air") {
  const Rig rig = makeRig(Accessories::kNone);
  const KeyframeClip leap = leapClip(rig);
  CHECK(rootForward(rig, leap, 0) == 0.0);
  CHECK(rootForward(rig, leap, lastKey(rig, leap)) == 3.0);
  CHECK(kHangEnd - kHangStart >= 5);
  const double hang = rootForward(rig, leap, kHangStart);
  for (std::size_t key = kHangStart; key <= kHangEnd; ++key) {
    CHECK(rootForward(rig, leap, key) == hang);
  }
  const Player player(rig, leap);
  CHECK(player.at("LeftToeBase", kHangStart).y > 0.2);
  CHECK(player.at("RightToeBase", kHangEnd).y > 0.2);
}

TEST_CASE("the feet of the leap are planted before the take-off and after the landing") {
  const Rig rig = makeRig(Accessories::kNone);
  const Player player(rig, leapClip(rig));
  for (const char* toe : {"LeftToeBase", "RightToeBase"}) {
    CHECK(player.stray(toe, 0, 18) < kSlide_m);
    CHECK(player.stray(toe, 41, 62) < kSlide_m);
    CHECK(std::abs(player.at(toe, 62).z - player.at(toe, 0).z - 3.0) < 1e-6);
  }
}

TEST_CASE("the lunge returns to 0.3 m before its start") {
  const Rig rig = makeRig(Accessories::kNone);
  const KeyframeClip lunge = lungeClip(rig);
  CHECK(rootForward(rig, lunge, lastKey(rig, lunge)) == 0.3);
  CHECK(rootForward(rig, lunge, 22) > 0.4);
  const Player player(rig, lunge);
  CHECK(player.stray("RightToeBase", 0, 42) < kSlide_m);
  CHECK(player.stray("LeftToeBase", 18, 28) < kSlide_m);
}

TEST_CASE("both hands penetrate the belly of the fat body") {
  const Rig rig = makeRig(Accessories::kNone);
  const Scene fat = makeHumanoid(rig, fatShape(), Accessories::kNone);
  const Scene lean = makeHumanoid(rig, {}, Accessories::kNone);
  const Player player(rig, armsThroughBellyClip(rig));
  for (const char* hand : {"LeftHand", "RightHand"}) {
    const Vec3 wrist = player.at(hand, 30);
    CHECK(std::abs(windingAt(fat, wrist) - 1.0) < 1e-6);
    CHECK(std::abs(windingAt(fat, wrist + Vec3(0, 0, 0.05)) - 1.0) < 1e-6);
    CHECK(std::abs(windingAt(lean, wrist)) < 1e-6);
    CHECK(std::abs(windingAt(fat, player.at(hand, 0))) < 1e-6);
  }
}

TEST_CASE("the left leg passes to the other side of the right one and back") {
  const Rig rig = makeRig(Accessories::kNone);
  const Player player(rig, legsCrossingClip(rig));
  CHECK(player.at("LeftFoot", 0).x > player.at("RightFoot", 0).x);
  CHECK(player.at("LeftFoot", 30).x < player.at("RightFoot", 30).x - 0.05);
  CHECK(player.at("LeftFoot", 60).x > player.at("RightFoot", 60).x);
  CHECK(player.stray("RightFoot", 0, 60) < kSlide_m);
}

TEST_CASE("the elbow bends from 0 to 150 degrees") {
  const Rig rig = makeRig(Accessories::kNone);
  const Player player(rig, elbowBendClip(rig));
  const auto bend = [&](double frame) {
    return angleBetween(boneDirection(player, "LeftArm", frame),
                        boneDirection(player, "LeftForeArm", frame)) /
           kDegree;
  };
  CHECK(std::abs(bend(0)) < 1e-6);
  CHECK(std::abs(bend(20) - 75.0) < 1e-6);
  CHECK(std::abs(bend(40) - 150.0) < 1e-6);
  CHECK(std::abs(bend(60) - 150.0) < 1e-6);
}

TEST_CASE("the forearm rotates by 180 degrees about itself") {
  const Rig rig = makeRig(Accessories::kNone);
  const Player player(rig, forearmTwistClip(rig));
  const Affine start = player.worldOf("LeftForeArm", 0), end = player.worldOf("LeftForeArm", 60);
  CHECK(glm::dot(start.linear[1], end.linear[1]) > 1.0 - 1e-12);
  CHECK(glm::dot(start.linear[0], end.linear[0]) < -1.0 + 1e-12);
  CHECK(glm::length(start.translation - end.translation) < 1e-12);
}

TEST_CASE("each sample is small and made the same twice") {
  const std::vector<Sample> first = makeSamples(), second = makeSamples();
  REQUIRE(first.size() == second.size());
  for (std::size_t i = 0; i < first.size(); ++i) {
    const Result<Bytes> bytes = fileOf(first[i]);
    CHECK_OK(bytes);
    // FBX has three curves for what is one sampler in glTF.
    CHECK(bytes->size() < (first[i].path.ends_with(".fbx") ? 700'000u : 400'000u));
    CHECK(*bytes == *fileOf(second[i]));
  }
}

TEST_CASE("joints of accessories follow each other by name") {
  const Rig rig = makeRig(Accessories::kAll);
  const auto parentName = [&](const char* joint) {
    const Skeleton& skeleton = rig.skeleton();
    const int parent = skeleton.nodes[toSize(rig.at(joint))].parent;
    return skeleton.nodes[toSize(parent)].name;
  };
  CHECK(parentName("Tail1") == "Hips");
  CHECK(parentName("Tail6") == "Tail5");
  CHECK(parentName("Whip1") == "RightHand");
  CHECK(parentName("Whip10") == "Whip9");
  CHECK(parentName("Skirt8_3") == "Skirt8_2");
  CHECK(parentName("Skirt1_1") == "Hips");
  CHECK(parentName("HairBack1_1") == "Head");
  CHECK(parentName("HairRight_4") == "HairRight_3");
}
