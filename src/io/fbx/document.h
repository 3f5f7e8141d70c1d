// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/math.h"
#include "core/to_size.h"
#include "core/warnings.h"
#include "io/fbx/tree.h"

/// What the elements of an FBX file mean: objects, the connections between them, and properties.
namespace clipmill::io::fbx {

/// Versions from 7000 on name objects by id and keep animation in objects; older ones name them by
/// text and keep animation in Takes.
inline constexpr int kFirstModernVersion = 7000;

/// An object of the file. Older versions have no ids; theirs are 0.
struct Object {
  Element element;
  std::int64_t id = 0;
  std::string_view type;  ///< The element's name: "Model", "Geometry", "Deformer", ..
  std::string name;       ///< Without its class.
  std::string subtype;    ///< "LimbNode", "Mesh", "Cluster", ..
};

/// "`child` belongs to `parent`", or to one property of it.
struct Connection {
  int child = -1;
  int parent = -1;       ///< -1: the scene itself.
  std::string property;  ///< Empty for object to object.
  Element element;
};

/// The properties of one object, where not given those of its type's template.
class Properties {
 public:
  /// `element` holds a Properties70 or Properties60 block, or nothing.
  explicit Properties(const Element& element, std::optional<Element> fallback = std::nullopt);

  std::optional<double> number(std::string_view name) const;
  std::optional<std::int64_t> integer(std::string_view name) const;
  std::optional<Vec3> vector(std::string_view name) const;
  std::optional<std::string> text(std::string_view name) const;
  /// The element of the property itself, not of the template.
  std::optional<Element> own(std::string_view name) const;
  /// Where the values of a property start among those of its element: after name, type and flags.
  std::size_t firstValue() const { return first_value_; }

 private:
  struct Found {
    Element element;
    std::size_t first_value;
  };
  std::optional<Found> find(std::string_view name) const;

  std::optional<Element> block_, fallback_;
  std::size_t first_value_ = 4;
};

/// A file's objects and connections; immutable once built.
struct Document {
  std::shared_ptr<const Tree> tree;
  std::vector<Object> objects;  ///< In file order.
  std::vector<Connection> connections;
  std::vector<std::vector<int>> children;  ///< Of each object: indices of connections to it.
  std::vector<std::vector<int>> parents;   ///< Of each object: indices of connections from it.
  std::vector<int> root_children;          ///< Connections to the scene.
  std::map<std::string, Element, std::less<>> templates;  ///< By type: PropertyTemplate.
  Warnings warnings;

  bool isModern() const { return tree->version >= kFirstModernVersion; }
  /// Whether joints, weights and blend shapes can be added. Error: kUnsupported before FBX 7.
  Status checkGrowth() const;
  const Object& object(int index) const { return objects[toSize(index)]; }
  /// The properties of an object, with its template.
  Properties properties(int index) const;
  /// Objects of `type` (and `subtype`, unless empty) that are connected to `parent` as objects, in
  /// the order of their connections.
  std::vector<int> childrenOf(int parent, std::string_view type, std::string_view subtype) const;
  /// The first object of `type` that `child` is connected to as an object, or -1.
  int parentOf(int child, std::string_view type) const;
};

/// "Class::name" or "name\0\1Class" without the class.
std::string plainName(std::string_view full);

/// Errors: kMalformed for objects that share an id, kLimit.
Result<std::shared_ptr<const Document>> readDocument(std::shared_ptr<const Tree> tree);

/// Settings of the whole file.
struct GlobalSettings {
  Affine metric_from_file;  ///< To metres, y up, right-handed.
  double fps = 0.0;         ///< 0 where the file does not store it.
};

/// UnitScaleFactor, axes and TimeMode; a file without them is in centimetres with y up.
GlobalSettings globalSettings(const Document& document);

}  // namespace clipmill::io::fbx
