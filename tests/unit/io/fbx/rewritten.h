// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "io/fbx/tree.h"
#include "io/fbx/tree_write.h"

/// Writes a tree's own values over itself: a check of reader and writer at once.
namespace clipmill::test {

template <class T>
std::vector<T> narrowed(const std::vector<double>& numbers) {
  std::vector<T> result;
  for (const double number : numbers) result.push_back(static_cast<T>(number));
  return result;
}

/// Value `i` of an element as one to write; nothing where NewValue has no such type.
inline std::optional<io::fbx::NewValue> newValueOf(const io::fbx::Element& element, std::size_t i) {
  using io::fbx::ValueType;
  const io::fbx::Value& value = element.values()[i];
  switch (value.type) {
    case ValueType::kBool:
      return io::fbx::Word{static_cast<char>(value.integer)};
    case ValueType::kInt16:
      return static_cast<std::int16_t>(value.integer);
    case ValueType::kInt32:
      return static_cast<std::int32_t>(value.integer);
    case ValueType::kInt64:
      return value.integer;
    case ValueType::kFloat:
      return static_cast<float>(value.number);
    case ValueType::kDouble:
      return value.number;
    case ValueType::kRaw: {
      const auto bytes = element.bytes(i);
      return io::fbx::RawData{Bytes(bytes.begin(), bytes.end())};
    }
    case ValueType::kWord: {
      const std::string word = *element.text(i);
      if (word.size() != 1) return std::nullopt;
      return io::fbx::Word{word[0]};
    }
    case ValueType::kString: {
      std::string text = *element.text(i);
      // In text files the class goes before the name, so that those two bytes do not come back.
      const bool is_text = element.tree().encoding == io::fbx::Encoding::kText;
      if (is_text && text.find(std::string_view("\0\1", 2)) != text.npos) return std::nullopt;
      return text;
    }
    default:
      break;
  }
  if (element.values().size() != 1) return std::nullopt;
  if (value.type == ValueType::kInt64Array) {
    const auto integers = element.integers();
    if (!integers) return std::nullopt;
    return *integers;
  }
  const auto numbers = element.numbers();
  if (!numbers) return std::nullopt;
  switch (value.type) {
    case ValueType::kInt32Array:
      return narrowed<std::int32_t>(*numbers);
    case ValueType::kFloatArray:
      return narrowed<float>(*numbers);
    case ValueType::kDoubleArray:
    case ValueType::kNumberText:
      return *numbers;
    default:
      return std::nullopt;
  }
}

/// All values of all elements, as far as they can be written.
inline io::fbx::TreeEdits rewritten(const io::fbx::Tree& tree) {
  io::fbx::TreeEdits edits;
  for (std::uint32_t index = 0; index < tree.records.size(); ++index) {
    const io::fbx::Element element(tree, index);
    std::vector<io::fbx::NewValue> values;
    for (std::size_t i = 0; i < element.values().size(); ++i)
      if (auto value = newValueOf(element, i)) values.push_back(std::move(*value));
    if (values.size() == element.values().size()) edits.values[index] = std::move(values);
  }
  return edits;
}

inline bool haveSameValues(const io::fbx::Element& a, const io::fbx::Element& b) {
  const auto in_a = a.numbers(), in_b = b.numbers();
  if (in_a.ok() != in_b.ok()) return false;
  if (in_a.ok()) {
    return std::equal(
        in_a->begin(), in_a->end(), in_b->begin(), in_b->end(), [](double x, double y) {
          return x == y ? std::signbit(x) == std::signbit(y) : std::isnan(x) && std::isnan(y);
        });
  }
  if (a.values().size() != b.values().size()) return false;
  for (std::size_t i = 0; i < a.values().size(); ++i) {
    if (a.text(i) != b.text(i) || a.integer(i) != b.integer(i)) return false;
  }
  return true;
}

/// Where two trees differ in shape, names or values; empty where they do not.
inline std::string differenceOf(const io::fbx::Tree& a, const io::fbx::Tree& b) {
  if (a.records.size() != b.records.size()) return "the number of elements";
  for (std::uint32_t index = 0; index < a.records.size(); ++index) {
    const io::fbx::Element in_a(a, index), in_b(b, index);
    const std::string name(in_a.name());
    if (in_a.name() != in_b.name()) return "the name of " + name;
    if (a.records[index].subtree_end != b.records[index].subtree_end)
      return "the children of " + name;
    if (!haveSameValues(in_a, in_b)) return "the values of " + name;
  }
  return "";
}

}  // namespace clipmill::test
