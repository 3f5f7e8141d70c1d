// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/gltf/data_uri.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "core/file_names.h"

namespace clipmill::io::gltf {
namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

int hexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string percentDecoded(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && hexValue(text[i + 1]) >= 0 &&
        hexValue(text[i + 2]) >= 0) {
      result += static_cast<char>(hexValue(text[i + 1]) * 16 + hexValue(text[i + 2]));
      i += 2;
    } else {
      result += text[i];
    }
  }
  return result;
}

std::array<int, 256> digitValues() {
  std::array<int, 256> values;
  values.fill(-1);
  for (std::size_t i = 0; i < kDigits.size(); ++i) {
    values[static_cast<unsigned char>(kDigits[i])] = static_cast<int>(i);
  }
  return values;
}

// On Windows a name may be that of a device in every folder, and a colon leads to another stream of
// a file or to another volume.
bool isNameOfFile([[maybe_unused]] const std::filesystem::path& part) {
#ifdef _WIN32
  const std::string name = part.string();
  return withoutDeviceName(name) == name && name.find(':') == std::string::npos;
#else
  return true;
#endif
}

}  // namespace

std::string encodeBase64(std::span<const std::byte> bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t left = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      group = group << 8 | (k < left ? std::to_integer<std::uint32_t>(bytes[i + k]) : 0u);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      text += k <= left ? kDigits[group >> (18 - 6 * k) & 63] : '=';
    }
  }
  return text;
}

std::optional<Bytes> decodeBase64(std::string_view text) {
  static const std::array<int, 256> values = digitValues();
  while (!text.empty() && text.back() == '=') text.remove_suffix(1);
  if (text.size() % 4 == 1) return std::nullopt;  // six bits are no byte
  Bytes bytes;
  bytes.reserve(text.size() * 3 / 4);
  std::uint32_t bits = 0;
  int count = 0;
  for (char c : text) {
    const int value = values[static_cast<unsigned char>(c)];
    if (value < 0) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    count += 6;
    if (count >= 8) {
      count -= 8;
      bytes.push_back(static_cast<std::byte>(bits >> count & 255));
    }
  }
  return bytes;
}

bool isDataUri(std::string_view uri) { return uri.starts_with("data:"); }

Result<Bytes> decodeDataUri(std::string_view uri) {
  const std::size_t comma = uri.find(',');
  if (!isDataUri(uri) || comma == std::string_view::npos ||
      !uri.substr(0, comma).ends_with(";base64")) {
    return Error{ErrorCode::kMalformed, "", "has a data URI that is not base64", ""};
  }
  const std::string_view data = uri.substr(comma + 1);
  auto bytes = decodeBase64(data.find('%') == std::string_view::npos ? std::string(data)
                                                                     : percentDecoded(data));
  if (!bytes) return Error{ErrorCode::kMalformed, "", "has a data URI that is not base64", ""};
  return std::move(*bytes);
}

std::string uriOfFile(std::string_view name) {
  constexpr std::string_view kPlain = "-._~/";
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string uri;
  for (char c : name) {
    const bool is_plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                          (c >= 'A' && c <= 'Z') || kPlain.find(c) != std::string_view::npos;
    if (is_plain) {
      uri += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      uri += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return uri;
}

Result<std::filesystem::path> fileOfUri(std::string_view uri, const std::filesystem::path& folder) {
  const std::size_t colon = uri.find(':');
  const bool has_scheme = colon != std::string_view::npos && colon < uri.find('/');
  const std::filesystem::path relative = percentDecoded(uri);
  if (has_scheme || relative.has_root_path() || relative.empty() ||
      relative.native().find('\0') != std::string::npos ||
      !std::all_of(relative.begin(), relative.end(), isNameOfFile)) {
    return Error{ErrorCode::kUnsupported, "", "refers to something other than a relative file path",
                 "put the file in the input's folder and refer to it by a relative path"};
  }
  return folder / relative;
}

}  // namespace clipmill::io::gltf
