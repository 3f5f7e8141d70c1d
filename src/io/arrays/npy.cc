// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// The format: numpy.lib.format in the reference of NumPy (NEP 1).
#include "io/arrays/npy.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

#include "core/text.h"
#include "io/arrays/byte_values.h"
#include "io/arrays/npy_header.h"

namespace clipmill::io::arrays {
namespace {

constexpr std::string_view kMagic{"\x93NUMPY", 6};
constexpr std::size_t kAlignment = 64;

void reverseBytes(Array& array) {
  const std::size_t unit = array.kind == ElementKind::kUnicode ? 4
                           : array.kind == ElementKind::kBytes ? 1
                                                               : array.element_bytes;
  for (std::size_t at = 0; unit > 1 && at + unit <= array.data.size(); at += unit) {
    std::reverse(array.data.begin() + static_cast<std::ptrdiff_t>(at),
                 array.data.begin() + static_cast<std::ptrdiff_t>(at + unit));
  }
}

// From the order in which the first index runs fastest.
Bytes rowMajor(const Array& array) {
  const std::size_t dimensions = array.shape.size(), item = array.element_bytes;
  std::vector<std::size_t> stride(dimensions, item), index(dimensions, 0);
  for (std::size_t d = 1; d < dimensions; ++d) stride[d] = stride[d - 1] * array.shape[d - 1];
  Bytes out;
  out.reserve(array.data.size());
  std::size_t at = 0;
  for (std::size_t i = 0; i < array.count(); ++i) {
    const auto from = array.data.begin() + static_cast<std::ptrdiff_t>(at);
    out.insert(out.end(), from, from + static_cast<std::ptrdiff_t>(item));
    for (std::size_t d = dimensions; d-- > 0;) {
      at += stride[d];
      if (++index[d] < array.shape[d]) break;
      at -= stride[d] * array.shape[d];
      index[d] = 0;
    }
  }
  return out;
}

// IEEE 754 binary16; all its values are doubles.
double halfValue(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 31;
  double value = bits & 1023;
  if (exponent == 31) {
    value = value == 0.0 ? std::numeric_limits<double>::infinity()
                         : std::numeric_limits<double>::quiet_NaN();
  } else {
    value = exponent == 0 ? value / 1024.0 : 1.0 + value / 1024.0;
    for (int e = std::max(exponent, 1); e < 15; ++e) value /= 2.0;
    for (int e = 15; e < exponent; ++e) value *= 2.0;
  }
  return bits & 0x8000 ? -value : value;
}

double numberAt(const Array& array, std::size_t at) {
  const auto load = [&]<class T>(T) { return static_cast<double>(loadValue<T>(array.data, at)); };
  switch (array.kind) {
    case ElementKind::kFloat:
      if (array.element_bytes == 2) return halfValue(loadValue<std::uint16_t>(array.data, at));
      return array.element_bytes == 4 ? load(float{}) : load(double{});
    case ElementKind::kSigned:
      if (array.element_bytes == 1) return load(std::int8_t{});
      if (array.element_bytes == 2) return load(std::int16_t{});
      return array.element_bytes == 4 ? load(std::int32_t{}) : load(std::int64_t{});
    default:
      if (array.element_bytes == 1) return load(std::uint8_t{});
      if (array.element_bytes == 2) return load(std::uint16_t{});
      return array.element_bytes == 4 ? load(std::uint32_t{}) : load(std::uint64_t{});
  }
}

void appendUtf8(std::uint32_t code, std::string& text) {
  if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) code = 0xfffd;
  const auto tail = [&](int shift) { text += static_cast<char>(0x80 | ((code >> shift) & 0x3f)); };
  if (code < 0x80) {
    text += static_cast<char>(code);
  } else if (code < 0x800) {
    text += static_cast<char>(0xc0 | (code >> 6));
    tail(0);
  } else if (code < 0x10000) {
    text += static_cast<char>(0xe0 | (code >> 12));
    tail(6);
    tail(0);
  } else {
    text += static_cast<char>(0xf0 | (code >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

// Bytes that are no UTF-8 become U+FFFD.
std::vector<std::uint32_t> codePoints(std::string_view text) {
  std::vector<std::uint32_t> codes;
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<std::uint8_t>(text[i]);
    const std::size_t length = lead < 0x80 ? 1 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    std::uint32_t code = length == 1 ? lead : lead & (0xffu >> (length + 1));
    bool is_valid = (lead < 0x80 || (lead >= 0xc2 && lead < 0xf5)) && i + length <= text.size();
    for (std::size_t k = 1; is_valid && k < length; ++k) {
      const auto byte = static_cast<std::uint8_t>(text[i + k]);
      is_valid = (byte & 0xc0) == 0x80;
      code = (code << 6) | (byte & 0x3f);
    }
    codes.push_back(is_valid ? code : 0xfffd);
    i += is_valid ? length : 1;
  }
  return codes;
}

template <class T, class Value>
Array arrayOf(ElementKind kind, std::vector<std::size_t> shape, std::span<const Value> values) {
  Array array{kind, sizeof(T), std::move(shape), {}};
  ByteWriter out;
  out.bytes.reserve(values.size() * sizeof(T));
  for (const Value value : values) out.value(static_cast<T>(value));
  array.data = std::move(out.bytes);
  return array;
}

char kindLetter(ElementKind kind) {
  constexpr std::string_view kLetters = "fiubUS";
  return kLetters[static_cast<std::size_t>(kind)];
}

}  // namespace

bool looksLikeNpy(std::span<const std::byte> bytes) { return asText(bytes).starts_with(kMagic); }

Result<Array> readNpy(std::span<const std::byte> bytes, std::uint64_t max_bytes) {
  const auto cut_off = [] { return Error{ErrorCode::kMalformed, "", "is cut off", ""}; };
  if (!looksLikeNpy(bytes)) return Error{ErrorCode::kMalformed, "", "is no .npy array", ""};
  if (bytes.size() < 12) return cut_off();
  const auto version = static_cast<int>(bytes[6]);
  if (version < 1 || version > 3) {
    return Error{ErrorCode::kUnsupported, "", "has .npy version " + std::to_string(version),
                 "save it with numpy.save"};
  }
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  const std::uint64_t header_bytes =
      version == 1 ? loadValue<std::uint16_t>(bytes, 8) : loadValue<std::uint32_t>(bytes, 8);
  const std::size_t header_at = 8 + length_bytes;
  if (header_bytes > bytes.size() - header_at) return cut_off();
  CLIPMILL_TRY(const NpyHeader header,
               parseNpyHeader(asText(bytes.subspan(header_at, toSize(header_bytes)))));
  Array array{header.kind, header.element_bytes, header.shape, {}};
  // As a double, which cannot overflow.
  double size = static_cast<double>(array.element_bytes);
  for (const std::size_t extent : array.shape) size *= static_cast<double>(extent);
  if (size > static_cast<double>(max_bytes)) {
    return Error{ErrorCode::kLimit, "", "needs more memory than the limit allows",
                 "raise --max-decoded-mb"};
  }
  const auto data = bytes.subspan(header_at + toSize(header_bytes));
  if (static_cast<double>(data.size()) < size) return cut_off();
  array.data.assign(data.begin(), data.begin() + static_cast<std::ptrdiff_t>(size));
  if (header.is_big_endian) reverseBytes(array);
  if (header.is_fortran_order && array.shape.size() > 1) array.data = rowMajor(array);
  return array;
}

Bytes writeNpy(const Array& array) {
  const std::size_t size =
      array.kind == ElementKind::kUnicode ? array.element_bytes / 4 : array.element_bytes;
  std::string header = "{'descr': '";
  header += size == 1 && array.kind != ElementKind::kUnicode ? '|' : '<';
  header += kindLetter(array.kind) + std::to_string(size) +
            "', 'fortran_order': False, 'shape': " + shapeText(array.shape) + ", }";
  const std::size_t unpadded = kMagic.size() + 4 + header.size() + 1;
  header.append((kAlignment - unpadded % kAlignment) % kAlignment, ' ');
  header += '\n';
  ByteWriter out;
  out.text(kMagic);
  out.value(std::uint8_t{1});
  out.value(std::uint8_t{0});
  out.value(static_cast<std::uint16_t>(header.size()));
  out.text(header);
  out.bytes.insert(out.bytes.end(), array.data.begin(), array.data.end());
  return std::move(out.bytes);
}

Result<std::vector<double>> numbersOf(const Array& array) {
  if (array.kind == ElementKind::kUnicode || array.kind == ElementKind::kBytes) {
    return Error{ErrorCode::kMalformed, "", "has texts where numbers are expected", ""};
  }
  std::vector<double> numbers(array.count());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = numberAt(array, i * array.element_bytes);
  }
  return numbers;
}

Result<std::vector<std::string>> textsOf(const Array& array) {
  if (array.kind != ElementKind::kUnicode && array.kind != ElementKind::kBytes) {
    return Error{ErrorCode::kMalformed, "", "has numbers where texts are expected", ""};
  }
  std::vector<std::string> texts(array.count());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto item = std::span(array.data).subspan(i * array.element_bytes, array.element_bytes);
    if (array.kind == ElementKind::kBytes) {
      texts[i] = asText(item);
    } else {
      for (std::size_t at = 0; at + 4 <= item.size(); at += 4)
        appendUtf8(loadValue<std::uint32_t>(item, at), texts[i]);
    }
    while (!texts[i].empty() && texts[i].back() == '\0') texts[i].pop_back();
  }
  return texts;
}

Array floatArray(std::vector<std::size_t> shape, std::span<const double> values) {
  return arrayOf<float>(ElementKind::kFloat, std::move(shape), values);
}

Array doubleArray(std::vector<std::size_t> shape, std::span<const double> values) {
  return arrayOf<double>(ElementKind::kFloat, std::move(shape), values);
}

Array integerArray(std::vector<std::size_t> shape, std::span<const int> values) {
  return arrayOf<std::int32_t>(ElementKind::kSigned, std::move(shape), values);
}

Array textArray(std::vector<std::size_t> shape, std::span<const std::string> values) {
  std::vector<std::vector<std::uint32_t>> codes;
  std::size_t longest = 1;
  for (const std::string& value : values) {
    codes.push_back(codePoints(value));
    longest = std::max(longest, codes.back().size());
  }
  ByteWriter out;
  for (std::vector<std::uint32_t>& text : codes) {
    text.resize(longest, 0);
    for (const std::uint32_t code : text) out.value(code);
  }
  return {ElementKind::kUnicode, 4 * longest, std::move(shape), std::move(out.bytes)};
}

std::string shapeText(std::span<const std::size_t> shape) {
  std::string text = "(";
  for (std::size_t d = 0; d < shape.size(); ++d) {
    text += (d ? ", " : "") + std::to_string(shape[d]);
  }
  return text + (shape.size() == 1 ? ",)" : ")");
}

}  // namespace clipmill::io::arrays
