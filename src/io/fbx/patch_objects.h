// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "io/fbx/document.h"
#include "io/fbx/tree_write.h"

namespace clipmill::io::fbx {

/// Changes the number of an element that counts others. A file can have any number there: what is
/// written is between 0 and the largest of 32 bits.
void changeCount(const Element& count, std::int64_t change, TreeEdits& edits);

/// Objects and connections that a file of version 7000 or later gains when it is patched.
class NewObjects {
 public:
  explicit NewObjects(const Document& document);

  /// An id that no object of the file has; always the same ones for the same file.
  std::int64_t newId();

  /// An object that brings its id along, from newId().
  void add(NewElement object);
  /// "child belongs to parent", or to one property of it.
  void connect(std::int64_t child, std::int64_t parent);
  void connect(std::int64_t child, std::int64_t parent, const std::string& property);

  /// Counts an object that leaves the file.
  void countRemoved(std::string_view type) { --count_change_[std::string(type)]; }

  /// Adds all of it to `edits`, with the numbers of objects in Definitions.
  void finish(TreeEdits& edits);

 private:
  void append(const char* root, std::vector<NewElement> elements, TreeEdits& edits) const;
  void updateCounts(TreeEdits& edits);

  const Tree& tree_;
  std::set<std::int64_t> used_;
  std::int64_t next_;
  std::vector<NewElement> objects_, connections_;
  std::map<std::string, std::int64_t> count_change_;
};

/// Objects of a type that `child` belongs to.
std::set<int> usersOf(const Document& document, int child, std::string_view type);

/// The Geometry that the Model shows and no other one does. Errors: kUnsupported where another one
/// does, or the Model itself holds the mesh; kInternal where it has none.
Result<int> ownGeometryOf(const Document& document, int model);

/// `name` as an object can have it: zero bytes would end it in binary files, as the mark of its
/// class does, and line ends that in text.
std::string objectName(std::string name);

}  // namespace clipmill::io::fbx
