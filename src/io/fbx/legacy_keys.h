// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "core/result.h"
#include "io/fbx/curve.h"
#include "io/fbx/tree.h"

namespace clipmill::io::fbx {

/// The keys of a Channel element of FBX before 7, in file order: `Key` is one list of ticks, value,
/// a letter for the interpolation, and what else that letter asks for, key after key. What the
/// letters ask for depends on KeyVer, or on the version of the file where there is none. A channel
/// without Key has no keys.
/// Errors, naming the key: kMalformed (the list ends within a key or goes on after KeyCount keys, a
/// number or a letter is missing, a value is not finite), kUnsupported (an unknown letter).
Result<std::vector<RawKey>> legacyKeys(const Element& channel);

}  // namespace clipmill::io::fbx
