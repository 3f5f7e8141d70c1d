// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>

#include "humanoid/humanoid.h"
#include "scene/scene.h"

namespace clipmill::humanoid {

inline constexpr std::size_t kFingerCount = 5;  ///< Thumb, index, middle, ring, little.
inline constexpr std::size_t kFingerJoints = 3;

/// The joints of one hand, [finger][joint] from the palm outwards, or -1. Metacarpals of the four
/// long fingers are left out; those of the thumb are its first joint.
using HandFingers = std::array<std::array<int, kFingerJoints>, kFingerCount>;

/// The fingers of both hands, left first.
using Fingers = std::array<HandFingers, 2>;

/// Which nodes are fingers: those that the file declares (VRM); else those whose names identify
/// them
/// ("LeftHandIndex1", "f_index.01.L", "Bip01 L Finger11", "LeftFinger2Proximal"); else by shape: of
/// the chains of two or more joints below the hand the thumb is the one that points away from the
/// others, and the others follow in their order across the palm, the nearest to the thumb first.
/// Nothing for a hand without a thumb that points elsewhere.
Fingers findFingers(const Scene& scene, const HumanoidMap& map);

}  // namespace clipmill::humanoid
