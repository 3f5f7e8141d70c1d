// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "pipeline/recipe.h"

#include <algorithm>
#include <cstdint>

#include <nlohmann/json.hpp>

#include "core/file.h"
#include "core/hash.h"
#include "core/setting_bytes.h"
#include "core/text.h"
#include "pipeline/recipe_json.h"
#include "pipeline/recipe_rules.h"
#include "stages/registry.h"

namespace clipmill::pipeline {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kMaxRecipeBytes = std::uint64_t{16} << 20;

// Fills a settings struct from an object; `skip` names a key that the caller reads itself.
Status readTable(const SettingsTable& table, void* settings, const Json& object,
                 const std::string& location, std::string_view skip = "") {
  if (!object.is_object()) return recipeError(location, "must be a table");
  for (const auto& [key, value] : object.items()) {
    if (key == skip) continue;
    const std::string key_location = keyLocation(location, key);
    if (const SettingField* field = table.field(key)) {
      CLIPMILL_TRY(const SettingValue given, settingValueOf(*field, value, key_location));
      field->set(settings, given);
      continue;
    }
    const SettingList* list = table.list(key);
    if (!list) return unknownKey(table, key, key_location);
    if (!value.is_array()) return recipeError(key_location, "must be a list of tables");
    for (std::size_t i = 0; i < value.size(); ++i) {
      void* item = list->append(settings);
      CLIPMILL_CHECK(
          readTable(*list->item, item, value[i], key_location + "[" + std::to_string(i) + "]"));
    }
  }
  return {};
}

Status readStages(const Json& stages, const std::string& location, Recipe& recipe) {
  if (!stages.is_array()) return recipeError(location, "must be a list of tables; write [[stage]]");
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const std::string stage_location = location + "[" + std::to_string(i) + "]";
    const Json& stage = stages[i];
    if (!stage.is_object() || !stage.contains("type") || !stage["type"].is_string()) {
      return recipeError(stage_location, "has no 'type'",
                         "name the stage, e.g. type = \"dynamic-bones\"");
    }
    CLIPMILL_TRY(RecipeStage made,
                 makeStage(stage["type"].get<std::string>(), keyLocation(stage_location, "type")));
    CLIPMILL_CHECK(
        readTable(*made.type->settings, made.settings.get(), stage, stage_location, "type"));
    recipe.stages.push_back(std::move(made));
  }
  return {};
}

template <class Settings>
void addArrayFields(SettingsTableBuilder<Settings>& builder) {
  builder
      .text("skeleton", &Settings::skeleton,
            "skeleton of joint positions in .npz and .npy files: humanml3d22, smpl24, smplh52, "
            "smplx55, h36m17 or coco17. Unset: the only one with as many joints")
      .number("array_fps", &Settings::array_fps,
              "frame rate of .npz and .npy files. Unset: the one in the file, else 30, or 20 for "
              "22 joints",
              "Hz", 1e-3, 1000.0)
      .text("array_up", &Settings::array_up,
            "up axis of .npz and .npy files: x, -x, y, -y, z or -z. Unset: found");
}

}  // namespace

const SettingsTable& arrayTable() {
  static const SettingsTable table = [] {
    SettingsTableBuilder<io::ArraySettings> builder;
    addArrayFields(builder);
    return builder.build();
  }();
  return table;
}

const SettingsTable& inputTable() {
  static const SettingsTable table = [] {
    SettingsTableBuilder<InputSettings> builder;
    builder
        .text("clip_from", &InputSettings::clip_from,
              "file whose clips are retargeted onto this character, as new clips of the output; "
              "root motion scales with leg length")
        .text("clip_from_clip", &InputSettings::clip_from_clip,
              "clip of that file: name, index or glob. Unset: all clips")
        .texts("clip_from_map", &InputSettings::clip_from_map,
               "joint pairs, each SOURCE_JOINT=JOINT; replace the pairs that are detected")
        .text("clip_from_rest", &InputSettings::clip_from_rest,
              "file whose pose is the rest pose of these clips: the same skeleton with its bind "
              "pose, or a frame by clip_from_rest_clip. Unset: found in the file of the clips")
        .text("clip_from_rest_clip", &InputSettings::clip_from_rest_clip,
              "clip of that file with the rest pose (name or index). Unset: its bind pose")
        .number("clip_from_rest_s", &InputSettings::clip_from_rest_s,
                "time of the rest pose in that clip", "s", 0.0, 1e6)
        .number("clip_from_facing_deg", &InputSettings::clip_from_facing_deg,
                "direction in which the character of these clips faces at rest, about the "
                "vertical from +z towards +x, in metric space with y up. Unset: found",
                "deg", -360.0, 360.0)
        .flag("keep_feet", &InputSettings::keep_feet,
              "keep planted feet of these clips planted on this character")
        .flag("keep_hands", &InputSettings::keep_hands,
              "keep hands at their positions relative to the shoulders, scaled by arm length")
        .choice("contacts_from", &InputSettings::contacts_from,
                "where self-collision finds the contacts of these clips. clip: on this character, "
                "in the retargeted clip. source: on the skin of their own character; arms are "
                "moved so that corresponding points of this character are in contact",
                {{"clip", ContactsFrom::kClip}, {"source", ContactsFrom::kSource}})
        .number("still_duration_s", &InputSettings::still_duration_s,
                "length of clips that hold still: of those with a single key, and of a new one "
                "in a file without clips. Other clips keep their length",
                "s", 1e-3, 3600.0)
        .text("copy_as", &InputSettings::copy_as,
              "keep the original clips; stages modify copies with this name, where {} is the "
              "name of the clip. Unset: no copies");
    addArrayFields(builder);
    return builder.build();
  }();
  return table;
}

const SettingsTable& outputTable() {
  static const SettingsTable table =
      SettingsTableBuilder<OutputSettings>()
          .choice(
              "keys", &OutputSettings::keys,
              "keys to write. reduced: as few as key_tolerance_mm allows. all: one for each frame",
              {{"reduced", KeysMode::kReduced}, {"all", KeysMode::kAll}})
          .number("key_tolerance_mm", &OutputSettings::key_tolerance_mm,
                  "largest error of a reduced key, at the tips of the hierarchy", "mm", 0.0, 1000.0)
          .number("planted_tolerance_mm", &OutputSettings::planted_tolerance_mm,
                  "the same for heels and balls of planted feet, where key_tolerance_mm is larger",
                  "mm", 1e-4, 1000.0)
          .flag("short_rotations", &OutputSettings::short_rotations,
                "glTF: write reduced rotation keys as normalized 16-bit integers, which take half "
                "of the bytes. Their rounding counts towards key_tolerance_mm")
          .flag("cubic_keys", &OutputSettings::cubic_keys,
                "reduced translations, rotations and scales have cubic keys where these are fewer "
                "(FBX) or take fewer bytes (glTF) than linear ones at the same key_tolerance_mm. "
                "Not for Blender, which imports keys without their slopes")
          .number("fps", &OutputSettings::fps,
                  "frame rate of the output. Unset: the frame rate of each clip", "Hz", 1e-3,
                  1000.0)
          .flag("strict", &OutputSettings::strict,
                "refuse an input that refers to a file that does not exist, such as an image")
          .flag("compact", &OutputSettings::compact,
                "remove what nothing refers to from the buffers of a glTF file, such as keys that "
                "were replaced")
          .build();
  return table;
}

Result<RecipeStage> makeStage(std::string_view type_name, const std::string& location) {
  if (const stages::StageType* type = stages::findStageType(type_name)) {
    return RecipeStage{type, type->make_settings()};
  }
  std::vector<std::string> names;
  for (const stages::StageType& type : stages::stageTypes()) names.push_back(type.name);
  const auto nearest = nearestWord(type_name, names);
  std::string known;
  for (const std::string& name : names) known += (known.empty() ? "" : ", ") + name;
  return recipeError(location, "there is no stage '" + std::string(type_name) + "'",
                     nearest ? "did you mean '" + *nearest + "'?" : "the stages are: " + known);
}

Result<Recipe> parseRecipe(std::string_view text, const std::string& location) {
  CLIPMILL_TRY(const Json root, recipeJson(text, location));
  if (!root.is_object()) return recipeError(location, "must be a table");
  const std::string prefix = location.empty() ? "" : location + ": ";
  Recipe recipe;
  for (const auto& [key, value] : root.items()) {
    if (key == "input") {
      CLIPMILL_CHECK(readTable(inputTable(), &recipe.input, value, prefix + "input"));
    } else if (key == "output") {
      CLIPMILL_CHECK(readTable(outputTable(), &recipe.output, value, prefix + "output"));
    } else if (key == "stage") {
      CLIPMILL_CHECK(readStages(value, prefix + "stage", recipe));
    } else if (key != "rule") {
      const std::vector<std::string> known = {"input", "output", "stage", "rule"};
      const auto nearest = nearestWord(key, known);
      return recipeError(prefix + key, "unknown key",
                         nearest ? "did you mean '" + *nearest + "'?"
                                 : "a recipe has [input], [output], [[stage]] and [[rule]]");
    }
  }
  // Rules refer to stages, at any position in the text.
  if (root.contains("rule")) CLIPMILL_CHECK(readRules(root["rule"], prefix + "rule", recipe));
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

Status setFromText(const SettingField& field, void* settings, std::string_view text,
                   const std::string& location) {
  auto value = parseValue(field, text, location);
  if (!value) return value.error();
  field.set(settings, *value);
  return {};
}

Result<void*> addFromText(const SettingList& list, void* settings, std::string_view text,
                          const std::string& location) {
  void* item = list.append(settings);
  const bool named = text.find('=') != std::string_view::npos;
  for (std::string_view part : splitText(text, named ? ';' : '\0')) {
    const std::size_t equals = named ? part.find('=') : std::string_view::npos;
    const std::string_view key =
        equals == std::string_view::npos ? list.key_field : trimmed(part.substr(0, equals));
    const std::string_view value =
        equals == std::string_view::npos ? part : part.substr(equals + 1);
    const SettingField* field = list.item->field(key);
    if (!field) return unknownKey(*list.item, key, location + "." + std::string(key));
    CLIPMILL_CHECK(setFromText(*field, item, trimmed(value), location));
  }
  return item;
}

std::string recipeHash(const Recipe& recipe) {
  SettingBytes bytes;
  bytes.settings(inputTable(), &recipe.input);
  bytes.settings(outputTable(), &recipe.output);
  bytes.number(std::uint64_t{recipe.stages.size()});
  for (const RecipeStage& stage : recipe.stages) {
    bytes.text(stage.type->name);
    bytes.number(stage.type->algorithm_version);
    bytes.settings(*stage.type->settings, stage.settings.get());
  }
  bytes.number(std::uint64_t{recipe.rules.size()});
  for (const RecipeRule& rule : recipe.rules) {
    bytes.texts(rule.clips);
    bytes.number(std::uint64_t{rule.settings.size()});
    for (const RuleSetting& setting : rule.settings) {
      bytes.text(setting.path);
      bytes.setting(setting.value);
    }
  }
  return hashHex(asBytes(bytes.bytes()));
}

}  // namespace clipmill::pipeline
