// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "scene/skin_surface.h"
#include "stages/tet_bake/joints/bones_fit.h"
#include "stages/tet_bake/joints/twist_angles.h"

/// Twist joints. The blend of two bones with a relative twist of 180 degrees is flat: at equal
/// weights a twist t leaves cos(t/2) of the radius, and a flat blend has no inverse, so that no
/// correction before skinning can have an effect. Joints that rotate by parts of t split it: with n
/// of them at least cos(t/(2(n+1))) of the radius is left.
namespace clipmill::stages::tet_bake {

/// Twist joints and what they change.
struct TwistJoints {
  /// The joints: for each twisted one `steps` children of the bone above it that rotate with it in
  /// part, and `steps` children of it that rotate back. A vertex with weights of `above` and
  /// `joint` follows the two of them whose rotation matches its share of `joint`, and keeps the sum
  /// of the weights of each. So swings blend as before, and where twist joints are not animated,
  /// nothing changes. Points and influences are those of the surface.
  BonesFit fit;
  SkinSurface surface;  ///< The surface with these influences.

  bool empty() const { return fit.bones.empty(); }
};

/// Makes them. Points of `is_kept` (one per point, or empty) keep their weights; the others have at
/// most kMaxInfluences. Empty where no point follows one.
TwistJoints makeTwistJoints(const SkinSurface& surface, std::span<const TwistedJoint> twisted,
                            std::span<const char> is_kept);

/// Influences with what twist joints take from them: those of a point or corner, nodes and helpers.
/// At most `most`, which is no less than there are: where two joints do not fit, the nearer one has
/// all. `twist_node` is the number of the first helper.
std::vector<Influence> twistedInfluences(std::span<const Influence> influences,
                                         std::span<const TwistedJoint> twisted,
                                         std::size_t twist_node, std::size_t most);

}  // namespace clipmill::stages::tet_bake
