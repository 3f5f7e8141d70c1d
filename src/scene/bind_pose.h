// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "core/math.h"
#include "scene/scene.h"

namespace clipmill {

/// The one pose, in metres, in which all skins of a scene were bound. Files state only where each
/// mesh was seen from its joints. Rest pose and inverse bind matrix of each joint give a scale of
/// the mesh; the scale of the skin is that on which the joints agree best, by the skin that they
/// move. The pose is where the file's rest pose has the topmost joint with that scale of the skin
/// with the most vertices, and the skins that share joints with located ones, or hang below them,
/// are located by these. Joints of another scale that move no skin are not bound.
struct BindPose {
  std::vector<Affine> world_from_node;  ///< One a node; unbound ones as they rest on their parent.
  /// What was mesh space at bind, one a skin. One whose joints are all degenerate stays empty, and
  /// `is_positioned` false.
  std::vector<Affine> world_from_mesh;
  std::vector<char> is_positioned;
  /// Joints that move skin and give another scale than that of their skin, ascending.
  std::vector<int> rescaled_nodes;
};

/// True for finite maps with an inverse that is finite too.
bool isInvertible(const Affine& map);

BindPose findBindPose(const Scene& scene);

}  // namespace clipmill
