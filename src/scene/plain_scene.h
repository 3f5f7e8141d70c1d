// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "anim/track.h"
#include "scene/scene.h"

namespace clipmill {

/// The scene with features that every format has: metres, y up, right-handed, rotations as
/// quaternions, every node inheriting all scales (Scene::metric_from_file is the identity, of
/// Node::inherit only kAll is left, Node::euler is unset). Nodes, their order and their ids stay
/// (but for helpers, below); positions in the world are those of the old scene seen through its
/// metric_from_file. Clips give poses of the new scene at the times of the old. A root at the
/// origin that does nothing but show skinned meshes stays there.
///
/// Where a node skips the uneven scale of its parent, only a shear could express the map between
/// the two: such parents get a helper node for their scale (scale_helpers.h, warning scale_helper),
/// found by looking at rest and at start, middle and end of every clip. What is sheared even then
/// (uneven scales taken over axis by axis along a chain) loses the shear: warning inherited_shear.
/// A plain scene is returned unchanged, bit for bit.
Scene plainScene(const Scene& scene);

/// Keys for nodes of `scene` as keys for plainScene(scene), for scenes in which every node inherits
/// all scales.
std::vector<Track> plainTracks(const Scene& scene, std::vector<Track> tracks);

}  // namespace clipmill
