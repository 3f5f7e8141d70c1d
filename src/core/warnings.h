// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace clipmill {

/// One kind of clamp, loss or missed target: its count and first location.
struct Warning {
  std::string code;  ///< Stable snake_case name, e.g. "matrix_with_shear".
  std::string text;  ///< What it means, one clause.
  std::size_t count = 0;
  std::string first;  ///< Location of the first occurrence.
};

/// Warnings counted by code, in order of first occurrence.
class Warnings {
 public:
  /// Counts one more `code`; `text` and `location` are kept from the first occurrence.
  void add(std::string_view code, std::string_view text, std::string_view location,
           std::size_t count = 1);
  /// Adds the counts of `other`; codes already here keep their first location.
  void merge(const Warnings& other);

  const std::vector<Warning>& all() const { return all_; }
  bool empty() const { return all_.empty(); }
  /// How often `code` was counted; 0 when never.
  std::size_t count(std::string_view code) const;

 private:
  std::vector<Warning> all_;
};

}  // namespace clipmill
