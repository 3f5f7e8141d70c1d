// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "anim/skeleton.h"
#include "core/limits.h"
#include "core/result.h"
#include "stages/dynamic_bones/fit/chain_fit.h"
#include "stages/dynamic_bones/settings.h"

/// Converts rods to the springs of engines: the library side of `clipmill springs --to`.
namespace clipmill::pipeline {

/// The motions in which rod and springs are compared: clips of the file, or a made motion
/// (made_probe.h), or both. kAuto: the clips, or the made motion where there is none.
enum class ProbeMotions { kAuto, kClips, kMade, kBoth };

struct SpringFitOptions {
  stages::dynamic_bones::SpringTarget target = stages::dynamic_bones::SpringTarget::kVrm1;
  ProbeMotions probes = ProbeMotions::kAuto;
  std::filesystem::path recipe;    ///< Empty: chains that --auto finds, and springs of the file.
  std::vector<std::string> clips;  ///< Names, indices or globs; empty: all.
  int threads = 1;
  io::Limits limits;
};

/// One row of joints with the settings of its rod.
struct FittedRow {
  stages::dynamic_bones::ChainFit fit;
  stages::dynamic_bones::ChainSettings settings;
};

struct ProbeUsed {
  std::string name;  ///< Of the clip; "made" for the made motion.
  double duration_s = 0.0;
};

/// Springs of an engine for all chains of a file.
struct FittedSprings {
  std::string file;
  stages::dynamic_bones::SpringTarget target = stages::dynamic_bones::SpringTarget::kVrm1;
  Skeleton skeleton;
  bool has_gltf_nodes = false;  ///< Node::source_id are indices of glTF nodes.
  std::vector<ProbeUsed> probes;
  std::vector<FittedRow> rows;
  std::vector<std::string> notes;
};

/// The most of clips that are compared, in the order of the file [s].
inline constexpr double kMaxProbe_s = 12.0;

/// Fits the springs of the target to the rods of a file. Errors: those of io::load(),
/// loadRecipe(), selectClips() and makeRig(); kRecipe for a recipe without a dynamic-bones stage of
/// the method rod; kNotFound where there is no chain, or no clip with ProbeMotions::kClips.
Result<FittedSprings> fitSpringsOfFile(const std::filesystem::path& path,
                                       const SpringFitOptions& options);

/// For people: parameters and tip errors of each row.
std::string fittedSpringsText(const FittedSprings& fitted);

/// The same as JSON, with the parameters in the fields of the target (docs/springs.md).
std::string fittedSpringsJson(const FittedSprings& fitted);

}  // namespace clipmill::pipeline
