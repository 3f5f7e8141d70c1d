// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "core/setting_bytes.h"

#include <bit>
#include <variant>

namespace clipmill {
namespace {

// The content of a value of each kind.
struct ValueWriter {
  SettingBytes& bytes;

  void operator()(bool b) const { bytes.number(std::uint64_t{b}); }
  void operator()(std::int64_t i) const { bytes.number(static_cast<std::uint64_t>(i)); }
  void operator()(double d) const { bytes.number(std::bit_cast<std::uint64_t>(d)); }
  void operator()(const std::string& s) const { bytes.text(s); }
  void operator()(const std::vector<double>& v) const {
    bytes.number(std::uint64_t{v.size()});
    for (const double d : v) (*this)(d);
  }
  void operator()(const std::vector<std::string>& v) const { bytes.texts(v); }
  void operator()(const Curve& c) const {
    bytes.number(std::uint64_t{c.points.size()});
    for (const Curve::Point& point : c.points) {
      (*this)(point.depth);
      (*this)(point.value);
    }
  }
};

}  // namespace

void SettingBytes::number(std::uint64_t value) {
  for (int shift = 0; shift < 64; shift += 8) {
    bytes_ += static_cast<char>(static_cast<unsigned char>(value >> shift));
  }
}

void SettingBytes::text(std::string_view value) {
  number(std::uint64_t{value.size()});
  bytes_ += value;
}

void SettingBytes::texts(const std::vector<std::string>& values) {
  number(std::uint64_t{values.size()});
  for (const std::string& value : values) text(value);
}

void SettingBytes::setting(const SettingValue& value) {
  number(std::uint64_t{value.index()});
  std::visit(ValueWriter{*this}, value);
}

void SettingBytes::settings(const SettingsTable& table, const void* values) {
  number(std::uint64_t{table.fields.size()});
  for (const SettingField& field : table.fields) {
    const auto value = field.get(values);
    text(field.name);
    number(int{value.has_value()});
    if (value) setting(*value);
  }
  number(std::uint64_t{table.lists.size()});
  for (const SettingList& list : table.lists) {
    text(list.name);
    number(std::uint64_t{list.size(values)});
    for (std::size_t i = 0; i < list.size(values); ++i) settings(*list.item, list.at(values, i));
  }
}

}  // namespace clipmill
