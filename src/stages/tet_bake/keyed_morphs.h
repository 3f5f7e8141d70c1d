// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "anim/motion.h"
#include "scene/additions.h"
#include "stages/stage.h"
#include "stages/tet_bake/bake.h"

namespace clipmill::stages::tet_bake {

/// The motion with the weights of the morphs. They follow each node's own weights, in order. Morph
/// m has the weights rows[numbers[m]], from the frame `start` on. `before` and `after` are the
/// skeletons without and with what is added.
Motion keyedMotion(const Skeleton& before, const Skeleton& after, const Motion& motion,
                   std::span<const AddedMorph> morphs, std::span<const std::size_t> numbers,
                   std::span<const std::vector<double>> rows, std::size_t start);

/// Adds the number of morphs and their bytes to the metrics, and the number of twist joints.
void reportMorphs(const BakeRig& rig, std::size_t count, std::size_t bytes, StageResult& result);

/// Warns of morphs that are stored as floats although integers are asked for (storeAsInt16()).
void reportKeptFloat(std::size_t count, StageResult& result);

}  // namespace clipmill::stages::tet_bake
