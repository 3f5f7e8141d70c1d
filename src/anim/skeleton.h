// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "anim/euler.h"
#include "core/math.h"
#include "core/result.h"

namespace clipmill {

/// What a node takes over of the scales above it (the FBX InheritType). Its position always follows
/// the parent's whole map.
enum class InheritScale {
  kAll,            ///< R S r s: the parent's map times the local one, as in glTF.
  kComponentwise,  ///< R r S s: scales above act along the node's own axes.
  kSkipParent,     ///< R r s: as kComponentwise, without the parent's own local scale.
};

/// What a person or a program attached to a node: a member of its extras (glTF), a user property
/// (FBX). A vector has three numbers.
struct CustomProperty {
  std::string name;
  std::variant<bool, std::int64_t, double, std::string, Vec3> value;
};

/// One node of the file: a joint, a mesh, a locator. Named by its id in the source document; names
/// may repeat or be empty.
struct Node {
  std::string name;  ///< "#<id>" where the document gives none.
  int parent =
      -1;  ///< Index in Skeleton::nodes, always smaller than the node's own; -1 for a root.
  int source_id = 0;      ///< The node's index among the nodes of its document.
  Transform rest;         ///< Local transform of the file, without animation.
  int weights_start = 0;  ///< First of the node's morph weights in Pose::weights.
  int weights_count = 0;  ///< 0 for nodes without morph targets.
  InheritScale inherit = InheritScale::kAll;
  std::optional<EulerRotation> euler = std::nullopt;  ///< Set where the file animates three angles.
  bool is_visible = true;  ///< False where the file hides the node with all below it.
  std::vector<CustomProperty> custom = {};  ///< Those that all formats can store.
};

/// All nodes of a file, every parent before its children.
struct Skeleton {
  std::vector<Node> nodes;
  std::vector<double> rest_weights;  ///< Morph weights without animation, all nodes in a row.

  std::size_t size() const { return nodes.size(); }
};

/// Index of the node with that id, or -1.
int findSource(const Skeleton& skeleton, int source_id);

/// Names from the root to the node, joined by '/'.
std::string pathOf(const Skeleton& skeleton, int node);

/// Indices, ascending, of the nodes whose name matches the glob `pattern`, or whose path does where
/// the pattern contains '/'.
std::vector<int> findNodes(const Skeleton& skeleton, std::string_view pattern);

/// The Error for a pattern that matches no node, with the nearest name as remedy.
Error noSuchNode(const Skeleton& skeleton, const std::string& pattern, const std::string& location);

/// The node with that name; where none has it, "#7" means the one of that id in the document, and
/// else the only one that matches it as a glob or path. Errors, with `location`: kNotFound for
/// none, kRecipe for several.
Result<int> findOneNode(const Skeleton& skeleton, const std::string& pattern,
                        const std::string& location);

/// True where `node` is `above` or one of those below it.
bool isAtOrBelow(const Skeleton& skeleton, int node, int above);

/// children[node] = indices of its children, ascending.
std::vector<std::vector<int>> childrenOf(const Skeleton& skeleton);

}  // namespace clipmill
