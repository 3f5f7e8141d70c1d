// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/tets/tet_system.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

namespace clipmill::tet_bake {

namespace {

// Of a regular tetrahedron the volume is 0.118 of its edge cubed.
constexpr double kFlatVolume = 1e-5;
// Against the mean edge. Single precision has no digits left for anything smaller.
constexpr double kShortEdge = 1e-4;

// Springs beyond this are as good as fixed, and in single precision hide the tetrahedra.
constexpr double kFirmestHold = 1e5;

Error fault(const std::string& place, const std::string& message) {
  return {ErrorCode::kMalformed, place, message, "give finite tetrahedra within their corners"};
}

Status checkMesh(const TetMesh& mesh) {
  for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
    if (!isFinite(mesh.positions[v])) {
      return fault("corner " + std::to_string(v), "its position is not finite");
    }
  }
  if (mesh.hold.size() != mesh.positions.size()) {
    return fault("tetrahedra", "holds are given for " + std::to_string(mesh.hold.size()) + " of " +
                                   std::to_string(mesh.positions.size()) + " corners");
  }
  for (std::size_t v = 0; v < mesh.hold.size(); ++v) {
    if (!(mesh.hold[v] >= 0.0)) {
      return fault("corner " + std::to_string(v), "its hold is below 0 or not a number");
    }
  }
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
    for (std::uint32_t corner : mesh.tets[t]) {
      if (corner >= mesh.positions.size()) {
        return fault("tetrahedron " + std::to_string(t), "it names a corner that is not there");
      }
    }
  }
  return {};
}

using CornerPair = std::array<std::uint32_t, 2>;

struct EdgeShare {
  CornerPair corners;
  double spring;
};

CornerPair ascending(std::uint32_t a, std::uint32_t b) { return {std::min(a, b), std::max(a, b)}; }

void addTets(const TetMesh& mesh, const std::vector<Vec3>& rest, TetSystem& system) {
  system.tets.reserve(mesh.tets.size());
  for (Tet tet : mesh.tets) {
    const Corners x = cornersOf(rest, tet);
    const double volume = signedVolume(x), longest = longestEdge(x);
    if (!(std::abs(volume) > kFlatVolume * longest * longest * longest && longest > kShortEdge)) {
      ++system.flat;
      continue;
    }
    if (volume < 0.0) {
      std::swap(tet[2], tet[3]);
      ++system.reoriented;
    }
    system.tets.push_back({makeElasticTet(cornersOf(rest, tet)), tet});
    system.volume += std::abs(volume);
  }
}

std::vector<EdgeShare> edgeShares(const TetSystem& system) {
  std::vector<EdgeShare> shares;
  shares.reserve(6 * system.tets.size());
  for (const SolidTet& tet : system.tets) {
    for (std::size_t e = 0; e < kTetEdges.size(); ++e) {
      const auto& [a, b] = kTetEdges[e];
      shares.push_back({ascending(tet.corners[a], tet.corners[b]), tet.springs[e]});
    }
  }
  std::stable_sort(shares.begin(), shares.end(),
                   [](const EdgeShare& a, const EdgeShare& b) { return a.corners < b.corners; });
  return shares;
}

void addEdges(const std::vector<Vec3>& rest, TetSystem& system) {
  for (const EdgeShare& share : edgeShares(system)) {
    if (system.edges.empty() || system.edges.back().corners != share.corners) {
      const double length = glm::length(rest[share.corners[0]] - rest[share.corners[1]]);
      system.edges.push_back({share.corners, length, 0.0});
    }
    system.edges.back().spring += share.spring;
  }
}

// A quarter of each tetrahedron's volume goes to each of its corners.
void addMasses(TetSystem& system) {
  std::vector<double> mass(system.corner_count, 0.0);
  double sum = 0.0, count = 0.0;
  for (const SolidTet& tet : system.tets) {
    for (std::uint32_t corner : tet.corners) mass[corner] += 0.25 * tet.volume;
  }
  for (double m : mass) {
    sum += m;
    count += m > 0.0 ? 1.0 : 0.0;
  }
  system.inverse_mass.assign(system.corner_count, 0.0);
  system.mean_mass = count > 0.0 ? sum / count : 0.0;
  for (std::size_t v = 0; v < system.corner_count; ++v) {
    if (!system.isFixed(v) && mass[v] > 0.0) system.inverse_mass[v] = system.mean_mass / mass[v];
  }
}

void addMovable(TetSystem& system) {
  std::vector<bool> has_tet(system.corner_count, false);
  for (const SolidTet& tet : system.tets) {
    for (std::uint32_t corner : tet.corners) has_tet[corner] = true;
  }
  for (std::size_t v = 0; v < system.corner_count; ++v) {
    const bool is_pulled = has_tet[v] || system.hold[v] > 0.0;
    if (is_pulled && !system.isFixed(v)) system.movable.push_back(static_cast<std::uint32_t>(v));
  }
}

template <class T>
std::size_t bytes(const std::vector<T>& values) {
  return values.capacity() * sizeof(T);
}

}  // namespace

bool TetSystem::isFixed(std::size_t corner) const { return std::isinf(hold[corner]); }

std::size_t bytesOf(const TetSystem& system) {
  return bytes(system.tets) + bytes(system.edges) + bytes(system.hold) +
         bytes(system.inverse_mass) + bytes(system.movable);
}

double meanEdge_m(const TetMesh& mesh) {
  std::vector<CornerPair> pairs;
  pairs.reserve(6 * mesh.tets.size());
  for (const Tet& tet : mesh.tets) {
    for (const auto& [a, b] : kTetEdges) {
      pairs.push_back(ascending(tet[a], tet[b]));
    }
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  double sum = 0.0, count = 0.0;
  for (const CornerPair& pair : pairs) {
    const double length = glm::length(mesh.positions[pair[0]] - mesh.positions[pair[1]]);
    if (!(length > 0.0 && std::isfinite(length))) continue;
    sum += length;
    count += 1.0;
  }
  return count > 0.0 ? sum / count : 0.0;
}

Result<TetSystem> makeTetSystem(const TetMesh& mesh) {
  CLIPMILL_CHECK(checkMesh(mesh));
  TetSystem system;
  system.corner_count = mesh.positions.size();
  system.hold = mesh.hold;
  for (double& hold : system.hold) {
    if (hold > kFirmestHold) hold = std::numeric_limits<double>::infinity();
  }
  const double edge_m = meanEdge_m(mesh);
  system.edge_m = edge_m > 0.0 ? edge_m : 1.0;
  std::vector<Vec3> rest(mesh.positions.size());
  for (std::size_t v = 0; v < rest.size(); ++v) {
    rest[v] = (mesh.positions[v] - mesh.positions[0]) / system.edge_m;
  }
  addTets(mesh, rest, system);
  addEdges(rest, system);
  addMasses(system);
  addMovable(system);
  return system;
}

}  // namespace clipmill::tet_bake
