// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// "OpenEXR File Layout" of the OpenEXR project's documentation.
#include "stages/tet_bake/caches/half_exr.h"

#include <bit>
#include <string_view>

namespace clipmill::stages::tet_bake {
namespace {

constexpr std::uint32_t kMagic = 20000630, kVersion = 2;
constexpr std::uint32_t kHalfPixels = 1;
constexpr std::size_t kExrChannels = 4;
// A line starts with its number and its size, 4 bytes each.
constexpr std::size_t kLineHead = 8;

constexpr std::uint32_t kMantissaBits = 23, kHalfMantissaBits = 10;
constexpr std::uint32_t kDropped = kMantissaBits - kHalfMantissaBits;
constexpr int kBias = 127, kHalfBias = 15;
constexpr std::uint32_t kHalfInfinity = 0x7C00;

// `bits` without its last `count` bits, rounded to the nearest, of two to the even one.
std::uint32_t rounded(std::uint32_t bits, std::uint32_t count) {
  const std::uint32_t half = std::uint32_t{1} << (count - 1);
  const std::uint32_t rest = bits & ((half << 1) - 1), kept = bits >> count;
  return kept + (rest > half || (rest == half && (kept & 1u)) ? 1 : 0);
}

class ExrWriter {
 public:
  template <class Integer>
  void integer(Integer value) {
    for (std::size_t i = 0; i < sizeof value; ++i) {
      bytes_.push_back(static_cast<std::byte>(static_cast<std::uint64_t>(value) >> (8 * i)));
    }
  }
  void number(float value) { integer(std::bit_cast<std::uint32_t>(value)); }
  // With a zero behind it.
  void text(std::string_view text) {
    for (const char c : text) integer(static_cast<std::uint8_t>(c));
    integer(std::uint8_t{0});
  }
  void attribute(std::string_view name, std::string_view type, std::uint32_t size) {
    text(name);
    text(type);
    integer(size);
  }
  std::size_t size() const { return bytes_.size(); }
  Bytes take() { return std::move(bytes_); }

 private:
  Bytes bytes_;
};

void writeHeader(std::uint32_t width, std::uint32_t height, ExrWriter& writer) {
  writer.integer(kMagic);
  writer.integer(kVersion);
  constexpr std::uint32_t kChannelBytes = 2 + 16;
  writer.attribute("channels", "chlist", kExrChannels * kChannelBytes + 1);
  for (const char* name : {"A", "B", "G", "R"}) {
    writer.text(name);
    writer.integer(kHalfPixels);
    writer.integer(std::uint32_t{0});  // not perceptually linear, and reserved
    writer.integer(std::uint32_t{1});  // every column
    writer.integer(std::uint32_t{1});  // every line
  }
  writer.integer(std::uint8_t{0});
  writer.attribute("compression", "compression", 1);
  writer.integer(std::uint8_t{0});
  for (const char* name : {"dataWindow", "displayWindow"}) {
    writer.attribute(name, "box2i", 16);
    for (const std::uint32_t edge : {0u, 0u, width - 1, height - 1}) writer.integer(edge);
  }
  writer.attribute("lineOrder", "lineOrder", 1);
  writer.integer(std::uint8_t{0});
  writer.attribute("pixelAspectRatio", "float", 4);
  writer.number(1.0f);
  writer.attribute("screenWindowCenter", "v2f", 8);
  writer.number(0.0f);
  writer.number(0.0f);
  writer.attribute("screenWindowWidth", "float", 4);
  writer.number(1.0f);
  writer.integer(std::uint8_t{0});
}

}  // namespace

std::uint16_t halfOf(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7FFFFFFFu;
  const int exponent = static_cast<int>(magnitude >> kMantissaBits) - kBias + kHalfBias;
  if (magnitude > 0x7F800000u) return static_cast<std::uint16_t>(sign | 0x7E00u);  // not a number
  if (exponent >= 31) return static_cast<std::uint16_t>(sign | kHalfInfinity);
  if (exponent >= 1) {
    // What rounds up carries into the exponent, and beyond the largest number into infinity.
    const std::uint32_t rebased =
        magnitude - (static_cast<std::uint32_t>(kBias - kHalfBias) << kMantissaBits);
    return static_cast<std::uint16_t>(sign | rounded(rebased, kDropped));
  }
  if (exponent < -10) return static_cast<std::uint16_t>(sign);
  const std::uint32_t mantissa = (magnitude & 0x7FFFFFu) | 0x800000u;
  return static_cast<std::uint16_t>(
      sign | rounded(mantissa, kDropped + 1 + static_cast<std::uint32_t>(-exponent)));
}

float floatOfHalf(std::uint16_t half) {
  const std::uint32_t sign = (half & 0x8000u) << 16, magnitude = half & 0x7FFFu;
  if (magnitude >= kHalfInfinity) {
    return std::bit_cast<float>(sign | 0x7F800000u | (magnitude & 0x3FFu) << kDropped);
  }
  // Numbers of the smallest exponent are multiples of 2^-24.
  if (magnitude < 0x400u) {
    const float value = static_cast<float>(magnitude) * 0x1p-24f;
    return sign ? -value : value;
  }
  return std::bit_cast<float>(
      sign |
      ((magnitude << kDropped) + (static_cast<std::uint32_t>(kBias - kHalfBias) << kMantissaBits)));
}

Bytes exrOf(std::size_t width, std::size_t height, std::span<const std::uint16_t> rgba) {
  ExrWriter writer;
  writeHeader(static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(height), writer);
  const std::size_t line_bytes = width * kExrChannels * sizeof(std::uint16_t);
  const std::size_t first_line = writer.size() + height * sizeof(std::uint64_t);
  for (std::size_t y = 0; y < height; ++y) {
    writer.integer(static_cast<std::uint64_t>(first_line + y * (kLineHead + line_bytes)));
  }
  for (std::size_t y = 0; y < height; ++y) {
    writer.integer(static_cast<std::uint32_t>(y));
    writer.integer(static_cast<std::uint32_t>(line_bytes));
    for (std::size_t channel = kExrChannels; channel-- > 0;) {
      for (std::size_t x = 0; x < width; ++x) {
        writer.integer(rgba[kExrChannels * (y * width + x) + channel]);
      }
    }
  }
  return writer.take();
}

}  // namespace clipmill::stages::tet_bake
