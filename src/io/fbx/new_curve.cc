// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/fbx/new_curve.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>

#include "io/fbx/curve.h"

namespace clipmill::io::fbx {
namespace {

constexpr std::int32_t kConstant = 0x2, kLinear = 0x4, kCubic = 0x8;
constexpr std::int32_t kUserTangent = 0x400, kBrokenTangent = 0xc00;
// Both weights a third, as the 16-bit halves that the format stores (3333 of 9999).
constexpr std::uint32_t kThirds = 0x0d050d05;
// Slopes of a cubic curve below this, per second and of values above 1, are rounding.
constexpr double kIdleSlope = 1e-9;

// Tangents of one key: slope to the right, and to the left of the next key.
struct Attribute {
  std::int32_t flags = 0;
  float right_slope = 0.0f, next_left_slope = 0.0f;
  bool operator==(const Attribute&) const = default;
};

Attribute attributeOf(const NewCurve& curve, std::size_t key) {
  if (curve.interpolation == Interpolation::kStep) return {kConstant, 0.0f, 0.0f};
  if (curve.interpolation == Interpolation::kLinear) return {kLinear | kUserTangent, 0.0f, 0.0f};
  const std::size_t next = std::min(key + 1, curve.values.size() - 1);
  const bool is_smooth = curve.left_slopes[key] == curve.right_slopes[key];
  return {kCubic | (is_smooth ? kUserTangent : kBrokenTangent),
          static_cast<float>(curve.right_slopes[key]), static_cast<float>(curve.left_slopes[next])};
}

// The four values of an attribute; text files print their bits.
NewElement attributeValues(const std::vector<Attribute>& attributes, Encoding encoding) {
  std::vector<float> values;
  for (const Attribute& a : attributes) {
    values.insert(values.end(),
                  {a.right_slope, a.next_left_slope, std::bit_cast<float>(kThirds), 0.0f});
  }
  NewElement element{"KeyAttrDataFloat", {}, {}, false};
  if (encoding == Encoding::kBinary) {
    element.values.push_back(std::move(values));
    return element;
  }
  std::vector<std::int32_t> bits;
  for (const float value : values) bits.push_back(std::bit_cast<std::int32_t>(value));
  element.values.push_back(std::move(bits));
  return element;
}

// Whether the curve is constant within 32-bit floats.
bool isIdle(const NewCurve& curve) {
  const auto first = static_cast<float>(curve.values.front());
  const double max_slope = kIdleSlope * std::max(1.0, std::fabs(curve.values.front()));
  const auto isSame = [&](double value) { return static_cast<float>(value) == first; };
  const auto isFlat = [&](double slope) { return std::fabs(slope) <= max_slope; };
  return std::ranges::all_of(curve.values, isSame) &&
         std::ranges::all_of(curve.left_slopes, isFlat) &&
         std::ranges::all_of(curve.right_slopes, isFlat);
}

NewElement leafOf(const char* name, NewValue value) {
  return {name, {std::move(value)}, {}, false};
}

}  // namespace

void dropIdleKeys(NewCurve& curve) {
  if (curve.values.size() <= 2 || !isIdle(curve)) return;
  if (curve.interpolation == Interpolation::kCubicSpline) {
    curve.interpolation = Interpolation::kLinear;
    curve.left_slopes.clear();
    curve.right_slopes.clear();
  }
  curve.times_s = std::make_shared<const std::vector<double>>(
      std::vector<double>{curve.times_s->front(), curve.times_s->back()});
  curve.values = std::vector<double>(2, curve.values.front());
}

NewElement curveElement(std::int64_t id, const NewCurve& curve, std::int32_t key_version,
                        Encoding encoding) {
  std::vector<std::int64_t> times;
  std::vector<float> values;
  std::vector<Attribute> attributes;
  std::vector<std::int32_t> flags, counts;
  for (std::size_t k = 0; k < curve.values.size(); ++k) {
    times.push_back(ticksOf((*curve.times_s)[k]));
    values.push_back(static_cast<float>(curve.values[k]));
    const Attribute attribute = attributeOf(curve, k);
    if (attributes.empty() || !(attribute == attributes.back())) {
      attributes.push_back(attribute);
      flags.push_back(attribute.flags);
      counts.push_back(0);
    }
    ++counts.back();
  }
  NewElement element{
      "AnimationCurve", {id, classedName("", "AnimCurve"), std::string()}, {}, false};
  element.children.push_back(leafOf("Default", curve.values.empty() ? 0.0 : curve.values.front()));
  element.children.push_back(leafOf("KeyVer", key_version));
  element.children.push_back(leafOf("KeyTime", std::move(times)));
  element.children.push_back(leafOf("KeyValueFloat", std::move(values)));
  element.children.push_back(leafOf("KeyAttrFlags", std::move(flags)));
  element.children.push_back(attributeValues(attributes, encoding));
  element.children.push_back(leafOf("KeyAttrRefCount", std::move(counts)));
  return element;
}

NewElement curveNodeElement(std::int64_t id, const std::string& name,
                            std::span<const std::string_view> axes,
                            std::span<const double> values) {
  NewElement properties{"Properties70", {}, {}, true};
  for (std::size_t i = 0; i < axes.size(); ++i) {
    properties.children.push_back(
        propertyElement("d|" + std::string(axes[i]), "Number", "", "A", {values[i]}));
  }
  NewElement element{
      "AnimationCurveNode", {id, classedName(name, "AnimCurveNode"), std::string()}, {}, false};
  element.children.push_back(std::move(properties));
  return element;
}

NewElement connectionElement(std::int64_t child, std::int64_t parent) {
  return {"C", {std::string("OO"), child, parent}, {}, false};
}

NewElement connectionElement(std::int64_t child, std::int64_t parent, const std::string& property) {
  return {"C", {std::string("OP"), child, parent, property}, {}, false};
}

NewElement propertyElement(const std::string& name, const std::string& type,
                           const std::string& label, const std::string& flags,
                           std::vector<NewValue> values) {
  NewElement element{"P", {name, type, label, flags}, {}, false};
  for (NewValue& value : values) element.values.push_back(std::move(value));
  return element;
}

std::string classedName(const std::string& name, const std::string& class_name) {
  return name + std::string("\0\1", 2) + class_name;
}

}  // namespace clipmill::io::fbx
