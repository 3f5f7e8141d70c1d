// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "core/math.h"
#include "stages/dynamic_bones/colliders/touch.h"

/// Turning a bone about its head until it touches a solid that it was in. Metric world space,
/// metres.
namespace clipmill::bones {

/// Bones that overlap a solid by less than this touch it.
inline constexpr double kTouching_m = 1e-9;

/// A bone that was turned, and what touch() says of it where that is known.
struct TurnedBone {
  BoneShape bone;
  std::optional<Touch> touched;
};

/// The bone turned about its head by the shortest way that leads out of the solid, until they
/// touch; as it is where it does not reach in. In closed form for spheres and planes, by Newton
/// steps on the bone's sphere else. Where there is no way out (the head is too deep inside), the
/// direction that reaches in least. `first`: what touch() says of the bone. `hint`: a direction,
/// for a bone that points straight in.
TurnedBone turnedOut(const PlacedSolid& solid, const BoneShape& bone, const Touch& first,
                     const Vec3& hint);

/// The bone turned until it touches both solids, from one that touches or enters them; as near to
/// that as it can where they leave no such direction.
BoneShape turnedOutOfBoth(const PlacedSolid& a, const PlacedSolid& b, const BoneShape& bone);

}  // namespace clipmill::bones
