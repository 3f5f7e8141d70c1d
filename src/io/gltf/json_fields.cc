// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/gltf/json_fields.h"

#include <cmath>

#include <nlohmann/json.hpp>

namespace clipmill::io::gltf {
namespace {

const Json& emptyObject() {
  static const Json object = Json::object();
  return object;
}

const Json& emptyArray() {
  static const Json array = Json::array();
  return array;
}

// JSON has one kind of number: 3.0 and 3 are the same index.
std::optional<std::int64_t> wholeNumber(const Json& value) {
  if (value.is_number_unsigned()) {
    const auto number = value.get<std::uint64_t>();
    if (number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      return std::nullopt;
    }
    return static_cast<std::int64_t>(number);
  }
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (!value.is_number_float()) return std::nullopt;
  const double number = value.get<double>();
  if (number != std::floor(number) || std::abs(number) > 9e15) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

bool finiteNumber(const Json& value, double& number) {
  if (!value.is_number()) return false;
  number = value.get<double>();
  return std::isfinite(number);
}

}  // namespace

Fields::Fields(const Json& object, std::string location)
    : object_(object), location_(std::move(location)) {
  if (!object_.is_object()) fail("is not an object");
}

const Json* Fields::find(const char* key) const {
  if (!object_.is_object()) return nullptr;
  const auto member = object_.find(key);
  return member == object_.end() ? nullptr : &*member;
}

const Json* Fields::findRequired(const char* key) {
  const Json* value = find(key);
  if (!value) fail(std::string("has no '") + key + "'");
  return value;
}

bool Fields::has(const char* key) const { return find(key) != nullptr; }

std::int64_t Fields::integer(const char* key, std::int64_t fallback, std::int64_t min,
                             std::int64_t max) {
  const Json* value = find(key);
  if (!value) return fallback;
  const auto number = wholeNumber(*value);
  if (!number || *number < min || *number > max) {
    fail(std::string("'") + key + "' is not a whole number within its bounds");
    return fallback;
  }
  return *number;
}

std::int64_t Fields::requiredInteger(const char* key, std::int64_t min, std::int64_t max) {
  return findRequired(key) ? integer(key, min, min, max) : min;
}

int Fields::index(const char* key, std::size_t count) {
  const Json* value = find(key);
  if (!value) return -1;
  const auto number = wholeNumber(*value);
  if (!number || *number < 0 || static_cast<std::uint64_t>(*number) >= count) {
    fail(std::string("'") + key + "' refers to an element that does not exist");
    return -1;
  }
  return static_cast<int>(*number);
}

int Fields::requiredIndex(const char* key, std::size_t count) {
  return findRequired(key) ? index(key, count) : -1;
}

std::vector<int> Fields::indices(const char* key, std::size_t count) {
  std::vector<int> result;
  for (const Json& element : array(key)) {
    const auto number = wholeNumber(element);
    if (!number || *number < 0 || static_cast<std::uint64_t>(*number) >= count) {
      fail(std::string("'") + key + "' refers to an element that does not exist");
      return {};
    }
    result.push_back(static_cast<int>(*number));
  }
  return result;
}

double Fields::number(const char* key, double fallback) {
  const Json* value = find(key);
  double number = fallback;
  if (value && !finiteNumber(*value, number)) {
    fail(std::string("'") + key + "' is not a finite number");
    return fallback;
  }
  return number;
}

bool Fields::boolean(const char* key, bool fallback) {
  const Json* value = find(key);
  if (!value) return fallback;
  if (!value->is_boolean()) {
    fail(std::string("'") + key + "' is not true or false");
    return fallback;
  }
  return value->get<bool>();
}

std::string Fields::text(const char* key, const std::string& fallback) {
  const Json* value = find(key);
  if (!value) return fallback;
  if (!value->is_string()) {
    fail(std::string("'") + key + "' is not a string");
    return fallback;
  }
  return value->get<std::string>();
}

std::string Fields::requiredText(const char* key) {
  return findRequired(key) ? text(key, "") : std::string();
}

std::optional<std::vector<double>> Fields::numbers(const char* key, std::size_t count) {
  if (!find(key)) return std::nullopt;
  std::vector<double> result = allNumbers(key);
  if (result.size() != count) {
    fail(std::string("'") + key + "' is not " + std::to_string(count) + " finite numbers");
    return std::nullopt;
  }
  return result;
}

std::vector<double> Fields::allNumbers(const char* key) {
  std::vector<double> result;
  for (const Json& element : array(key)) {
    double number = 0.0;
    if (!finiteNumber(element, number)) {
      fail(std::string("'") + key + "' has something other than finite numbers");
      return {};
    }
    result.push_back(number);
  }
  return result;
}

const Json& Fields::anything(const char* key) const {
  const Json* value = find(key);
  return value ? *value : emptyObject();
}

const Json& Fields::array(const char* key) {
  const Json* value = find(key);
  if (value && !value->is_array()) fail(std::string("'") + key + "' is not an array");
  return value && value->is_array() ? *value : emptyArray();
}

const Json& Fields::object(const char* key) {
  const Json* value = find(key);
  if (value && !value->is_object()) fail(std::string("'") + key + "' is not an object");
  return value && value->is_object() ? *value : emptyObject();
}

void Fields::fail(std::string message) {
  if (!fault_) fault_ = Error{ErrorCode::kMalformed, location_, std::move(message), ""};
}

Status Fields::status() const {
  if (fault_) return *fault_;
  return {};
}

std::string elementLocation(const char* array, std::size_t index) {
  return std::string(array) + "[" + std::to_string(index) + "]";
}

}  // namespace clipmill::io::gltf
