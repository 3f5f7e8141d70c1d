// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "anim/motion.h"
#include "scene/scene.h"
#include "stages/dynamic_bones/fit/row_probe.h"
#include "stages/dynamic_bones/rig/rig.h"

namespace clipmill::stages::dynamic_bones {

/// Bones one after the other, as the springs of engines want them. At a fork the row follows its
/// longest branch; each other branch continues as a row of its own, from the next joint on.
struct ChainRow {
  int chain = 0;                   ///< Index in DynamicBonesSettings::chain.
  std::vector<std::size_t> bones;  ///< Indices in Rig::bones, root first.
  std::vector<int> joints;         ///< Nodes at which the bones start.
  int end_node = -1;               ///< Node at the end of the last bone; -1 for a virtual tip.
  int parent = -1;                 ///< Node above the first joint, or -1.
  int center = -1;                 ///< Node with the root motion above it, or -1: see findCenters.
};

/// All rows of a rig, in the order of their first bones.
std::vector<ChainRow> rowsOf(const Rig& rig, const Skeleton& skeleton);

/// Sets ChainRow::center: the topmost node above the row that any of the motions moves.
void findCenters(const Skeleton& skeleton, std::span<const Motion> motions,
                 std::vector<ChainRow>& rows);

/// What the rows do in a motion and in its simulation `simulated`, on the same frames, of which
/// every `stride`-th is a step of 1/60 s. One probe a row.
std::vector<RowProbe> probesOf(const std::vector<ChainRow>& rows, const Rig& rig,
                               const Scene& scene, const Motion& motion, const Motion& simulated,
                               std::size_t stride);

}  // namespace clipmill::stages::dynamic_bones
