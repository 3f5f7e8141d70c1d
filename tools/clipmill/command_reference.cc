// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "command_reference.h"

#include <algorithm>

#include "command.h"
#include "core/text.h"
#include "pipeline/recipe.h"
#include "stages/registry.h"

namespace clipmill::cli {
namespace {

// The choices in the type name of a flag, such as "{auto,bar}".
std::vector<std::string> choicesOf(const std::string& type_name) {
  const std::size_t start = type_name.find('{'), end = type_name.rfind('}');
  if (start == std::string::npos || end == std::string::npos) return {};
  std::vector<std::string> tokens;
  for (const std::string_view word :
       splitText(std::string_view(type_name).substr(start + 1, end - start - 1), ',')) {
    tokens.emplace_back(word);
  }
  return tokens;
}

// "0 - 1024" of "INT:INT in [0 - 1024]".
std::string boundsOf(const std::string& type_name) {
  const std::size_t start = type_name.find(" in ["), end = type_name.rfind(']');
  if (start == std::string::npos || end == std::string::npos) return "";
  return type_name.substr(start + 5, end - start - 5);
}

ValueKind kindOf(const FlagText& flag, const CLI::Option& option) {
  if (option.get_items_expected_min() == 0) return ValueKind::kNone;
  if (!flag.choices.empty()) return ValueKind::kWord;
  if (flag.value_name == kSettingValueName) return ValueKind::kSetting;
  for (const char* number : {"INT", "UINT", "FLOAT", "NUMBER"}) {
    if (flag.value_name.starts_with(number)) return ValueKind::kNumber;
  }
  return ValueKind::kText;
}

FlagText flagOf(const CLI::Option& option) {
  FlagText flag;
  if (option.get_positional()) {
    flag.names.push_back(option.get_name(true));
  } else {
    for (const std::string& name : option.get_snames()) flag.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) flag.names.push_back("--" + name);
  }
  const std::string type_name = option.get_type_name();
  flag.choices = choicesOf(type_name);
  flag.bounds = boundsOf(type_name);
  flag.value_name = type_name.substr(0, type_name.find(':'));
  flag.kind = kindOf(flag, option);
  if (flag.kind == ValueKind::kNone) flag.value_name.clear();
  flag.doc = option.get_description();
  if (!option.get_default_str().empty()) flag.doc += " (default " + option.get_default_str() + ")";
  flag.is_required = option.get_required();
  flag.is_repeatable = option.get_items_expected_max() > 1;
  return flag;
}

CommandText commandOf(const CLI::App& app, const std::string& path) {
  CommandText command;
  command.path = path;
  command.summary = app.get_description();
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;  // hidden
    (option->get_positional() ? command.arguments : command.flags).push_back(flagOf(*option));
  }
  const auto is_shown = [](const CLI::App* below) { return !below->get_group().empty(); };
  for (const CLI::App* below : app.get_subcommands(is_shown)) {
    command.commands.push_back(
        commandOf(*below, (path.empty() ? "" : path + " ") + below->get_name()));
  }
  return command;
}

void addKeys(const SettingsTable& table, const std::string& path, std::vector<KeyText>& keys) {
  for (const SettingField& field : table.fields) keys.push_back({path + "." + field.name, &field});
  for (const SettingList& list : table.lists) addKeys(*list.item, path + "." + list.name, keys);
}

}  // namespace

const FlagText* CommandText::flag(const std::string& name) const {
  for (const FlagText& flag : flags) {
    if (std::find(flag.names.begin(), flag.names.end(), name) != flag.names.end()) return &flag;
  }
  return nullptr;
}

std::vector<const CommandText*> allCommands(const CommandText& command) {
  std::vector<const CommandText*> all = {&command};
  for (const CommandText& below : command.commands) {
    for (const CommandText* one : allCommands(below)) all.push_back(one);
  }
  return all;
}

Reference referenceOf(const CLI::App& app) {
  Reference reference{commandOf(app, ""), {}};
  addKeys(pipeline::inputTable(), "input", reference.keys);
  addKeys(pipeline::outputTable(), "output", reference.keys);
  for (const stages::StageType& type : stages::stageTypes())
    addKeys(*type.settings, type.name, reference.keys);
  return reference;
}

}  // namespace clipmill::cli
