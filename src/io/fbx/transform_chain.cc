// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/fbx/transform_chain.h"

namespace clipmill::io::fbx {
namespace {

// Where the pivots and offsets put the origin, before the translation.
Vec3 pivotShift(const TransformChain& chain, const Quat& rotation, const Vec3& scale) {
  const Vec3 arm = chain.scaling_offset + chain.scaling_pivot - scale * chain.scaling_pivot -
                   chain.rotation_pivot;
  if (arm == Vec3(0.0)) return chain.rotation_offset + chain.rotation_pivot;
  return chain.rotation_offset + chain.rotation_pivot +
         transformVector(toAffine({Vec3(0.0), rotation, Vec3(1.0)}), arm);
}

}  // namespace

EulerRotation rotationChannel(const TransformChain& chain) {
  if (!chain.rotation_active) return {};
  return {chain.order, fromEuler(chain.pre_rotation_deg, EulerOrder::kXyz),
          glm::conjugate(fromEuler(chain.post_rotation_deg, EulerOrder::kXyz))};
}

Transform localTransform(const TransformChain& chain) {
  return localTransform(chain, rotationChannel(chain));
}

Transform localTransform(const TransformChain& chain, const EulerRotation& channel) {
  const Quat rotation = localRotation(channel, chain.rotation_deg);
  return {chain.translation + pivotShift(chain, rotation, chain.scaling), rotation, chain.scaling};
}

bool hasOffsetPivots(const TransformChain& chain) {
  return chain.scaling_pivot != Vec3(0.0) || chain.scaling_offset != chain.rotation_pivot;
}

ChainChannels channelsOf(const TransformChain& chain, const Transform& local) {
  const Quat rotation = normalizedOrIdentity(local.rotation);
  return {local.translation - pivotShift(chain, rotation, local.scale),
          anglesNear(rotationChannel(chain), rotation, chain.rotation_deg), local.scale};
}

}  // namespace clipmill::io::fbx
