// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "anim/motion.h"
#include "core/result.h"
#include "scene/scene.h"
#include "stages/tet_bake/settings.h"

namespace clipmill::stages::tet_bake {

/// What the morph targets of a bake may take in a glTF file, found before it.
struct MorphSizeEstimate {
  std::size_t max_targets = 0;
  double max_bytes = 0.0;
  /// Where each target moves as many vertices as one of the joints that bend does on average. Unset
  /// where only the tolerance limits the number of targets.
  std::optional<double> likely_bytes;
};

/// Of `scene` and clips with morphs by `settings`: from the number of vertices about each joint and
/// the largest number of targets. Errors: those of makeSkinSurface().
Result<MorphSizeEstimate> estimateMorphSize(const Scene& scene, std::span<const Motion> motions,
                                            const TetBakeSettings& settings);

/// `estimate` as one line for people.
std::string textOf(const MorphSizeEstimate& estimate);

}  // namespace clipmill::stages::tet_bake
