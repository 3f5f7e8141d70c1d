// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/tets/tet_system.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

namespace clipmill::stages::tet_bake {

namespace {

// Of a regular tetrahedron the volume is 0.118 of its edge cubed.
constexpr double kFlatVolume = 1e-5;
// Against the mean edge. Single precision has no digits left for anything smaller.
constexpr double kShortEdge = 1e-4;

// Springs beyond this are as good as fixed, and in single precision hide the tetrahedra.
constexpr double kFirmestHold = 1e5;

Error fault(const std::string& position, const std::string& message) {
  return {ErrorCode::kMalformed, position, message, "give finite tetrahedra within their corners"};
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

// An edge as one number, the lower corner first.
std::uint64_t edgeKey(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::uint64_t>(std::min(a, b)) << 32 | std::max(a, b);
}

CornerPair cornersOfKey(std::uint64_t key) {
  return {static_cast<std::uint32_t>(key >> 32), static_cast<std::uint32_t>(key)};
}

struct EdgeShare {
  std::uint64_t edge;
  std::uint32_t number;  // of the share, in order of the tetrahedra
};

void addTets(const TetMesh& mesh, const std::vector<Vec3>& rest, TetSystem& system) {
  system.tets.reserve(mesh.tets.size());
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
    Tet tet = mesh.tets[t];
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
    SolidTet solid{makeElasticTet(cornersOf(rest, tet)), tet};
    if (!mesh.stiffness.empty()) solid.stiffness = mesh.stiffness[t];
    if (!mesh.firmness.empty()) solid.firmness = mesh.firmness[t];
    for (double& spring : solid.springs) spring *= solid.stiffness;
    system.tets.push_back(solid);
    system.volume += std::abs(volume);
  }
}

// The parts of all tetrahedra in their edges, those of one edge in a row.
std::vector<EdgeShare> edgeShares(const TetSystem& system) {
  std::vector<EdgeShare> shares;
  shares.reserve(kTetEdges.size() * system.tets.size());
  for (const SolidTet& tet : system.tets) {
    for (const auto& [a, b] : kTetEdges) {
      shares.push_back(
          {edgeKey(tet.corners[a], tet.corners[b]), static_cast<std::uint32_t>(shares.size())});
    }
  }
  std::sort(shares.begin(), shares.end(), [](const EdgeShare& a, const EdgeShare& b) {
    return a.edge != b.edge ? a.edge < b.edge : a.number < b.number;
  });
  return shares;
}

void addEdges(const std::vector<Vec3>& rest, TetSystem& system) {
  for (const EdgeShare& share : edgeShares(system)) {
    const CornerPair corners = cornersOfKey(share.edge);
    if (system.edges.empty() || system.edges.back().corners != corners) {
      const double length = glm::length(rest[corners[0]] - rest[corners[1]]);
      system.edges.push_back({corners, length, 0.0});
    }
    const SolidTet& tet = system.tets[share.number / kTetEdges.size()];
    system.edges.back().spring += tet.springs[share.number % kTetEdges.size()];
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
  std::vector<std::uint64_t> keys;
  keys.reserve(kTetEdges.size() * mesh.tets.size());
  for (const Tet& tet : mesh.tets) {
    for (const auto& [a, b] : kTetEdges) keys.push_back(edgeKey(tet[a], tet[b]));
  }
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  double sum = 0.0, count = 0.0;
  for (const std::uint64_t key : keys) {
    const CornerPair pair = cornersOfKey(key);
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

}  // namespace clipmill::stages::tet_bake
