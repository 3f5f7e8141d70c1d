// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "fat_scene.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "make_samples/samples.h"

namespace clipmill {
namespace {

// The mesh with each triangle cut into four; new vertices are moved by the joints of both ends.
SkinnedMesh finer(const SkinnedMesh& mesh) {
  SkinnedMesh fine;
  fine.name = mesh.name;
  fine.node = mesh.node;
  fine.skin = mesh.skin;
  fine.positions = mesh.positions;
  fine.influence_start = mesh.influence_start;
  fine.influences = mesh.influences;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> middles;
  const auto middleOf = [&](std::uint32_t a, std::uint32_t b) {
    const auto next = static_cast<std::uint32_t>(fine.positions.size());
    const auto [known, is_new] = middles.try_emplace(std::minmax(a, b), next);
    if (!is_new) return known->second;
    fine.positions.push_back(0.5 * (fine.positions[a] + fine.positions[b]));
    for (const std::uint32_t end : {a, b}) {
      for (std::size_t i = fine.influence_start[end]; i < fine.influence_start[end + 1]; ++i) {
        const Influence influence = fine.influences[i];
        fine.influences.push_back({influence.joint, 0.5 * influence.weight});
      }
    }
    fine.influence_start.push_back(fine.influences.size());
    return next;
  };
  for (std::size_t i = 0; i < mesh.triangles.size(); i += 3) {
    const std::uint32_t a = mesh.triangles[i], b = mesh.triangles[i + 1], c = mesh.triangles[i + 2];
    const std::uint32_t ab = middleOf(a, b), bc = middleOf(b, c), ca = middleOf(c, a);
    fine.triangles.insert(fine.triangles.end(), {a, ab, ca, ab, b, bc, ca, bc, c, ab, bc, ca});
  }
  return fine;
}

// The mesh with `extra` / 2 of its triangles, spread evenly, cut into three at the middle.
void cutSome(SkinnedMesh& mesh, std::size_t extra) {
  const std::size_t count = mesh.triangles.size() / 3, cuts = std::min(count, (extra + 1) / 2);
  for (std::size_t k = 0; k < cuts; ++k) {
    const std::size_t t = 3 * (k * count / cuts);
    const std::uint32_t a = mesh.triangles[t], b = mesh.triangles[t + 1], c = mesh.triangles[t + 2];
    const auto middle = static_cast<std::uint32_t>(mesh.positions.size());
    mesh.positions.push_back((mesh.positions[a] + mesh.positions[b] + mesh.positions[c]) / 3.0);
    for (const std::uint32_t corner : {a, b, c}) {
      for (std::size_t i = mesh.influence_start[corner]; i < mesh.influence_start[corner + 1];
           ++i) {
        const Influence influence = mesh.influences[i];
        mesh.influences.push_back({influence.joint, influence.weight / 3.0});
      }
    }
    mesh.influence_start.push_back(mesh.influences.size());
    mesh.triangles[t + 2] = middle;
    mesh.triangles.insert(mesh.triangles.end(), {b, c, middle, c, a, middle});
  }
}

}  // namespace

std::size_t triangleCount(const Scene& scene) {
  std::size_t count = 0;
  for (const SkinnedMesh& mesh : scene.meshes) count += mesh.triangles.size() / 3;
  return count;
}

Scene makeFatScene(std::size_t least_triangles) {
  Scene scene = samples::makeHumanoid(samples::makeRig(samples::Accessories::kNone),
                                      samples::fatShape(), samples::Accessories::kNone);
  while (4 * triangleCount(scene) <= least_triangles) {
    for (SkinnedMesh& mesh : scene.meshes) mesh = finer(mesh);
  }
  for (SkinnedMesh& mesh : scene.meshes) {
    const std::size_t count = triangleCount(scene);
    if (count < least_triangles) cutSome(mesh, least_triangles - count);
  }
  return scene;
}

}  // namespace clipmill
