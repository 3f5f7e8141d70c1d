// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "checks.h"
#include "core/to_size.h"
#include "locomotion/ground.h"
#include "stages/blend/plan.h"
#include "stages/blend/pose_mix.h"
#include "stages/blend/strider.h"

using namespace clipmill;
using namespace clipmill::stages;
using namespace clipmill::stages::blend;
using namespace clipmill::test;

TEST_SUITE_BEGIN("blend.blend");

namespace {

// Walks ahead at 1 m/s, runs to its left (90 degrees) at 3 m/s in the file.
struct WalkAndRun : Strider {
  int walk = stride("Walk", 1.0, 30.0, 1.0, 0.0, 0.4);
  int run = stride("Run", 1.0, 30.0, 3.0, 0.5 * kPi, 0.8);
};

Vec3 positionOf(const StageResult& result, std::size_t frame, int node = 0) {
  return result.motion.localsOf(frame)[toSize(node)].translation;
}

}  // namespace

TEST_CASE("before the window a fade is the clip bit for bit, after it the other") {
  const WalkAndRun character;
  const Motion walk = character.motion(character.walk), run = character.motion(character.run);
  BlendSettings settings = blendWith("Run");
  settings.window_s = 0.4;
  const Motion made = blendOne(character.scene, walk, settings).motion;
  CHECK(made.grid.frame_count == 49);  // 1.0 + 1.0 - 0.4 s at 30 frames a second
  CHECK(made.grid.end_s == nearTo(1.6, 1e-12));
  for (std::size_t frame = 0; frame <= 18; ++frame) {
    for (std::size_t node = 0; node < made.node_count; ++node) {
      CHECK(made.localsOf(frame)[node] == walk.localsOf(frame)[node]);
    }
    CHECK(made.weightsOf(frame)[0] == walk.weightsOf(frame)[0]);
  }
  for (std::size_t frame = 30; frame < made.grid.frame_count; ++frame) {
    for (std::size_t node = 1; node < made.node_count; ++node) {
      CHECK(worstLocal(made.localsOf(frame)[node], run.localsOf(frame - 18)[node]) < 1e-9);
    }
    CHECK(made.weightsOf(frame)[0] == nearTo(run.weightsOf(0)[0], 1e-12));
  }
}

TEST_CASE("root motion continues with the weighted mean of the velocities, headings aligned") {
  const WalkAndRun character;
  BlendSettings settings = blendWith("Run");
  settings.window_s = 0.5;
  const StageResult result = blendOne(character.scene, character.motion(character.walk), settings);
  const double frame_s = 1.0 / 30.0;
  // The integral of the weight from the start of the window.
  const auto areaAt = [](double t) {
    const double s = std::clamp((t - 0.5) / 0.5, 0.0, 1.0);
    return 0.5 * (s * s * s - 0.5 * s * s * s * s) + std::max(t - 1.0, 0.0);
  };
  for (std::size_t frame = 1; frame < result.motion.grid.frame_count; ++frame) {
    const Vec3 step = positionOf(result, frame) - positionOf(result, frame - 1);
    const double t = static_cast<double>(frame) * frame_s;
    const double weight = (areaAt(t) - areaAt(t - frame_s)) / frame_s;
    // Straight ahead, although the run goes to the left in its file.
    CHECK(distance(step, Vec3(0, 0, (1.0 + 2.0 * weight) * frame_s)) < 1e-9);
    CHECK(distance(result.motion.localsOf(frame)[0].rotation, kIdentityRotation) < 1e-9);
  }
  CHECK(metricOf(result, "aligned_yaw_deg") == nearTo(-90.0, 1e-9));
}

TEST_CASE("a rotated and shifted character gives the same blend, rotated and shifted") {
  const WalkAndRun character;
  const Motion walk = character.motion(character.walk);
  const StageResult plain = blendOne(character.scene, walk, blendWith("Run"));
  const Quat rotation = rotationAbout(Vec3(0, 1, 0), 2.0);
  const Vec3 shift(5, 0, -3);
  Motion moved = walk;
  moved.source = nullptr;
  for (std::size_t frame = 0; frame < moved.grid.frame_count; ++frame) {
    Transform& root = moved.frame(frame).locals[0];
    root.translation = rotation * root.translation + shift;
    root.rotation = rotation * root.rotation;
  }
  const StageResult other = blendOne(character.scene, moved, blendWith("Run"));
  for (std::size_t frame = 0; frame < plain.motion.grid.frame_count; ++frame) {
    CHECK(distance(positionOf(other, frame), rotation * positionOf(plain, frame) + shift) < 1e-9);
    CHECK(distance(other.motion.localsOf(frame)[0].rotation,
                   rotation * plain.motion.localsOf(frame)[0].rotation) < 1e-8);
  }
}

TEST_CASE("a fade has the same root trajectory at another frame rate") {
  Strider slow, fast;
  slow.stride("Walk", 1.0, 24.0, 1.0, 0.0, 0.4);
  slow.stride("Run", 0.75, 30.0, 3.0, 1.0, 0.8);
  fast.stride("Walk", 1.0, 96.0, 1.0, 0.0, 0.4);
  fast.stride("Run", 0.75, 120.0, 3.0, 1.0, 0.8);
  BlendSettings settings = blendWith("Run");
  settings.window_s = 0.5;
  const StageResult coarse = blendOne(slow.scene, slow.motion(0), settings);
  const StageResult fine = blendOne(fast.scene, fast.motion(0), settings);
  REQUIRE(fine.motion.grid.frame_count == 4 * (coarse.motion.grid.frame_count - 1) + 1);
  for (std::size_t frame = 0; frame < coarse.motion.grid.frame_count; ++frame) {
    CHECK(distance(positionOf(coarse, frame), positionOf(fine, 4 * frame)) < 1e-9);
    CHECK(distance(coarse.motion.localsOf(frame)[2].rotation,
                   fine.motion.localsOf(4 * frame)[2].rotation) < 1e-9);
  }
}

TEST_CASE("a clip that fades in where another starts later than 0 keeps its own start") {
  Strider character;
  character.stride("Walk", 1.0, 30.0, 1.0, 0.0, 0.4, 2.0);
  character.stride("Run", 0.6, 30.0, 2.0, 0.0, 0.4, 7.0);
  BlendSettings settings = blendWith("Run");
  settings.at_s = 0.25;
  settings.window_frames = 6;
  settings.enter_s = 0.1;
  const Motion made = blendOne(character.scene, character.motion(0), settings).motion;
  CHECK(made.grid.start_s == 2.0);
  CHECK(made.grid.end_s == nearTo(2.75, 1e-12));
  const auto last = made.localsOf(made.grid.frame_count - 1);
  CHECK(worstLocal(last[2], character.motion(1).localsOf(18)[2]) < 1e-9);
}

TEST_CASE("cycles of different lengths play in phase with sync") {
  Strider character;
  character.stride("Walk", 1.2, 60.0, 1.0, 0.0, 0.5);
  character.stride("Run", 0.7, 60.0, 1.0, 0.0, 0.5);
  BlendSettings settings = blendWith("Run");
  settings.sync = true;
  settings.window_s = 0.6;
  settings.at_s = 0.3;
  const StageResult result = blendOne(character.scene, character.motion(0), settings);
  // Phase at the end of the window: 0.9 s of a walk, with half of the window's 0.6 s at the pace of
  // the run instead. Then the run goes on to the end of its cycle.
  const double over = 0.9 / 1.2 + 0.5 * 0.6 * (1.0 / 0.7 - 1.0 / 1.2);
  CHECK(result.motion.grid.end_s == nearTo(0.9 + (1.0 - over) * 0.7, 1e-9));
  // Both swing alike at the same phase, so that the blend does too.
  for (std::size_t frame = 0; frame < result.motion.grid.frame_count; ++frame) {
    const double t = result.motion.grid.timeOf(frame);
    const double s = std::clamp((t - 0.3) / 0.6, 0.0, 1.0);
    const double area = s * s * s - 0.5 * s * s * s * s;
    const double phase = std::min(t, 0.9) / 1.2 + (1.0 / 0.7 - 1.0 / 1.2) * 0.6 * area +
                         std::max(t - 0.9, 0.0) / 0.7;
    CHECK(distance(result.motion.localsOf(frame)[2].rotation,
                   rotationAbout(Vec3(1, 0, 0), 0.5 * std::sin(2.0 * kPi * phase))) < 1e-8);
  }
}

TEST_CASE("a repeated cycle continues its root motion") {
  Strider character;
  character.stride("Walk", 1.2, 60.0, 1.0, 0.0, 0.5);
  character.stride("Run", 0.5, 60.0, 1.0, 0.0, 0.5);
  BlendSettings settings = blendWith("Run");
  settings.sync = true;
  settings.window_s = 1.0;
  const StageResult result = blendOne(character.scene, character.motion(0), settings);
  CHECK(result.motion.grid.end_s > 1.2);
  for (std::size_t frame = 1; frame < result.motion.grid.frame_count; ++frame) {
    const double step_m = positionOf(result, frame).z - positionOf(result, frame - 1).z;
    const double frame_s = result.motion.grid.timeOf(frame) - result.motion.grid.timeOf(frame - 1);
    // The walk is played faster in the window, the run slower, never backwards.
    CHECK(step_m > 0.4 * frame_s);
    CHECK(step_m < 2.5 * frame_s);
  }
}

TEST_CASE("a mix of a clip with itself is the clip") {
  Strider character;
  character.stride("Walk", 1.0, 30.0, 1.0, 0.7, 0.4);
  character.stride("Copy", 1.0, 30.0, 1.0, 0.7, 0.4);
  BlendSettings settings = blendWith("Copy", BlendMode::kMix);
  settings.with[0].weight = 0.3;
  const Motion walk = character.motion(0);
  const Motion made = blendOne(character.scene, walk, settings).motion;
  REQUIRE(made.grid.frame_count == walk.grid.frame_count);
  for (std::size_t frame = 0; frame < made.grid.frame_count; ++frame) {
    for (std::size_t node = 0; node < made.node_count; ++node) {
      CHECK(worstLocal(made.localsOf(frame)[node], walk.localsOf(frame)[node]) < 1e-9);
    }
    CHECK(made.weightsOf(frame)[0] == nearTo(walk.weightsOf(frame)[0], 1e-12));
  }
}

TEST_CASE("a mix of many clips does not depend on their order") {
  Strider character;
  character.stride("Walk", 1.0, 30.0, 1.0, 0.0, 0.4);
  character.stride("Run", 0.8, 24.0, 3.0, 0.5, 0.9);
  character.stride("Limp", 1.3, 60.0, 0.5, -0.4, -0.3);
  BlendSettings settings;
  settings.mode = BlendMode::kMix;
  settings.sync = true;
  settings.with = {{"Run", "", 0.5}, {"Limp", "", 0.3}};
  const StageResult one = blendOne(character.scene, character.motion(0), settings);
  std::swap(settings.with[0], settings.with[1]);
  const StageResult two = blendOne(character.scene, character.motion(0), settings);
  CHECK(one.motion.grid.end_s == nearTo(1.0 / (0.2 / 1.0 + 0.5 / 0.8 + 0.3 / 1.3), 1e-12));
  for (std::size_t frame = 0; frame < one.motion.grid.frame_count; ++frame) {
    for (std::size_t node = 0; node < one.motion.node_count; ++node) {
      CHECK(worstLocal(one.motion.localsOf(frame)[node], two.motion.localsOf(frame)[node]) < 1e-9);
    }
  }
}

TEST_CASE("a mask gives the upper body to another clip and leaves the rest bit for bit") {
  const WalkAndRun character;
  BlendSettings settings = blendWith("Run", BlendMode::kMix);
  settings.mask = {{"spine", 1.0, true}};
  const Motion walk = character.motion(character.walk), run = character.motion(character.run);
  const Motion made = blendOne(character.scene, walk, settings).motion;
  for (std::size_t frame = 0; frame < made.grid.frame_count; ++frame) {
    for (std::size_t node : {0u, 1u, 2u}) {
      CHECK(made.localsOf(frame)[node] == walk.localsOf(frame)[node]);
    }
    for (std::size_t node : {3u, 4u}) {
      CHECK(worstLocal(made.localsOf(frame)[node], run.localsOf(frame)[node]) < 1e-12);
    }
    CHECK(made.weightsOf(frame)[0] == run.weightsOf(frame)[0]);
  }
  CHECK_FALSE(made.modified.any(character.leg));
  CHECK_FALSE(made.modified.any(character.root));
  CHECK(made.modified.has(character.spine, TrackPath::kRotation));
  settings.mask.push_back({"head", 0.25, false});
  const Motion part = blendOne(character.scene, walk, settings).motion;
  CHECK(part.weightsOf(3)[0] ==
        nearTo(0.75 * walk.weightsOf(3)[0] + 0.25 * run.weightsOf(3)[0], 1e-12));
}

TEST_CASE("a synced upper body does not change the pace of the legs") {
  Strider character;
  character.stride("Walk", 1.2, 30.0, 1.0, 0.0, 0.4);
  character.stride("Run", 0.8, 30.0, 3.0, 0.5, 0.8);
  BlendSettings settings = blendWith("Run", BlendMode::kMix);
  settings.sync = true;
  settings.mask = {{"spine", 1.0, true}};
  const Motion walk = character.motion(0), run = character.motion(1);
  const Motion made = blendOne(character.scene, walk, settings).motion;
  REQUIRE(made.grid.frame_count == walk.grid.frame_count);
  CHECK(made.localsOf(9)[2] == walk.localsOf(9)[2]);
  // A quarter of the walk shows a quarter of the run.
  CHECK(worstLocal(made.localsOf(9)[3], run.localsOf(6)[3]) < 1e-8);
}

TEST_CASE("a difference added to what it was taken from is the clip again") {
  const WalkAndRun character;
  const Motion run = character.motion(character.run);
  BlendSettings settings;
  settings.mode = BlendMode::kDifference;
  settings.reference = BlendReference::kStart;
  const StageResult difference = blendOne(character.scene, run, settings);
  CHECK(worstLocal(difference.motion.localsOf(0)[3], character.scene.skeleton.nodes[3].rest) <
        1e-9);

  Strider with_difference = character;
  Clip clip = character.scene.clips[1];
  clip.name = "Difference";
  const Skeleton& skeleton = character.scene.skeleton;
  clip.source = keyframeSource(skeleton, tracksOf(skeleton, difference.motion));
  with_difference.scene.clips.push_back(clip);
  Motion still = run;  // holds the pose that the difference was taken from
  still.source = nullptr;
  for (std::size_t frame = 1; frame < still.grid.frame_count; ++frame) {
    std::copy(run.localsOf(0).begin(), run.localsOf(0).end(), still.frame(frame).locals.begin());
  }
  const StageResult back =
      blendOne(with_difference.scene, still, blendWith("Difference", BlendMode::kAdd));
  for (std::size_t frame = 0; frame < run.grid.frame_count; ++frame) {
    for (std::size_t node = 0; node < run.node_count; ++node) {
      CHECK(worstLocal(back.motion.localsOf(frame)[node], run.localsOf(frame)[node]) < 1e-8);
    }
  }
}

TEST_CASE("a track that steps is switched where the weights cross, never mixed") {
  Strider character;
  const auto stepping = [](double size) {
    return [size](double t, PoseView pose) {
      pose.weights[1] = t < 0.35 ? 0.0 : size;
      pose.weights[0] = size * t;
      pose.locals[4].scale = Vec3(t < 0.5 ? 1.0 : size);
    };
  };
  character.add("A", 1.0, 30.0, stepping(1.0));
  character.add("B", 1.0, 30.0, stepping(0.25));
  character.scene.clips[0].animated.set(character.head, TrackPath::kScale);
  BlendSettings settings = blendWith("B");
  settings.window_s = 0.6;
  const Motion made = blendOne(character.scene, character.motion(0), settings).motion;
  for (std::size_t frame = 0; frame < made.grid.frame_count; ++frame) {
    const double scale = made.localsOf(frame)[4].scale.x;
    CHECK((scale == 1.0 || scale == 0.25));
  }
  CHECK(made.weightsOf(36)[0] == nearTo(0.25 * (36.0 / 30.0 - 0.4), 1e-9));
}

TEST_CASE("the reference method weights positions and slerps by a factor of time") {
  const WalkAndRun character;
  BlendSettings settings = blendWith("Run");
  settings.method = BlendMethod::kReference;
  settings.window_s = 0.5;
  const Motion walk = character.motion(character.walk), run = character.motion(character.run);
  const Motion made = blendOne(character.scene, walk, settings).motion;
  for (std::size_t frame = 15; frame <= 30; ++frame) {
    const double factor = static_cast<double>(frame - 15) / 15.0;
    for (std::size_t node = 0; node < made.node_count; ++node) {
      const Transform &a = walk.localsOf(frame)[node], &b = run.localsOf(frame - 15)[node];
      const Transform& c = made.localsOf(frame)[node];
      CHECK(distance(c.translation, (1.0 - factor) * a.translation + factor * b.translation) <
            1e-9);
      CHECK(distance(c.rotation, slerp(a.rotation, b.rotation, factor)) < 1e-8);
    }
  }
}

TEST_CASE("a clip of another file of the same character blends like one of the same file") {
  const WalkAndRun character;
  Scene walker = character.scene;
  walker.clips.pop_back();
  const std::vector<AuxiliaryFile> files = {{"run.glb", character.scene}};
  const Motion walk = character.motion(character.walk);
  BlendSettings settings = blendWith("Run");
  const StageResult same = blendOne(character.scene, walk, settings);
  settings.with[0].file = "run.glb";
  const auto other = runBlend({walker, std::span(&walk, 1), 1, files}, settings);
  CHECK_OK(other);
  for (std::size_t frame = 0; frame < same.motion.grid.frame_count; ++frame) {
    for (std::size_t node = 0; node < walk.node_count; ++node) {
      CHECK(worstLocal(other->front().motion.localsOf(frame)[node],
                       same.motion.localsOf(frame)[node]) < 1e-8);
    }
  }
}

TEST_CASE("all clips but the other one are blended, the same with many threads") {
  WalkAndRun character;
  character.stride("Limp", 1.0, 30.0, 0.4, 0.2, 0.1);
  const std::vector<Motion> motions = {character.motion(0), character.motion(1),
                                       character.motion(2)};
  const auto one = runBlend({character.scene, motions, 1}, blendWith("Run"));
  const auto many = runBlend({character.scene, motions, 3}, blendWith("Run"));
  CHECK_OK(one);
  CHECK_OK(many);
  CHECK((*one)[1].motion.grid.frame_count == motions[1].grid.frame_count);
  CHECK((*one)[1].motion.modified.none());
  for (std::size_t i : {0u, 2u}) {
    CHECK((*one)[i].motion.grid.frame_count > motions[i].grid.frame_count);
    CHECK((*one)[i].motion.locals == (*many)[i].motion.locals);
  }
}

TEST_CASE("a blend that is not possible is refused with what was found") {
  const WalkAndRun character;
  const Motion walk = character.motion(character.walk);
  const auto errorOf = [&](auto change) {
    BlendSettings settings = blendWith("Run");
    change(settings);
    return describe(blendError(character.scene, walk, settings));
  };
  const auto contains = [](const std::string& text, const char* part) {
    INFO(text);
    CHECK(text.find(part) != std::string::npos);
  };
  using S = BlendSettings;
  contains(errorOf([](S& s) { s.window_s = 0.0; }), "longer than 0.000 s");
  contains(errorOf([](S& s) { s.window_s = 1.5; }), "'Walk', which lasts 1.000 s");
  contains(errorOf([](S& s) { s.enter_s = 0.9; }), "'Run' has 0.100 s for an overlap of 0.300 s");
  contains(errorOf([](S& s) { s.with[0].clip = "Rnu"; }), "did you mean 'Run'");
  contains(errorOf([](S& s) { s.with[0].clip = "*"; }), "matches 2 clips");
  contains(errorOf([](S& s) { s.with[0].clip = ""; }), "names no clip, and there are 2");
  contains(errorOf([](S& s) { s.with.clear(); }), "names no other clip");
  contains(errorOf([](S& s) { s.with.push_back({"Walk", "", 1.0}); }), "takes one");
  contains(errorOf([](S& s) { s.mask = {{"tail", 1.0, true}}; }), "tail");
  contains(errorOf([](S& s) { s.root_joint = "pelvis"; }), "pelvis");
  contains(errorOf([](S& s) {
             s.mode = BlendMode::kMix;
             s.with.push_back({"Walk", "", 0.5});
           }),
           "sum to 1.500");
  contains(errorOf([](S& s) {
             s.method = BlendMethod::kReference;
             s.sync = true;
           }),
           "published blend");
  Strider short_one = character;
  short_one.stride("Pose", 0.0, 30.0, 0.0, 0.0, 0.1);
  BlendSettings settings = blendWith("Pose");
  settings.sync = true;
  contains(describe(blendError(short_one.scene, walk, settings)), "'Pose' has 0.000 s");
}

TEST_CASE("a file without common bones is refused with what was found on either side") {
  const WalkAndRun character;
  Scene other;
  for (int i = 0; i < 3; ++i) {
    Node node;
    node.name = "link" + std::to_string(i);
    node.parent = i - 1;
    node.source_id = i;
    other.skeleton.nodes.push_back(node);
  }
  Clip clip;
  clip.name = "Swing";
  clip.end_s = 1.0;
  clip.animated = TrackMask(3);
  clip.animated.set(1, TrackPath::kRotation);
  other.clips.push_back(clip);
  const std::vector<AuxiliaryFile> files = {{"chain.glb", other}};
  const Motion walk = character.motion(character.walk);
  BlendSettings settings = blendWith("");
  settings.with[0].file = "chain.glb";
  const auto result = runBlend({character.scene, std::span(&walk, 1), 1, files}, settings);
  REQUIRE_FALSE(result.ok());
  CHECK(result.error().code == ErrorCode::kUnsupported);
  CHECK(result.error().location.find("chain.glb") != std::string::npos);
}
