// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// What elements hold in numbers: single values, packed arrays, and the number lists of text files.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

#include <zlib.h>

#include "core/cancel.h"
#include "core/text.h"
#include "core/to_size.h"
#include "io/fbx/byte_order.h"
#include "io/fbx/tree_read.h"

namespace clipmill::io::fbx {
namespace {

Error faultIn(const Element& element, const std::string& message) {
  return {ErrorCode::kMalformed,
          printable(element.name(), 80) + " at byte " +
              std::to_string(element.tree().records[element.index()].start),
          message, ""};
}

// The int64 that is `number` without its fraction; nothing where there is none.
std::optional<std::int64_t> wholeNumber(double number) {
  constexpr double kTwoTo63 = 9223372036854775808.0;
  if (!(number >= -kTwoTo63 && number < kTwoTo63)) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

Status inflateExactly(const Element& element, std::span<const std::byte> packed,
                      std::span<std::byte> out) {
  z_stream stream{};
  Bytef nowhere = 0;  // zlib requires an address, even for no data.
  stream.next_in =
      const_cast<Bytef*>(reinterpret_cast<const Bytef*>(packed.data()));  // zlib only reads it.
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = out.empty() ? &nowhere : reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  if (inflateInit(&stream) != Z_OK) {
    return Error{ErrorCode::kInternal, "", "zlib does not start", ""};
  }
  const int status = inflate(&stream, Z_FINISH);
  const bool is_whole = status == Z_STREAM_END && stream.avail_out == 0;
  inflateEnd(&stream);
  if (!is_whole) return faultIn(element, "its compressed data is corrupt");
  return {};
}

// Calls take(number) for each number of that type.
template <class T, class Take>
void takeNumbers(std::span<const std::byte> bytes, bool is_big_endian, Take&& take) {
  for (std::size_t at = 0; at + sizeof(T) <= bytes.size(); at += sizeof(T))
    take(loadNumber<T>(bytes.data() + at, is_big_endian));
}

template <class Take>
Status takeArray(const Element& element, const Value& value, Take&& take) {
  const Tree& tree = element.tree();
  const ArrayHead head = arrayHead(tree, value);
  std::span<const std::byte> bytes{tree.source.data() + value.offset, value.size};
  Bytes unpacked;
  if (head.encoding == 1) {
    const std::uint64_t size = std::uint64_t{head.count} * numberBytes(value.type);
    if (size > std::numeric_limits<uInt>::max())
      return Error{ErrorCode::kLimit, printable(element.name(), 80), "an array exceeds 4 GiB", ""};
    unpacked.resize(toSize(size));
    CLIPMILL_CHECK(inflateExactly(element, bytes, unpacked));
    bytes = unpacked;
  }
  switch (value.type) {
    case ValueType::kInt32Array:
      takeNumbers<std::int32_t>(bytes, tree.is_big_endian, take);
      break;
    case ValueType::kInt64Array:
      takeNumbers<std::int64_t>(bytes, tree.is_big_endian, take);
      break;
    case ValueType::kFloatArray:
      takeNumbers<float>(bytes, tree.is_big_endian, take);
      break;
    case ValueType::kDoubleArray:
      takeNumbers<double>(bytes, tree.is_big_endian, take);
      break;
    case ValueType::kInt8Array:
      takeNumbers<std::int8_t>(bytes, tree.is_big_endian, take);
      break;
    default:
      takeNumbers<std::uint8_t>(bytes, tree.is_big_endian, take);
      break;
  }
  return {};
}

// The text of the numbers in `*N { a: .. }`, without what is around them.
std::string_view listOf(const Tree& tree, const Value& value) {
  const std::string_view text = asText(tree.source).substr(value.offset, value.size - 1);
  return text.substr(std::min(numberTextStart(text).value_or(text.size()), text.size()));
}

template <class Take>
Status takeNumberText(const Element& element, const Value& value, Take&& take) {
  const std::string_view whole = asText(element.tree().source).substr(value.offset, value.size);
  const std::string_view list = listOf(element.tree(), value);
  std::uint64_t count = 0;
  bool is_after_number = false;
  for (std::size_t at = skipBlanks(list, 0); at < list.size(); at = skipBlanks(list, at)) {
    if (list[at] == ',') {
      if (!is_after_number) return faultIn(element, "a number is missing before a comma");
      is_after_number = false;
      ++at;
      continue;
    }
    const std::string_view token = tokenAt(list, at);
    const Value number = tokenValue(token);
    if (is_after_number || token.empty() || number.type == ValueType::kWord)
      return faultIn(element, "its array has a value that is not a number");
    if (number.type == ValueType::kInt64) {
      take(number.integer);
    } else {
      take(number.number);
    }
    is_after_number = true;
    ++count;
    at += token.size();
  }
  const std::string_view claim = tokenAt(whole, 1);
  std::uint64_t claimed = 0;
  std::from_chars(claim.data(), claim.data() + claim.size(), claimed);
  if (claimed == count) return {};
  return faultIn(element, "its array declares " + printable(claim, 20) + " values, and has " +
                              std::to_string(count));
}

// Calls take(number) for all numbers of the element, each in its own type.
template <class Take>
Status takeAll(const Element& element, Take&& take) {
  const auto values = element.values();
  if (values.size() == 1 && isArray(values[0].type)) return takeArray(element, values[0], take);
  if (values.size() == 1 && values[0].type == ValueType::kNumberText)
    return takeNumberText(element, values[0], take);
  for (const Value& value : values) {
    if (value.type <= ValueType::kInt64) {
      take(value.integer);
    } else if (value.type <= ValueType::kDouble) {
      take(value.number);
    } else {
      return faultIn(element, "a value is not a number");
    }
  }
  return {};
}

}  // namespace

bool isArray(ValueType type) {
  return type >= ValueType::kBoolArray && type <= ValueType::kDoubleArray;
}

std::size_t numberBytes(ValueType array_type) {
  switch (array_type) {
    case ValueType::kInt32Array:
    case ValueType::kFloatArray:
      return 4;
    case ValueType::kInt64Array:
    case ValueType::kDoubleArray:
      return 8;
    default:
      return 1;
  }
}

ArrayHead arrayHead(const Tree& tree, const Value& value) {
  const std::byte* head = tree.source.data() + value.offset - 12;
  return {loadNumber<std::uint32_t>(head, tree.is_big_endian),
          loadNumber<std::uint32_t>(head + 4, tree.is_big_endian)};
}

std::optional<std::int64_t> Element::integer(std::size_t i) const {
  if (i >= values().size()) return std::nullopt;
  const Value& value = values()[i];
  if (value.type <= ValueType::kInt64) return value.integer;
  if (value.type <= ValueType::kDouble) return wholeNumber(value.number);
  return std::nullopt;
}

std::optional<double> Element::number(std::size_t i) const {
  if (i >= values().size()) return std::nullopt;
  const Value& value = values()[i];
  if (value.type <= ValueType::kInt64) return static_cast<double>(value.integer);
  if (value.type <= ValueType::kDouble) return value.number;
  return std::nullopt;
}

Result<std::vector<double>> Element::numbers() const {
  std::vector<double> numbers;
  numbers.reserve(numberCount());
  CLIPMILL_CHECK(takeAll(*this, [&](auto n) { numbers.push_back(static_cast<double>(n)); }));
  return numbers;
}

Result<std::vector<std::int64_t>> Element::integers() const {
  std::vector<std::int64_t> numbers;
  numbers.reserve(numberCount());
  bool is_in_range = true;
  CLIPMILL_CHECK(takeAll(*this, [&](auto n) {
    if constexpr (std::is_floating_point_v<decltype(n)>) {
      const auto whole = wholeNumber(n);
      is_in_range = is_in_range && whole;
      numbers.push_back(whole.value_or(0));
    } else {
      numbers.push_back(n);
    }
  }));
  if (!is_in_range) return faultIn(*this, "a number is too large for an integer");
  return numbers;
}

std::size_t Element::numberCount() const {
  if (values().size() != 1) return values().size();
  const Value& value = values()[0];
  if (isArray(value.type)) return arrayHead(*tree_, value).count;
  if (value.type != ValueType::kNumberText) return 1;
  const std::string_view list = listOf(*tree_, value);
  std::size_t count = 0;
  for (std::size_t at = skipBlanks(list, 0); at < list.size(); at = skipBlanks(list, at)) {
    const std::size_t size = tokenAt(list, at).size();
    count += size > 0 ? 1 : 0;
    at += std::max<std::size_t>(size, 1);
  }
  return count;
}

}  // namespace clipmill::io::fbx
