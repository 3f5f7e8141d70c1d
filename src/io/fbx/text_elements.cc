// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/fbx/text_elements.h"

#include <algorithm>
#include <charconv>

#include "core/text.h"
#include "io/fbx/write_parts.h"

namespace clipmill::io::fbx {
namespace {

// Lines end at the first number beyond that many letters: in arrays as the SDK does it, in lists of
// old files as Blender and the SDK do.
constexpr std::size_t kArrayLineLetters = 2000, kListLineLetters = 120;

std::string base64(std::span<const std::byte> bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - at);
    unsigned group = 0;
    for (std::size_t i = 0; i < 3; ++i)
      group = group << 8 | (i < count ? std::to_integer<unsigned>(bytes[at + i]) : 0);
    for (std::size_t i = 0; i < 4; ++i)
      text += i <= count ? kDigits[group >> (18 - 6 * i) & 63] : '=';
  }
  return text;
}

// "name\0\1Class" as "Class::name", quotes escaped.
std::string quotedText(std::string_view text) {
  std::string named;
  if (const auto mark = text.find(std::string_view("\0\1", 2)); mark != std::string_view::npos) {
    named = std::string(text.substr(mark + 2)) + "::" + std::string(text.substr(0, mark));
    text = named;
  }
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"') {
      result += "&quot;";
    } else {
      result += c;
    }
  }
  return result + "\"";
}

template <class T>
std::string textOf(T number) {
  if constexpr (std::is_floating_point_v<T>) {
    return numberText(number);
  } else {
    return std::to_string(number);
  }
}

template <class T>
std::string arrayText(const std::vector<T>& numbers, const std::string& indent,
                      const TextStyle& style) {
  std::string text =
      "*" + std::to_string(numbers.size()) + " {" + style.line_end + indent + style.indent + "a: ";
  std::size_t line_start = text.size();
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i > 0) text += ',';
    if (text.size() - line_start > kArrayLineLetters) {
      text += style.line_end;
      line_start = text.size();
    }
    text += textOf(numbers[i]);
  }
  return text + style.line_end + indent + "}";
}

// Single values, as before 7000; the comma starts the next line.
template <class T>
std::string listText(const std::vector<T>& numbers, const std::string& indent,
                     const TextStyle& style) {
  std::string text;
  std::size_t line_start = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (text.size() - line_start > kListLineLetters) {
      text += style.line_end + indent + style.indent;
      line_start = text.size();
    }
    if (i > 0) text += ',';
    text += textOf(numbers[i]);
  }
  return text;
}

struct ValueText {
  const std::string& indent;
  const TextStyle& style;

  std::string operator()(bool v) const { return v ? "1" : "0"; }
  std::string operator()(Word v) const { return std::string(1, v.letter); }
  std::string operator()(const std::string& v) const { return quotedText(v); }
  std::string operator()(const RawData& v) const { return quotedText(base64(v.bytes)); }
  template <class T>
  std::string operator()(const std::vector<T>& v) const {
    return style.has_arrays ? arrayText(v, indent, style) : listText(v, indent, style);
  }
  template <class T>
  std::string operator()(T v) const {
    return textOf(v);
  }
};

}  // namespace

TextStyle styleOf(const Tree& tree) {
  TextStyle style;
  const std::string_view text = asText(tree.source);
  const std::size_t first = text.find('\n');
  if (first != std::string_view::npos && first > 0 && text[first - 1] == '\r')
    style.line_end = "\r\n";
  style.has_arrays = tree.version >= kFirstVersionWithArrays;
  for (const Element root : tree.roots()) {
    if (root.index() + 1 >= tree.records[root.index()].subtree_end) continue;
    // The text before the first child of a root, if it is on its own line.
    const std::size_t child = tree.records[root.index() + 1].start;
    std::size_t start = child;
    while (start > 0 && (text[start - 1] == ' ' || text[start - 1] == '\t')) --start;
    if (start == child || start == 0 || text[start - 1] != '\n') continue;
    style.indent = text.substr(start, child - start);
    break;
  }
  return style;
}

std::string valuesText(const std::vector<NewValue>& values, const std::string& indent,
                       const TextStyle& style) {
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i == 0) {
      text += ' ';
    } else {
      text += std::holds_alternative<std::string>(values[i]) ? ", " : ",";
    }
    text += std::visit(ValueText{indent, style}, values[i]);
  }
  return text;
}

std::string elementText(const NewElement& element, const std::string& indent,
                        const TextStyle& style) {
  std::string text = indent + element.name + ":" + valuesText(element.values, indent, style);
  if (element.values.empty()) text += ' ';
  if (element.has_block || !element.children.empty()) {
    text += " {" + style.line_end;
    for (const NewElement& child : element.children)
      text += elementText(child, indent + style.indent, style);
    text += indent + "}";
  }
  return text + style.line_end;
}

}  // namespace clipmill::io::fbx
