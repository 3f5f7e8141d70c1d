// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/result.h"
#include "stages/tet_bake/tets/material.h"

namespace clipmill::stages::tet_bake {

enum class SolveMethod {
  kNeoHookean,  ///< Least elastic energy, by block descent (block_descent_simd.h). The default.
  kReference,   ///< PBD with edge lengths, volumes and energies (docs/methods.md, tet-bake).
  kXpbd,        ///< XPBD with edge lengths and volumes (xpbd_simd.h).
};

/// When and how block descent stops.
struct DescentSettings {
  double over_relaxation = 1.85;   ///< Of each vertex's step; in (0, 2).
  double step_tolerance = 1e-4;    ///< Largest step of a sweep, in lengths of an edge.
  double energy_tolerance = 1e-5;  ///< Loss of energy in a sweep, in parts of the energy.
  int max_sweeps = 200;
};

/// Which of the published method's constraints are kept, and what share of its error each takes
/// away in one iteration (0 switches it off, 1 all of it).
struct ReferenceSettings {
  double edge_stiffness = 1.0;
  double volume_stiffness = 1.0;
  double energy_stiffness = 0.0;
  int iterations = 100;
};

/// Compliances are those of XPBD over the squared time step, alpha / h^2, in units in which the
/// mean edge is 1 and so is the mean mass of a corner; 0 is rigid. Below 0 switches a kind off.
struct XpbdSettings {
  double edge_compliance = 0.0;
  double volume_compliance = 0.0;
  int iterations = 100;
};

struct SolveSettings {
  SolveMethod method = SolveMethod::kNeoHookean;
  Material material;  ///< For kNeoHookean and the energies of kReference.
  DescentSettings descent;
  ReferenceSettings reference;
  XpbdSettings xpbd;
  int threads = 0;  ///< Below 1: one for every core. The result has the same bits for any number.
};

/// Errors: kRecipe where a setting is out of range.
Status checkSettings(const SolveSettings& settings);

}  // namespace clipmill::stages::tet_bake
