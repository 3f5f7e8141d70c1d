// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scene/skin_surface.h"
#include "scene/thin_sheets.h"

namespace clipmill::stages::tet_bake {

/// A part of a body, closed by walls through the solid where it is connected to other parts.
struct BodyPart {
  SolidSurface solid;                  ///< Its triangles of the skin.
  std::vector<std::uint32_t> walls;    ///< Three points of PartedSkin::surface each.
  std::vector<std::uint32_t> wall_of;  ///< One per wall triangle: its number among all walls.
  std::vector<char> is_reversed;       ///< One per wall triangle: it faces inward as stored.
};

/// Bodies in parts.
struct PartedSkin {
  SkinSurface surface;  ///< The skin, with a point in the middle of each wall behind its own.
  std::vector<std::vector<BodyPart>> bodies;
};

/// Parts bodies so that no part has two limbs that are near each other without being connected
/// there: legs whose thighs or shoes are in contact, arms at the sides, fingers. A limb (the skin
/// below a branch of the skeleton) that is within 2.5 % of the character's size of other skin, from
/// which it is far along the surface and in the skeleton (areJoined()), becomes a part of its own.
/// The wall is a fan over the edges between the limb and the rest. Parts and walls add up to the
/// body: a position inside of two limbs that overlap is inside of both parts. `node_above`: of each
/// node the next one up that moves skin, -1 for none.
PartedSkin partLimbs(const SkinSurface& surface, std::vector<SolidSurface> bodies,
                     std::span<const int> node_above);

}  // namespace clipmill::stages::tet_bake
