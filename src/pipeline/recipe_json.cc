// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "pipeline/recipe_json.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <sstream>

#include <nlohmann/json.hpp>
#include <toml++/toml.h>

#include "core/text.h"

namespace clipmill::pipeline {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kLargestInteger = std::numeric_limits<std::int64_t>::max();

// TOML in the shape of JSON, so that one reader serves both.
Json jsonOf(const toml::node& node) {
  if (const auto* table = node.as_table()) {
    Json object = Json::object();
    for (const auto& [key, value] : *table) object[std::string(key.str())] = jsonOf(value);
    return object;
  }
  if (const auto* array = node.as_array()) {
    Json list = Json::array();
    for (const auto& value : *array) list.push_back(jsonOf(value));
    return list;
  }
  if (const auto* value = node.as_boolean()) return value->get();
  if (const auto* value = node.as_integer()) return value->get();
  if (const auto* value = node.as_floating_point()) return value->get();
  if (const auto* value = node.as_string()) return value->get();
  return nullptr;  // dates and times; no setting has that type
}

// The library's sentence without "[json.exception.parse_error.101] ".
std::string withoutPrefix(std::string_view text) {
  const std::size_t prefix = text.find("] ");
  return std::string(prefix == std::string_view::npos ? text : text.substr(prefix + 2));
}

// The setting value of a JSON value, before it is checked against its field.
std::optional<SettingValue> settingValue(const SettingField& field, const Json& value) {
  if (value.is_boolean()) return SettingValue(value.get<bool>());
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > kLargestInteger) {
    return SettingValue(value.get<double>());
  }
  if (value.is_number_integer()) return SettingValue(value.get<std::int64_t>());
  if (value.is_number()) return SettingValue(value.get<double>());
  if (value.is_string()) return SettingValue(value.get<std::string>());
  if (!value.is_array()) return std::nullopt;
  const auto all = [&](auto test) { return std::all_of(value.begin(), value.end(), test); };
  if (field.kind == SettingKind::kTexts && all([](const Json& v) { return v.is_string(); })) {
    return SettingValue(value.get<std::vector<std::string>>());
  }
  if (field.kind == SettingKind::kNumbers && all([](const Json& v) { return v.is_number(); })) {
    return SettingValue(value.get<std::vector<double>>());
  }
  const auto is_pair = [](const Json& v) {
    return v.is_array() && v.size() == 2 && v[0].is_number() && v[1].is_number();
  };
  if (field.kind == SettingKind::kCurve && all(is_pair)) {
    std::vector<Curve::Point> points;
    for (const Json& v : value) points.push_back({v[0].get<double>(), v[1].get<double>()});
    return SettingValue(Curve(std::move(points)));
  }
  return std::nullopt;
}

}  // namespace

Error recipeError(const std::string& location, std::string message, std::string remedy) {
  return {ErrorCode::kRecipe, location, std::move(message), std::move(remedy)};
}

std::string keyLocation(const std::string& location, std::string_view key) {
  if (location.empty()) return std::string(key);
  return location + (location.ends_with(": ") ? "" : ".") + std::string(key);
}

Result<Json> recipeJson(std::string_view text, const std::string& location) {
  if (trimmed(text).starts_with('{')) {
    try {
      return Json::parse(text);
    } catch (const Json::exception& fault) {
      return recipeError(location,
                         std::string("is not valid JSON: ") + withoutPrefix(fault.what()));
    }
  }
  try {
    return jsonOf(toml::parse(text));
  } catch (const toml::parse_error& fault) {
    return recipeError(location + ":" + std::to_string(fault.source().begin.line),
                       "is not valid TOML: " + std::string(fault.description()));
  }
}

Result<SettingValue> settingValueOf(const SettingField& field, const Json& value,
                                    const std::string& location) {
  auto given = settingValue(field, value);
  // A table or a mixed list fits no kind: the check reports the required one.
  if (!given) {
    given = field.kind == SettingKind::kTexts ? SettingValue(Curve())
                                              : SettingValue(std::vector<std::string>{"", ""});
  }
  return checkedValue(field, std::move(*given), location);
}

}  // namespace clipmill::pipeline
