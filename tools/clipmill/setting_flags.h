// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <vector>

#include <CLI/App.hpp>

#include "core/settings.h"
#include "io/document.h"

namespace clipmill::cli {

// What the user wrote for settings, kept as text until the recipe is there to take it.
struct SettingFlags {
  std::map<std::string, std::string> fields;              // by field name
  std::map<std::string, std::vector<std::string>> lists;  // by list name
  std::map<std::string, std::string> item_fields;         // of every item of the first list
};

/// Adds a flag for every setting of `table`: dashes for underscores, texts from its descriptors.
/// `defaults` is a settings struct of the table's kind, whose values the help shows. What the user
/// writes goes to `flags`, which must outlive the parse.
void addSettingFlags(CLI::App& command, const SettingsTable& table, void* defaults,
                     SettingFlags& flags);

/// What files of arrays do not state, as flags of a command that loads files.
class ArrayFlags {
 public:
  void add(CLI::App& command);
  /// Errors: those of applyFlags().
  Result<io::ArraySettings> settings() const;

 private:
  SettingFlags flags_;
};

/// Sets in `settings` what the user wrote. Errors: kRecipe or kUsage with the flag.
Status applyFlags(const SettingsTable& table, void* settings, const SettingFlags& flags);

}  // namespace clipmill::cli
