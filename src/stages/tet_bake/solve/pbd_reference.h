// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <span>
#include <vector>

#include "stages/tet_bake/solve/solve_clip.h"
#include "stages/tet_bake/tets/material.h"
#include "stages/tet_bake/tets/tet_system.h"

/// Position based dynamics as published (docs/methods.md, tet-bake): each tetrahedron keeps the
/// lengths of its edges, its volume and its elastic energy. Plain, one frame at a time, in double
/// precision.
///
/// A constraint C moves corner i by -w_i C grad_i / (sum of w_j |grad_j|^2), w the inverse masses:
/// to first order, C is 0 afterwards (Mueller et al. 2007).
namespace clipmill::stages::tet_bake {

/// Displacements of the ends that give an edge its length: C = |x_1 - x_0| - length. Zero where
/// both ends are at one position or neither moves.
std::array<Vec3, 2> edgeStep(const std::array<Vec3, 2>& x, const std::array<double, 2>& weights,
                             double length);

/// Displacements that give a tetrahedron its volume: C = signedVolume(x) - volume. Zero where
/// nothing moves it.
Corners volumeStep(const Corners& x, const std::array<double, 4>& weights, double volume);

/// Displacements that take a tetrahedron's elastic energy away: C = elasticEnergy(). As it is
/// quadratic about rest, one step halves the distance.
Corners energyStep(const Corners& x, const std::array<double, 4>& weights, const ElasticTet& tet,
                   const Material& material);

/// Runs the iterations over one frame: edges, tetrahedra's volumes, their energies, then holds
/// (which move by hold / (1 + hold) of the distance). `positions` are the start and become the
/// result, `targets` where the bones carry the corners; one per corner, in mean edges. Returns how
/// far the corner that moved most went in the last iteration.
double solveReference(const TetSystem& system, const ReferenceSettings& settings,
                      const Material& material, std::span<const Vec3> targets,
                      std::vector<Vec3>& positions);

}  // namespace clipmill::stages::tet_bake
