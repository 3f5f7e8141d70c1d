// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "scene/scene.h"
#include "stages/dynamic_bones/rig/rig.h"
#include "stages/dynamic_bones/settings.h"

/// The time steps of a simulation.
namespace clipmill::stages::dynamic_bones {

inline constexpr double kGridStep_s = 1.0 / 240.0;
inline constexpr double kFineGridStep_s = 1.0 / 1200.0;
/// Of slow rods alone, see gridStep_s().
inline constexpr double kCoarseGridStep_s = 1.0 / 120.0;

/// The highest first mode of a rod that takes coarse steps [Hz]. The frequency w of a swing with
/// steps h is too low by the share 0.19 (w h)^2 (the eigenvalues of the generalized-alpha method
/// with rod_step.h's spectral radius): 0.47 % here, and its damping ratio too high by 0.0003.
inline constexpr double kMaxCoarseFrequency_hz = 3.0;
/// The same for a rod with a damping ratio below kLeastCoarseDamping: within 10 s, steps take less
/// than 1 % of the energy of a swing.
inline constexpr double kMaxCoarseUndamped_hz = 1.6;
inline constexpr double kLeastCoarseDamping = 0.05;

/// The grid step of each chain setting [s]. The quality "high" and other methods than `rod` have
/// steps of their own. Rods take coarse steps where these are as good: all of a chain are slow,
/// none is limp without critical damping, coupled to its neighbours or meets the skin, and what a
/// bone meets is so thick that neither passes the other in a step. Limp rods fold: their bones move
/// fast, whatever the first mode. Chains that hang on each other or avoid each other have one step.
std::vector<double> gridSteps_s(const Rig& rig, const DynamicBonesSettings& settings,
                                const Scene& scene);

/// The shortest of these.
double gridStep_s(const Rig& rig, const DynamicBonesSettings& settings, const Scene& scene);

}  // namespace clipmill::stages::dynamic_bones
