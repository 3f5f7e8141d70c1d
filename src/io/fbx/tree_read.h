// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "io/fbx/tree.h"

/// The parts of parseTree(), and what the writers need to know about the layout of a file.
namespace clipmill::io::fbx {

inline constexpr std::string_view kBinaryMagic{"Kaydara FBX Binary  \0\x1a\0", 23};
inline constexpr std::size_t kBinaryHeaderBytes = 27;

/// Sizes that depend on the version in the header of a binary file.
struct BinaryLayout {
  bool is_big_endian = false;
  bool has_wide_offsets = false;  ///< 64-bit numbers in the head of an element, from 7500 on.

  std::size_t wordBytes() const { return has_wide_offsets ? 8 : 4; }
  /// End offset, value count, value bytes, name length. A null record is as long, all zeros.
  std::size_t headBytes() const { return 3 * wordBytes() + 1; }
};

/// The version in the header (5800 writes 3000 there) and the layout it means.
int headerVersion(const Tree& tree);
BinaryLayout layoutOf(const Tree& tree);

/// Collects records and values and keeps count of the memory they claim.
class TreeBuilder {
 public:
  /// `source` may lie in another tree than the one that is built, for the end of old files.
  TreeBuilder(Tree& tree, std::span<const std::byte> source, const io::Limits& limits)
      : tree_(tree), source_(source), limits_(limits) {}

  std::span<const std::byte> source() const { return source_; }
  Tree::Record& record(std::uint32_t index) { return tree_.records[index]; }
  std::uint32_t recordCount() const { return static_cast<std::uint32_t>(tree_.records.size()); }
  std::uint32_t valueCount() const { return static_cast<std::uint32_t>(tree_.values.size()); }
  int maxDepth() const { return limits_.max_depth; }

  /// Errors: kLimit (more memory than limits.max_decoded_bytes for records, values and the arrays
  /// once they are unpacked, eight bytes a number).
  Status add(const Tree::Record& record);
  Status add(const Value& value);
  Status claimNumbers(std::uint64_t count);

 private:
  Status claim(std::uint64_t bytes);

  Tree& tree_;
  std::span<const std::byte> source_;
  io::Limits limits_;
  std::uint64_t claimed_bytes_ = 0;
};

/// Reads elements from `start` to the null record that ends their list, or the end of the file.
/// Returns where that is. Errors as parseTree().
Result<std::size_t> parseBinaryElements(TreeBuilder& builder, const BinaryLayout& layout,
                                        std::size_t start);
/// Reads a whole text file.
Status parseTextElements(TreeBuilder& builder);

/// The head of a packed array: the twelve bytes before Value::offset.
struct ArrayHead {
  std::uint32_t count = 0;
  std::uint32_t encoding = 0;  ///< 0 as it is, 1 zlib.
};
ArrayHead arrayHead(const Tree& tree, const Value& value);
bool isArray(ValueType type);
/// Bytes of one number of such an array.
std::size_t numberBytes(ValueType array_type);

/// What a bare token of a text file is: an integer, a number (also nan, inf, 1.#IND and their
/// like), or else a token, without its offset.
Value tokenValue(std::string_view token);
/// The token that starts at `position`, up to a blank or a mark such as , : { }.
std::string_view tokenAt(std::string_view text, std::size_t position);
/// The first offset from `position` on that is neither blank nor comment.
std::size_t skipBlanks(std::string_view text, std::size_t position);
/// Where the numbers of `*N { a: 1,2 }` start, for text that starts with the asterisk: after "a:",
/// or after the brace. Nothing where it does not have that form.
std::optional<std::size_t> numberTextStart(std::string_view text);

}  // namespace clipmill::io::fbx
