// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/settings.h"
#include "locomotion/clip_cycle.h"
#include "stages/tet_bake/solve/solve_clip.h"
#include "stages/tet_bake/tets/embedding.h"

namespace clipmill::stages::tet_bake {

/// How the solved surfaces are stored: as morph targets with weight keys, as helper joints with
/// keys, or as point caches or textures beside the output, in which the clip is not changed.
enum class TetBakeOutput { kMorph, kBones, kMdd, kPc2, kVat };

/// Limits of the morph targets: as many as the tolerance requires, or as few as players support.
enum class TetBakePreset { kFull, kEngine, kWeb8 };

/// Soft tissue: in equilibrium at every frame, or with inertia.
enum class TetBakeSoftTissue { kQuasistatic, kDynamic };

/// Storage of morph targets in glTF: floats, or normalized 16-bit integers.
enum class TetBakeDeltas { kFloat, kInt16 };

/// Range of the morph weights: [0, 1], or [-1, 1].
enum class TetBakeWeights { kPositive, kSigned };

/// Whether joints that twist by nearly 180 degrees get twist joints.
enum class TetBakeTwistJoints { kAuto, kOff };

/// What the weights of the morphs follow: keys of the clips alone, or joint rotations, from which
/// keys are made too.
enum class TetBakeDrive { kClip, kPose };

inline constexpr double kDefaultJiggle = 0.5;
inline constexpr double kDefaultSettle_s = 0.75;
inline constexpr std::int64_t kDefaultPoseSamples = 512;
inline constexpr double kDefaultPoseVariation_deg = 15.0;

/// A part of the skin that takes less of the correction: where all names that are set match.
struct MaskSettings {
  std::optional<std::string> joint;     ///< Name, glob or path.
  std::optional<std::string> mesh;      ///< Name or glob, of the mesh or its node.
  std::optional<std::string> material;  ///< Name or glob.
  double stiffness = 1.0;               ///< Share of the correction that is left out.
};

/// A part of dynamic soft tissue with a softness of its own: where all names that are set match.
struct RegionSettings {
  std::optional<std::string> joint;     ///< Name, glob or path.
  std::optional<std::string> mesh;      ///< Name or glob, of the mesh or its node.
  std::optional<std::string> material;  ///< Name or glob.
  std::optional<double> jiggle;         ///< Unset: as beside the region.
  std::optional<double> settle_s;       ///< Unset: as beside the region.
};

struct TetBakeSettings {
  tet_bake::SolveMethod method = tet_bake::SolveMethod::kNeoHookean;
  double volume_preservation = 0.5;
  double edge_stiffness = 1.0;
  double volume_stiffness = 1.0;
  double energy_stiffness = 0.0;
  std::optional<std::int64_t> max_sweeps;  ///< Unset: by method.
  std::optional<double> cell_mm;           ///< Unset: by the thinnest limb.
  std::int64_t max_tets = 30000;
  std::int64_t smoothing_passes = 0;
  double smoothing_ms = 100.0;
  bool fold_contact = true;
  TetBakeOutput bake_to = TetBakeOutput::kMorph;
  TetBakePreset preset = TetBakePreset::kFull;
  std::optional<double> tolerance_mm;      ///< Unset: as toleranceMm(), leftOutMm().
  std::optional<std::int64_t> max_morphs;  ///< Unset: by preset.
  bool normals = true;
  std::int64_t max_joints = 4;
  std::optional<std::string> tets;  ///< File with tetrahedra; unset: a lattice is made.
  double tets_scale = 1.0;
  bool keep_tets = false;
  tet_bake::OutsideRule outside = tet_bake::OutsideRule::kNearestPoint;
  TetBakeSoftTissue soft_tissue = TetBakeSoftTissue::kQuasistatic;
  std::optional<double> jiggle;    ///< Of dynamic tissue; unset: kDefaultJiggle.
  std::optional<double> settle_s;  ///< Of dynamic tissue; unset: kDefaultSettle_s.
  locomotion::LoopPolicy loop = locomotion::LoopPolicy::kAuto;  ///< Of dynamic tissue.
  double loop_tolerance_mm = 0.5;
  std::int64_t max_loop_cycles = 16;
  TetBakeWeights weights = TetBakeWeights::kPositive;
  TetBakeDeltas deltas = TetBakeDeltas::kFloat;
  TetBakeTwistJoints twist_joints = TetBakeTwistJoints::kAuto;
  TetBakeDrive drive = TetBakeDrive::kClip;
  std::optional<std::int64_t> pose_samples;  ///< With TetBakeDrive::kPose; unset: by default.
  std::optional<double> pose_variation_deg;  ///< Likewise.
  std::vector<MaskSettings> mask;
  std::vector<RegionSettings> region;  ///< Of dynamic tissue; where they overlap, the last counts.
};

/// Names, units, bounds and meaning of all settings.
const SettingsTable& tetBakeTable();

/// The largest root mean square error at a joint, in millimetres.
double toleranceMm(const TetBakeSettings& settings);

/// Where maxMorphs() allows too few targets: a vertex is left out of a target that moves it by less
/// (root mean square over all frames, in millimetres).
double leftOutMm(const TetBakeSettings& settings);

/// The largest number of morph targets in all, by max_morphs or preset; 0 for any number.
std::size_t maxMorphs(const TetBakeSettings& settings);

/// Whether weights become positive by one more target, a base. web8 has none left for it; its
/// players support negative weights.
bool hasPositiveWeights(const TetBakeSettings& settings);

/// Whether morph targets change normals.
bool hasNormals(const TetBakeSettings& settings);

}  // namespace clipmill::stages::tet_bake
