// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "anim/track.h"
#include "scene/scene.h"

namespace clipmill {

/// The scene in the terms that every format has: metres, y up, right-handed, rotations as
/// quaternions, every node inheriting all scales (Scene::metric_from_file is the identity, of
/// Node::inherit only kAll is left, Node::euler is unset). Nodes, their order and their ids stay;
/// positions in the world are those of the old scene seen through its metric_from_file. Clips
/// answer poses of the new scene at the times of the old. A root at the origin that does nothing
/// but show skinned meshes stays there.
///
/// Where a node that skips scales stands under one that is scaled unevenly, the map between the two
/// may hold a shear, which a Transform cannot express: the warning inherited_shear counts such
/// nodes, looked for at rest and at begin, middle and end of every clip. A scene that is plain
/// comes back bit for bit.
Scene plainScene(const Scene& scene);

/// Keys for nodes of `scene` as keys for plainScene(scene), for scenes in which every node inherits
/// all scales.
std::vector<Track> plainTracks(const Scene& scene, std::vector<Track> tracks);

}  // namespace clipmill
