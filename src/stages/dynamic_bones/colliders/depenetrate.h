// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>

#include "stages/dynamic_bones/colliders/bone_distance.h"
#include "stages/dynamic_bones/colliders/limit.h"
#include "stages/dynamic_bones/colliders/moving_solid.h"

/// Rotates a bone out of several solids at one time of a step. Metric world space, metres.
namespace clipmill::stages::dynamic_bones {

/// Largest number of rotations of a bone.
inline constexpr int kMaxRounds = 4;
/// Penetration that is ignored.
inline constexpr double kAllowed_m = 1e-8;

using Solids = std::span<const MovingSolid* const>;

/// A contact of a bone with a solid; `away` in the solid's own axes.
struct Contact {
  const MovingSolid* solid = nullptr;
  double along = 0.0;
  Vec3 away{0.0};
};

/// The last contact with each solid, of the first few solids.
struct Contacts {
  std::array<Contact, kMaxRounds> all;
  std::size_t count = 0;

  void add(const Contact& contact);
};

/// Storage for a posed solid that is seldom needed; empty until it is used.
using PoseScratch = std::optional<PosedSolid>;
/// The solid at a time of the step; `scratch` stores it if it has to be computed.
const PosedSolid& posedAt(const MovingSolid& solid, double time, PoseScratch& scratch);

/// The solid with the largest penetration by a bone; null if no penetration exceeds kAllowed_m.
struct MaxPenetration {
  const MovingSolid* solid = nullptr;
  BoneDistance nearest{1.0, -kAllowed_m, Vec3(0.0)};
};
MaxPenetration maxPenetration(Solids solids, double time, const BoneShape& bone);

/// A bone after it was rotated out of solids.
struct Depenetration {
  BoneShape bone;
  bool has_contact = false;       ///< Whether it penetrated any.
  std::optional<double> depth_m;  ///< Remaining penetration; empty if not known.
};

/// Rotates the bone repeatedly out of the solid with the largest penetration, within the limit. If
/// that moves it into the previous solid again, the bone is rotated into contact with both. `hint`:
/// a direction for a bone that points straight into a solid. `contacts` receives the contacts.
Depenetration depenetrate(Solids solids, double time, const PosedLimit& limit, const Vec3& hint,
                          const BoneShape& bone, Contacts& contacts);

}  // namespace clipmill::stages::dynamic_bones
