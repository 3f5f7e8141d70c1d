// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// The end of a binary file, as in versions 5800 to 7700:
//   id (16 bytes), zeros up to the next multiple of 16 (1 to 16), a 32-bit number, the version,
//   120 zeros, a mark (16 bytes)
// Blender has the number before the zeros; it is 0 there. Before 7000 a summary follows: a list of
// elements with offsets from the start of the file, and a second footer whose number is its
// distance to the start of the summary.
#include <algorithm>
#include <array>
#include <optional>

#include "io/fbx/byte_order.h"
#include "io/fbx/write_parts.h"

namespace clipmill::io::fbx {
namespace {

constexpr std::size_t kIdBytes = 16, kZerosBytes = 120, kAlignment = 16;
// Between id and version.
constexpr std::size_t kLeastGap = 5, kMostGap = kLeastGap + kAlignment - 1;

constexpr std::array<unsigned char, 16> kMark = {0xf8, 0x5a, 0x8c, 0x6a, 0xde, 0xf5, 0xd9, 0x7e,
                                                 0xec, 0xe9, 0x0c, 0xe3, 0x75, 0x8f, 0x29, 0x0b};
// They belong together: the id is a scramble of FileId and the time.
constexpr std::array<unsigned char, 16> kNewId = {0xfa, 0xbc, 0xab, 0x09, 0xd0, 0xc8, 0xd4, 0x66,
                                                  0xb1, 0x76, 0xfb, 0x83, 0x1c, 0xf7, 0x26, 0x7e};
constexpr std::array<unsigned char, 16> kNewFileId = {
    0x28, 0xb3, 0x2a, 0xeb, 0xb6, 0x24, 0xcc, 0xc2, 0xbf, 0xc8, 0xb0, 0x2a, 0xa9, 0x2b, 0xfc, 0xf1};

struct Footer {
  std::size_t start = 0;
  std::size_t version_at = 0;
  std::size_t end = 0;
};

bool isZero(std::span<const std::byte> bytes) {
  return std::ranges::all_of(bytes, [](std::byte b) { return b == std::byte{0}; });
}

std::optional<Footer> footerAt(std::span<const std::byte> source, std::size_t start) {
  for (std::size_t gap = kLeastGap; gap <= kMostGap; ++gap) {
    Footer footer{start, start + kIdBytes + gap, 0};
    const std::size_t mark = footer.version_at + 4 + kZerosBytes;
    footer.end = mark + kMark.size();
    if (footer.end > source.size()) return std::nullopt;
    if (std::ranges::equal(source.subspan(mark, kMark.size()), std::as_bytes(std::span(kMark))) &&
        isZero(source.subspan(footer.version_at + 4, kZerosBytes)) &&
        isZero(source.subspan(start + kIdBytes, gap - 4)))
      return footer;
  }
  return std::nullopt;
}

// Zeros such that the version has the same offset within its 16 bytes as `version_at`.
void appendGap(Bytes& bytes, std::size_t version_at) {
  std::size_t gap = kLeastGap;
  while ((bytes.size() + gap) % kAlignment != version_at % kAlignment) ++gap;
  bytes.resize(bytes.size() + gap);
}

// `list_start` and `new_list_start` are where the elements before the footer start.
void appendFooter(const Tree& tree, const Footer& footer, std::size_t list_start,
                  std::size_t new_list_start, Bytes& bytes) {
  const std::span source(tree.source);
  append(bytes, source.subspan(footer.start, kIdBytes));
  appendGap(bytes, footer.version_at);
  const std::size_t number_at = footer.version_at - 4;
  auto number = loadNumber<std::uint32_t>(source.data() + number_at, tree.is_big_endian);
  if (number == number_at - list_start)
    number = static_cast<std::uint32_t>(bytes.size() - 4 - new_list_start);
  storeNumber(bytes.data() + bytes.size() - 4, number, tree.is_big_endian);
  append(bytes, source.subspan(footer.version_at, footer.end - footer.version_at));
}

// The elements of a summary, moved; false where there are none.
bool appendSummary(const Tree& tree, std::size_t& position, BinaryElements& out) {
  Tree summary;
  TreeBuilder builder(summary, tree.source, io::Limits{});
  const auto end = parseBinaryElements(builder, layoutOf(tree), position);
  if (!end || *end == tree.source.size() || summary.records.empty()) return false;
  const std::size_t next = *end + layoutOf(tree).headBytes();
  if (!footerAt(tree.source, next)) return false;
  appendRecords(tree.source, summary.records, out);
  out.addNullRecord();
  position = next;
  return true;
}

}  // namespace

void appendBinaryTail(const Tree& tree, std::size_t position, BinaryElements& out) {
  const std::span source(tree.source);
  std::size_t list_start = kBinaryHeaderBytes, new_list_start = kBinaryHeaderBytes;
  while (const auto footer = footerAt(source, position)) {
    appendFooter(tree, *footer, list_start, new_list_start, out.bytes);
    list_start = position = footer->end;
    new_list_start = out.bytes.size();
    if (position == source.size() || !appendSummary(tree, position, out)) break;
  }
  append(out.bytes, source.subspan(position));
}

void appendNewFooter(int version, Bytes& bytes) {
  append(bytes, std::as_bytes(std::span(kNewId)));
  appendGap(bytes, 4);
  bytes.resize(bytes.size() + 4 + kZerosBytes);
  storeNumber(bytes.data() + bytes.size() - 4 - kZerosBytes, static_cast<std::uint32_t>(version),
              false);
  append(bytes, std::as_bytes(std::span(kMark)));
}

RawData newFileId() {
  const auto bytes = std::as_bytes(std::span(kNewFileId));
  return {Bytes(bytes.begin(), bytes.end())};
}

}  // namespace clipmill::io::fbx
