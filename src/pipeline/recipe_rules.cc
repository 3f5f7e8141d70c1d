// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// Values of a recipe by dotted path: what rules and --set change.
#include "pipeline/recipe_rules.h"

#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

#include "core/text.h"
#include "pipeline/recipe_json.h"

namespace clipmill::pipeline {
namespace {

using Json = nlohmann::ordered_json;
using Path = std::vector<std::string_view>;

// More levels than any setting has.
constexpr std::size_t kMaxTableDepth = 8;

Error noSuchStage(const Recipe& recipe, std::string_view name, const std::string& location) {
  std::vector<std::string> known = {"input", "output"};
  for (const RecipeStage& stage : recipe.stages) known.push_back(stage.type->name);
  const auto nearest = nearestWord(name, known);
  return recipeError(location, "the recipe has no stage '" + std::string(name) + "'",
                     nearest ? "did you mean '" + *nearest + "'?" : "");
}

// The table that the first word of a path means.
Result<const SettingsTable*> tableOf(const Recipe& recipe, std::string_view name,
                                     const std::string& location) {
  if (name == "input") return &inputTable();
  if (name == "output") return &outputTable();
  for (const RecipeStage& stage : recipe.stages) {
    if (stage.type->name == name) return stage.type->settings;
  }
  return noSuchStage(recipe, name, location);
}

Result<const SettingField*> fieldAt(const Recipe& recipe, const Path& path,
                                    const std::string& location) {
  CLIPMILL_TRY(const SettingsTable* table, tableOf(recipe, path.front(), location));
  if (path.size() < 2) return recipeError(location, "names no key", "write it as stage.key");
  for (std::size_t i = 1; i + 1 < path.size(); ++i) {
    const SettingList* list = table->list(path[i]);
    if (!list) return unknownKey(*table, path[i], location);
    table = list->item;
  }
  const SettingField* field = table->field(path.back());
  if (field) return field;
  if (table->list(path.back())) {
    return recipeError(location, "is a list; it cannot be set as a whole",
                       "set a key of its items: " + std::string(path.back()) + ".key");
  }
  return unknownKey(*table, path.back(), location);
}

// `path` starts at `table`: its first parts name lists, its last part a field.
Status assignIn(const SettingsTable& table, void* settings, std::span<const std::string_view> path,
                const SettingValue& value, const std::string& location) {
  if (path.size() == 1) {
    table.field(path.front())->set(settings, value);
    return {};
  }
  const SettingList& list = *table.list(path.front());
  if (list.size(settings) == 0) {
    return recipeError(location,
                       "sets nothing: the recipe has no '" + std::string(path.front()) + "'");
  }
  for (std::size_t i = 0; i < list.size(settings); ++i) {
    void* item = const_cast<void*>(list.at(settings, i));
    CLIPMILL_CHECK(assignIn(*list.item, item, path.subspan(1), value, location));
  }
  return {};
}

// `path` leads to a field: fieldAt() found it.
Status assign(Recipe& recipe, const Path& path, const SettingValue& value,
              const std::string& location) {
  const auto rest = std::span(path).subspan(1);
  if (path.front() == "input") return assignIn(inputTable(), &recipe.input, rest, value, location);
  if (path.front() == "output")
    return assignIn(outputTable(), &recipe.output, rest, value, location);
  for (RecipeStage& stage : recipe.stages) {
    if (stage.type->name != path.front()) continue;
    CLIPMILL_CHECK(assignIn(*stage.type->settings, stage.settings.get(), rest, value, location));
  }
  return {};
}

Recipe copyWithoutRules(const Recipe& recipe) {
  Recipe copy;
  copy.input = recipe.input;
  copy.output = recipe.output;
  for (const RecipeStage& stage : recipe.stages) {
    RecipeStage made{stage.type, stage.type->make_settings()};
    copySettings(*stage.type->settings, stage.settings.get(), made.settings.get());
    copy.stages.push_back(std::move(made));
  }
  return copy;
}

// Tables of tables become dotted paths.
Status readSettings(const Json& table, const std::string& path, std::size_t depth,
                    const std::string& location, const Recipe& recipe,
                    std::vector<RuleSetting>& settings) {
  for (const auto& [key, value] : table.items()) {
    const std::string value_path = path.empty() ? key : path + "." + key;
    if (value.is_object() && depth < kMaxTableDepth) {
      CLIPMILL_CHECK(readSettings(value, value_path, depth + 1, location, recipe, settings));
      continue;
    }
    const std::string value_location = keyLocation(location, value_path);
    CLIPMILL_TRY(const SettingField* field,
                 fieldAt(recipe, splitText(value_path, '.'), value_location));
    CLIPMILL_TRY(SettingValue given, settingValueOf(*field, value, value_location));
    // "a.b" and a table a with b mean the same.
    const bool is_new = std::none_of(settings.begin(), settings.end(), [&](const auto& setting) {
      return setting.path == value_path;
    });
    if (!is_new) return recipeError(value_location, "is set twice");
    settings.push_back({value_path, std::move(given)});
  }
  return {};
}

Result<std::vector<std::string>> readGlobs(const Json& rule, const std::string& location) {
  std::vector<std::string> globs;
  if (rule.contains("clips")) {
    const Json& clips = rule["clips"];
    for (const Json& glob : clips.is_array() ? clips : Json::array({clips})) {
      if (!glob.is_string())
        return recipeError(location + ".clips", "must be a glob or a list of globs", "");
      globs.push_back(glob.get<std::string>());
    }
  }
  if (globs.empty()) {
    return recipeError(location, "has no files to apply to",
                       "set its clips, e.g. clips = \"*_leap_*\"");
  }
  return globs;
}

Result<RecipeRule> readRule(const Json& rule, const std::string& location, const Recipe& recipe) {
  if (!rule.is_object()) return recipeError(location, "must be a table");
  const std::vector<std::string> known = {"clips", "set"};
  for (const auto& [key, value] : rule.items()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    const auto nearest = nearestWord(key, known);
    return recipeError(
        keyLocation(location, key), "unknown key",
        nearest ? "did you mean '" + *nearest + "'?" : "a rule has 'clips' and 'set'");
  }
  RecipeRule read;
  CLIPMILL_TRY(read.clips, readGlobs(rule, location));
  if (rule.contains("set")) {
    if (!rule["set"].is_object()) return recipeError(location + ".set", "must be a table");
    CLIPMILL_CHECK(readSettings(rule["set"], "", 0, location + ".set", recipe, read.settings));
  }
  // As TOML has no order of keys, JSON shall have none.
  std::sort(read.settings.begin(), read.settings.end(),
            [](const RuleSetting& a, const RuleSetting& b) { return a.path < b.path; });
  if (read.settings.empty()) {
    return recipeError(location, "sets nothing", "add set.\"stage.key\" = value");
  }
  return read;
}

std::string listed(const std::vector<std::string>& globs) {
  std::string text;
  for (const std::string& glob : globs) text += (text.empty() ? "" : ", ") + glob;
  return text;
}

}  // namespace

Status readRules(const Json& rules, const std::string& location, Recipe& recipe) {
  if (!rules.is_array()) return recipeError(location, "must be a list of tables: write [[rule]]");
  Recipe tried = copyWithoutRules(recipe);
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const std::string index = "[" + std::to_string(i) + "]";
    CLIPMILL_TRY(RecipeRule rule, readRule(rules[i], location + index, recipe));
    rule.location = "rule" + index;
    for (const RuleSetting& setting : rule.settings) {
      CLIPMILL_CHECK(assign(tried, splitText(setting.path, '.'), setting.value,
                            location + index + ".set." + setting.path));
    }
    recipe.rules.push_back(std::move(rule));
  }
  return {};
}

Status setInRecipe(Recipe& recipe, std::string_view assignment) {
  const std::size_t equals = assignment.find('=');
  const std::string_view key = assignment.substr(0, equals);
  const std::string location = "--set " + std::string(key);
  if (equals == std::string_view::npos) {
    return recipeError(location, "has no value", "write it as --set stage.key=value");
  }
  const Path path = splitText(key, '.');
  if (path.size() < 2) {
    return recipeError(location, "names no key", "write it as --set stage.key=value");
  }
  CLIPMILL_TRY(const SettingField* field, fieldAt(recipe, path, location));
  CLIPMILL_TRY(const SettingValue value,
               parseValue(*field, assignment.substr(equals + 1), location));
  CLIPMILL_CHECK(assign(recipe, path, value, location));
  // A flag has the last word, over rules too.
  if (!recipe.rules.empty()) recipe.rules.push_back({location, {"*"}, {{std::string(key), value}}});
  return {};
}

std::vector<std::size_t> rulesFor(const Recipe& recipe, std::string_view name) {
  std::vector<std::size_t> hits;
  for (std::size_t i = 0; i < recipe.rules.size(); ++i) {
    const std::vector<std::string>& globs = recipe.rules[i].clips;
    const bool is_hit = std::any_of(globs.begin(), globs.end(), [&](const std::string& glob) {
      return matchesGlob(glob, name);
    });
    if (is_hit) hits.push_back(i);
  }
  return hits;
}

Result<Recipe> withRules(const Recipe& recipe, std::span<const std::size_t> rules) {
  Recipe resolved = copyWithoutRules(recipe);
  for (const std::size_t rule : rules) {
    for (const RuleSetting& setting : recipe.rules[rule].settings) {
      CLIPMILL_CHECK(assign(resolved, splitText(setting.path, '.'), setting.value,
                            recipe.rules[rule].location + "." + setting.path));
    }
  }
  return resolved;
}

Result<Recipe> recipeFor(const Recipe& recipe, std::string_view name) {
  return withRules(recipe, rulesFor(recipe, name));
}

std::string explainRules(const Recipe& recipe, std::string_view name) {
  const std::vector<std::size_t> hits = rulesFor(recipe, name);
  std::map<std::string, std::size_t> last;  // the last rule that sets a path
  for (const std::size_t hit : hits) {
    for (const RuleSetting& setting : recipe.rules[hit].settings) last[setting.path] = hit;
  }
  std::string text = printable(name) + (hits.empty() ? ": no rule\n" : "\n");
  for (const std::size_t hit : hits) {
    const RecipeRule& rule = recipe.rules[hit];
    text += "  " + rule.location + " (" + printable(listed(rule.clips)) + ")\n";
    for (const RuleSetting& setting : rule.settings) {
      text += "    " + setting.path + " = " + printable(settingToml(setting.value));
      const std::size_t winner = last[setting.path];
      if (winner != hit) text += "  # overridden by " + recipe.rules[winner].location;
      text += '\n';
    }
  }
  return text;
}

}  // namespace clipmill::pipeline
