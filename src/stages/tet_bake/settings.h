// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "core/settings.h"
#include "stages/tet_bake/solve_clip.h"

namespace clipmill {

/// What a bake makes of the solved surfaces: morph targets with weights keys, or point caches
/// beside the output, in which the clip itself stays as it is.
enum class TetBakeOutput { kMorph, kMdd, kPc2 };

/// For whom morphs are made: as many as the tolerance takes, or as few as players show at once.
enum class TetBakePreset { kFull, kEngine, kWeb8 };

struct TetBakeSettings {
  tet_bake::SolveMethod method = tet_bake::SolveMethod::kNeoHookean;
  double volume = 0.5;
  double edge_stiffness = 1.0;
  double volume_stiffness = 1.0;
  double energy_stiffness = 0.0;
  std::int64_t sweeps = 0;  ///< 0: by method.
  double cell_mm = 0.0;     ///< 0: by limb.
  std::int64_t max_tets = 30000;
  std::int64_t smoothing = 0;
  double steady_ms = 33.0;
  TetBakeOutput bake_to = TetBakeOutput::kMorph;
  TetBakePreset preset = TetBakePreset::kFull;
  double tolerance_mm = 0.5;
  std::int64_t max_morphs = 0;  ///< 0: by preset.
  bool normals = true;
};

/// Names, units, bounds and meaning of all settings.
const SettingsTable& tetBakeTable();

}  // namespace clipmill
