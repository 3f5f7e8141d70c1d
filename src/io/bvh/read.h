// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "core/result.h"
#include "io/import/imported.h"
#include "io/limits.h"

namespace clipmill::bvh {

/// True where the content begins as a BVH file does.
bool looksLikeBvh(std::span<const std::byte> bytes);

/// The joints and the motion of a BVH file: a node for every ROOT and JOINT, and one for every End
/// Site, called after its parent with "_End" behind. The one clip is called `name`; frame k is at k
/// times the Frame Time, its rate is 1 / Frame Time. Rotation channels turn about the joint's own
/// axes in the order in which they stand (the matrix is their product in that order); a position
/// channel replaces that component of the OFFSET, as in the readers in use. Stick figures stand in
/// for the mesh that the format does not have.
///
/// BVH says nothing of units or axes. The longest chain of bones is taken for that of a person, see
/// readUnit() in the source; y is taken to be up, unless rest pose and motion both lie flat but for
/// z. Both guesses are warnings (bvh_unit, bvh_up_axis).
///
/// Errors: kMalformed with the line; kUnsupported for channels that neither turn nor move; kLimit.
Result<io::ImportedScene> readBvh(std::string_view text, const std::string& name,
                                  const io::Limits& limits);

}  // namespace clipmill::bvh
