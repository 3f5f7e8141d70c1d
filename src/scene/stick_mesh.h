// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "scene/scene.h"

namespace clipmill {

/// Gives a scene without meshes something to look at, for viewers show no bare nodes: one skinned
/// mesh, a slim octahedron from every node to each of its children, carried by a new node "Sticks"
/// at the end. Its tips follow the children, its other vertices the parents. Bones of no length get
/// none. Nothing is added to a scene that has meshes or no bone, or whose rest pose cannot be
/// inverted.
void addStickMesh(Scene& scene);

}  // namespace clipmill
