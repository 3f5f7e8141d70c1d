// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "core/name_tokens.h"

#include <algorithm>

namespace clipmill {
namespace {

enum class Letter { kNone, kLower, kUpper, kDigit, kForeign };

Letter kindOf(char c) {
  if (c >= 'a' && c <= 'z') return Letter::kLower;
  if (c >= 'A' && c <= 'Z') return Letter::kUpper;
  if (c >= '0' && c <= '9') return Letter::kDigit;
  return static_cast<unsigned char>(c) >= 0x80 ? Letter::kForeign : Letter::kNone;
}

// U+FF01..U+FF5E, the full-width forms of '!' to '~', as those; all else as it is.
std::string withPlainWidth(std::string_view name) {
  std::string plain;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(name[at]); };
    const bool is_wide = i + 2 < name.size() && byte(i) == 0xEF &&
                         ((byte(i + 1) == 0xBC && byte(i + 2) >= 0x81 && byte(i + 2) <= 0xBF) ||
                          (byte(i + 1) == 0xBD && byte(i + 2) >= 0x80 && byte(i + 2) <= 0x9E));
    if (!is_wide) {
      plain += name[i];
      continue;
    }
    const int code = (byte(i + 1) - 0xBC) * 64 + (byte(i + 2) - 0x80);  // from U+FF00
    plain += static_cast<char>(code + 0x20);
    i += 2;
  }
  return plain;
}

// Whether a new token starts between the letters at `i` - 1 and `i`.
bool startsToken(std::string_view name, std::size_t i) {
  const Letter before = kindOf(name[i - 1]), here = kindOf(name[i]);
  if (before == here) {
    // In a run of capitals the last one belongs to the token that follows: "LHip".
    return here == Letter::kUpper && i + 1 < name.size() && kindOf(name[i + 1]) == Letter::kLower;
  }
  return !(before == Letter::kUpper && here == Letter::kLower);
}

}  // namespace

bool isNumberToken(std::string_view token) {
  return !token.empty() && kindOf(token.front()) == Letter::kDigit;
}

std::vector<std::string> tokensOfName(std::string_view name) {
  const std::string plain = withPlainWidth(name);
  std::vector<std::string> tokens;
  bool in_token = false;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const Letter kind = kindOf(plain[i]);
    if (kind == Letter::kNone) {
      in_token = false;
      continue;
    }
    if (!in_token || startsToken(plain, i)) tokens.emplace_back();
    tokens.back() += kind == Letter::kUpper ? static_cast<char>(plain[i] - 'A' + 'a') : plain[i];
    in_token = true;
  }
  return tokens;
}

}  // namespace clipmill
