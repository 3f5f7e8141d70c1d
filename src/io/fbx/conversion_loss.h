// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/warnings.h"
#include "io/fbx/document.h"

namespace clipmill::io::fbx {

/// What the document has and a Scene cannot store, so that a conversion drops it: area lights,
/// constraints, curves, point caches, tangents of further sets of texture coordinates, user
/// properties of other types than numbers, texts and vectors, nodes whose visibility is not that of
/// the nodes above, animated visibility and other properties. One code a kind.
Warnings conversionLossOf(const Document& document);

}  // namespace clipmill::io::fbx
