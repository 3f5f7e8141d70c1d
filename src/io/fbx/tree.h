// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/file.h"
#include "core/limits.h"
#include "core/result.h"

/// The element tree of an FBX file, binary (versions 5800 to 7700) or text, as it is in the
/// file. What the elements mean is the business of document.h.
namespace clipmill::io::fbx {

enum class Encoding { kBinary, kText };

/// What a value is in the file. Text files know kInt64, kDouble, kString, kNumberText and kWord
/// only; an empty value before a comma is a kWord without letters.
enum class ValueType : std::uint8_t {
  kBool,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kFloat,
  kDouble,
  kString,
  kRaw,
  kBoolArray,
  kInt8Array,
  kInt32Array,
  kInt64Array,
  kFloatArray,
  kDoubleArray,
  kNumberText,  ///< Text: all of `*N { a: 1,2,.. }`, from the asterisk to the brace; not parsed
                ///< yet.
  kWord,        ///< Text: a bare word or letter, such as T, Y, or L among the keys of a curve.
};

/// One value of an element. Arrays, strings and raw data stay where they are in the file.
struct Value {
  ValueType type = ValueType::kInt64;
  std::uint32_t size = 0;  ///< Bytes from `offset` on (strings without their quotes).
  union {
    std::int64_t integer = 0;  ///< kBool to kInt64.
    double number;             ///< kFloat, kDouble.
    std::size_t offset;        ///< All others: the file offset of their (compressed) data.
  };
};

class Tree;
class ElementRange;

/// One element: a name, values, and elements within. A handle, cheap to copy; valid as long as its
/// Tree. Names are not unique.
class Element {
 public:
  Element(const Tree& tree, std::uint32_t index) : tree_(&tree), index_(index) {}

  std::string_view name() const;
  std::span<const Value> values() const;
  ElementRange children() const;
  /// The first child with that name.
  std::optional<Element> child(std::string_view name) const;

  /// Value `i` as that type, where it has one that fits; nothing where it has not. Numbers convert
  /// into each other; an integer is one without its fraction, and a number out of the range of
  /// int64 is none. Strings are unescaped. A word is a text, also the one letter that binary files
  /// keep as a bool (`Shading: T`).
  std::optional<std::int64_t> integer(std::size_t i) const;
  std::optional<double> number(std::size_t i) const;
  std::optional<std::string> text(std::size_t i) const;
  /// The bytes of raw data or of a string, as in the file; empty for others.
  std::span<const std::byte> bytes(std::size_t i) const;

  /// All numbers of the element: those of its one array, or of its list of single values.
  /// Errors: kMalformed (a value is not a number, compressed data is corrupt, `*N` does not state
  /// how many there are), naming the element.
  Result<std::vector<double>> numbers() const;
  Result<std::vector<std::int64_t>> integers() const;
  /// The number of values of numbers(), without decompressing them.
  std::size_t numberCount() const;

  /// Its index in the tree, for edits; the parent's is always smaller.
  std::uint32_t index() const { return index_; }
  const Tree& tree() const { return *tree_; }

 private:
  const Tree* tree_;
  std::uint32_t index_;
};

/// The children of an element, in file order.
class ElementRange {
 public:
  class Iterator {
   public:
    Iterator(const Tree& tree, std::uint32_t index) : tree_(&tree), index_(index) {}
    Element operator*() const { return {*tree_, index_}; }
    Iterator& operator++();
    bool operator!=(const Iterator& other) const { return index_ != other.index_; }

   private:
    const Tree* tree_;
    std::uint32_t index_;
  };

  ElementRange(Iterator start, Iterator end) : start_(start), end_(end) {}
  Iterator begin() const { return start_; }
  Iterator end() const { return end_; }

 private:
  Iterator start_, end_;
};

/// A parsed file. Elements lie in one array in file order (each before its children), values in
/// another; both point into `source`.
class Tree {
 public:
  struct Record {
    std::size_t start = 0, end = 0;  ///< Its bytes in the source, children included.
    std::size_t name_offset = 0;     ///< In the source.
    std::uint32_t first_value = 0;   ///< In values.
    std::uint32_t value_count = 0;   ///<
    std::uint32_t subtree_end = 0;   ///< Index after its last descendant.
    std::uint32_t name_size = 0;     ///<
    std::size_t values_start = 0;    ///< Bytes of the values in the source. Text: from the
    std::size_t values_end = 0;      ///< colon to the end of the last one.
    bool has_block = false;          ///< Text: braces follow. Binary: a null record does.
    bool has_end = true;             ///< Binary: false where the file has 0 for its end.
  };

  Encoding encoding = Encoding::kBinary;
  int version = 0;  ///< 7400 and the like; of FBXHeaderExtension in text files and before 6000.
  bool is_big_endian = false;  ///< Binary only.
  Bytes source;
  std::vector<Record> records;
  std::vector<Value> values;
  std::size_t roots_end = 0;  ///< Where the list of roots ends in the source. Binary: the null
                              ///< record behind them and the footer follow.

  ElementRange roots() const;
  /// The first root with that name.
  std::optional<Element> root(std::string_view name) const;
};

/// True for bytes that start as FBX does, binary or text (a text file needs FBXHeaderExtension or
/// a comment `; FBX` near its start).
bool looksLikeFbx(std::span<const std::byte> bytes);

/// Parses a whole file. Errors: kMalformed (an offset, length or bracket that cannot be), kLimit
/// (depth, the memory of the tree and of what its arrays claim to hold, as doubles), kUnsupported
/// (a version that is not known), each with the offset in bytes or lines. Files of 4 GiB and more
/// are refused (kLimit).
Result<std::shared_ptr<const Tree>> parseTree(Bytes source, const io::Limits& limits);

}  // namespace clipmill::io::fbx
