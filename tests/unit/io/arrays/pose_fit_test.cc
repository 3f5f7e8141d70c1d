// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/arrays/pose_fit.h"

#include "checks.h"
#include "core/to_size.h"
#include "random.h"

TEST_SUITE_BEGIN("arrays.pose_fit");

namespace {

using namespace clipmill;
using namespace clipmill::io::arrays;
using namespace clipmill::test;

constexpr double kFps = 30.0;
constexpr std::size_t kFrames = 60;

// Numbers of a fixed sequence; distributions of the library differ between its versions.
// A body of other proportions, whose joints swing on two waves each.
struct Motion {
  std::vector<Vec3> offsets, points;
  std::vector<Quat> worlds;  // frames x joints
};

Motion randomMotion(const BodyModel& model, test::Random& random) {
  constexpr double kMostSwing_rad = 1.3;  // two waves of it: 150 degrees
  Motion motion;
  motion.offsets = restOffsets(model);
  for (Vec3& offset : motion.offsets) {
    offset *= random.number(0.8, 1.25);
    offset += random.direction() * (0.15 * lengthOf(offset));
  }
  struct Wave {
    Vec3 axis;
    double amount, rate, phase;
  };
  std::vector<Wave> waves;
  for (std::size_t k = 0; k < 2 * model.joints.size(); ++k) {
    waves.push_back({random.direction(), random.number(0.0, kMostSwing_rad),
                     random.number(0.5, 4.0), random.number(0.0, 6.28)});
  }
  for (std::size_t f = 0; f < kFrames; ++f) {
    const double time_s = static_cast<double>(f) / kFps;
    const std::size_t first = f * model.joints.size();
    for (std::size_t j = 0; j < model.joints.size(); ++j) {
      Quat local = kIdentityRotation;
      for (std::size_t k : {2 * j, 2 * j + 1}) {
        const Wave& wave = waves[k];
        local = rotationAbout(wave.axis, wave.amount * std::sin(wave.rate * time_s + wave.phase)) *
                local;
      }
      const int parent = model.joints[j].parent;
      const Quat above = parent < 0 ? kIdentityRotation : motion.worlds[first + toSize(parent)];
      const Vec3 from = parent < 0 ? Vec3(time_s, 0.0, 0.0) : motion.points[first + toSize(parent)];
      motion.worlds.push_back(above * local);
      motion.points.push_back(from + above * motion.offsets[j]);
    }
  }
  return motion;
}

// Positions that follow from the fitted rotations.
std::vector<Vec3> posed(const BodyModel& model, const FittedMotion& fitted) {
  std::vector<Vec3> points;
  std::vector<Quat> worlds;
  for (std::size_t i = 0; i < fitted.locals.size(); ++i) {
    const std::size_t joints = model.joints.size(), j = i % joints, first = i - j;
    const int parent = model.joints[j].parent;
    const Quat above = parent < 0 ? kIdentityRotation : worlds[first + toSize(parent)];
    worlds.push_back(above * fitted.locals[i]);
    points.push_back(parent < 0 ? fitted.roots[i / joints]
                                : points[first + toSize(parent)] + above * fitted.offsets[j]);
  }
  return points;
}

}  // namespace

TEST_CASE("the best rotation is the one that made the points") {
  test::Random random(3);
  for (int i = 0; i < 200; ++i) {
    const Quat wanted = random.rotation(3.1);
    std::vector<Vec3> from, to;
    std::vector<double> weights;
    for (int k = 0; k < 3; ++k) {
      from.push_back(random.vectorOfLength(0.05, 0.5));
      to.push_back(wanted * from.back());
      weights.push_back(random.number(0.5, 2.0));
    }
    CHECK(distance(bestRotation(from, to, weights), wanted) < 1e-6);
  }
}

TEST_CASE("a thousand smooth motions are followed with exact lengths and without flips") {
  const BodyModel model = *bodyModel("humanml3d22");
  test::Random random(20);
  double worst_m = 0.0, worst_length_m = 0.0, worst_step_rad = 0.0, fastest_bone_rad = 0.0;
  for (int i = 0; i < 1000; ++i) {
    const Motion motion = randomMotion(model, random);
    const FittedMotion fitted = fitMotion(model, motion.points, kFps);
    const std::vector<Vec3> points = posed(model, fitted);
    const std::size_t joints = model.joints.size();
    std::vector<Quat> before(joints), worlds(joints);
    for (std::size_t k = 0; k < points.size(); ++k) {
      const std::size_t j = k % joints, first = k - j;
      worst_m = std::max(worst_m, lengthOf(points[k] - motion.points[k]));
      const int parent = model.joints[j].parent;
      const Quat above = parent < 0 ? kIdentityRotation : worlds[toSize(parent)];
      worlds[j] = above * fitted.locals[k];
      if (k >= joints) {
        worst_step_rad = std::max(worst_step_rad, angleBetween(before[j], worlds[j]));
        fastest_bone_rad =
            std::max(fastest_bone_rad, angleBetween(motion.worlds[k - joints], motion.worlds[k]));
      }
      before[j] = worlds[j];
      if (parent < 0) continue;
      const double bone = lengthOf(points[k] - points[first + toSize(parent)]);
      worst_length_m = std::max(worst_length_m, std::abs(bone - lengthOf(motion.offsets[j])));
    }
  }
  MESSAGE("largest error ", worst_m * 1e3, " mm, of a length ", worst_length_m * 1e3,
          " mm; fastest rotation in a frame ", worst_step_rad / kDegree,
          " deg, of the given motion ", fastest_bone_rad / kDegree, " deg");
  CHECK(worst_m < 0.005);
  CHECK(worst_length_m < 1e-9);
  // What a bone itself rotates, and 15 rad/s about itself, which its children take along.
  CHECK(worst_step_rad < fastest_bone_rad + 2.0 * 15.0 / kFps);
}

TEST_CASE("a bent knee shows how the thigh is rotated about itself") {
  const BodyModel model = *bodyModel("humanml3d22");
  std::vector<Vec3> points;
  for (const BodyJoint& joint : model.joints) points.push_back(joint.rest_m);
  const auto at = [&](const char* name) -> Vec3& { return points[toSize(model.find(name))]; };
  // The thigh points forwards and the shin outwards: the knee faces up, rotated by 90 degrees.
  const double thigh = lengthOf(at("left_knee") - at("left_hip"));
  const double shin = lengthOf(at("left_ankle") - at("left_knee"));
  const Vec3 toes = at("left_foot") - at("left_ankle");
  at("left_knee") = at("left_hip") + Vec3(0, 0, thigh);
  at("left_ankle") = at("left_knee") + Vec3(shin, 0, 0);
  at("left_foot") = at("left_ankle") + toes;
  const FittedMotion fitted = fitMotion(model, points, kFps);
  const Quat hip = fitted.locals[0] * fitted.locals[toSize(model.find("left_hip"))];
  // The axis of the knee is normal to thigh and shin.
  CHECK(distance(hip * Vec3(1, 0, 0), Vec3(0, 1, 0)) < 1e-2);
  const Quat knee = fitted.locals[toSize(model.find("left_knee"))];
  const Vec3 axis = rotationVector(kIdentityRotation, knee);
  CHECK(lengthOf(axis) == nearTo(kPi / 2.0, 0.05));
  CHECK(axis.x > 0.99 * lengthOf(axis));
}

TEST_CASE("skeletons are symmetric and their parents come first") {
  for (const std::string_view name : bodyModelNames()) {
    const BodyModel model = *bodyModel(name);
    CAPTURE(model.name);
    for (std::size_t j = 0; j < model.joints.size(); ++j) {
      const BodyJoint& joint = model.joints[j];
      CHECK(joint.parent < static_cast<int>(j));
      CHECK((j == 0) == (joint.parent < 0));
      CHECK(toSize(std::max(joint.column, joint.other_column)) < model.columns);
      if (!joint.name.starts_with("left_")) continue;
      const int other = model.find("right_" + joint.name.substr(5));
      REQUIRE(other >= 0);
      const Vec3 mirrored = model.joints[toSize(other)].rest_m * Vec3(-1, 1, 1);
      CHECK(distance(joint.rest_m, mirrored) < 1e-12);
    }
  }
}

TEST_SUITE_END();
