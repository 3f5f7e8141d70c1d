// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "io/fbx/tree.h"

namespace clipmill::io::fbx {

struct RawData {
  Bytes bytes;
};

/// A bare word of a text file (`Shading: T`); binary files hold it as a bool-like char ('C').
struct Word {
  char letter = 'T';
};

/// A value to be written, with the type it gets in binary files.
using NewValue = std::variant<bool, std::int16_t, std::int32_t, std::int64_t, float, double,
                              std::string, RawData, Word, std::vector<std::int32_t>,
                              std::vector<std::int64_t>, std::vector<float>, std::vector<double>>;

/// An element to be written.
struct NewElement {
  std::string name;
  std::vector<NewValue> values;
  std::vector<NewElement> children;
  bool has_block = false;  ///< Write an empty block where there are no children.
};

/// Changes to a tree, by Element::index(). An element has one kind of change only.
struct TreeEdits {
  std::set<std::uint32_t> removed;                            ///< With all within.
  std::map<std::uint32_t, std::vector<NewValue>> values;      ///< New values; children stay.
  std::map<std::uint32_t, NewElement> replaced;               ///< By another element.
  std::map<std::uint32_t, std::vector<NewElement>> appended;  ///< After the last child.
  std::vector<NewElement> appended_roots;                     ///< After the last root.

  bool empty() const {
    return removed.empty() && values.empty() && replaced.empty() && appended.empty() &&
           appended_roots.empty();
  }
};

/// The file with those changes. Everything else stays byte for byte: in binary files all but the
/// end offsets and the padding of the footer, in text files all bytes. Without edits this is the
/// source itself. New arrays are packed with zlib where that is what such files do (binary, 7000
/// and later has it; large arrays only); before 7000 they are lists of single values. Text is
/// written in the manner of the version: `*N { a: .. }` from 7000 on. Object names with a class
/// ("name\0\1Class" in binary) are written "Class::name" in text.
/// A removed element of a text file takes its lines with it, and a connection the comment above it.
/// In text, raw data is base64 and a bool is 0 or 1.
/// Edits of what lies in a removed or replaced element are not looked at.
/// Errors: kLimit where offsets no longer fit the version's 32 bits, or a name its 255 bytes.
Result<Bytes> writeTree(const Tree& tree, const TreeEdits& edits);

/// A new binary file of that version (7400 or 7500) with header and footer. Readers that check the
/// footer want the roots FileId and CreationTime to hold the two values below, after
/// FBXHeaderExtension.
Result<Bytes> writeNewBinary(int version, std::span<const NewElement> roots);

/// FileId (raw data) and CreationTime (a string) that belong to the footer of new files.
RawData newFileId();
inline constexpr std::string_view kNewCreationTime = "1970-01-01 10:00:00:000";

}  // namespace clipmill::io::fbx
