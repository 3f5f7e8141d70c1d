// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "anim/euler.h"
#include "core/math.h"

namespace clipmill::io::fbx {

/// The transform properties of a Model. Angles in degrees; lengths in file units.
struct TransformChain {
  Vec3 translation{0.0};      ///< Lcl Translation
  Vec3 rotation_deg{0.0};     ///< Lcl Rotation, in `order`
  Vec3 scaling{1.0};          ///< Lcl Scaling
  Vec3 rotation_offset{0.0};  ///< RotationOffset
  Vec3 rotation_pivot{0.0};
  Vec3 scaling_offset{0.0};
  Vec3 scaling_pivot{0.0};
  Vec3 pre_rotation_deg{0.0};   ///< Always in the order x, y, z.
  Vec3 post_rotation_deg{0.0};  ///< Likewise; its inverse is applied.
  EulerOrder order = EulerOrder::kXyz;
  /// Where false: no pre and post rotation, order x, y, z. Also where RotationSpaceForLimitOnly is
  /// true.
  bool rotation_active = true;
};

/// The local transform of a node: the chain
///   T * Roff * Rp * Rpre * R * Rpost^-1 * Rp^-1 * Soff * Sp * S * Sp^-1
/// (FBX SDK, "Computing transformation matrices") is a translation after a rotation after a scale.
Transform localTransform(const TransformChain& chain);

/// Pre and post rotation and the order as they act.
EulerRotation rotationChannel(const TransformChain& chain);

/// The same where rotationChannel(chain) is known; for many frames of one node.
Transform localTransform(const TransformChain& chain, const EulerRotation& channel);

/// True where a change of rotation or scale alone moves the origin of the local transform.
bool hasOffsetPivots(const TransformChain& chain);

/// Translation, angles and scale for which localTransform() returns `local` with the other
/// properties as in `chain`; angles nearest to `chain.rotation_deg`.
struct ChainChannels {
  Vec3 translation, rotation_deg, scaling;
};
ChainChannels channelsOf(const TransformChain& chain, const Transform& local);

}  // namespace clipmill::io::fbx
