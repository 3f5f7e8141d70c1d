// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/math.h"
#include "scene/springs.h"

namespace clipmill::bones {

/// A limit where it stands in one pose.
struct PlacedLimit {
  const AngleLimit* limit = nullptr;  ///< Null for none.
  Quat metric_from_limit = kIdentityRotation;
  double softness = 0.0;  ///< Share of the limit's angle before it that is soft; 0..1.
};

/// The direction nearest to `direction` that the limit allows (UniVRM's reading of the draft
/// VRMC_springBone_limit, with its singular directions). Unit vectors in metric world space.
Vec3 limitedDirection(const PlacedLimit& limit, const Vec3& direction);

/// By how many radians `direction` breaks the limit; 0 where it keeps it.
double limitExcess(const PlacedLimit& limit, const Vec3& direction);

}  // namespace clipmill::bones
