// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include <CLI/App.hpp>

#include "core/settings.h"

namespace clipmill::cli {

/// What the value of a flag is, as far as a shell can help with it.
enum class ValueKind {
  kNone,     ///< A switch; also where the value may be left out.
  kNumber,   ///< Numbers, alone or in lists and curves.
  kWord,     ///< One of FlagText::choices.
  kText,     ///< A file, or a text that no shell knows.
  kSetting,  ///< "stage.key=value"
};

/// A flag or an argument of a command, as in its help.
struct FlagText {
  std::vector<std::string> names;    ///< "-o", "--output"; of an argument its only one, "IN".
  std::string value_name;            ///< "TEXT"; empty for kNone.
  std::string bounds;                ///< "0 - 1024"; empty where there are none.
  std::string doc;                   ///< One clause, with its default.
  std::vector<std::string> choices;  ///< For kWord.
  ValueKind kind = ValueKind::kNone;
  bool is_required = false;
  bool is_repeatable = false;  ///< Takes several values, one after the other or the flag again.
};

/// A command with all that can follow it.
struct CommandText {
  std::string path;  ///< "batch plan"; empty for the program itself.
  std::string summary;
  std::vector<FlagText> arguments;
  std::vector<FlagText> flags;
  std::vector<CommandText> commands;  ///< Those below it that --help shows.

  /// The flag of that name ("--output"), or null.
  const FlagText* flag(const std::string& name) const;
};

/// A key that recipes and --set know.
struct KeyText {
  std::string path;  ///< "dynamic-bones.chain.frequency_hz", "output.keys"
  const SettingField* field = nullptr;
};

/// All that the program can be asked for.
struct Reference {
  CommandText program;
  std::vector<KeyText> keys;
};

/// The commands of `app` and the keys of the settings tables.
Reference referenceOf(const CLI::App& app);

/// All commands of `command` and below it, itself first.
std::vector<const CommandText*> allCommands(const CommandText& command);

}  // namespace clipmill::cli
