// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/drivers/driver_text.h"

#include <cmath>

#include "core/text.h"
#include "core/to_size.h"

namespace clipmill::stages::tet_bake {
namespace {

constexpr int kDriversVersion = 1;

// Players calculate in single precision.
std::string shortText(double number) { return numberText(static_cast<float>(number)); }

// Weights, to a millionth.
std::string valueText(double value) { return numberText(std::round(value * 1e6) / 1e6); }

std::string rotationText(const Quat& q) {
  return "[" + shortText(q.x) + "," + shortText(q.y) + "," + shortText(q.z) + "," + shortText(q.w) +
         "]";
}

const char* nameOfPart(RotationPart part) {
  if (part == RotationPart::kSwing) return "swing";
  return part == RotationPart::kTwist ? "twist" : "whole";
}

class DriversText {
 public:
  DriversText(const Skeleton& skeleton, const BindRotations& bind, bool with_lines)
      : skeleton_(skeleton), bind_(bind), with_lines_(with_lines) {}

  std::string of(const PoseDriver& driver) const {
    const std::size_t joints = driver.joints.size();
    return "{\"name\":" + jsonString(nameOfNode(driver.node)) + "," + line(2) + "\"joints\":" +
           list(driver.joints.size(), 3,
                [&](std::size_t j) { return jointText(driver.joints[j]); }) +
           "," + line(2) + "\"inputs\":" +
           list(driver.inputs.size(), 3,
                [&](std::size_t i) { return inputText(driver.inputs[i]); }) +
           "," + line(2) + "\"width\":" + shortText(driver.width_rad) + "," + line(2) +
           "\"centers\":" +
           list(driver.centerCount(), 3,
                [&](std::size_t c) {
                  return flatList(joints, [&](std::size_t j) {
                    return rotationText(driver.centers[c * joints + j]);
                  });
                }) +
           "," + line(2) + "\"morphs\":" +
           list(driver.morphs.size(), 3,
                [&](std::size_t m) { return morphText(driver.morphs[m]); }) +
           helpersText(driver) + "}";
  }

  template <class Element>
  std::string list(std::size_t count, int depth, const Element& element) const {
    std::string text = "[";
    for (std::size_t i = 0; i < count; ++i) text += (i > 0 ? "," : "") + line(depth) + element(i);
    return text + "]";
  }

  std::string line(int depth) const {
    return with_lines_ ? "\n" + std::string(2 * toSize(depth), ' ') : std::string();
  }

 private:
  const std::string& nameOfNode(int node) const { return skeleton_.nodes[toSize(node)].name; }

  template <class Element>
  static std::string flatList(std::size_t count, const Element& element) {
    std::string text = "[";
    for (std::size_t i = 0; i < count; ++i) text += (i > 0 ? "," : "") + element(i);
    return text + "]";
  }

  std::string jointText(int node) const {
    return "{\"name\":" + jsonString(nameOfNode(node)) +
           ",\"path\":" + jsonString(pathOf(skeleton_, node)) +
           ",\"bind\":" + rotationText(normalizedOrIdentity(bind_.locals[toSize(node)].rotation)) +
           "}";
  }

  static std::string inputText(const DriverInput& input) {
    std::string text = "{\"joint\":" + std::to_string(input.joint) + ",\"part\":\"" +
                       nameOfPart(input.part) + "\"";
    if (input.part != RotationPart::kWhole) {
      text += ",\"axis\":[" + shortText(input.axis.x) + "," + shortText(input.axis.y) + "," +
              shortText(input.axis.z) + "]";
    }
    return text + ",\"weight\":" + shortText(input.weight) + "}";
  }

  static std::string morphText(const DrivenMorph& morph) {
    return "{\"name\":" + jsonString(morph.name) + ",\"values\":" +
           flatList(morph.values.size(),
                    [&](std::size_t c) { return valueText(morph.values[c]); }) +
           "}";
  }

  std::string helpersText(const PoseDriver& driver) const {
    if (driver.helpers.empty()) return {};
    return "," + line(2) + "\"helpers\":" + list(driver.helpers.size(), 3, [&](std::size_t h) {
             return helperText(driver.helpers[h]);
           });
  }

  static std::string helperText(const DrivenHelper& helper) {
    return "{\"name\":" + jsonString(helper.name) +
           ",\"translations\":" + vectorsText(helper.translations) +
           ",\"rotations\":" + vectorsText(helper.rotations_rad) + "}";
  }

  // They have few digits (addCenter()).
  static std::string vectorsText(std::span<const Vec3> vectors) {
    return flatList(vectors.size(), [&](std::size_t c) {
      const Vec3& v = vectors[c];
      return "[" + numberText(v.x) + "," + numberText(v.y) + "," + numberText(v.z) + "]";
    });
  }

  const Skeleton& skeleton_;
  const BindRotations& bind_;
  bool with_lines_;
};

}  // namespace

std::string driversJson(const Skeleton& skeleton, const BindRotations& bind,
                        std::span<const PoseDriver> drivers, std::span<const std::string> constant,
                        bool with_lines) {
  const DriversText text(skeleton, bind, with_lines);
  return "{\"format\":\"clipmill-drivers\",\"version\":" + std::to_string(kDriversVersion) + "," +
         text.line(0) + "\"constant\":" +
         text.list(constant.size(), 1, [&](std::size_t i) { return jsonString(constant[i]); }) +
         "," + text.line(0) + "\"drivers\":" +
         text.list(drivers.size(), 1, [&](std::size_t d) { return text.of(drivers[d]); }) + "}";
}

}  // namespace clipmill::stages::tet_bake
