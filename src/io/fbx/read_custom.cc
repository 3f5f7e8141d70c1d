// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/fbx/read_custom.h"

#include <cmath>
#include <optional>

#include "scene/custom_property.h"

namespace clipmill::io::fbx {
namespace {

bool isOneOf(const std::string& type, std::initializer_list<const char*> types) {
  for (const char* one : types) {
    if (type == one) return true;
  }
  return false;
}

std::optional<CustomProperty> propertyOf(const Element& element, std::size_t value_at) {
  const std::string name = element.text(0).value_or(""), type = element.text(1).value_or("");
  if (!isCustomName(name) || element.values().size() <= value_at) return std::nullopt;
  const std::size_t count = element.values().size() - value_at;
  const auto number = element.number(value_at);
  if (number && !std::isfinite(*number)) return std::nullopt;
  if (count == 3) {
    const auto y = element.number(value_at + 1), z = element.number(value_at + 2);
    if (!number || !y || !z || !std::isfinite(*y) || !std::isfinite(*z)) return std::nullopt;
    return CustomProperty{name, Vec3(*number, *y, *z)};
  }
  if (count != 1) return std::nullopt;
  if (isOneOf(type, {"KString", "charptr", "Url", "XRefUrl"})) {
    const auto text = element.text(value_at);
    return text ? std::optional(CustomProperty{name, *text}) : std::nullopt;
  }
  if (!number) return std::nullopt;
  if (isOneOf(type, {"bool", "Bool", "Boolean"})) return CustomProperty{name, *number != 0.0};
  const auto integer = element.integer(value_at);
  const bool is_real = isOneOf(type, {"double", "Number", "float", "Float", "Real", "Double"});
  if (integer && !is_real) return CustomProperty{name, *integer};
  return CustomProperty{name, *number};
}

}  // namespace

CustomProperties customPropertiesOf(const Object& object) {
  CustomProperties properties;
  const auto modern = object.element.child("Properties70");
  const auto block = modern ? modern : object.element.child("Properties60");
  if (!block) return properties;
  const std::size_t flags_at = modern ? 3 : 2;
  for (const Element element : block->children()) {
    if (element.text(flags_at).value_or("").find('U') == std::string::npos) continue;
    if (auto property = propertyOf(element, flags_at + 1)) {
      properties.carried.push_back(std::move(*property));
    } else {
      properties.dropped.push_back(element.text(0).value_or(""));
    }
  }
  return properties;
}

bool isHidden(const Document& document, int model) {
  const Properties properties = document.properties(model);
  if (properties.number("Visibility").value_or(1.0) == 0.0) return true;
  return properties.number("Show").value_or(1.0) == 0.0 &&
         document.childrenOf(model, "Model", "").empty();
}

}  // namespace clipmill::io::fbx
