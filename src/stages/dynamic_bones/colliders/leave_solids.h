// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>

#include "stages/dynamic_bones/colliders/limit.h"
#include "stages/dynamic_bones/colliders/moving_solid.h"
#include "stages/dynamic_bones/colliders/touch.h"

/// Turning a bone out of several solids at one time of a step. Metric world space, metres.
namespace clipmill::bones {

/// Times that a bone is turned, at most.
inline constexpr int kMostRounds = 4;
/// Overlap that is left alone.
inline constexpr double kAllowed_m = 1e-8;

using Solids = std::span<const MovingSolid* const>;

/// Solid and bone while they touch; `away` in the solid's own axes.
struct Contact {
  const MovingSolid* solid = nullptr;
  double along = 0.0;
  Vec3 away{0.0};
};

/// The last touch with each solid, of the first few.
struct Contacts {
  std::array<Contact, kMostRounds> all;
  std::size_t count = 0;

  void add(const Contact& contact);
};

/// Room for a placed solid that is seldom needed: left empty, it costs nothing.
using Room = std::optional<PlacedSolid>;
/// The solid at a time of the step; `room` holds it where it must be worked out.
const PlacedSolid& placedAt(const MovingSolid& solid, double time, Room& room);

/// The solid that a bone is deepest in; none where it is in none by more than kAllowed_m.
struct Deepest {
  const MovingSolid* solid = nullptr;
  Touch touched{1.0, -kAllowed_m, Vec3(0.0)};
};
Deepest deepestOf(Solids solids, double time, const BoneShape& bone);

/// What became of a bone that was turned out of solids.
struct Leave {
  BoneShape bone;
  bool touched = false;           ///< Whether it was in any.
  std::optional<double> depth_m;  ///< By how much it still is; nothing where that is not known yet.
};

/// Turns the bone out of the deepest solid, again and again; where that leads back into the one
/// before, to where it touches both; within the limit. `hint`: a direction, for a bone that points
/// straight in. `contacts` receives what it touched.
Leave leaveSolids(Solids solids, double time, const PlacedLimit& limit, const Vec3& hint,
                  const BoneShape& bone, Contacts& contacts);

}  // namespace clipmill::bones
