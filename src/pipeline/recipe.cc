// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "pipeline/recipe.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <sstream>

#include <nlohmann/json.hpp>
#include <toml++/toml.h>

#include "core/file.h"
#include "core/hash.h"
#include "core/text.h"
#include "stages/registry.h"

namespace clipmill {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kMaxRecipeBytes = std::uint64_t{16} << 20;
constexpr std::uint64_t kLargestInteger = std::numeric_limits<std::int64_t>::max();

Error recipeError(const std::string& place, std::string message, std::string remedy = "") {
  return {ErrorCode::kRecipe, place, std::move(message), std::move(remedy)};
}

std::string under(const std::string& place, std::string_view key) {
  if (place.empty()) return std::string(key);
  return place + (place.ends_with(": ") ? "" : ".") + std::string(key);
}

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

Result<Json> parseText(std::string_view text, const std::string& place) {
  if (trimmed(text).starts_with('{')) {
    try {
      return Json::parse(text);
    } catch (const Json::exception& fault) {
      return recipeError(place, std::string("is not valid JSON: ") + withoutPrefix(fault.what()));
    }
  }
  try {
    return jsonOf(toml::parse(text));
  } catch (const toml::parse_error& fault) {
    return recipeError(place + ":" + std::to_string(fault.source().begin.line),
                       "is not valid TOML: " + std::string(fault.description()));
  }
}

// The value a JSON value stands for, before it is checked against its field.
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

Status setField(const SettingField& field, void* settings, const Json& value,
                const std::string& place) {
  auto given = settingValue(field, value);
  // A table or a mixed list fits no kind: let the check say what is needed.
  if (!given) {
    given = field.kind == SettingKind::kTexts ? SettingValue(Curve())
                                              : SettingValue(std::vector<std::string>{"", ""});
  }
  auto checked = checkedValue(field, std::move(*given), place);
  if (!checked) return checked.error();
  field.set(settings, *checked);
  return {};
}

// Fills a settings struct from an object; `skip` names a key that the caller reads itself.
Status readTable(const SettingsTable& table, void* settings, const Json& object,
                 const std::string& place, std::string_view skip = "") {
  if (!object.is_object()) return recipeError(place, "must be a table");
  for (const auto& [key, value] : object.items()) {
    if (key == skip) continue;
    const std::string key_place = under(place, key);
    if (const SettingField* field = table.field(key)) {
      CLIPMILL_CHECK(setField(*field, settings, value, key_place));
      continue;
    }
    const SettingList* list = table.list(key);
    if (!list) return unknownKey(table, key, key_place);
    if (!value.is_array()) return recipeError(key_place, "must be a list of tables");
    for (std::size_t i = 0; i < value.size(); ++i) {
      void* item = list->append(settings);
      CLIPMILL_CHECK(
          readTable(*list->item, item, value[i], key_place + "[" + std::to_string(i) + "]"));
    }
  }
  return {};
}

Status readStages(const Json& stages, const std::string& place, Recipe& recipe) {
  if (!stages.is_array()) return recipeError(place, "must be a list of tables: write [[stage]]");
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const std::string stage_place = place + "[" + std::to_string(i) + "]";
    const Json& stage = stages[i];
    if (!stage.is_object() || !stage.contains("type") || !stage["type"].is_string()) {
      return recipeError(stage_place, "has no 'type'",
                         "name the stage, e.g. type = \"dynamic-bones\"");
    }
    CLIPMILL_TRY(RecipeStage made,
                 makeStage(stage["type"].get<std::string>(), under(stage_place, "type")));
    CLIPMILL_CHECK(
        readTable(*made.type->settings, made.settings.get(), stage, stage_place, "type"));
    recipe.stages.push_back(std::move(made));
  }
  return {};
}

Status setEverywhere(const SettingsTable& table, void* settings,
                     std::span<const std::string_view> path, std::string_view text,
                     const std::string& place) {
  const std::string key(path.front());
  if (path.size() == 1) {
    const SettingField* field = table.field(key);
    if (!field) return unknownKey(table, key, place);
    return setFromText(*field, settings, text, place);
  }
  const SettingList* list = table.list(key);
  if (!list) return unknownKey(table, key, place);
  if (list->size(settings) == 0) {
    return recipeError(place, "sets nothing: the recipe has no '" + key + "'");
  }
  for (std::size_t i = 0; i < list->size(settings); ++i) {
    void* item = const_cast<void*>(list->at(settings, i));
    CLIPMILL_CHECK(setEverywhere(*list->item, item, path.subspan(1), text, place));
  }
  return {};
}

}  // namespace

const SettingsTable& inputTable() {
  static const SettingsTable table =
      SettingsTableBuilder<InputSettings>()
          .text("clip_from", &InputSettings::clip_from,
                "a file whose clips are put on the figure, as new clips of the output")
          .text("clip_from_clip", &InputSettings::clip_from_clip,
                "which of its clips: a name, index or glob; empty for all")
          .texts(
              "clip_from_map", &InputSettings::clip_from_map,
              "nodes of that file and of the figure that belong together, each theirs=ours, over "
              "those that are found")
          .flag("keep_feet", &InputSettings::keep_feet,
                "feet of its clips that stand are held in place on the figure")
          .flag("keep_hands", &InputSettings::keep_hands,
                "hands are where its figure has them, as seen from the shoulders and in lengths of "
                "the arm")
          .text("copy_as", &InputSettings::copy_as,
                "stages leave the clips as they are and change copies, new clips of this name; {} "
                "in it stands for that of the clip")
          .build();
  return table;
}

const SettingsTable& outputTable() {
  static const SettingsTable table =
      SettingsTableBuilder<OutputSettings>()
          .choice("keys", &OutputSettings::keys,
                  "which keys are written: as few as the tolerance allows, or one a frame",
                  {{"reduced", KeysMode::kReduced}, {"all", KeysMode::kAll}})
          .number("key_tolerance_mm", &OutputSettings::key_tolerance_mm,
                  "how far a left-out key may move any tip of the hierarchy", "mm", 0.0, 1000.0)
          .number("fps", &OutputSettings::fps,
                  "frames a second of the result; 0 keeps the rate of each clip", "1/s", 0.0,
                  1000.0)
          .build();
  return table;
}

Result<RecipeStage> makeStage(std::string_view type_name, const std::string& place) {
  if (const StageType* type = findStageType(type_name)) {
    return RecipeStage{type, type->make_settings()};
  }
  std::vector<std::string> names;
  for (const StageType& type : stageTypes()) names.push_back(type.name);
  const auto nearest = nearestWord(type_name, names);
  std::string known;
  for (const std::string& name : names) known += (known.empty() ? "" : ", ") + name;
  return recipeError(place, "no stage is called '" + std::string(type_name) + "'",
                     nearest ? "did you mean '" + *nearest + "'?" : "there are: " + known);
}

Result<Recipe> parseRecipe(std::string_view text, const std::string& place) {
  CLIPMILL_TRY(const Json root, parseText(text, place));
  if (!root.is_object()) return recipeError(place, "must be a table");
  const std::string prefix = place.empty() ? "" : place + ": ";
  Recipe recipe;
  for (const auto& [key, value] : root.items()) {
    if (key == "input") {
      CLIPMILL_CHECK(readTable(inputTable(), &recipe.input, value, prefix + "input"));
    } else if (key == "output") {
      CLIPMILL_CHECK(readTable(outputTable(), &recipe.output, value, prefix + "output"));
    } else if (key == "stage") {
      CLIPMILL_CHECK(readStages(value, prefix + "stage", recipe));
    } else {
      const std::vector<std::string> known = {"input", "output", "stage"};
      const auto nearest = nearestWord(key, known);
      return recipeError(prefix + key, "unknown key",
                         nearest ? "did you mean '" + *nearest + "'?"
                                 : "a recipe has [input], [output] and [[stage]]");
    }
  }
  return recipe;
}

Result<Recipe> loadRecipe(const std::filesystem::path& path) {
  auto bytes = readFile(path, kMaxRecipeBytes);
  if (!bytes) {
    Error error = bytes.error();
    error.code = ErrorCode::kRecipe;
    return error;
  }
  return parseRecipe(asText(*bytes), path.string());
}

Status setInRecipe(Recipe& recipe, std::string_view assignment) {
  const std::size_t equals = assignment.find('=');
  const std::string place = "--set " + std::string(assignment.substr(0, equals));
  if (equals == std::string_view::npos) {
    return recipeError(place, "has no value", "write it as --set stage.key=value");
  }
  const std::string_view text = assignment.substr(equals + 1);
  const auto path = splitText(assignment.substr(0, equals), '.');
  if (path.size() < 2)
    return recipeError(place, "names no key", "write it as --set stage.key=value");
  const auto rest = std::span(path).subspan(1);
  if (path.front() == "input") {
    return setEverywhere(inputTable(), &recipe.input, rest, text, place);
  }
  if (path.front() == "output") {
    return setEverywhere(outputTable(), &recipe.output, rest, text, place);
  }
  bool found = false;
  for (RecipeStage& stage : recipe.stages) {
    if (stage.type->name != path.front()) continue;
    found = true;
    CLIPMILL_CHECK(setEverywhere(*stage.type->settings, stage.settings.get(), rest, text, place));
  }
  if (!found) {
    return recipeError(place, "the recipe has no stage '" + std::string(path.front()) + "'");
  }
  return {};
}

Status setFromText(const SettingField& field, void* settings, std::string_view text,
                   const std::string& place) {
  auto value = parseValue(field, text, place);
  if (!value) return value.error();
  field.set(settings, *value);
  return {};
}

Result<void*> addFromText(const SettingList& list, void* settings, std::string_view text,
                          const std::string& place) {
  void* item = list.append(settings);
  const bool named = text.find('=') != std::string_view::npos;
  for (std::string_view part : splitText(text, named ? ';' : '\0')) {
    const std::size_t equals = named ? part.find('=') : std::string_view::npos;
    const std::string_view key =
        equals == std::string_view::npos ? list.key_field : trimmed(part.substr(0, equals));
    const std::string_view value =
        equals == std::string_view::npos ? part : part.substr(equals + 1);
    const SettingField* field = list.item->field(key);
    if (!field) return unknownKey(*list.item, key, place + "." + std::string(key));
    CLIPMILL_CHECK(setFromText(*field, item, trimmed(value), place));
  }
  return item;
}

std::string recipeHash(const Recipe& recipe) {
  std::string text = recipeToml(recipe, false);
  for (const RecipeStage& stage : recipe.stages) {
    text += stage.type->name + " " + std::to_string(stage.type->algorithm_version) + "\n";
  }
  return hashHex(asBytes(text));
}

}  // namespace clipmill
