// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/gltf/custom_properties.h"

#include <cmath>

#include <nlohmann/json.hpp>

#include "io/gltf/extension_names.h"
#include "scene/custom_property.h"

namespace clipmill::io::gltf {

std::optional<CustomProperty> customPropertyOf(const std::string& name,
                                               const nlohmann::json& value) {
  const auto isFiniteNumber = [](const nlohmann::json& number) {
    return number.is_number() && std::isfinite(number.get<double>());
  };
  if (!isCustomName(name)) return std::nullopt;
  if (value.is_boolean()) return CustomProperty{name, value.get<bool>()};
  if (value.is_string()) return CustomProperty{name, value.get<std::string>()};
  if (value.is_number_integer() && std::abs(value.get<double>()) < 0x1p53) {
    return CustomProperty{name, value.get<std::int64_t>()};
  }
  if (isFiniteNumber(value)) return CustomProperty{name, value.get<double>()};
  const bool is_vector = value.is_array() && value.size() == 3 && isFiniteNumber(value[0]) &&
                         isFiniteNumber(value[1]) && isFiniteNumber(value[2]);
  if (!is_vector) return std::nullopt;
  return CustomProperty{
      name, Vec3(value[0].get<double>(), value[1].get<double>(), value[2].get<double>())};
}

nlohmann::ordered_json jsonOf(const CustomProperty& property) {
  if (const auto* v = std::get_if<Vec3>(&property.value)) {
    return nlohmann::ordered_json::array({v->x, v->y, v->z});
  }
  if (const auto* b = std::get_if<bool>(&property.value)) return *b;
  if (const auto* i = std::get_if<std::int64_t>(&property.value)) return *i;
  if (const auto* d = std::get_if<double>(&property.value)) return *d;
  return std::get<std::string>(property.value);
}

void readNodeExtras(const nlohmann::json& json, Node& node) {
  if (!json.is_object()) return;
  if (const auto extras = json.find("extras"); extras != json.end() && extras->is_object()) {
    for (const auto& [name, value] : extras->items()) {
      if (auto property = customPropertyOf(name, value)) {
        node.custom.push_back(std::move(*property));
      }
    }
  }
  const auto extensions = json.find("extensions");
  if (extensions == json.end() || !extensions->is_object()) return;
  const auto visibility = extensions->find(kVisibilityExtension);
  if (visibility == extensions->end() || !visibility->is_object()) return;
  const auto visible = visibility->find("visible");
  node.is_visible = visible == visibility->end() || *visible != false;
}

}  // namespace clipmill::io::gltf
