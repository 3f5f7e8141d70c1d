// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/dynamic_bones.h"

#include <cmath>
#include <functional>
#include <limits>

#include "stages/dynamic_bones/swing_scene.h"
#include "stages/registry.h"

using namespace clipmill;
using namespace clipmill::stages;
using namespace clipmill::stages::dynamic_bones;
using namespace clipmill::test;

TEST_SUITE_BEGIN("dynamic_bones.dynamic_bones");

namespace {

constexpr DynamicBonesMethod kMethods[] = {DynamicBonesMethod::kSpring,
                                           DynamicBonesMethod::kReference};

// Two strands on a head, a ball beside them, wind: everything that a run has.
struct Head {
  Scene scene;
  DynamicBonesSettings settings;

  explicit Head(DynamicBonesMethod method) {
    const int head = addNode(scene, "head", -1, Vec3(0.1, 1.6, 0.2));
    for (int strand = 0; strand < 2; ++strand) {
      int parent = head;
      for (int i = 0; i < 4; ++i) {
        parent = addNode(scene, "hair" + std::to_string(strand) + std::to_string(i), parent,
                         Vec3(strand ? 0.05 : -0.05, -0.04, 0.01),
                         rotationAbout(Vec3(0, 0, 1), 0.1 * i));
      }
    }
    settings = settingsFor("hair*", method);
    settings.chain[0].tip_length = 1.0;
    settings.chain[0].radius_m = 0.01;
    settings.chain[0].rest_includes_gravity = false;
    settings.wind_mps2 = {2.0, 0.5, -1.0};
    ColliderSettings ball;
    ball.node = "head";
    ball.offset_m = {0.08, -0.15, 0.03};
    ball.radius_m = 0.05;
    settings.collider.push_back(ball);
  }

  Motion clip(double fps = 30.0) const {
    return motionOf(scene, 1.0, fps, [](double t, PoseView pose) {
      pose.locals[0].translation = Vec3(0.1 + 0.2 * std::sin(6.0 * t), 1.6, 0.2 + t);
      pose.locals[0].rotation = rotationAbout(Vec3(0, 1, 0), std::sin(5.0 * t));
    });
  }
};

bool isAllFinite(const Motion& motion) {
  for (const Transform& local : motion.locals) {
    if (!isFinite(local.rotation)) return false;
  }
  return true;
}

bool isSame(const Motion& a, const Motion& b) {
  for (std::size_t i = 0; i < a.locals.size(); ++i) {
    if (!(a.locals[i] == b.locals[i])) return false;
  }
  return a.locals.size() == b.locals.size();
}

// Largest angle between the rotations of the nodes from `first` on.
double difference(const Motion& a, const Motion& b, std::size_t first) {
  double worst = 0.0;
  for (std::size_t frame = 0; frame < a.grid.frame_count; ++frame) {
    for (std::size_t node = first; node < a.node_count; ++node) {
      worst = std::max(
          worst, angleBetween(a.localsOf(frame)[node].rotation, b.localsOf(frame)[node].rotation));
    }
  }
  return worst;
}

}  // namespace

TEST_CASE("only the rotations of joints change, and only they are marked") {
  for (DynamicBonesMethod method : kMethods) {
    const Head head(method);
    const Motion clip = head.clip();
    const Motion baked = bake(head.scene, clip, head.settings).motion;
    CHECK_FALSE(baked.modified.any(0));
    double moved = 0.0;
    for (std::size_t frame = 0; frame < clip.grid.frame_count; ++frame) {
      CHECK(baked.localsOf(frame)[0] == clip.localsOf(frame)[0]);
      for (std::size_t node = 1; node < clip.node_count; ++node) {
        CHECK(baked.localsOf(frame)[node].translation == clip.localsOf(frame)[node].translation);
        CHECK(baked.localsOf(frame)[node].scale == clip.localsOf(frame)[node].scale);
      }
    }
    for (int node = 1; node < 9; ++node) {
      CHECK(baked.modified.has(node, TrackPath::kRotation));
      CHECK_FALSE(baked.modified.has(node, TrackPath::kTranslation));
      moved = std::max(moved, difference(baked, clip, 1));
    }
    CHECK(moved > 0.1);
  }
}

TEST_CASE("the first frame is the clip's own pose where no bone penetrates a solid") {
  for (DynamicBonesMethod method : kMethods) {
    const Head head(method);
    const Motion clip = head.clip();
    const Motion baked = bake(head.scene, clip, head.settings).motion;
    for (std::size_t node = 0; node < clip.node_count; ++node) {
      CHECK(baked.localsOf(0)[node] == clip.localsOf(0)[node]);
    }
  }
}

TEST_CASE("bones keep their length, and animated translations and scales stay in force") {
  for (DynamicBonesMethod method : kMethods) {
    const Head head(method);
    const Motion clip = motionOf(head.scene, 1.0, 30.0, [](double t, PoseView pose) {
      pose.locals[0].rotation = rotationAbout(Vec3(0, 1, 0), std::sin(5.0 * t));
      pose.locals[1].scale = Vec3(1.0 + 0.5 * t);
      pose.locals[3].translation = Vec3(-0.05, -0.04 - 0.1 * t, 0.01);
    });
    const StageResult result = bake(head.scene, clip, head.settings);
    CHECK(metric(result, "max_bone_length_error_mm") < 1e-6);
    CHECK(result.warnings.empty());
  }
}

TEST_CASE("any number of threads gives the same bits, and results keep the order of clips") {
  for (DynamicBonesMethod method : kMethods) {
    const Head head(method);
    const std::vector<Motion> clips = {head.clip(30.0), head.clip(24.0), head.clip(60.0),
                                       stillMotion(head.scene, 0.5, 30.0)};
    const auto one = runDynamicBones({head.scene, clips, 1}, head.settings);
    CHECK_OK(one);
    for (int threads : {2, 8}) {
      const auto many = runDynamicBones({head.scene, clips, threads}, head.settings);
      CHECK_OK(many);
      REQUIRE(many->size() == clips.size());
      for (std::size_t i = 0; i < clips.size(); ++i) {
        CHECK(isSame((*one)[i].motion, (*many)[i].motion));
      }
    }
  }
}

TEST_CASE("a motion moved into the stage gives the result of a copy, in the same memory") {
  struct Variant {
    const char* name;
    std::function<void(DynamicBonesSettings&, Motion&)> change;
  };
  const Variant variants[] = {
      {"as it is", [](auto&, auto&) {}},
      {"a cycle", [](auto& settings, auto&) { settings.loop = LoopPolicy::kOn; }},
      {"limits", [](auto& settings, auto&) { settings.chain[0].limit = LimitShape::kCone; }},
      {"stretch", [](auto& settings, auto&) { settings.chain[0].max_stretch = 0.2; }},
      {"no source", [](auto&, Motion& motion) { motion.source = nullptr; }},
      {"joints modified before",
       [](auto&, Motion& motion) { motion.modified.set(2, TrackPath::kRotation); }},
  };
  for (DynamicBonesMethod method : {DynamicBonesMethod::kSpring, DynamicBonesMethod::kReference}) {
    for (const Variant& variant : variants) {
      for (double fps : {30.0, 50.0}) {
        CAPTURE(variant.name);
        CAPTURE(fps);
        Head head(method);
        head.settings.loop = LoopPolicy::kOff;
        Motion clip = motionOf(head.scene, 1.0, fps, [](double t, PoseView pose) {
          pose.locals[0].translation.x = 0.1 + 0.2 * std::sin(6.0 * t);
          pose.locals[2].rotation = rotationAbout(Vec3(0, 0, 1), std::sin(9.0 * t));
        });
        variant.change(head.settings, clip);
        const auto copied =
            runDynamicBones({head.scene, std::span(&clip, 1), 1, {}}, head.settings);
        CHECK_OK(copied);
        const Transform* memory = clip.locals.data();
        const auto taken = runDynamicBones(
            {head.scene, StageMotions::toTake(std::span(&clip, 1)), 1}, head.settings);
        CHECK_OK(taken);
        const StageResult &a = copied->front(), &b = taken->front();
        // Of a cycle, the best of several runs is kept.
        if (head.settings.loop == LoopPolicy::kOff) CHECK(b.motion.locals.data() == memory);
        CHECK(a.motion.locals == b.motion.locals);
        REQUIRE(a.metrics.size() == b.metrics.size());
        for (std::size_t i = 0; i < a.metrics.size(); ++i) {
          CHECK(a.metrics[i].before == b.metrics[i].before);
          CHECK(a.metrics[i].after == b.metrics[i].after);
        }
        REQUIRE(a.series.size() == b.series.size());
        for (std::size_t i = 0; i < a.series.size(); ++i) {
          CHECK(a.series[i].before == b.series[i].before);
          CHECK(a.series[i].after == b.series[i].after);
        }
      }
    }
  }
}

TEST_CASE("wind comes from the seed") {
  for (DynamicBonesMethod method : kMethods) {
    Head head(method);
    const Motion first = bake(head.scene, head.clip(), head.settings).motion;
    head.settings.seed = 2;
    const Motion second = bake(head.scene, head.clip(), head.settings).motion;
    CHECK(difference(first, second, 1) > 1e-3);
    head.settings.wind_noise = 0.0;
    const Motion third = bake(head.scene, head.clip(), head.settings).motion;
    head.settings.seed = 1;
    CHECK(isSame(bake(head.scene, head.clip(), head.settings).motion, third));
  }
}

TEST_CASE("a file in centimetres with another up axis gives the same rotations") {
  for (DynamicBonesMethod method : kMethods) {
    const Head head(method);
    Head other(method);
    // z up, 100 units per metre: metric = 0.01 R file, R rotates z to y.
    const Quat metric_from_up = rotationAbout(Vec3(1, 0, 0), -90 * kDegree);
    const Quat up_from_metric = glm::conjugate(metric_from_up);
    other.scene.metric_from_file.linear = glm::mat3_cast(metric_from_up) * 0.01;
    for (Node& node : other.scene.skeleton.nodes) node.rest.translation *= 100.0;
    Transform& root = other.scene.skeleton.nodes[0].rest;
    root = {up_from_metric * root.translation, up_from_metric * root.rotation, root.scale};
    const Motion clip = motionOf(other.scene, 1.0, 30.0, [&](double t, PoseView pose) {
      const Vec3 position(0.1 + 0.2 * std::sin(6.0 * t), 1.6, 0.2 + t);
      pose.locals[0].translation = up_from_metric * position * 100.0;
      pose.locals[0].rotation = up_from_metric * rotationAbout(Vec3(0, 1, 0), std::sin(5.0 * t));
    });
    const Motion a = bake(head.scene, head.clip(), head.settings).motion;
    const Motion b = bake(other.scene, clip, other.settings).motion;
    CHECK(difference(a, b, 1) < 1e-9);
  }
}

TEST_CASE("a rotation of scene and wind about the up axis does not change local rotations") {
  for (DynamicBonesMethod method : kMethods) {
    const Head head(method);
    Head other(method);
    const Quat rotation = rotationAbout(Vec3(0, 1, 0), 1.1);
    other.scene.metric_from_file.linear = glm::mat3_cast(rotation);
    other.scene.metric_from_file.translation =
        rotation * Vec3(0, 3, 0);  // up: wind sees no difference
    const Vec3 wind = rotation * Vec3(2.0, 0.0, -1.0);
    other.settings.wind_mps2 = {wind.x, 0.0, wind.z};
    other.settings.wind_noise = 0.0;
    Head same(method);
    same.settings.wind_mps2 = {2.0, 0.0, -1.0};
    same.settings.wind_noise = 0.0;
    const Motion a = bake(same.scene, same.clip(), same.settings).motion;
    const Motion b = bake(other.scene, other.clip(), other.settings).motion;
    CHECK(difference(a, b, 1) < 1e-9);
  }
}

TEST_CASE("a mirrored scene moves as the mirror image") {
  auto mirrored = [](const Quat& q) { return Quat(q.w, q.x, -q.y, -q.z); };
  auto image = [](const Vec3& v) { return Vec3(-v.x, v.y, v.z); };
  for (DynamicBonesMethod method : kMethods) {
    Head head(method), other(method);
    for (Node& node : other.scene.skeleton.nodes) {
      node.rest.translation = image(node.rest.translation);
      node.rest.rotation = mirrored(node.rest.rotation);
    }
    other.settings.collider[0].offset_m[0] *= -1.0;
    other.settings.wind_mps2[0] *= -1.0;
    head.settings.wind_noise = other.settings.wind_noise = 0.0;
    const Motion clip = head.clip();
    const Motion flipped = motionOf(other.scene, 1.0, 30.0, [&](double t, PoseView pose) {
      pose.locals[0].translation = image(Vec3(0.1 + 0.2 * std::sin(6.0 * t), 1.6, 0.2 + t));
      pose.locals[0].rotation = mirrored(rotationAbout(Vec3(0, 1, 0), std::sin(5.0 * t)));
    });
    Motion a = bake(head.scene, clip, head.settings).motion;
    const Motion b = bake(other.scene, flipped, other.settings).motion;
    for (Transform& local : a.locals) local.rotation = mirrored(local.rotation);
    CHECK(difference(a, b, 0) < 1e-9);
  }
}

TEST_CASE("a scene of twice the size with twice the gravity and wind gets the same rotations") {
  for (DynamicBonesMethod method : kMethods) {
    const Head head(method);
    Head other(method);
    other.scene.metric_from_file.linear = Mat3(2.0);
    other.settings.chain[0].gravity_mps2 = -19.62;
    other.settings.chain[0].radius_m = 0.02;
    for (double& number : other.settings.wind_mps2) number *= 2.0;
    other.settings.wind_gust_m *= 2.0;
    for (double& number : other.settings.collider[0].offset_m) number *= 2.0;
    other.settings.collider[0].radius_m *= 2.0;
    const Motion a = bake(head.scene, head.clip(), head.settings).motion;
    const Motion b = bake(other.scene, other.clip(), other.settings).motion;
    CHECK(difference(a, b, 1) < 1e-9);
  }
}

TEST_CASE("no joint rolls about its bone against the clip") {
  for (DynamicBonesMethod method : kMethods) {
    Head head(method);
    head.settings.smoothing = 0.6;
    head.settings.wind_noise = 1.0;
    const Motion clip = head.clip();
    const Motion baked = bake(head.scene, clip, head.settings).motion;
    for (std::size_t frame = 0; frame < clip.grid.frame_count; ++frame) {
      for (const std::size_t node : {1, 2, 3, 5, 6, 7}) {
        const Quat& animated = clip.localsOf(frame)[node].rotation;
        const Vec3 bone = animated * clip.localsOf(frame)[node + 1].translation;
        const Quat away = baked.localsOf(frame)[node].rotation * glm::conjugate(animated);
        const Quat twist = swingTwist(away, bone / std::sqrt(glm::dot(bone, bone))).twist;
        CHECK(angleBetween(twist, kIdentityRotation) < 1e-6);
      }
    }
  }
}

TEST_CASE("two chains with different settings do not influence each other") {
  for (DynamicBonesMethod method : kMethods) {
    Head both(method), one(method);
    both.settings.chain[0].root = "hair0*";
    both.settings.chain.push_back(both.settings.chain[0]);
    both.settings.chain[1].root = "hair1*";
    both.settings.chain[1].gravity_mps2 = 5.0;
    one.settings.chain[0].root = "hair0*";
    const Motion a = bake(both.scene, both.clip(), both.settings).motion;
    const Motion b = bake(one.scene, one.clip(), one.settings).motion;
    for (std::size_t frame = 0; frame < a.grid.frame_count; ++frame) {
      for (std::size_t node = 0; node < 5; ++node) {
        CHECK(a.localsOf(frame)[node] == b.localsOf(frame)[node]);
      }
    }
    CHECK(difference(a, b, 5) > 0.01);
    CHECK_FALSE(b.modified.any(5));
  }
}

TEST_CASE("parameters may vary over depth") {
  Head head(DynamicBonesMethod::kSpring);
  head.settings.chain[0].gravity_mps2 =
      Curve(std::vector<Curve::Point>{{0.0, 0.0}, {0.5, 0.0}, {1.0, -20.0}});
  head.settings.wind_mps2 = {0.0, 0.0, 0.0};
  head.settings.collider.clear();
  const Motion still = stillMotion(head.scene, 1.0, 30.0);
  const Motion baked = bake(head.scene, still, head.settings).motion;
  // Bones up to the middle feel nothing and stay.
  CHECK(angleBetween(baked.localsOf(30)[1].rotation, still.localsOf(30)[1].rotation) < 1e-12);
  CHECK(angleBetween(baked.localsOf(30)[4].rotation, still.localsOf(30)[4].rotation) > 0.01);
}

TEST_CASE("clips of one frame or zero length are not modified") {
  for (DynamicBonesMethod method : kMethods) {
    const Head head(method);
    for (double fps : {30.0, 240.0}) {
      const Motion clip = motionOf(head.scene, 0.0, fps, [](double, PoseView) {});
      REQUIRE(clip.grid.frame_count == 1);
      const StageResult result = bake(head.scene, clip, head.settings);
      CHECK(isSame(result.motion, clip));
      CHECK(result.motion.modified.none());
    }
  }
}

TEST_CASE("a clip shorter than a step and a motion without source give finite poses") {
  for (DynamicBonesMethod method : kMethods) {
    const Head head(method);
    Motion clip = stillMotion(head.scene, 0.001, 30.0);
    REQUIRE(clip.grid.frame_count == 2);
    CHECK(isAllFinite(bake(head.scene, clip, head.settings).motion));
    clip = head.clip();
    clip.source = nullptr;
    const Motion baked = bake(head.scene, clip, head.settings).motion;
    CHECK(isAllFinite(baked));
    CHECK(difference(baked, clip, 1) > 0.1);
  }
}

TEST_CASE("bones of zero length and joints of zero scale give finite poses") {
  for (DynamicBonesMethod method : kMethods) {
    Head head(method);
    head.scene.skeleton.nodes[2].rest.translation = Vec3(0);
    head.scene.skeleton.nodes[6].rest.scale = Vec3(0);
    head.scene.skeleton.nodes[8].rest.scale = Vec3(0, 1, 1);
    const StageResult result = bake(head.scene, head.clip(), head.settings);
    CHECK(isAllFinite(result.motion));
    head.scene.skeleton.nodes[0].rest.scale = Vec3(0);
    CHECK(isAllFinite(bake(head.scene, head.clip(), head.settings).motion));
  }
}

TEST_CASE("joints of a clip with NaN or infinity are reset and reported") {
  for (DynamicBonesMethod method : kMethods) {
    const Head head(method);
    const Motion clip = motionOf(head.scene, 1.0, 30.0, [](double t, PoseView pose) {
      const bool is_bad = t > 0.4 && t < 0.5;
      const double x = is_bad ? std::numeric_limits<double>::quiet_NaN() : 0.1;
      pose.locals[0].translation = Vec3(x, 1.6, 0.2);
    });
    const StageResult result = bake(head.scene, clip, head.settings);
    CHECK(result.warnings.count("joint_reset") > 0);
    CHECK(isAllFinite(result.motion));
    std::vector<Affine> worlds;
    computeWorlds(head.scene.skeleton, result.motion.localsOf(30), Affine(), worlds);
    for (const Affine& world : worlds) CHECK(isFinite(world.translation));
    // It swings again afterwards.
    CHECK(angleBetween(result.motion.localsOf(30)[4].rotation, clip.localsOf(30)[4].rotation) >
          1e-3);
  }
}

TEST_CASE("a scale that is not uniform is reported") {
  Head head(DynamicBonesMethod::kSpring);
  head.scene.skeleton.nodes[0].rest.scale = Vec3(1, 2, 1);
  const StageResult result = bake(head.scene, head.clip(), head.settings);
  CHECK(result.warnings.count("bone_length_changes") == 1);
}

TEST_CASE("the registry lists the stage and its settings") {
  const StageType* type = findStageType("dynamic-bones");
  REQUIRE(type);
  CHECK(findStageType("dynamic-bone") == nullptr);
  CHECK(type->settings->field("method"));
  const auto settings = type->make_settings();
  const Head head(DynamicBonesMethod::kSpring);
  *static_cast<DynamicBonesSettings*>(settings.get()) = head.settings;
  const Motion clip = head.clip();
  const auto results = type->run({head.scene, std::span(&clip, 1), 1}, settings.get());
  CHECK_OK(results);
  CHECK(isSame(results->results.front().motion, bake(head.scene, clip, head.settings).motion));
}

TEST_CASE("every default is within the bounds of its field") {
  const SettingsTable& stage = dynamicBonesTable();
  auto check = [](const SettingsTable& table, const void* settings) {
    for (const SettingField& field : table.fields) {
      CAPTURE(field.name);
      const auto value = field.get(settings);
      if (!value) continue;
      const auto checked = checkedValue(field, *value, field.name);
      CHECK(checked.ok());
      CHECK(checked.value() == *value);
    }
  };
  const DynamicBonesSettings settings;
  const ChainSettings chain;
  const ColliderSettings collider;
  check(stage, &settings);
  check(*stage.list("chain")->item, &chain);
  check(*stage.list("collider")->item, &collider);
}

TEST_SUITE_END();
