// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>

#include "core/warnings.h"
#include "humanoid/humanoid.h"
#include "penetration/self_penetration.h"

namespace clipmill::stages::self_collision {

/// Adds the warnings limb_missing, for limbs without upper or lower joint in the map; hand_missing,
/// for those without hand or foot, which rotate at their root only; limb_without_skin, for those of
/// which no pair tests a vertex.
void warnOfMissingLimbs(const humanoid::HumanoidMap& map,
                        std::span<const penetration::PartPair> pairs, const std::string& clip,
                        Warnings& warnings);

}  // namespace clipmill::stages::self_collision
