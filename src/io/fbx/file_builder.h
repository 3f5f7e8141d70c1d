// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/math.h"
#include "core/warnings.h"
#include "io/fbx/tree_write.h"

/// The growing parts of an FBX file that is being written.
namespace clipmill::io::fbx {

/// An element with one value, or with children only.
NewElement leaf(std::string name, NewValue value);
NewElement block(std::string name, std::vector<NewElement> children);

/// Properties of the common types.
NewElement numberProperty(const std::string& name, double value);
NewElement colorProperty(const std::string& name, const Vec3& color);
NewElement enumProperty(const std::string& name, std::int32_t value);
NewElement boolProperty(const std::string& name, bool value);
NewElement textProperty(const std::string& name, const std::string& value);
NewElement timeProperty(const std::string& name, std::int64_t ticks);

/// A matrix as files keep it: 16 numbers, column after column.
NewElement matrixElement(std::string name, const Affine& map);

/// Objects and connections. Ids are counted, so that the same scene gives the same file.
class FileBuilder {
 public:
  explicit FileBuilder(Warnings& losses) : losses_(losses) {}

  /// Adds `Type: id, "name\0\1Class", "subtype" { children }` and returns its id.
  std::int64_t add(const std::string& type, const std::string& name, const std::string& class_name,
                   const std::string& subtype, std::vector<NewElement> children);
  /// An element that brings its id along, from newId().
  void add(NewElement object);
  std::int64_t newId() { return next_id_++; }

  /// "child belongs to parent", or to one property of it. The scene itself is 0.
  void connect(std::int64_t child, std::int64_t parent);
  void connect(std::int64_t child, std::int64_t parent, const std::string& property);

  /// `name` without the zero bytes that would end it.
  std::string cleanName(const std::string& name);
  Warnings& losses() { return losses_; }

  /// Roots of the file: how many objects there are of each type, the objects, the connections.
  NewElement takeDefinitions();
  NewElement takeObjects();
  NewElement takeConnections();

 private:
  Warnings& losses_;
  std::int64_t next_id_ = 1000000;
  std::map<std::string, std::int32_t> counts_;
  std::vector<NewElement> objects_, connections_;
};

}  // namespace clipmill::io::fbx
