// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/solve/pbd_reference.h"

#include <algorithm>
#include <cmath>

namespace clipmill::stages::tet_bake {

namespace {

// Sums of squared gradients below this have no direction.
constexpr double kSmallest = 1e-30;

Corners stepAlong(const Corners& gradients, const std::array<double, 4>& weights, double error) {
  double sum = 0.0;
  for (std::size_t i = 0; i < 4; ++i) sum += weights[i] * glm::dot(gradients[i], gradients[i]);
  const double multiplier = sum > kSmallest ? -error / sum : 0.0;
  Corners step;
  for (std::size_t i = 0; i < 4; ++i) step[i] = (weights[i] * multiplier) * gradients[i];
  return step;
}

std::array<double, 4> weightsOf(const TetSystem& system, const Tet& tet) {
  return {system.inverse_mass[tet[0]], system.inverse_mass[tet[1]], system.inverse_mass[tet[2]],
          system.inverse_mass[tet[3]]};
}

void move(const Tet& tet, const Corners& step, double stiffness, std::vector<Vec3>& positions) {
  for (std::size_t i = 0; i < 4; ++i) positions[tet[i]] += stiffness * step[i];
}

void projectEdges(const TetSystem& system, double stiffness, std::vector<Vec3>& positions) {
  for (const TetEdge& edge : system.edges) {
    const auto [a, b] = edge.corners;
    const auto step = edgeStep({positions[a], positions[b]},
                               {system.inverse_mass[a], system.inverse_mass[b]}, edge.length);
    positions[a] += stiffness * step[0];
    positions[b] += stiffness * step[1];
  }
}

void projectVolumes(const TetSystem& system, double stiffness, std::vector<Vec3>& positions) {
  for (const SolidTet& tet : system.tets) {
    const Corners x = cornersOf(positions, tet.corners);
    move(tet.corners, volumeStep(x, weightsOf(system, tet.corners), tet.volume), stiffness,
         positions);
  }
}

void projectEnergies(const TetSystem& system, double stiffness, const Material& material,
                     std::vector<Vec3>& positions) {
  for (const SolidTet& tet : system.tets) {
    const Corners x = cornersOf(positions, tet.corners);
    move(tet.corners, energyStep(x, weightsOf(system, tet.corners), tet, material), stiffness,
         positions);
  }
}

void pullToHolds(const TetSystem& system, std::span<const Vec3> targets,
                 std::vector<Vec3>& positions) {
  for (std::uint32_t v : system.movable) {
    const double hold = system.hold[v];
    positions[v] += hold / (1.0 + hold) * (targets[v] - positions[v]);
  }
}

double farthestMove(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  double square = 0.0;
  for (std::size_t v = 0; v < a.size(); ++v) {
    square = std::max(square, glm::dot(a[v] - b[v], a[v] - b[v]));
  }
  return std::sqrt(square);
}

}  // namespace

std::array<Vec3, 2> edgeStep(const std::array<Vec3, 2>& x, const std::array<double, 2>& weights,
                             double length) {
  const Vec3 path = x[1] - x[0];
  const double now = glm::length(path), sum = weights[0] + weights[1];
  if (!(now > 0.0 && sum > 0.0)) return {Vec3(0.0), Vec3(0.0)};
  const Vec3 whole = path * ((now - length) / (now * sum));
  return {weights[0] * whole, -weights[1] * whole};
}

Corners volumeStep(const Corners& x, const std::array<double, 4>& weights, double volume) {
  return stepAlong(volumeGradients(x), weights, signedVolume(x) - volume);
}

Corners energyStep(const Corners& x, const std::array<double, 4>& weights, const ElasticTet& tet,
                   const Material& material) {
  return stepAlong(energyGradients(tet, material, x), weights, elasticEnergy(tet, material, x));
}

double solveReference(const TetSystem& system, const ReferenceSettings& settings,
                      const Material& material, std::span<const Vec3> targets,
                      std::vector<Vec3>& positions) {
  std::vector<Vec3> before;
  for (int i = 0; i < settings.iterations; ++i) {
    if (i + 1 == settings.iterations) before = positions;
    if (settings.edge_stiffness > 0.0) projectEdges(system, settings.edge_stiffness, positions);
    if (settings.volume_stiffness > 0.0)
      projectVolumes(system, settings.volume_stiffness, positions);
    if (settings.energy_stiffness > 0.0) {
      projectEnergies(system, settings.energy_stiffness, material, positions);
    }
    pullToHolds(system, targets, positions);
  }
  return settings.iterations > 0 ? farthestMove(positions, before) : 0.0;
}

}  // namespace clipmill::stages::tet_bake
