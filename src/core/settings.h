// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/result.h"

namespace clipmill {

/// A number that may vary along a chain: piecewise linear over depth, 0 at the root of the chain
/// and 1 at its tip, constant before the first and after the last point.
struct Curve {
  struct Point {
    double depth = 0.0;
    double value = 0.0;
    bool operator==(const Point&) const = default;
  };
  std::vector<Point> points;  ///< Ascending depth, never empty.

  Curve(double value = 0.0) : points{{0.0, value}} {}  // NOLINT: a number is a curve
  explicit Curve(std::vector<Point> sorted) : points(std::move(sorted)) {}
  double at(double depth) const;
  bool operator==(const Curve&) const = default;
};

/// The value of a setting, in the form of recipes and flags.
using SettingValue = std::variant<bool, std::int64_t, double, std::string, std::vector<double>,
                                  std::vector<std::string>, Curve>;

enum class SettingKind { kBool, kInteger, kNumber, kText, kChoice, kNumbers, kTexts, kCurve };

/// One setting: the only definition where its name, default, unit and bounds are written. Flags,
/// recipe keys, --dump-config, the JSON schema and docs/reference all come from it. The
/// default is what a default-constructed settings struct holds; an optional member holds nothing.
struct SettingField {
  std::string name;  ///< Recipe key, snake_case with its unit; the flag is the same with dashes.
  SettingKind kind = SettingKind::kNumber;
  std::string doc;   ///< One clause.
  std::string unit;  ///< "m", "Hz"; empty where the number has none.
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  std::size_t size = 0;              ///< kNumbers: how many; 0 for any number of them.
  std::vector<std::string> choices;  ///< kChoice: the allowed values.
  bool is_optional = false;          ///< Unset unless given; recipes leave an unset key out.
  std::function<std::optional<SettingValue>(const void*)> get;  ///< Nothing where unset.
  std::function<void(void*, const SettingValue&)> set;  ///< Takes a value that checkValue() passed.
};

class SettingsTable;

/// A repeated group of settings, [[stage.chain]] in a recipe.
struct SettingList {
  std::string name;
  std::string doc;
  std::string key_field;  ///< The field that a bare flag value sets: --chain 'Tail*' sets root.
  const SettingsTable* item = nullptr;
  std::function<std::size_t(const void*)> size;
  std::function<const void*(const void*, std::size_t)> at;
  std::function<void*(void*)> append;  ///< Adds a default item and returns it.
};

/// All settings of one struct, in the order of help texts.
class SettingsTable {
 public:
  std::vector<SettingField> fields;
  std::vector<SettingList> lists;

  const SettingField* field(std::string_view name) const;
  const SettingList* list(std::string_view name) const;
  /// Names of all fields and lists, for messages.
  std::vector<std::string> names() const;
};

/// `value` converted to the kind of `field` (an integer is a number, a number a constant curve or a
/// list of one) and within its bounds; else an Error whose location is `location`.
Result<SettingValue> checkedValue(const SettingField& field, SettingValue value,
                                  const std::string& location);

/// The value of a flag's text: "0.5", "0:0.1,1:0.4" (curve), "1,2,3" (numbers), "a,b" (texts),
/// "true"/"false".
Result<SettingValue> parseValue(const SettingField& field, std::string_view text,
                                const std::string& location);

/// The text that parseValue reads back as the same value.
std::string valueText(const SettingValue& value);

/// The value in `defaults` for help texts: "default 0.5", "unset by default"; empty for an
/// empty text or list.
std::string defaultText(const SettingField& field, const void* defaults);

/// Gives `to`, a settings struct as it is made, all values of `from`; what is unset stays unset.
void copySettings(const SettingsTable& table, const void* from, void* to);

/// The Error for an unknown key, with the nearest key of `table`.
Error unknownKey(const SettingsTable& table, std::string_view key, const std::string& location);

/// Builds the SettingsTable of a struct, one line a member.
template <class Settings>
class SettingsTableBuilder {
 public:
  SettingsTableBuilder& flag(std::string name, bool Settings::*member, std::string doc) {
    add(std::move(name), SettingKind::kBool, std::move(doc), "", member);
    return *this;
  }
  SettingsTableBuilder& integer(std::string name, std::int64_t Settings::*member, std::string doc,
                                double min, double max, std::string unit = "") {
    SettingField& f =
        add(std::move(name), SettingKind::kInteger, std::move(doc), std::move(unit), member);
    f.min = min;
    f.max = max;
    return *this;
  }
  SettingsTableBuilder& integer(std::string name, std::optional<std::int64_t> Settings::*member,
                                std::string doc, double min, double max, std::string unit = "") {
    SettingField& f =
        add(std::move(name), SettingKind::kInteger, std::move(doc), std::move(unit), member);
    f.min = min;
    f.max = max;
    return *this;
  }
  SettingsTableBuilder& number(std::string name, double Settings::*member, std::string doc,
                               std::string unit, double min, double max) {
    SettingField& f =
        add(std::move(name), SettingKind::kNumber, std::move(doc), std::move(unit), member);
    f.min = min;
    f.max = max;
    return *this;
  }
  SettingsTableBuilder& number(std::string name, std::optional<double> Settings::*member,
                               std::string doc, std::string unit, double min, double max) {
    SettingField& f =
        add(std::move(name), SettingKind::kNumber, std::move(doc), std::move(unit), member);
    f.min = min;
    f.max = max;
    return *this;
  }
  SettingsTableBuilder& curve(std::string name, Curve Settings::*member, std::string doc,
                              std::string unit, double min, double max) {
    SettingField& f =
        add(std::move(name), SettingKind::kCurve, std::move(doc), std::move(unit), member);
    f.min = min;
    f.max = max;
    return *this;
  }
  SettingsTableBuilder& text(std::string name, std::string Settings::*member, std::string doc) {
    add(std::move(name), SettingKind::kText, std::move(doc), "", member);
    return *this;
  }
  SettingsTableBuilder& text(std::string name, std::optional<std::string> Settings::*member,
                             std::string doc) {
    add(std::move(name), SettingKind::kText, std::move(doc), "", member);
    return *this;
  }
  SettingsTableBuilder& texts(std::string name, std::vector<std::string> Settings::*member,
                              std::string doc) {
    add(std::move(name), SettingKind::kTexts, std::move(doc), "", member);
    return *this;
  }
  SettingsTableBuilder& numbers(std::string name, std::vector<double> Settings::*member,
                                std::string doc, std::string unit, std::size_t size) {
    SettingField& f =
        add(std::move(name), SettingKind::kNumbers, std::move(doc), std::move(unit), member);
    f.size = size;
    return *this;
  }
  SettingsTableBuilder& numbers(std::string name,
                                std::optional<std::vector<double>> Settings::*member,
                                std::string doc, std::string unit, std::size_t size) {
    SettingField& f =
        add(std::move(name), SettingKind::kNumbers, std::move(doc), std::move(unit), member);
    f.size = size;
    return *this;
  }
  template <class Enum>
  SettingsTableBuilder& choice(std::string name, Enum Settings::*member, std::string doc,
                               std::vector<std::pair<std::string, Enum>> enum_names) {
    SettingField f;
    f.name = std::move(name);
    f.kind = SettingKind::kChoice;
    f.doc = std::move(doc);
    for (const auto& entry : enum_names) f.choices.push_back(entry.first);
    f.get = [member, enum_names](const void* settings) -> std::optional<SettingValue> {
      for (const auto& [enum_name, value] : enum_names) {
        if (value == static_cast<const Settings*>(settings)->*member)
          return SettingValue(enum_name);
      }
      return SettingValue(std::string());
    };
    f.set = [member, enum_names](void* settings, const SettingValue& given) {
      for (const auto& [enum_name, value] : enum_names) {
        if (enum_name == std::get<std::string>(given))
          static_cast<Settings*>(settings)->*member = value;
      }
    };
    table_.fields.push_back(std::move(f));
    return *this;
  }
  /// `item` must outlive the table.
  template <class Item>
  SettingsTableBuilder& list(std::string name, std::vector<Item> Settings::*member, std::string doc,
                             std::string key_field, const SettingsTable& item) {
    SettingList l;
    l.name = std::move(name);
    l.doc = std::move(doc);
    l.key_field = std::move(key_field);
    l.item = &item;
    l.size = [member](const void* s) { return (static_cast<const Settings*>(s)->*member).size(); };
    l.at = [member](const void* s, std::size_t i) -> const void* {
      return &(static_cast<const Settings*>(s)->*member)[i];
    };
    l.append = [member](void* s) -> void* {
      return &(static_cast<Settings*>(s)->*member).emplace_back();
    };
    table_.lists.push_back(std::move(l));
    return *this;
  }
  SettingsTable build() { return std::move(table_); }

 private:
  template <class T>
  SettingField& add(std::string name, SettingKind kind, std::string doc, std::string unit,
                    T Settings::*member) {
    SettingField& f = describe(std::move(name), kind, std::move(doc), std::move(unit));
    f.get = [member](const void* settings) -> std::optional<SettingValue> {
      return SettingValue(static_cast<const Settings*>(settings)->*member);
    };
    f.set = [member](void* settings, const SettingValue& value) {
      static_cast<Settings*>(settings)->*member = std::get<T>(value);
    };
    return f;
  }
  template <class T>
  SettingField& add(std::string name, SettingKind kind, std::string doc, std::string unit,
                    std::optional<T> Settings::*member) {
    SettingField& f = describe(std::move(name), kind, std::move(doc), std::move(unit));
    f.is_optional = true;
    f.get = [member](const void* settings) -> std::optional<SettingValue> {
      const std::optional<T>& value = static_cast<const Settings*>(settings)->*member;
      return value ? std::optional(SettingValue(*value)) : std::nullopt;
    };
    f.set = [member](void* settings, const SettingValue& value) {
      static_cast<Settings*>(settings)->*member = std::get<T>(value);
    };
    return f;
  }
  SettingField& describe(std::string name, SettingKind kind, std::string doc, std::string unit) {
    SettingField& f = table_.fields.emplace_back();
    f.name = std::move(name);
    f.kind = kind;
    f.doc = std::move(doc);
    f.unit = std::move(unit);
    return f;
  }

  SettingsTable table_;
};

/// An error of a recipe: the setting at `location`, what is wrong with it, what to do.
inline Error recipeError(const std::string& location, std::string message, std::string remedy) {
  return {ErrorCode::kRecipe, location, std::move(message), std::move(remedy)};
}

}  // namespace clipmill
