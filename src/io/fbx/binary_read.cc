// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// Layout: A. Gessler, "FBX binary file format specification" (2013), and the files themselves.
#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "core/to_size.h"
#include "io/fbx/byte_order.h"
#include "io/fbx/tree_read.h"

namespace clipmill::io::fbx {
namespace {

// Deflate cannot make less than one byte of 1032; the rest is for headers.
constexpr std::uint64_t kMaxDeflateRatio = 1032;
constexpr std::uint64_t kDeflateSlack = 64;

Error malformedAt(std::size_t position, const char* message) {
  return {ErrorCode::kMalformed, "byte " + std::to_string(position), message, ""};
}

std::uint64_t loadWord(std::span<const std::byte> source, std::size_t position,
                       const BinaryLayout& layout) {
  const std::byte* at = source.data() + position;
  if (layout.has_wide_offsets) return loadNumber<std::uint64_t>(at, layout.is_big_endian);
  return loadNumber<std::uint32_t>(at, layout.is_big_endian);
}

std::optional<ValueType> typeOf(char letter) {
  switch (letter) {
    case 'C':
    case 'B':
      return ValueType::kBool;
    case 'Z':
      return ValueType::kInt8;
    case 'Y':
      return ValueType::kInt16;
    case 'I':
      return ValueType::kInt32;
    case 'L':
      return ValueType::kInt64;
    case 'F':
      return ValueType::kFloat;
    case 'D':
      return ValueType::kDouble;
    case 'S':
      return ValueType::kString;
    case 'R':
      return ValueType::kRaw;
    case 'b':
      return ValueType::kBoolArray;
    case 'c':
      return ValueType::kInt8Array;
    case 'i':
      return ValueType::kInt32Array;
    case 'l':
      return ValueType::kInt64Array;
    case 'f':
      return ValueType::kFloatArray;
    case 'd':
      return ValueType::kDoubleArray;
    default:
      return std::nullopt;
  }
}

std::size_t scalarBytes(ValueType type) {
  switch (type) {
    case ValueType::kBool:
    case ValueType::kInt8:
      return 1;
    case ValueType::kInt16:
      return 2;
    case ValueType::kInt32:
    case ValueType::kFloat:
      return 4;
    case ValueType::kInt64:
    case ValueType::kDouble:
      return 8;
    default:
      return 0;
  }
}

void loadScalar(Value& value, const std::byte* at, bool big) {
  switch (value.type) {
    case ValueType::kBool:
      value.integer = std::to_integer<int>(*at);
      break;
    case ValueType::kInt8:
      value.integer = loadNumber<std::int8_t>(at, big);
      break;
    case ValueType::kInt16:
      value.integer = loadNumber<std::int16_t>(at, big);
      break;
    case ValueType::kInt32:
      value.integer = loadNumber<std::int32_t>(at, big);
      break;
    case ValueType::kInt64:
      value.integer = loadNumber<std::int64_t>(at, big);
      break;
    case ValueType::kFloat:
      value.number = loadNumber<float>(at, big);
      break;
    default:
      value.number = loadNumber<double>(at, big);
      break;
  }
}

Status checkArray(TreeBuilder& builder, std::size_t position, ValueType type, ArrayHead head,
                  std::uint32_t size) {
  const std::uint64_t claimed = std::uint64_t{head.count} * numberBytes(type);
  if (head.encoding > 1) {
    return Error{ErrorCode::kUnsupported, "byte " + std::to_string(position),
                 "an array has an unknown encoding ( " + std::to_string(head.encoding) + ")", ""};
  }
  const bool fits =
      head.encoding == 0 ? claimed == size : claimed <= kMaxDeflateRatio * size + kDeflateSlack;
  if (!fits)
    return malformedAt(position, "an array declares a number of values that it cannot contain");
  return builder.claimNumbers(head.count);
}

// Reads the value at `position`, which must end by `end`, and moves `position` behind it.
Status readValue(TreeBuilder& builder, const BinaryLayout& layout, std::size_t& position,
                 std::size_t end) {
  const std::size_t start = position;
  const std::byte* bytes = builder.source().data();
  if (start == end) return malformedAt(start, "an element has fewer values than it declares");
  const auto type = typeOf(static_cast<char>(bytes[position++]));
  if (!type) return malformedAt(start, "a value has an unknown type");
  Value value;
  value.type = *type;
  if (const std::size_t size = scalarBytes(*type); size > 0) {
    if (end - position < size) return malformedAt(start, "a value is truncated");
    loadScalar(value, bytes + position, layout.is_big_endian);
    position += size;
    return builder.add(value);
  }
  const std::size_t head_bytes = isArray(*type) ? 12 : 4;
  if (end - position < head_bytes) return malformedAt(start, "a value is truncated");
  position += head_bytes;
  value.size = loadNumber<std::uint32_t>(bytes + position - 4, layout.is_big_endian);
  if (end - position < value.size) return malformedAt(start, "a value is truncated");
  if (isArray(*type)) {
    const ArrayHead head{loadNumber<std::uint32_t>(bytes + position - 12, layout.is_big_endian),
                         loadNumber<std::uint32_t>(bytes + position - 8, layout.is_big_endian)};
    CLIPMILL_CHECK(checkArray(builder, start, *type, head, value.size));
  }
  value.offset = position;
  position += value.size;
  return builder.add(value);
}

// Reads an element's head, name and values. `limit` is where its parent ends.
Result<Tree::Record> readRecord(TreeBuilder& builder, const BinaryLayout& layout, std::size_t start,
                                std::size_t limit) {
  std::span<const std::byte> source = builder.source();
  const std::uint64_t end = loadWord(source, start, layout);
  const std::uint64_t value_count = loadWord(source, start + layout.wordBytes(), layout);
  const std::uint64_t value_bytes = loadWord(source, start + 2 * layout.wordBytes(), layout);
  Tree::Record record;
  record.start = start;
  record.name_offset = start + layout.headBytes();
  record.name_size = std::to_integer<std::uint32_t>(source[record.name_offset - 1]);
  record.values_start = record.name_offset + record.name_size;
  // Some writers leave the end of an element without children out.
  record.has_end = end != 0 || record.name_size == 0;
  if (!record.has_end && value_bytes > limit - std::min(record.values_start, limit))
    return malformedAt(start, "the values of an element are larger than the file");
  record.end = record.has_end ? toSize(end) : record.values_start + toSize(value_bytes);
  if (record.end < record.values_start || record.end > limit)
    return malformedAt(start, "an element has an invalid end offset");
  if (value_bytes > record.end - record.values_start)
    return malformedAt(start, "the values of an element are larger than the element");
  // A value takes two bytes at least.
  if (value_count > value_bytes / 2)
    return malformedAt(start, "an element declares more values than it can contain");
  record.values_end = record.values_start + toSize(value_bytes);
  record.first_value = builder.valueCount();
  record.value_count = static_cast<std::uint32_t>(value_count);
  std::size_t position = record.values_start;
  for (std::uint64_t i = 0; i < value_count; ++i)
    CLIPMILL_CHECK(readValue(builder, layout, position, record.values_end));
  if (position != record.values_end)
    return malformedAt(position, "an element has bytes after its last value");
  return record;
}

bool isNullRecord(std::span<const std::byte> source, std::size_t position,
                  const BinaryLayout& layout) {
  for (std::size_t i = 0; i < layout.headBytes(); ++i)
    if (source[position + i] != std::byte{0}) return false;
  return true;
}

}  // namespace

Result<std::size_t> parseBinaryElements(TreeBuilder& builder, const BinaryLayout& layout,
                                        std::size_t start) {
  std::vector<std::uint32_t> open;  // The elements around `position`.
  std::size_t position = start;
  const auto close = [&] {
    builder.record(open.back()).subtree_end = builder.recordCount();
    open.pop_back();
  };
  while (true) {
    const std::size_t limit =
        open.empty() ? builder.source().size() : builder.record(open.back()).end;
    if (position == limit) {
      if (open.empty()) return position;
      close();
      continue;
    }
    if (limit - position < layout.headBytes())
      return malformedAt(position, "an element is truncated");
    if (isNullRecord(builder.source(), position, layout)) {
      if (open.empty()) return position;
      position += layout.headBytes();
      if (position != limit) return malformedAt(position, "an element continues after its end");
      builder.record(open.back()).has_block = true;
      close();
      continue;
    }
    CLIPMILL_TRY(Tree::Record record, readRecord(builder, layout, position, limit));
    position = record.values_end;
    const bool has_children = record.values_end != record.end;
    record.subtree_end = builder.recordCount() + 1;
    CLIPMILL_CHECK(builder.add(record));
    if (!has_children) continue;
    if (open.size() >= toSize(builder.maxDepth())) {
      return Error{
          ErrorCode::kLimit, "byte " + std::to_string(record.start),
          "elements are nested more than " + std::to_string(builder.maxDepth()) + " levels", ""};
    }
    open.push_back(builder.recordCount() - 1);
  }
}

}  // namespace clipmill::io::fbx
