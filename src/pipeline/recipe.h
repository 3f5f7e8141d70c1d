// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/settings.h"
#include "io/document.h"
#include "stages/stage.h"

namespace clipmill::pipeline {

enum class KeysMode { kReduced, kAll };

/// Where the stage self-collision gets the contacts of clips of another file from.
enum class ContactsFrom { kClip, kSource };

/// Further inputs; [input] in a recipe.
struct InputSettings : io::ArraySettings {
  std::string clip_from;
  std::optional<std::string> clip_from_clip;
  std::vector<std::string> clip_from_map;          ///< Each "SOURCE_JOINT=JOINT".
  std::optional<std::string> clip_from_rest;       ///< File with the rest pose of these clips.
  std::optional<std::string> clip_from_rest_clip;  ///< Unset: its bind pose.
  double clip_from_rest_s = 0.0;                   ///< Time in that clip.
  std::optional<double> clip_from_facing_deg;      ///< Unset: found.
  bool keep_feet = false;
  bool keep_hands = false;
  ContactsFrom contacts_from = ContactsFrom::kClip;
  std::optional<double> still_duration_s;  ///< Of clips of a file that holds still.
  std::optional<std::string> copy_as;      ///< Unset: stages change the clips themselves.
};
const SettingsTable& inputTable();
/// The part of it that files of arrays need.
const SettingsTable& arrayTable();

/// How outputs are written; [output] in a recipe.
struct OutputSettings {
  KeysMode keys = KeysMode::kReduced;
  double key_tolerance_mm = 0.1;
  double planted_tolerance_mm = 0.1;  ///< Of heels and balls of planted feet.
  bool short_rotations = false;       ///< glTF: reduced rotation keys as 16-bit integers.
  bool cubic_keys = false;            ///< Reduced keys may be cubic.
  std::optional<double> fps;          ///< Unset: that of each clip.
  bool strict = false;                ///< Inputs that refer to missing files are refused.
  bool compact = false;               ///< glTF: buffers without what nothing refers to.
};
const SettingsTable& outputTable();

/// One [[stage]] of a recipe.
struct RecipeStage {
  const stages::StageType* type = nullptr;
  std::shared_ptr<void> settings;  ///< The type's own settings struct.
};

/// One value that a rule sets: "output.keys", "stretch.distance_m", or for all items of a list
/// "dynamic-bones.chain.frequency_hz". Every stage of that type is set.
struct RuleSetting {
  std::string path;
  SettingValue value;  ///< Fits its field.
};

/// One [[rule]] of a recipe: other values for some files.
struct RecipeRule {
  std::string location;            ///< "rule[0]", or the flag with the same meaning.
  std::vector<std::string> clips;  ///< Globs of relative names of files; one match is enough.
  std::vector<RuleSetting> settings;
};

/// What to do with a clip.
struct Recipe {
  InputSettings input;
  OutputSettings output;
  std::vector<RecipeStage> stages;
  std::vector<RecipeRule> rules;  ///< Later ones win. Runs want none left: see recipeFor().
};

/// A stage of that type with its defaults. Error: kRecipe with the nearest name.
Result<RecipeStage> makeStage(std::string_view type_name, const std::string& location);

/// Reads TOML, or JSON with the same schema where the text starts with '{'. Every key must be known
/// and within its bounds. Errors (kRecipe) name the key by its dotted path after `location`.
Result<Recipe> parseRecipe(std::string_view text, const std::string& location);
Result<Recipe> loadRecipe(const std::filesystem::path& path);

/// Sets one value: "output.keys=all", "dynamic-bones.method=reference", or for all items of a list
/// "dynamic-bones.chain.frequency_hz=3". Every stage of that type is set, and no rule changes it.
Status setInRecipe(Recipe& recipe, std::string_view assignment);

/// Sets a field of a settings struct from a flag's text.
Status setFromText(const SettingField& field, void* settings, std::string_view text,
                   const std::string& location);

/// Adds an item to a list from a flag's text: "Tail*" sets the list's key field,
/// "root=Tail*;drag=0.2" sets fields by name.
Result<void*> addFromText(const SettingList& list, void* settings, std::string_view text,
                          const std::string& location);

/// The value as TOML.
std::string settingToml(const SettingValue& value);

/// The range or the choices of a field, as text: "0 to 1 m", "xz | x | z"; empty if not bounded.
std::string settingBounds(const SettingField& field);

/// The recipe with every value spelled out, as TOML that parseRecipe reads back as the same. With
/// `with_comments`, each key has a comment with its meaning, unit and bounds.
std::string recipeToml(const Recipe& recipe, bool with_comments);

/// JSON Schema of all recipes, for editors.
std::string recipeSchema();

/// XXH3-128 of everything in the recipe that can change a result, and of the algorithm versions, as
/// SettingBytes.
std::string recipeHash(const Recipe& recipe);

}  // namespace clipmill::pipeline
