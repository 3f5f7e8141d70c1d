// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "setting_flags.h"

#include <algorithm>

#include "pipeline/recipe.h"

namespace clipmill::cli {
namespace {

std::string flagOf(const std::string& key) {
  std::string flag = "--" + key;
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag;
}

// The flag without the unit at its end, "--distance" for distance_m; empty where it has none or
// where the command knows that flag already.
std::string shortFlagOf(const CLI::App& command, const SettingsTable& table,
                        const std::string& key) {
  const std::size_t end = key.rfind('_');
  if (end == std::string::npos) return "";
  const std::string unit = key.substr(end + 1), plain = key.substr(0, end);
  const auto units = {"m", "mm", "s", "deg", "hz", "mps", "mps2", "degps"};
  const bool is_unit = std::find(units.begin(), units.end(), unit) != units.end();
  const bool is_taken = table.field(plain) || table.list(plain) ||
                        command.get_option_no_throw(flagOf(plain)) != nullptr;
  return is_unit && !is_taken ? flagOf(plain) : "";
}

// The name of the value in help: its choices in braces, else its kind.
std::string valueNameOf(const SettingField& field) {
  switch (field.kind) {
    case SettingKind::kBool:
      return "";
    case SettingKind::kInteger:
      return "INT";
    case SettingKind::kNumber:
      return "NUMBER";
    case SettingKind::kNumbers:
      return "NUMBER,...";
    case SettingKind::kCurve:
      return "NUMBER|CURVE";
    case SettingKind::kText:
      return "TEXT";
    case SettingKind::kTexts:
      return "TEXT,...";
    case SettingKind::kChoice:
      break;
  }
  std::string tokens;
  for (const std::string& choice : field.choices) tokens += (tokens.empty() ? "" : ",") + choice;
  return "{" + tokens + "}";
}

std::string helpOf(const SettingField& field, const void* defaults) {
  std::string text = field.doc;
  if (!field.unit.empty()) text += " [" + field.unit + "]";
  if (defaults) {
    const std::string value = defaultText(field, defaults);
    if (!value.empty()) text += " (" + value + ")";
  }
  return text;
}

// `flags`: its names, separated by commas.
void addFieldFlag(CLI::App& command, const std::string& flags, const SettingField& field,
                  const void* defaults, std::map<std::string, std::string>& values) {
  const auto keep = [&values, name = field.name](const CLI::results_t& given) {
    values[name] = given.empty() || given.front().empty() ? "true" : given.back();
    return true;
  };
  CLI::Option* option =
      command.add_option(flags, keep, helpOf(field, defaults))->type_name(valueNameOf(field));
  if (field.kind == SettingKind::kBool) option->expected(0, 1);
}

Status applyFields(const SettingsTable& table, void* settings,
                   const std::map<std::string, std::string>& fields) {
  for (const auto& [name, text] : fields) {
    CLIPMILL_CHECK(pipeline::setFromText(*table.field(name), settings, text, flagOf(name)));
  }
  return {};
}

}  // namespace

void addSettingFlags(CLI::App& command, const SettingsTable& table, void* defaults,
                     SettingFlags& flags) {
  for (const SettingField& field : table.fields) {
    const std::string plain = shortFlagOf(command, table, field.name);
    const std::string names = flagOf(field.name) + (plain.empty() ? "" : "," + plain);
    addFieldFlag(command, names, field, defaults, flags.fields);
  }
  for (const SettingList& list : table.lists) {
    command
        .add_option_function<std::vector<std::string>>(
            flagOf(list.name),
            [&flags, name = list.name](const std::vector<std::string>& given) {
              flags.lists[name] = given;
            },
            list.doc + ": a " + list.key_field + ", or KEY=VALUE;KEY=VALUE; repeatable")
        ->type_name("TEXT")
        ->take_all();
  }
  if (table.lists.empty()) return;
  const SettingList& first = table.lists.front();
  const void* item = first.append(defaults);
  for (const SettingField& field : first.item->fields) {
    if (table.field(field.name) || field.name == first.key_field) continue;
    SettingField described = field;
    described.doc = "for each " + first.name + ": " + field.doc;
    addFieldFlag(command, flagOf(field.name), described, item, flags.item_fields);
  }
}

Status applyFlags(const SettingsTable& table, void* settings, const SettingFlags& flags) {
  CLIPMILL_CHECK(applyFields(table, settings, flags.fields));
  for (const auto& [name, texts] : flags.lists) {
    const SettingList& list = *table.list(name);
    for (const std::string& text : texts) {
      auto item = pipeline::addFromText(list, settings, text, flagOf(name));
      if (!item) return item.error();
    }
  }
  if (flags.item_fields.empty()) return {};
  const SettingList& first = table.lists.front();
  if (first.size(settings) == 0) {
    return Error{ErrorCode::kUsage, flagOf(flags.item_fields.begin()->first),
                 "applies to each " + first.name + ", but there is none",
                 "use at least one " + flagOf(first.name)};
  }
  for (std::size_t i = 0; i < first.size(settings); ++i) {
    CLIPMILL_CHECK(
        applyFields(*first.item, const_cast<void*>(first.at(settings, i)), flags.item_fields));
  }
  return {};
}

void ArrayFlags::add(CLI::App& command) {
  io::ArraySettings defaults;
  addSettingFlags(command, pipeline::arrayTable(), &defaults, flags_);
}

Result<io::ArraySettings> ArrayFlags::settings() const {
  io::ArraySettings settings;
  CLIPMILL_CHECK(applyFlags(pipeline::arrayTable(), &settings, flags_));
  return settings;
}

}  // namespace clipmill::cli
