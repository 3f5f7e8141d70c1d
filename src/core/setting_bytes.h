// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/settings.h"

namespace clipmill {

/// Bytes for hashes of requests: each text and list follows its length, and numbers are their bits,
/// so that all that was put in could be read back, and two different requests have different
/// bytes. They do not depend on how values are shown.
class SettingBytes {
 public:
  void number(std::uint64_t value);
  void number(int value) { number(static_cast<std::uint64_t>(value)); }
  void text(std::string_view value);
  void texts(const std::vector<std::string>& values);
  /// The kind of the value, and its content.
  void setting(const SettingValue& value);
  /// Names and values of all fields and lists of a settings struct.
  void settings(const SettingsTable& table, const void* values);

  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

}  // namespace clipmill
