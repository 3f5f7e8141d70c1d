// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "core/text.h"

#include <algorithm>
#include <cmath>

#include "core/file_names.h"
#include "core/float_text.h"
#include "core/to_size.h"

namespace clipmill {
namespace {

std::size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      const std::size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above + 1, row[j - 1] + 1, change});
      diagonal = above;
    }
  }
  return row[b.size()];
}

// Matches `c` against the set that starts behind '['; sets `end` behind the closing bracket.
// An unclosed set is no set: returns false and leaves `end` at npos.
bool matchesSet(std::string_view pattern, std::size_t start, char c, std::size_t& end) {
  bool hit = false;
  std::size_t i = start;
  while (i < pattern.size() && (pattern[i] != ']' || i == start)) {
    if (i + 2 < pattern.size() && pattern[i + 1] == '-' && pattern[i + 2] != ']') {
      hit = hit || (pattern[i] <= c && c <= pattern[i + 2]);
      i += 3;
    } else {
      hit = hit || pattern[i] == c;
      ++i;
    }
  }
  end = i < pattern.size() ? i + 1 : std::string_view::npos;
  return hit;
}

bool isControl(unsigned char c) { return c < 0x20 || c == 0x7f; }

// The second byte of a character that continues an earlier one in UTF-8.
bool isContinuation(unsigned char c) { return (c & 0xc0) == 0x80; }

std::string withoutControls(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string clean;
  clean.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const std::size_t length = utf8Length(text.substr(i));
    if (length == 0) {
      clean += "\\x";
      clean += {kHex[c >> 4], kHex[c & 15]};
      continue;
    }
    // U+0080 to U+009F are control characters too: C2 80 to C2 9F.
    const bool is_high = c == 0xc2 && i + 1 < text.size() &&
                         static_cast<unsigned char>(text[i + 1]) >= 0x80 &&
                         static_cast<unsigned char>(text[i + 1]) < 0xa0;
    if (isControl(c) || is_high) {
      clean += '?';
    } else {
      clean += text.substr(i, length);
    }
    i += length - 1;
  }
  return clean;
}

}  // namespace

bool matchesGlob(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0;
  std::size_t star = std::string_view::npos, resume = 0;
  while (t < text.size()) {
    std::size_t set_end = std::string_view::npos;
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && pattern[p] == '[' &&
               matchesSet(pattern, p + 1, text[t], set_end) && set_end != std::string_view::npos) {
      p = set_end;
      ++t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t]) &&
               !(pattern[p] == '[' && set_end != std::string_view::npos)) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::optional<std::string> nearestWord(std::string_view word,
                                       std::span<const std::string> candidates) {
  std::optional<std::string> best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = editDistance(word, candidate);
    if (distance < best_distance && distance < std::max(word.size(), candidate.size())) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string numberText(double value) { return shortestText(value); }
std::string numberText(float value) { return shortestText(value); }

std::string fixedText(double value, int digits) { return fixedDigitsText(value, digits); }

std::optional<double> parseNumber(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  double value = 0.0;
  const auto done = readFloat(text, value);
  if (done.ec != std::errc() || done.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

std::vector<std::string_view> splitText(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  std::size_t start = 0;
  while (true) {
    const std::size_t end = text.find(separator, start);
    parts.push_back(text.substr(start, end - start));
    if (end == std::string_view::npos) return parts;
    start = end + 1;
  }
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

std::string printable(std::string_view text, std::size_t max_bytes) {
  constexpr std::string_view kGap = " .. ";
  const std::string clean = withoutControls(text);
  if (clean.size() <= max_bytes) return clean;
  const std::size_t kept = max_bytes > kGap.size() ? max_bytes - kGap.size() : 0;
  std::size_t head = kept - kept / 2, tail = clean.size() - kept / 2;
  while (head > 0 && isContinuation(static_cast<unsigned char>(clean[head]))) --head;
  while (tail < clean.size() && isContinuation(static_cast<unsigned char>(clean[tail]))) ++tail;
  return clean.substr(0, head) + std::string(kGap) + clean.substr(tail);
}

std::string counted(std::size_t count, std::string_view singular) {
  return std::to_string(count) + " " + std::string(singular) + (count == 1 ? "" : "s");
}

std::string jsonString(std::string_view text) {
  std::string json = "\"";
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8Length(text.substr(i));
    if (length == 0) {
      json += "\xEF\xBF\xBD";
      ++i;
      continue;
    }
    const char c = text[i];
    constexpr std::string_view kShort = "\"\\\b\f\n\r\t", kLetters = "\"\\bfnrt";
    const std::size_t known = kShort.find(c);
    if (known != std::string_view::npos) {
      json += {'\\', kLetters[known]};
    } else if (static_cast<unsigned char>(c) < 0x20) {
      constexpr std::string_view kDigits = "0123456789abcdef";
      json += "\\u00";
      json += {kDigits[toSize(c) >> 4], kDigits[toSize(c) & 15]};
    } else {
      json += text.substr(i, length);
    }
    i += length;
  }
  return json + "\"";
}

}  // namespace clipmill
