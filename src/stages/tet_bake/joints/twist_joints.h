// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "stages/tet_bake/joints/bones_fit.h"
#include "stages/tet_bake/joints/twist_turns.h"
#include "stages/tet_bake/surface/bake_surface.h"

/// Twist joints. Two bones that turn against each other about the limb by half a turn blend to
/// something flat: at equal weights a turn by t leaves cos(t/2) of the radius, and what is flat has
/// no inverse through which a correction could be seen. Joints that turn by parts of t split it:
/// with n of them cos(t/(2(n+1))) is the least that is left.
namespace clipmill::tet_bake {

/// Twist joints and what they change.
struct TwistJoints {
  /// The joints: for each twisted one `steps` that hang on the bone above it and turn with it in
  /// part, and `steps` that hang on it and turn back. What blended `above` and `joint` follows the
  /// two of them that have turned by as much as its share of `joint` says, and keeps in sum the
  /// weight that it had of each. So swings blend as before, and where twist joints rest, nothing
  /// changes. Points and influences are those of the surface.
  BonesFit fit;
  BakeSurface surface;  ///< The surface with these influences.

  bool empty() const { return fit.bones.empty(); }
};

/// Makes them. Points of `is_kept` (one a point, or empty) keep their weights; the others have at
/// most kMostInfluences. Empty where no point follows one.
TwistJoints makeTwistJoints(const BakeSurface& surface, std::span<const TwistedJoint> twisted,
                            std::span<const char> is_kept);

/// Influences with what twist joints take from them: those of a point or corner, nodes and helpers.
/// At most `most`, which is no less than there are: without room for two joints, the nearer one has
/// all. `twist_node` is the number of the first helper.
std::vector<Influence> twistedInfluences(std::span<const Influence> influences,
                                         std::span<const TwistedJoint> twisted,
                                         std::size_t twist_node, std::size_t most);

}  // namespace clipmill::tet_bake
