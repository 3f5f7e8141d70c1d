// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "core/math.h"
#include "scene/scene.h"

namespace clipmill {

/// The one pose, in metres, in which all skins of a scene were bound. Files state only where each
/// mesh was seen from its joints; the pose is where the file's rest pose has the topmost joint
/// of the skin with the most vertices, and the skins that share joints with located ones, or hang
/// below them, are located by these.
struct BindPose {
  std::vector<Affine> world_from_node;  ///< One a node; unbound ones as they rest on their parent.
  /// What was mesh space at bind, one a skin. One whose joints are all degenerate stays empty, and
  /// `is_positioned` false.
  std::vector<Affine> world_from_mesh;
  std::vector<char> is_positioned;
};

/// True for finite maps with an inverse that is finite too.
bool isInvertible(const Affine& map);

BindPose findBindPose(const Scene& scene);

}  // namespace clipmill
