// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "io/fbx/tree_read.h"
#include "io/fbx/tree_write.h"

/// The parts of writeTree().
namespace clipmill::io::fbx {

/// The first version whose elements hold arrays; older ones list single values.
inline constexpr int kFirstVersionWithArrays = 7000;

/// The file put together anew, element by element. Without edits its bytes are those of the source.
Result<Bytes> writeBinaryTree(const Tree& tree, const TreeEdits& edits);
Result<Bytes> writeTextTree(const Tree& tree, const TreeEdits& edits);

/// True where nothing of an element stays.
inline bool isLeftOut(const TreeEdits& edits, std::uint32_t index) {
  return edits.removed.contains(index) || edits.replaced.contains(index);
}

/// Puts elements together in the binary form, offsets counted from the start of `bytes`.
class BinaryElements {
 public:
  BinaryElements(BinaryLayout layout, int version) : layout_(layout), version_(version) {}

  Bytes bytes;

  /// Opens an element; values follow. Returns its index for the calls below.
  std::size_t open(std::span<const std::byte> name);
  void addValues(std::size_t element_start, const std::vector<NewValue>& values);
  /// `count` values as stored in a file of the same layout.
  void addValues(std::size_t element_start, std::span<const std::byte> packed, std::uint32_t count);
  void close(std::size_t element_start, bool has_null_record, bool has_end = true);
  void add(const NewElement& element);
  void addNullRecord() { bytes.resize(bytes.size() + layout_.headBytes()); }

  /// Fails unless all offsets and names fit their fields.
  Status fits() const;

 private:
  struct ValueAdder;

  void storeWord(std::size_t position, std::uint64_t word);
  template <class T>
  void append(T number);
  template <class T>
  std::size_t addNumbers(char letter, char array_letter, const std::vector<T>& numbers);
  std::size_t addValue(const NewValue& value);

  BinaryLayout layout_;
  int version_;
  bool has_long_name_ = false;
};

/// The elements of `records`, which lie in `source`, one after the other.
void appendRecords(std::span<const std::byte> source, std::span<const Tree::Record> records,
                   BinaryElements& out);

/// Appends bytes to bytes.
inline void append(Bytes& to, std::span<const std::byte> bytes) {
  to.insert(to.end(), bytes.begin(), bytes.end());
}

/// What follows the roots of a binary file: the footer, and in files before 7000 a summary in
/// elements with a footer of its own.
/// Copies what lies from `position` on in the source behind `out.bytes`, with offsets and padding
/// as the new parent requires; unchanged where it does not have that form.
void appendBinaryTail(const Tree& tree, std::size_t position, BinaryElements& out);
/// The footer of a new file.
void appendNewFooter(int version, Bytes& bytes);

}  // namespace clipmill::io::fbx
