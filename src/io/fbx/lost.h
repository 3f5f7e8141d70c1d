// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/warnings.h"
#include "io/fbx/document.h"

namespace clipmill::fbx {

/// What the document holds and a Scene has no place for, so that another format made of the Scene
/// goes without it: cameras, lights, constraints, curves, point caches, several layers of one kind
/// (UV sets), user properties, animated visibility and other properties. One code a kind.
Warnings lostInScene(const Document& document);

}  // namespace clipmill::fbx
