// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "core/limits.h"
#include "core/result.h"
#include "io/imported/imported.h"

namespace clipmill::io::bvh {

/// True where the content starts as a BVH file does.
bool looksLikeBvh(std::span<const std::byte> bytes);

/// The joints and the motion of a BVH file: a node for every ROOT and JOINT, and one for every End
/// Site, named after its parent with the suffix "_End". The one clip is called `name`; frame k is
/// at k times the Frame Time, its rate is 1 / Frame Time. Rotation channels rotate about the
/// joint's own axes, in file order (the matrix is their product in that order); a position channel
/// replaces that component of the OFFSET, as in common readers.
///
/// BVH stores neither units nor axes. The longest chain of bones is assumed to be that of a person,
/// see readUnit() in the source; y is assumed to be up, unless rest pose and motion are both much
/// higher along z. Both guesses are warnings (bvh_unit, bvh_up_axis).
///
/// Errors: kMalformed with the line; kUnsupported for unknown channels; kLimit.
Result<imported::ImportedScene> readBvh(std::string_view text, const std::string& name,
                                        const io::Limits& limits);

}  // namespace clipmill::io::bvh
