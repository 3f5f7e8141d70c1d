// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cctype>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Changes JSON so that it mostly stays JSON: odd numbers in place of plain ones, values that are
/// copied over others, members and items that are removed or doubled, strings in place of others.
/// Changes of bytes seldom get past the parser.
namespace clipmill::fuzz {

class JsonMutator {
 public:
  explicit JsonMutator(unsigned seed) : random_(seed) {}

  /// The changed text; the same text where it holds no value.
  std::string mutated(std::string text) {
    const std::size_t count = 1 + below(3);
    for (std::size_t i = 0; i < count; ++i) changeOnce(text);
    return text;
  }

 private:
  struct Span {
    std::size_t start;
    std::size_t end;
  };
  /// Of a text: each value, each item of a list or member with its key, each string.
  struct Parts {
    std::vector<Span> values, numbers, items, strings;
  };

  std::size_t below(std::size_t count) { return random_() % count; }
  Span anyOf(const std::vector<Span>& spans) { return spans[below(spans.size())]; }
  static std::string textOf(const std::string& text, Span span) {
    return text.substr(span.start, span.end - span.start);
  }

  std::string oddNumber(const std::string& number) {
    constexpr std::array<const char*, 24> kOdd = {
        "0",      "-1",         "1",          "2",          "3",          "255",
        "65535",  "1073741824", "2147483647", "2147483648", "4294967295", "1e10",
        "-1e300", "1e-300",     "1e400",      "0.5",        "5120",       "5121",
        "5123",   "5125",       "5126",       "16",         "64",         "18446744073709551615"};
    constexpr std::size_t kLongestPlain = 6;
    const bool plain = !number.empty() && number.size() <= kLongestPlain &&
                       number.find_first_not_of("0123456789") == std::string::npos;
    if (!plain || below(2) == 0) return kOdd[below(kOdd.size())];
    return std::to_string(std::stol(number) + static_cast<long>(below(7)) - 3);
  }

  // The end of the value that starts at `at`; what it holds is added to `parts`. A fault ends the
  // text.
  static std::size_t scan(std::string_view text, std::size_t at, int depth, Parts& parts) {
    const std::size_t start = at = skipSpace(text, at);
    if (at >= text.size() || depth > 64) return text.size();
    if (text[at] == '{' || text[at] == '[') {
      at = scanItems(text, at, depth, parts);
    } else if (text[at] == '"') {
      at = stringEnd(text, at);
      parts.strings.push_back({start, at});
    } else {
      at = std::min(text.find_first_of(",]} \t\r\n", at), text.size());
      parts.numbers.push_back({start, at});
    }
    parts.values.push_back({start, at});
    return at;
  }

  static std::size_t scanItems(std::string_view text, std::size_t at, int depth, Parts& parts) {
    const bool members = text[at] == '{';
    at = skipSpace(text, at + 1);
    while (at < text.size() && text[at] != '}' && text[at] != ']') {
      const std::size_t start = at;
      if (members) {
        const std::size_t key_end = stringEnd(text, at);
        parts.strings.push_back({start, key_end});
        at = std::min(text.find(':', key_end), text.size() - 1) + 1;
      }
      at = scan(text, at, depth + 1, parts);
      parts.items.push_back({start, at});
      at = skipSpace(text, at);
      if (at < text.size() && text[at] == ',') at = skipSpace(text, at + 1);
    }
    return std::min(at + 1, text.size());
  }

  static std::size_t skipSpace(std::string_view text, std::size_t at) {
    while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at])) != 0) ++at;
    return at;
  }

  static std::size_t stringEnd(std::string_view text, std::size_t at) {
    for (++at; at < text.size() && text[at] != '"'; ++at) {
      if (text[at] == '\\') ++at;
    }
    return std::min(at + 1, text.size());
  }

  void changeOnce(std::string& text) {
    Parts parts;
    scan(text, 0, 0, parts);
    const auto put = [&](Span span, const std::string& by) {
      text.replace(span.start, span.end - span.start, by);
    };
    const std::size_t kind = below(8);
    if (kind < 3 && !parts.numbers.empty()) {
      const Span span = anyOf(parts.numbers);
      put(span, oddNumber(textOf(text, span)));
    } else if (kind == 3 && !parts.values.empty()) {
      put(anyOf(parts.values), textOf(text, anyOf(parts.values)));
    } else if (kind == 4 && !parts.strings.empty()) {
      put(anyOf(parts.strings), textOf(text, anyOf(parts.strings)));
    } else if (kind == 5 && !parts.items.empty()) {
      const Span span = anyOf(parts.items);
      put(span, textOf(text, span) + "," + textOf(text, span));
    } else if (kind == 6 && !parts.items.empty()) {
      removeItem(text, anyOf(parts.items));
    } else if (kind == 7 && !parts.items.empty()) {
      put(anyOf(parts.items), textOf(text, anyOf(parts.items)));
    }
  }

  // With the comma behind it, or the one before it.
  static void removeItem(std::string& text, Span span) {
    const std::size_t next = skipSpace(text, span.end);
    if (next < text.size() && text[next] == ',') {
      span.end = next + 1;
    } else {
      const std::size_t before = text.find_last_not_of(" \t\r\n", span.start - 1);
      if (before != std::string::npos && text[before] == ',') span.start = before;
    }
    text.erase(span.start, span.end - span.start);
  }

  std::minstd_rand random_;
};

}  // namespace clipmill::fuzz
