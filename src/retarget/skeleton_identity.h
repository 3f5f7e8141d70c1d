// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "anim/clip.h"
#include "retarget/node_match.h"
#include "scene/scene.h"

namespace clipmill::retarget {

/// Whether a skin of the scene states the bind pose of most of the nodes.
bool hasBindPose(const Scene& scene, std::span<const int> nodes);

/// Whether the paired nodes are those of one skeleton by their hierarchy and the lengths of their
/// bones, although the rest poses of the two files differ: parents of pairs are pairs, or nodes
/// with one transform in both files; each node has the same offset from its parent and
/// the same scale, except for less than half that `animated` moves or scales. Where the joints of
/// both rest poses have the same positions but other axes, the two differ in the axes of their
/// joints, and the result is false.
bool isSameSkeleton(const Scene& source, const TrackMask& animated, const Scene& target,
                    std::span<const NodePair> pairs);

}  // namespace clipmill::retarget
