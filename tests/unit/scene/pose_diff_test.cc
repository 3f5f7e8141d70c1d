// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "scene/pose_diff.h"

#include "anim/make_motion.h"
#include "checks.h"

TEST_SUITE_BEGIN("scene.pose_diff");

using namespace clipmill;

namespace {

// A chain whose second joint rotates about z from 0 to `angle` over the clip.
Scene makeScene(int joints, double angle, double start_s = 0.0, double end_s = 1.0) {
  Scene scene;
  scene.skeleton = test::makeChain(joints);
  const Quat end = rotationAbout(Vec3(0, 0, 1), angle);
  Track track{1, TrackPath::kRotation, Interpolation::kLinear, 4, nullptr, {}};
  track.times_s = std::make_shared<std::vector<double>>(std::vector<double>{start_s, end_s});
  track.values = {0, 0, 0, 1, end.x, end.y, end.z, end.w};
  Clip clip;
  clip.start_s = start_s;
  clip.end_s = end_s;
  clip.source = keyframeSource(scene.skeleton, {track});
  scene.clips.push_back(clip);
  return scene;
}

PoseDiff compare(const Scene& a, const Scene& b, double fps = 30.0) {
  const auto diff = compareClips(a, a.clips[0], b, b.clips[0], {fps});
  CHECK_OK(diff);
  return diff.value();
}

}  // namespace

TEST_CASE("a clip does not differ from itself") {
  const Scene scene = makeScene(4, 1.0);
  const PoseDiff diff = compare(scene, scene);
  CHECK(diff.frame_count == 31);
  REQUIRE(diff.nodes.size() == 4);
  for (const NodeDiff& node : diff.nodes) {
    CHECK(node.max_distance_m == 0.0);
    CHECK(node.max_angle_rad == 0.0);
  }
  CHECK(diff.only_in_a.empty());
  CHECK(diff.only_in_b.empty());
  CHECK(diff.length_difference_s == 0.0);
}

TEST_CASE("a rotated joint moves its child by the chord and rotates all below by the angle") {
  const PoseDiff diff = compare(makeScene(3, 0.0), makeScene(3, 0.5));
  REQUIRE(diff.nodes.size() == 3);
  CHECK(diff.nodes[1].max_distance_m < 1e-15);
  CHECK(diff.nodes[1].max_angle_rad == doctest::Approx(0.5));
  CHECK(diff.nodes[1].mean_angle_rad == doctest::Approx(0.25));
  CHECK(diff.nodes[2].max_distance_m == doctest::Approx(2.0 * std::sin(0.25)));
  CHECK(diff.nodes[2].max_angle_rad == doctest::Approx(0.5));
  CHECK(diff.nodes[2].worst_time_s == doctest::Approx(1.0));
  CHECK(diff.worst == 2);
  CHECK(diff.nodes[2].mean_distance_m > 0.4 * diff.nodes[2].max_distance_m);
  CHECK(diff.nodes[2].mean_distance_m < 0.6 * diff.nodes[2].max_distance_m);
}

TEST_CASE("distances are in metres and in the units of the first file") {
  Scene a = makeScene(3, 0.0), b = makeScene(3, 0.5);
  a.metric_from_file.linear = Mat3(0.01);
  b.metric_from_file.linear = Mat3(0.01);
  const PoseDiff diff = compare(a, b);
  CHECK(diff.nodes[2].max_distance_m == doctest::Approx(0.02 * std::sin(0.25)));
  CHECK(diff.nodes[2].max_distance_file == doctest::Approx(2.0 * std::sin(0.25)));
}

TEST_CASE("the same motion in centimetres and z up does not differ") {
  Scene metres = makeScene(3, 0.7), centimetres = makeScene(3, 0.7);
  const Quat y_from_z = rotationAbout(Vec3(1, 0, 0), -0.5 * kPi);
  centimetres.metric_from_file = toAffine({Vec3(0), y_from_z, Vec3(0.01)});
  for (Node& node : centimetres.skeleton.nodes) node.rest.translation *= 100.0;
  centimetres.skeleton.nodes[0].rest.rotation = glm::conjugate(y_from_z);
  const PoseDiff diff = compare(metres, centimetres);
  for (const NodeDiff& node : diff.nodes) {
    CHECK(node.max_distance_m < 1e-12);
    CHECK(node.max_angle_rad < 1e-12);
  }
}

TEST_CASE("clips are aligned at their starts and the shorter one holds its last pose") {
  const PoseDiff same = compare(makeScene(3, 0.6, 0.0, 1.0), makeScene(3, 0.6, 5.0, 6.0));
  CHECK(same.nodes[2].max_distance_m < 1e-12);
  const PoseDiff longer = compare(makeScene(3, 0.6, 0.0, 1.0), makeScene(3, 1.2, 5.0, 7.0));
  CHECK(longer.length_difference_s == doctest::Approx(1.0));
  CHECK(longer.frame_count == 61);
  CHECK(longer.nodes[2].max_distance_m == doctest::Approx(2.0 * std::sin(0.3)));
  CHECK(longer.nodes[2].worst_time_s == doctest::Approx(2.0));
}

TEST_CASE("nodes that only one file has are listed") {
  Scene a = makeScene(4, 0.0), b = makeScene(3, 0.0);
  b.skeleton.nodes[2].name = "other";
  const PoseDiff diff = compare(a, b);
  CHECK(diff.nodes.size() == 2);
  CHECK(diff.only_in_a ==
        std::vector<std::string>{"joint0/joint1/joint2", "joint0/joint1/joint2/joint3"});
  CHECK(diff.only_in_b == std::vector<std::string>{"joint0/joint1/other"});
}

TEST_CASE("of nodes with one path the first is matched with the first") {
  Scene a = makeScene(2, 0.0), b = makeScene(2, 0.0);
  for (double x : {1.0, 2.0}) {
    Node twin;
    twin.name = "twin";
    twin.parent = 0;
    twin.rest.translation = Vec3(x, 0, 0);
    a.skeleton.nodes.push_back(twin);
    if (x == 1.0) b.skeleton.nodes.push_back(twin);
  }
  const PoseDiff diff = compare(a, b);
  REQUIRE(diff.nodes.size() == 3);
  CHECK(diff.nodes[2].node_a == 2);
  CHECK(diff.nodes[2].max_distance_m == 0.0);
  CHECK(diff.only_in_a == std::vector<std::string>{"joint0/twin"});
}

TEST_CASE("a clip without keys is in its rest pose") {
  Scene still = makeScene(3, 0.0);
  still.clips[0].source = nullptr;
  CHECK(compare(still, makeScene(3, 0.5)).nodes[2].max_distance_m ==
        doctest::Approx(2.0 * std::sin(0.25)));
}

TEST_CASE("frame rates that are not positive and endless clips are refused") {
  Scene scene = makeScene(2, 0.0);
  const Clip& clip = scene.clips[0];
  for (double fps : {0.0, -1.0, std::nan("")}) {
    const auto diff = compareClips(scene, clip, scene, clip, {fps});
    REQUIRE(!diff.ok());
    CHECK(diff.error().code == ErrorCode::kUsage);
  }
  Clip endless = clip;
  endless.end_s = 1e300;
  const auto diff = compareClips(scene, endless, scene, clip, {30.0});
  REQUIRE(!diff.ok());
  CHECK(diff.error().code == ErrorCode::kLimit);
}

TEST_SUITE_END();
