// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <vector>

#include "anim/motion.h"
#include "core/result.h"
#include "scene/scene.h"
#include "stages/dynamic_bones/fit/chain_rows.h"
#include "stages/dynamic_bones/fit/spring_fit.h"
#include "stages/dynamic_bones/settings.h"

namespace clipmill::stages::dynamic_bones {

/// Springs of an engine for one row of joints.
struct ChainFit {
  ChainRow row;
  std::vector<double> lengths_m;  ///< Of the bones.
  std::vector<double> depths;     ///< Of their far ends, as depthsOfBones().
  std::string not_fitted;         ///< Why there is no fit; empty where there is one.
  SpringFit fit;
};

/// The settings with which rods are simulated for a fit: without colliders, limits, wind, cycles
/// and weights, which engines have settings of their own for. KawaiiPhysics has its own inertia
/// too.
DynamicBonesSettings settingsForFit(const DynamicBonesSettings& settings, SpringTarget target);

/// Simulates the rods of all chains in the motions, and fits the springs of the target to every
/// row. The settings are resolved; the motions have 60 frames per second, or a multiple of it. A
/// row is not compared in motions that animate it, where its chain leaves these out. Errors: those
/// of makeRig().
Result<std::vector<ChainFit>> fitChains(const Scene& scene, const DynamicBonesSettings& settings,
                                        std::span<const Motion> motions, SpringTarget target,
                                        int threads);

}  // namespace clipmill::stages::dynamic_bones
