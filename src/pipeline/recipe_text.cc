// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// Recipes as text: TOML that reads back as the same recipe, and the JSON Schema of all recipes.
#include <cmath>
#include <limits>

#include <nlohmann/json.hpp>

#include "core/text.h"
#include "pipeline/recipe.h"
#include "stages/registry.h"

namespace clipmill::pipeline {
namespace {

using Json = nlohmann::ordered_json;

// A float in TOML has a point or an exponent, an integer has not.
std::string tomlNumber(double value) {
  const std::string text = numberText(value);
  return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
}

// TOML's basic strings are JSON's but for DEL, which must be escaped.
std::string tomlText(const std::string& text) {
  std::string quoted = Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
  for (std::size_t at = quoted.find('\x7f'); at != std::string::npos;
       at = quoted.find('\x7f', at)) {
    quoted.replace(at, 1, "\\u007F");
  }
  return quoted;
}

std::string tomlValue(const SettingValue& value) {
  struct Writer {
    std::string operator()(bool b) const { return b ? "true" : "false"; }
    std::string operator()(std::int64_t i) const { return std::to_string(i); }
    std::string operator()(double d) const { return tomlNumber(d); }
    std::string operator()(const std::string& s) const { return tomlText(s); }
    std::string operator()(const std::vector<double>& v) const {
      std::string text;
      for (double d : v) text += (text.empty() ? "" : ", ") + tomlNumber(d);
      return "[" + text + "]";
    }
    std::string operator()(const std::vector<std::string>& v) const {
      std::string text;
      for (const std::string& s : v) text += (text.empty() ? "" : ", ") + tomlText(s);
      return "[" + text + "]";
    }
    std::string operator()(const Curve& c) const {
      if (c.points.size() == 1) return tomlNumber(c.points[0].value);
      std::string text;
      for (const Curve::Point& p : c.points) {
        text +=
            (text.empty() ? "[" : ", [") + tomlNumber(p.depth) + ", " + tomlNumber(p.value) + "]";
      }
      return "[" + text + "]";
    }
  };
  return std::visit(Writer(), value);
}

void writeTable(const SettingsTable& table, const void* settings, const std::string& path,
                bool with_comments, std::string& text) {
  for (const SettingField& field : table.fields) {
    const auto value = field.get(settings);
    if (!value) continue;
    text += field.name + " = " + tomlValue(*value);
    if (with_comments) {
      const std::string bounds = settingBounds(field);
      text += "  # " + field.doc + (bounds.empty() ? "" : " (" + bounds + ")");
    }
    text += "\n";
  }
  for (const SettingList& list : table.lists) {
    for (std::size_t i = 0; i < list.size(settings); ++i) {
      const std::string list_path = path + "." + list.name;
      text += "\n[[" + list_path + "]]\n";
      writeTable(*list.item, list.at(settings, i), list_path, with_comments, text);
    }
  }
}

void writeRule(const RecipeRule& rule, std::string& text) {
  text += "\n[[rule]]\nclips = " + tomlValue(rule.clips) + "\n";
  for (const RuleSetting& setting : rule.settings) {
    text += "set." + tomlText(setting.path) + " = " + tomlValue(setting.value) + "\n";
  }
}

Json fieldSchema(const SettingField& field) {
  Json schema = Json::object();
  const auto bounded = [&](const char* type) {
    schema["type"] = type;
    if (std::isfinite(field.min)) schema["minimum"] = field.min;
    if (std::isfinite(field.max)) schema["maximum"] = field.max;
  };
  switch (field.kind) {
    case SettingKind::kBool:
      schema["type"] = "boolean";
      break;
    case SettingKind::kInteger:
      bounded("integer");
      break;
    case SettingKind::kNumber:
      bounded("number");
      break;
    case SettingKind::kText:
      schema["type"] = "string";
      break;
    case SettingKind::kChoice:
      schema["enum"] = field.choices;
      break;
    case SettingKind::kNumbers:
      if (field.size) {
        schema["type"] = "array";
        schema["items"] = {{"type", "number"}};
        schema["minItems"] = schema["maxItems"] = field.size;
      } else {
        schema["anyOf"] = {{{"type", "number"}},
                           {{"type", "array"}, {"items", {{"type", "number"}}}}};
      }
      break;
    case SettingKind::kTexts:
      schema["anyOf"] = {{{"type", "string"}},
                         {{"type", "array"}, {"items", {{"type", "string"}}}}};
      break;
    case SettingKind::kCurve: {
      bounded("number");
      const Json number = schema;
      const Json pair = {
          {"type", "array"}, {"items", {{"type", "number"}}}, {"minItems", 2}, {"maxItems", 2}};
      schema = {{"anyOf", {number, {{"type", "array"}, {"items", pair}, {"minItems", 1}}}}};
      break;
    }
  }
  schema["description"] = field.doc + (field.unit.empty() ? "" : " [" + field.unit + "]");
  return schema;
}

Json defaultOf(const SettingValue& value) {
  if (const auto* b = std::get_if<bool>(&value)) return *b;
  if (const auto* i = std::get_if<std::int64_t>(&value)) return *i;
  if (const auto* d = std::get_if<double>(&value)) return *d;
  if (const auto* s = std::get_if<std::string>(&value)) return *s;
  if (const auto* n = std::get_if<std::vector<double>>(&value)) return *n;
  if (const auto* t = std::get_if<std::vector<std::string>>(&value)) return *t;
  const Curve& curve = std::get<Curve>(value);
  if (curve.points.size() == 1) return curve.points[0].value;
  Json points = Json::array();
  for (const Curve::Point& p : curve.points) points.push_back({p.depth, p.value});
  return points;
}

// `settings` holds the defaults; null where the defaults of a list's items are not at hand.
Json tableSchema(const SettingsTable& table, const void* settings) {
  Json properties = Json::object();
  for (const SettingField& field : table.fields) {
    properties[field.name] = fieldSchema(field);
    if (!settings) continue;
    if (const auto value = field.get(settings)) {
      properties[field.name]["default"] = defaultOf(*value);
    }
  }
  for (const SettingList& list : table.lists) {
    properties[list.name] = {
        {"type", "array"}, {"description", list.doc}, {"items", tableSchema(*list.item, nullptr)}};
  }
  return {{"type", "object"}, {"additionalProperties", false}, {"properties", properties}};
}

Json ruleSchema() {
  const Json clips = {{"anyOf",
                       {{{"type", "string"}},
                        {{"type", "array"}, {"items", {{"type", "string"}}}, {"minItems", 1}}}},
                      {"description", "globs of relative names of files"}};
  const Json set = {{"type", "object"},
                    {"minProperties", 1},
                    {"description", "\"stage.key\": value, or tables of them"}};
  return {{"type", "object"},
          {"additionalProperties", false},
          {"required", {"clips", "set"}},
          {"properties", {{"clips", clips}, {"set", set}}}};
}

}  // namespace

std::string settingBounds(const SettingField& field) {
  std::string text;
  for (const std::string& choice : field.choices) text += (text.empty() ? "" : " | ") + choice;
  if (std::isfinite(field.min) || std::isfinite(field.max)) {
    text = numberText(field.min) + " to " + numberText(field.max);
  }
  if (!field.unit.empty()) text += (text.empty() ? "" : " ") + field.unit;
  return text;
}

std::string settingToml(const SettingValue& value) { return tomlValue(value); }

std::string recipeToml(const Recipe& recipe, bool with_comments) {
  std::string text = "[input]\n";
  writeTable(inputTable(), &recipe.input, "input", with_comments, text);
  text += "\n[output]\n";
  writeTable(outputTable(), &recipe.output, "output", with_comments, text);
  for (const RecipeStage& stage : recipe.stages) {
    text += "\n[[stage]]\ntype = " + tomlText(stage.type->name) + "\n";
    writeTable(*stage.type->settings, stage.settings.get(), "stage", with_comments, text);
  }
  for (const RecipeRule& rule : recipe.rules) writeRule(rule, text);
  return text;
}

std::string recipeSchema() {
  const InputSettings input;
  const OutputSettings output;
  Json stages = Json::array();
  for (const stages::StageType& type : stages::stageTypes()) {
    const auto defaults = type.make_settings();
    // A list's items get their defaults from a fresh item.
    for (const SettingList& list : type.settings->lists) list.append(defaults.get());
    Json schema = tableSchema(*type.settings, defaults.get());
    for (const SettingList& list : type.settings->lists) {
      schema["properties"][list.name]["items"] =
          tableSchema(*list.item, list.at(defaults.get(), 0));
    }
    Json properties = {{"type", {{"const", type.name}, {"description", type.summary}}}};
    properties.update(schema["properties"]);
    schema["properties"] = properties;
    schema["required"] = {"type"};
    stages.push_back(schema);
  }
  const Json root = {{"$schema", "http://json-schema.org/draft-07/schema#"},
                     {"title", "clipmill recipe"},
                     {"type", "object"},
                     {"additionalProperties", false},
                     {"properties",
                      {{"input", tableSchema(inputTable(), &input)},
                       {"output", tableSchema(outputTable(), &output)},
                       {"stage", {{"type", "array"}, {"items", {{"oneOf", stages}}}}},
                       {"rule", {{"type", "array"}, {"items", ruleSchema()}}}}}};
  return root.dump(2) + "\n";
}

}  // namespace clipmill::pipeline
