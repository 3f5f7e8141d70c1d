// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/result.h"
#include "humanoid/humanoid.h"
#include "retarget/rest_alignment.h"
#include "scene/scene.h"

namespace clipmill::retarget {

/// The name with its sides exchanged, as tokens: left and right, l and r, and their Japanese signs.
/// The same tokens for a name without a side.
std::vector<std::string> otherSideOf(const std::vector<std::string>& tokens);

/// Which node is on the other side of a character: for each node its counterpart, itself for one in
/// the middle, -1 for one without (it hangs on a side and has nothing like it on the other). By
/// roles of `map`; then by `pairs` ("Eye_L=Eye_R", names, globs or paths that one node has); then
/// by the sides in names, with and without a number at their end; then namesakes below
/// counterparts. Errors: kRecipe for a pair without '=' or with a node in another pair; those of
/// findOneNode().
Result<std::vector<int>> findCounterparts(const Scene& scene, const humanoid::HumanoidMap& map,
                                          std::span<const std::string> pairs);

/// The sum of the vectors from one side of a character to the other, in metric space, with their
/// components times `factors`; its sign is that of the first pair.
Vec3 acrossOf(std::span<const int> counterparts, const RestPose& rest, const Vec3& factors);

/// The reflection, in metric space, that exchanges the sides of a character: along the horizontal
/// from one side to the other, or along x where that is undefined. Snaps to an axis of the world
/// within two degrees.
Mat3 reflectionOfSides(std::span<const int> counterparts, const RestPose& rest);

}  // namespace clipmill::retarget
