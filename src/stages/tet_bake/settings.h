// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "core/settings.h"
#include "stages/tet_bake/solve/solve_clip.h"
#include "stages/tet_bake/tets/embedding.h"

namespace clipmill {

/// What a bake makes of the solved surfaces: morph targets with weights keys, helper joints with
/// keys, or point caches or textures beside the output, in which the clip itself stays as it is.
enum class TetBakeOutput { kMorph, kBones, kMdd, kPc2, kVat };

/// For whom morphs are made: as many as the tolerance takes, or as few as players show at once.
enum class TetBakePreset { kFull, kEngine, kWeb8 };

/// Whether flesh is at rest at every frame, or has inertia and swings.
enum class TetBakeFlesh { kSettled, kMoving };

/// How morphs are stored in glTF: as floats, or as normalized 16-bit integers.
enum class TetBakeDeltas { kFloat, kInt16 };

/// Where the weights of morphs lie: in [0, 1], or in [-1, 1].
enum class TetBakeWeights { kPositive, kSigned };

/// Whether joints that turn by nearly half a turn get twist joints.
enum class TetBakeTwistJoints { kAuto, kOff };

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
  double steady_ms = 100.0;
  TetBakeOutput bake_to = TetBakeOutput::kMorph;
  TetBakePreset preset = TetBakePreset::kFull;
  double tolerance_mm = 0.5;
  std::int64_t max_morphs = 0;  ///< 0: by preset.
  bool normals = true;
  std::int64_t max_joints = 4;
  std::string tets;  ///< File of tetrahedra; empty: a lattice of our own.
  double tets_scale = 1.0;
  bool keep_tets = false;
  tet_bake::OutsideRule outside = tet_bake::OutsideRule::kNearestPoint;
  TetBakeFlesh flesh = TetBakeFlesh::kSettled;
  double jiggle = 0.5;
  double settle_s = 0.75;
  TetBakeWeights weights = TetBakeWeights::kPositive;
  TetBakeDeltas deltas = TetBakeDeltas::kFloat;
  TetBakeTwistJoints twist_joints = TetBakeTwistJoints::kAuto;
};

/// Names, units, bounds and meaning of all settings.
const SettingsTable& tetBakeTable();

}  // namespace clipmill
