// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "make_samples/body.h"

#include <algorithm>
#include <cassert>
#include <string>

#include "core/portable_math.h"
#include "core/to_size.h"

namespace clipmill::samples {
namespace {

void addSpine(Rig& rig) {
  const Quat upright = kIdentityRotation;
  const int root = rig.add("Root", -1, Vec3(0), upright);
  const int hips = rig.add("Hips", root, Vec3(0, 0.98, 0), upright);
  const int spine = rig.add("Spine", hips, Vec3(0, 1.06, 0), upright);
  const int spine1 = rig.add("Spine1", spine, Vec3(0, 1.18, 0), upright);
  const int spine2 = rig.add("Spine2", spine1, Vec3(0, 1.30, 0), upright);
  const int neck = rig.add("Neck", spine2, Vec3(0, 1.49, -0.015), upright);
  rig.add("Head", neck, Vec3(0, 1.585, -0.005), upright);
}

// `side` is 1 for left (+X) and -1 for right.
void addArm(Rig& rig, const std::string& prefix, double side) {
  const Vec3 down(side * portable::cos(kArmDrop_rad), -portable::sin(kArmDrop_rad), 0);
  const Vec3 forward(0, 0, 1);
  const Vec3 clavicle(side * 0.03, 1.44, -0.01), arm(side * 0.18, 1.42, -0.012);
  const Vec3 outward = glm::normalize(arm - clavicle);
  const Quat along_arm = frameOf(down, glm::cross(down, forward));
  const int shoulder = rig.add(prefix + "Shoulder", rig.at("Spine2"), clavicle,
                               frameOf(outward, glm::cross(outward, forward)));
  const int upper = rig.add(prefix + "Arm", shoulder, arm, along_arm);
  const int fore = rig.add(prefix + "ForeArm", upper, arm + down * kUpperArm_m, along_arm);
  rig.add(prefix + "Hand", fore, arm + down * (kUpperArm_m + kForeArm_m), along_arm);
}

void addLeg(Rig& rig, const std::string& prefix, double side) {
  const Vec3 right(1, 0, 0);
  const Vec3 hip(side * 0.095, 0.93, 0), knee(side * 0.095, 0.50, 0.012);
  const Vec3 ankle(side * 0.095, 0.085, -0.02), ball(side * 0.095, 0.025, 0.11);
  const auto along = [&](const Vec3& from, const Vec3& to) {
    return frameOf(glm::normalize(to - from), right);
  };
  const int upper = rig.add(prefix + "UpLeg", rig.at("Hips"), hip, along(hip, knee));
  const int lower = rig.add(prefix + "Leg", upper, knee, along(knee, ankle));
  const int foot = rig.add(prefix + "Foot", lower, ankle, along(ankle, ball));
  rig.add(prefix + "ToeBase", foot, ball, frameOf(Vec3(0, 0, 1), right));
}

}  // namespace

double smoothStep(double t) {
  const double u = std::clamp(t, 0.0, 1.0);
  return u * u * (3.0 - 2.0 * u);
}

Quat frameOf(const Vec3& y, const Vec3& x) {
  const Vec3 normal = glm::normalize(x - y * glm::dot(x, y));
  return rotationOf({Mat3(normal, y, glm::cross(normal, y)), Vec3(0)});
}

int Rig::add(std::string_view name, int parent, const Vec3& position, const Quat& world_rotation) {
  Node node;
  node.name = std::string(name);
  node.parent = parent;
  node.source_id = static_cast<int>(skeleton_.size());
  node.rest = {position, world_rotation, Vec3(1)};
  if (parent >= 0) {
    const auto p = toSize(parent);
    node.rest.translation = transformPoint(inverse(worlds_[p]), position);
    node.rest.rotation = glm::conjugate(rotations_[p]) * world_rotation;
  }
  skeleton_.nodes.push_back(node);
  worlds_.push_back(toAffine({position, world_rotation, Vec3(1)}));
  rotations_.push_back(world_rotation);
  return node.source_id;
}

std::vector<int> Rig::addChain(std::string_view prefix, int parent, const std::vector<Vec3>& points,
                               const Vec3& hinge) {
  std::vector<int> chain;
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    const Quat rotation = frameOf(glm::normalize(points[i + 1] - points[i]), hinge);
    parent = add(std::string(prefix) + std::to_string(i + 1), parent, points[i], rotation);
    chain.push_back(parent);
  }
  return chain;
}

int Rig::addMeshNode(std::string_view name) { return add(name, -1, Vec3(0), kIdentityRotation); }

int Rig::at(std::string_view name) const {
  const auto found = std::find_if(skeleton_.nodes.begin(), skeleton_.nodes.end(),
                                  [&](const Node& node) { return node.name == name; });
  assert(found != skeleton_.nodes.end());
  return static_cast<int>(found - skeleton_.nodes.begin());
}

Rig makeBodyRig() {
  Rig rig;
  addSpine(rig);
  addArm(rig, "Left", 1);
  addArm(rig, "Right", -1);
  addLeg(rig, "Left", 1);
  addLeg(rig, "Right", -1);
  return rig;
}

}  // namespace clipmill::samples
