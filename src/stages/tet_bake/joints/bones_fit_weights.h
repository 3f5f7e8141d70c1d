// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace clipmill::stages::tet_bake {

/// How the helper joints of one point share the skin weights that it has. Each helper takes from
/// the weight of one owner, the joint on which it hangs; what no helper takes stays with the owner.
/// So a point is where plain skinning has it as long as no helper moves.
struct WeightsProblem {
  std::vector<double> gram;         ///< Helpers x helpers: products of what each does to the point
                                    ///< at full weight, summed over all frames.
  std::vector<double> right;        ///< One per helper: products with what is wanted.
  std::vector<std::size_t> owners;  ///< One per helper: index in `weights`.
  std::vector<double> weights;      ///< Of the owners, positive.
};

/// The energy |sum of weight * effect - wanted|^2 without its constant |wanted|^2.
double energyOf(const WeightsProblem& problem, std::span<const double> helpers);

/// The weights of the helpers, none negative, with the least energy (least squares by active sets:
/// Lawson and Hanson 1974) such that no more than `most` helpers and owners together are left with
/// a weight: where there are more, those go first that are missed least. There must not be more
/// than `most` owners. Never of a larger energy than `before`, weights that satisfy all this.
std::vector<double> solveWeights(const WeightsProblem& problem, std::size_t most,
                                 std::span<const double> before);

}  // namespace clipmill::stages::tet_bake
