// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "core/settings.h"

#include <algorithm>
#include <cmath>

#include "core/text.h"

namespace clipmill {
namespace {

std::string kindName(const SettingField& field) {
  switch (field.kind) {
    case SettingKind::kBool:
      return "true or false";
    case SettingKind::kInteger:
      return "a whole number";
    case SettingKind::kNumber:
      return "a number";
    case SettingKind::kText:
      return "a text";
    case SettingKind::kChoice:
      return "one of its allowed values";
    case SettingKind::kNumbers:
      return field.size ? std::to_string(field.size) + " numbers" : "a list of numbers";
    case SettingKind::kTexts:
      return "a list of texts";
    case SettingKind::kCurve:
      return "a number or a list of [depth, value] pairs";
  }
  return "";
}

Error wrongKind(const SettingField& field, const std::string& location) {
  return {ErrorCode::kRecipe, location, "needs " + kindName(field), ""};
}

// An integer is a number, a number a constant curve or a list of one, a text a list of one.
SettingValue converted(SettingKind kind, SettingValue value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    if (kind == SettingKind::kNumber || kind == SettingKind::kCurve ||
        kind == SettingKind::kNumbers) {
      value = static_cast<double>(*integer);
    }
  }
  if (const auto* number = std::get_if<double>(&value); number && kind == SettingKind::kCurve) {
    return Curve(*number);
  }
  if (const auto* number = std::get_if<double>(&value); number && kind == SettingKind::kNumbers) {
    return std::vector<double>{*number};
  }
  if (const auto* text = std::get_if<std::string>(&value); text && kind == SettingKind::kTexts) {
    return std::vector<std::string>{*text};
  }
  return value;
}

bool hasKind(SettingKind kind, const SettingValue& value) {
  switch (kind) {
    case SettingKind::kBool:
      return std::holds_alternative<bool>(value);
    case SettingKind::kInteger:
      return std::holds_alternative<std::int64_t>(value);
    case SettingKind::kNumber:
      return std::holds_alternative<double>(value);
    case SettingKind::kText:
    case SettingKind::kChoice:
      return std::holds_alternative<std::string>(value);
    case SettingKind::kNumbers:
      return std::holds_alternative<std::vector<double>>(value);
    case SettingKind::kTexts:
      return std::holds_alternative<std::vector<std::string>>(value);
    case SettingKind::kCurve:
      return std::holds_alternative<Curve>(value);
  }
  return false;
}

Status checkBounds(const SettingField& field, double number, const std::string& location) {
  if (std::isfinite(number) && number >= field.min && number <= field.max) return {};
  return Error{ErrorCode::kRecipe, location,
               "is " + numberText(number) + ", outside " + numberText(field.min) + " to " +
                   numberText(field.max) + (field.unit.empty() ? "" : " " + field.unit),
               ""};
}

Status checkCurve(const SettingField& field, const Curve& curve, const std::string& location) {
  if (curve.points.empty()) return wrongKind(field, location);
  double last = -std::numeric_limits<double>::infinity();
  for (const Curve::Point& point : curve.points) {
    if (!(point.depth >= 0.0 && point.depth <= 1.0) || !(point.depth > last)) {
      return Error{ErrorCode::kRecipe, location, "has depths that do not ascend within 0 to 1", ""};
    }
    last = point.depth;
    CLIPMILL_CHECK(checkBounds(field, point.value, location));
  }
  return {};
}

Status checkChoice(const SettingField& field, const std::string& name,
                   const std::string& location) {
  if (std::find(field.choices.begin(), field.choices.end(), name) != field.choices.end()) return {};
  std::string allowed;
  for (const std::string& choice : field.choices) allowed += (allowed.empty() ? "" : ", ") + choice;
  return Error{ErrorCode::kRecipe, location, "is '" + name + "'", "choose one of: " + allowed};
}

Result<SettingValue> parseCurve(const SettingField& field, std::string_view text,
                                const std::string& location) {
  if (auto number = parseNumber(text)) return SettingValue(Curve(*number));
  std::vector<Curve::Point> points;
  for (std::string_view part : splitText(text, ',')) {
    const std::size_t colon = part.find(':');
    if (colon == std::string_view::npos) return wrongKind(field, location);
    const auto depth = parseNumber(trimmed(part.substr(0, colon)));
    const auto value = parseNumber(trimmed(part.substr(colon + 1)));
    if (!depth || !value) return wrongKind(field, location);
    points.push_back({*depth, *value});
  }
  return SettingValue(Curve(std::move(points)));
}

// Parts between commas; none in an empty text, which is how an empty list is written.
std::vector<std::string_view> listParts(std::string_view text) {
  if (trimmed(text).empty()) return {};
  return splitText(text, ',');
}

Result<SettingValue> parseNumbers(const SettingField& field, std::string_view text,
                                  const std::string& location) {
  std::vector<double> numbers;
  for (std::string_view part : listParts(text)) {
    const auto number = parseNumber(trimmed(part));
    if (!number) return wrongKind(field, location);
    numbers.push_back(*number);
  }
  return SettingValue(std::move(numbers));
}

Result<SettingValue> parseUnchecked(const SettingField& field, std::string_view text,
                                    const std::string& location) {
  switch (field.kind) {
    case SettingKind::kBool:
      if (text == "true") return SettingValue(true);
      if (text == "false") return SettingValue(false);
      return wrongKind(field, location);
    case SettingKind::kInteger: {
      const auto number = parseNumber(text);
      if (!number || *number != std::floor(*number) || std::abs(*number) > 9e15) {
        return wrongKind(field, location);
      }
      return SettingValue(static_cast<std::int64_t>(*number));
    }
    case SettingKind::kNumber: {
      const auto number = parseNumber(text);
      if (!number) return wrongKind(field, location);
      return SettingValue(*number);
    }
    case SettingKind::kText:
    case SettingKind::kChoice:
      return SettingValue(std::string(text));
    case SettingKind::kNumbers:
      return parseNumbers(field, text, location);
    case SettingKind::kTexts: {
      std::vector<std::string> texts;
      for (std::string_view part : listParts(text)) texts.emplace_back(trimmed(part));
      return SettingValue(std::move(texts));
    }
    case SettingKind::kCurve:
      return parseCurve(field, text, location);
  }
  return wrongKind(field, location);
}

}  // namespace

double Curve::at(double depth) const {
  if (depth <= points.front().depth) return points.front().value;
  for (std::size_t i = 1; i < points.size(); ++i) {
    const Point &a = points[i - 1], &b = points[i];
    if (depth < b.depth) {
      return a.value + (b.value - a.value) * ((depth - a.depth) / (b.depth - a.depth));
    }
  }
  return points.back().value;
}

const SettingField* SettingsTable::field(std::string_view name) const {
  for (const SettingField& f : fields) {
    if (f.name == name) return &f;
  }
  return nullptr;
}

const SettingList* SettingsTable::list(std::string_view name) const {
  for (const SettingList& l : lists) {
    if (l.name == name) return &l;
  }
  return nullptr;
}

std::vector<std::string> SettingsTable::names() const {
  std::vector<std::string> all;
  for (const SettingField& f : fields) all.push_back(f.name);
  for (const SettingList& l : lists) all.push_back(l.name);
  return all;
}

Result<SettingValue> checkedValue(const SettingField& field, SettingValue value,
                                  const std::string& location) {
  value = converted(field.kind, std::move(value));
  if (!hasKind(field.kind, value)) return wrongKind(field, location);
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    CLIPMILL_CHECK(checkBounds(field, static_cast<double>(*integer), location));
  }
  if (const auto* number = std::get_if<double>(&value)) {
    CLIPMILL_CHECK(checkBounds(field, *number, location));
  }
  if (const auto* numbers = std::get_if<std::vector<double>>(&value)) {
    if (field.size && numbers->size() != field.size) return wrongKind(field, location);
    for (double number : *numbers) CLIPMILL_CHECK(checkBounds(field, number, location));
  }
  if (const auto* curve = std::get_if<Curve>(&value)) {
    CLIPMILL_CHECK(checkCurve(field, *curve, location));
  }
  const auto* text = std::get_if<std::string>(&value);
  if (field.is_optional && text && text->empty()) {
    return Error{ErrorCode::kRecipe, location, "is empty", "leave it out"};
  }
  if (field.kind == SettingKind::kChoice) {
    CLIPMILL_CHECK(checkChoice(field, std::get<std::string>(value), location));
  }
  return value;
}

Result<SettingValue> parseValue(const SettingField& field, std::string_view text,
                                const std::string& location) {
  CLIPMILL_TRY(SettingValue value, parseUnchecked(field, text, location));
  return checkedValue(field, std::move(value), location);
}

std::string valueText(const SettingValue& value) {
  struct Writer {
    std::string operator()(bool b) const { return b ? "true" : "false"; }
    std::string operator()(std::int64_t i) const { return std::to_string(i); }
    std::string operator()(double d) const { return numberText(d); }
    std::string operator()(const std::string& s) const { return s; }
    std::string operator()(const std::vector<double>& v) const {
      std::string text;
      for (double d : v) text += (text.empty() ? "" : ",") + numberText(d);
      return text;
    }
    std::string operator()(const std::vector<std::string>& v) const {
      std::string text;
      for (const std::string& s : v) text += (text.empty() ? "" : ",") + s;
      return text;
    }
    std::string operator()(const Curve& c) const {
      if (c.points.size() == 1 && c.points[0].depth == 0.0) return numberText(c.points[0].value);
      std::string text;
      for (const Curve::Point& p : c.points) {
        text += (text.empty() ? "" : ",") + numberText(p.depth) + ":" + numberText(p.value);
      }
      return text;
    }
  };
  return std::visit(Writer(), value);
}

std::string defaultText(const SettingField& field, const void* defaults) {
  const auto value = field.get(defaults);
  if (!value) return "unset by default";
  const std::string text = valueText(*value);
  return text.empty() ? "" : "default " + text;
}

void copySettings(const SettingsTable& table, const void* from, void* to) {
  for (const SettingField& field : table.fields) {
    if (const auto value = field.get(from)) field.set(to, *value);
  }
  for (const SettingList& list : table.lists) {
    for (std::size_t i = 0; i < list.size(from); ++i) {
      copySettings(*list.item, list.at(from, i), list.append(to));
    }
  }
}

Error unknownKey(const SettingsTable& table, std::string_view key, const std::string& location) {
  const std::vector<std::string> names = table.names();
  const auto nearest = nearestWord(key, names);
  return {ErrorCode::kRecipe, location, "unknown key",
          nearest ? "did you mean '" + *nearest + "'?" : ""};
}

}  // namespace clipmill
