// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/result.h"

namespace clipmill::io::gltf {

using Json = nlohmann::json;

/// Reads the members of one JSON object and remembers the first that is missing, of the wrong type
/// or out of bounds. After an error every read returns its default, so that a reader can read all
/// members in a row and look at status() once.
class Fields {
 public:
  /// `location` names the object in messages, e.g. "accessors[3]". `object` need not be an object:
  /// that is the first thing that is checked.
  Fields(const Json& object, std::string location);

  bool has(const char* key) const;

  /// What no array of this machine goes beyond: 31 bits in WebAssembly.
  static constexpr std::int64_t kMaxSize = std::numeric_limits<std::ptrdiff_t>::max();

  /// A whole number in [min, max]; `fallback` where the member is absent.
  std::int64_t integer(const char* key, std::int64_t fallback, std::int64_t min = 0,
                       std::int64_t max = kMaxSize);
  std::int64_t requiredInteger(const char* key, std::int64_t min = 0, std::int64_t max = kMaxSize);
  /// An index below `count`, or -1 where the member is absent.
  int index(const char* key, std::size_t count);
  int requiredIndex(const char* key, std::size_t count);
  std::vector<int> indices(const char* key, std::size_t count);

  /// A finite number; `fallback` where the member is absent.
  double number(const char* key, double fallback);
  bool boolean(const char* key, bool fallback);
  std::string text(const char* key, const std::string& fallback);
  std::string requiredText(const char* key);
  /// Exactly `count` finite numbers, or nothing where the member is absent.
  std::optional<std::vector<double>> numbers(const char* key, std::size_t count);
  /// Any number of finite numbers; empty where the member is absent.
  std::vector<double> allNumbers(const char* key);

  /// The member at `key`, of whatever type; an empty object where it is absent.
  const Json& anything(const char* key) const;
  /// The array at `key`; an empty one where it is absent.
  const Json& array(const char* key);
  /// The object at `key`; an empty one where it is absent.
  const Json& object(const char* key);

  /// Records a fault of this object that the caller found.
  void fail(std::string message);
  const std::string& location() const { return location_; }
  Status status() const;

 private:
  const Json* find(const char* key) const;
  const Json* findRequired(const char* key);

  const Json& object_;
  std::string location_;
  std::optional<Error> fault_;
};

/// "accessors[3]"
std::string elementLocation(const char* array, std::size_t index);

}  // namespace clipmill::io::gltf
