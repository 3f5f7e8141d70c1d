// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "make_samples/surface.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>

#include "checks.h"
#include "core/to_size.h"
#include "make_samples/samples.h"

TEST_SUITE_BEGIN("samples.surface");

namespace {

using namespace clipmill;
using samples::Accessories;

// All primitives as one surface; vertices at the same position are one.
struct Welded {
  std::vector<Vec3> positions;
  std::vector<std::array<int, 3>> triangles;
};

Welded weld(const Scene& scene) {
  Welded welded;
  std::map<std::tuple<double, double, double>, int> index_of;
  for (const SkinnedMesh& mesh : scene.meshes) {
    for (std::size_t t = 0; t < mesh.triangles.size(); t += 3) {
      std::array<int, 3> corners{};
      for (std::size_t c = 0; c < 3; ++c) {
        const Vec3 p = mesh.positions[mesh.triangles[t + c]];
        const auto [found, is_new] =
            index_of.emplace(std::tuple(p.x, p.y, p.z), static_cast<int>(welded.positions.size()));
        if (is_new) welded.positions.push_back(p);
        corners[c] = found->second;
      }
      welded.triangles.push_back(corners);
    }
  }
  return welded;
}

// The part that each vertex belongs to, named by one of its vertices.
std::vector<int> partsOf(const Welded& welded) {
  std::vector<int> part(welded.positions.size());
  std::iota(part.begin(), part.end(), 0);
  const auto rootOf = [&](int v) {
    while (part[toSize(v)] != v) v = part[toSize(v)];
    return v;
  };
  for (const auto& [a, b, c] : welded.triangles) {
    part[toSize(rootOf(b))] = rootOf(a);
    part[toSize(rootOf(c))] = rootOf(a);
  }
  for (std::size_t v = 0; v < part.size(); ++v) part[v] = rootOf(static_cast<int>(v));
  return part;
}

Scene humanoid(Accessories accessories, const samples::BodyShape& shape = {}) {
  return samples::makeHumanoid(samples::makeRig(accessories), shape, accessories);
}

std::vector<Scene> allBodies() {
  return {humanoid(Accessories::kAll), humanoid(Accessories::kNone),
          humanoid(Accessories::kNone, samples::fatShape())};
}

}  // namespace

TEST_CASE("a body has about three thousand vertices") {
  std::size_t count = 0;
  for (const SkinnedMesh& mesh : humanoid(Accessories::kNone).meshes) count += mesh.vertexCount();
  CHECK(count > 2700);
  CHECK(count < 3300);
}

TEST_CASE("every part is closed: each edge is used once in either direction") {
  for (const Scene& scene : allBodies()) {
    std::map<std::pair<int, int>, int> walked;
    for (const auto& t : weld(scene).triangles) {
      for (std::size_t c = 0; c < 3; ++c) ++walked[{t[c], t[(c + 1) % 3]}];
    }
    int open = 0;
    for (const auto& [edge, count] : walked) {
      const auto back = walked.find({edge.second, edge.first});
      if (count != 1 || back == walked.end() || back->second != 1) ++open;
    }
    CHECK(open == 0);
  }
}

TEST_CASE("every part encloses a positive volume") {
  for (const Scene& scene : allBodies()) {
    const Welded welded = weld(scene);
    const std::vector<int> part = partsOf(welded);
    std::map<int, double> volume_of_part;
    double total = 0.0;
    for (const auto& [a, b, c] : welded.triangles) {
      const auto at = [&](int v) { return welded.positions[toSize(v)]; };
      const double volume = glm::dot(at(a), glm::cross(at(b), at(c))) / 6.0;
      volume_of_part[part[toSize(a)]] += volume;
      total += volume;
    }
    for (const auto& [first, volume] : volume_of_part) CHECK(volume > 0.0);
    // A person of 1.8 m displaces about as many litres as they weigh in kilograms.
    CHECK(total > 0.045);
    CHECK(total < 0.150);
  }
}

TEST_CASE("no triangle is degenerate and normals point out of its front") {
  for (const Scene& scene : allBodies()) {
    double smallest = 1.0, least_cosine = 1.0, max_normal_error = 0.0;
    for (const SkinnedMesh& mesh : scene.meshes) {
      for (std::size_t t = 0; t < mesh.triangles.size(); t += 3) {
        const auto corner = [&](std::size_t c) { return mesh.positions[mesh.triangles[t + c]]; };
        const Vec3 doubled = glm::cross(corner(1) - corner(0), corner(2) - corner(0));
        smallest = std::min(smallest, 0.5 * std::sqrt(glm::dot(doubled, doubled)));
        for (std::size_t c = 0; c < 3; ++c) {
          const Vec3 normal = mesh.normals[mesh.triangles[t + c]];
          least_cosine = std::min(least_cosine, glm::dot(normal, glm::normalize(doubled)));
          max_normal_error = std::max(max_normal_error, std::abs(glm::dot(normal, normal) - 1.0));
        }
      }
    }
    CHECK(smallest > 1e-7);
    CHECK(least_cosine > 0.1);
    CHECK(max_normal_error < 1e-12);
  }
}

TEST_CASE("weights sum to 1 over at most four joints") {
  for (const Scene& scene : allBodies()) {
    std::size_t most = 0;
    double worst = 0.0;
    for (const SkinnedMesh& mesh : scene.meshes) {
      for (std::size_t v = 0; v < mesh.vertexCount(); ++v) {
        double sum = 0.0;
        for (std::size_t i = mesh.influence_start[v]; i < mesh.influence_start[v + 1]; ++i) {
          sum += mesh.influences[i].weight;
        }
        most = std::max(most, mesh.influence_start[v + 1] - mesh.influence_start[v]);
        worst = std::max(worst, std::abs(sum - 1.0));
      }
    }
    CHECK(most >= 3);
    CHECK(most <= 4);
    CHECK(worst < 1e-12);
  }
}

TEST_CASE("a chain blends from one joint to the next around its start") {
  const samples::Weights before = samples::chainWeights({3, 5}, {0, 1.0}, {0, 0.1}, 0.85);
  REQUIRE(before.size() == 1);
  CHECK(before[0] == std::pair(3, 1.0));
  const samples::Weights middle = samples::chainWeights({3, 5}, {0, 1.0}, {0, 0.1}, 1.0);
  REQUIRE(middle.size() == 2);
  CHECK(std::abs(middle[0].second - 0.5) < 1e-12);
  CHECK(std::abs(middle[1].second - 0.5) < 1e-12);
}

TEST_CASE("the body is on the ground, is 1.8 m tall and mirrors itself") {
  const Scene scene = humanoid(Accessories::kNone);
  Vec3 low(1e9), high(-1e9);
  for (const SkinnedMesh& mesh : scene.meshes) {
    for (const Vec3& p : mesh.positions) {
      low = glm::min(low, p);
      high = glm::max(high, p);
    }
  }
  CHECK(std::abs(low.y) < 0.005);
  CHECK(std::abs(high.y - 1.8) < 0.03);
  CHECK(std::abs(low.x + high.x) < 1e-9);
}
