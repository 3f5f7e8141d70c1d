// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// Settings that people attach to nodes as custom properties, which exporters write as extras.
#include <algorithm>
#include <cmath>
#include <optional>

#include <nlohmann/json.hpp>

#include "core/text.h"
#include "io/gltf/json_fields.h"
#include "io/gltf/read_parts.h"

namespace clipmill::io::gltf {
namespace {

constexpr const char* kTopic = "dynbone";

using Values = std::vector<std::pair<std::string, std::string>>;

std::optional<std::string> plainText(const Json& value) {
  if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number() && std::isfinite(value.get<double>())) {
    return numberText(value.get<double>());
  }
  return std::nullopt;
}

// A value as flags give it: lists with commas, points of a curve as "depth:value".
std::optional<std::string> valueAsText(const Json& value) {
  if (!value.is_array()) return plainText(value);
  std::string text;
  for (const Json& element : value) {
    const bool is_point = element.is_array() && element.size() == 2 && element[0].is_number() &&
                          element[1].is_number();
    const auto one = is_point ? std::optional(plainText(element[0]).value_or("") + ":" +
                                              plainText(element[1]).value_or(""))
                              : plainText(element);
    if (!one) return std::nullopt;
    text += (text.empty() ? "" : ",") + *one;
  }
  return text;
}

std::optional<Values> valuesOfText(std::string_view text) {
  Values values;
  for (std::string_view part : splitText(text, ';')) {
    if (trimmed(part).empty()) continue;
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos) return std::nullopt;
    values.emplace_back(trimmed(part.substr(0, equals)), trimmed(part.substr(equals + 1)));
  }
  std::sort(values.begin(), values.end());
  return values;
}

std::optional<Values> valuesOf(const Json& json) {
  if (json.is_string()) return valuesOfText(json.get<std::string>());
  if (!json.is_object()) return std::nullopt;
  Values values;
  for (const auto& [name, value] : json.items()) {
    const auto text = valueAsText(value);
    if (!text) return std::nullopt;
    values.emplace_back(name, *text);
  }
  return values;
}

}  // namespace

Status readNodeSettings(const Document& document, const std::vector<int>& node_of_source,
                        AccessorReader& accessors, Scene& scene) {
  Fields root(*document.json, "");
  const Json& nodes = root.array("nodes");
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    Fields node(nodes[i], elementLocation("nodes", i));
    const Json& extras = node.anything("extras");
    if (!extras.is_object() || !extras.contains(kTopic)) continue;
    auto values = valuesOf(extras[kTopic]);
    if (!values) {
      scene.warnings.add("node_settings_left_out",
                         "settings of a node are neither a flat object nor a string "
                         "\"name=value;..\" and are ignored",
                         node.location() + ".extras." + kTopic);
      continue;
    }
    NodeSettings settings{node_of_source[i], kTopic, std::move(*values)};
    double bytes = sizeof(NodeSettings);
    for (const auto& [name, text] : settings.values) {
      bytes += static_cast<double>(sizeof(settings.values[0]) + name.size() + text.size());
    }
    CLIPMILL_CHECK(accessors.charge(bytes));
    scene.node_settings.push_back(std::move(settings));
  }
  return {};
}

}  // namespace clipmill::io::gltf
