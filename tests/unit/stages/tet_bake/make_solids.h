// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "scene/scene.h"

/// Solids of boxes on bones.
namespace clipmill::test {

/// A box from `low` to `high` that node `node` moves; -1 for node 0 below z = 0 and node 1 above.
struct Bar {
  Vec3 low, high;
  int node = 0;
};

inline void addWeight(SkinnedMesh& mesh, std::uint32_t joint, double weight) {
  mesh.influences.push_back({joint, weight});
}

/// Closes a vertex: its influences have been added.
inline void endVertex(SkinnedMesh& mesh) { mesh.influence_start.push_back(mesh.influences.size()); }

inline SkinnedMesh emptySkinnedMesh() {
  SkinnedMesh mesh;
  mesh.node = 2;
  mesh.skin = 0;
  mesh.influence_start.push_back(0);
  return mesh;
}

/// A box of `steps` squares along each edge, with outward triangles.
template <class AddWeights>
void addBox(SkinnedMesh& mesh, const Vec3& low, const Vec3& high, int steps,
            const AddWeights& addWeights) {
  std::map<std::array<int, 3>, std::uint32_t> vertex_at;
  const auto vertex = [&](const std::array<int, 3>& at) {
    const auto [known, is_new] =
        vertex_at.try_emplace(at, static_cast<std::uint32_t>(mesh.positions.size()));
    if (is_new) {
      mesh.positions.push_back(low + (high - low) * Vec3(at[0], at[1], at[2]) / double(steps));
      addWeights(mesh.positions.back());
      endVertex(mesh);
    }
    return known->second;
  };
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::size_t u = (axis + 1) % 3, v = (axis + 2) % 3;
    for (const int side : {0, steps}) {
      for (int i = 0; i < steps; ++i) {
        for (int j = 0; j < steps; ++j) {
          const auto at = [&](int du, int dv) {
            std::array<int, 3> position{};
            position[axis] = side;
            position[u] = i + du;
            position[v] = j + dv;
            return vertex(position);
          };
          const std::array<std::uint32_t, 4> quad{at(0, 0), at(1, 0), at(1, 1), at(0, 1)};
          const bool is_high = side != 0;
          for (const auto& [a, b, c] : {std::array<std::size_t, 3>{0, 1, 2}, {0, 2, 3}}) {
            mesh.triangles.insert(mesh.triangles.end(),
                                  {quad[a], quad[is_high ? b : c], quad[is_high ? c : b]});
          }
        }
      }
    }
  }
}

/// Node 0 at the origin and its sibling, node 1; node 2 carries the mesh.
inline Scene twoBoneScene(const Vec3& second_position = Vec3(0.0)) {
  Scene scene;
  scene.skeleton.nodes = {{"a", -1, 0, {}}, {"b", -1, 1, {second_position}}, {"mesh", -1, 2, {}}};
  scene.skins.push_back({"skin", {0, 1}, {Affine{}, {Mat3(1.0), -second_position}}});
  return scene;
}

inline Scene barsScene(const std::vector<Bar>& bars, const Vec3& second_position = Vec3(0.0)) {
  Scene scene = twoBoneScene(second_position);
  SkinnedMesh mesh = emptySkinnedMesh();
  for (const Bar& bar : bars) {
    addBox(mesh, bar.low, bar.high, 8, [&](const Vec3& position) {
      const int node = bar.node >= 0 ? bar.node : (position.z < 0.0 ? 0 : 1);
      addWeight(mesh, static_cast<std::uint32_t>(node), 1.0);
    });
  }
  scene.meshes.push_back(mesh);
  return scene;
}

/// Hips with two legs down -y, 2 mm between them: one closed surface, a box with a slot from below
/// along x = 0. Node 0 moves the leg at -x, node 1 the one at +x, node 2 the hips.
inline Scene forkScene() {
  Scene scene = twoBoneScene();
  scene.skeleton.nodes.push_back({"hips", -1, 3, {}});
  scene.skins[0].joints.push_back(3);
  scene.skins[0].joint_from_bind.push_back(Affine{});
  SkinnedMesh mesh = emptySkinnedMesh();
  addBox(mesh, Vec3(-0.1, -0.4, -0.05), Vec3(0.1, 0.1, 0.05), 20, [&](const Vec3& position) {
    if (position.y >= 0.0) {
      addWeight(mesh, 2, 1.0);
    } else {
      addWeight(mesh, position.x < 0.0 ? 0 : 1, 1.0);
    }
  });
  // The slot: of the bottom, front and back at x = 0 below the hips the vertices are parted, and
  // walls go between.
  const auto isInSlot = [&](const Vec3& position) {
    return std::abs(position.x) < 1e-9 && position.y < -1e-9;
  };
  const std::size_t count = mesh.positions.size();
  std::map<std::uint32_t, std::uint32_t> left_of;
  for (std::uint32_t v = 0; v < count; ++v) {
    if (!isInSlot(mesh.positions[v])) continue;
    left_of[v] = static_cast<std::uint32_t>(mesh.positions.size());
    mesh.positions.push_back(mesh.positions[v] - Vec3(0.001, 0, 0));
    addWeight(mesh, 0, 1.0);
    endVertex(mesh);
    mesh.positions[v].x += 0.001;
  }
  const auto isLeft = [&](std::size_t t) {
    double x = 0.0;
    for (std::size_t i = 0; i < 3; ++i) x += mesh.positions[mesh.triangles[t + i]].x;
    return x < 0.0;
  };
  std::vector<bool> is_left;
  for (std::size_t t = 0; t < mesh.triangles.size(); t += 3) is_left.push_back(isLeft(t));
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const auto parted = left_of.find(mesh.triangles[t]);
    if (parted != left_of.end() && is_left[t / 3]) mesh.triangles[t] = parted->second;
  }
  // Walls: strips between the front and the back rim of the slot, and a strip at its top.
  std::map<int, std::array<std::uint32_t, 2>> rims;  // by height: back, front; of the right side
  std::array<std::uint32_t, 2> top{};
  for (std::uint32_t v = 0; v < count; ++v) {
    const Vec3& position = mesh.positions[v];
    if (std::abs(std::abs(position.z) - 0.05) > 1e-9 || position.x < -1e-9 || position.x > 0.0011)
      continue;
    const int level = static_cast<int>(std::floor(position.y / 0.025 + 0.5));
    const std::size_t front = position.z > 0.0 ? 1 : 0;
    if (level < 0) rims[level][front] = v;
    if (level == 0) top[front] = v;
  }
  const auto quad = [&](std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
    mesh.triangles.insert(mesh.triangles.end(), {a, b, c, a, c, d});
  };
  std::array<std::uint32_t, 2> above_right = top, above_left = top;
  for (int level = -1; level >= -16; --level) {
    const std::array<std::uint32_t, 2> right = rims.at(level);
    const std::array<std::uint32_t, 2> left{left_of.at(right[0]), left_of.at(right[1])};
    quad(right[0], right[1], above_right[1], above_right[0]);
    quad(left[1], left[0], above_left[0], above_left[1]);
    above_right = right;
    above_left = left;
  }
  scene.meshes.push_back(mesh);
  return scene;
}

/// Adds a rectangle as a mesh of its own, moved by node 0.
inline void addCard(Scene& scene, const Vec3& corner, const Vec3& along, const Vec3& across) {
  SkinnedMesh mesh = emptySkinnedMesh();
  for (const Vec3& position : {corner, corner + along, corner + along + across, corner + across}) {
    mesh.positions.push_back(position);
    addWeight(mesh, 0, 1.0);
    endVertex(mesh);
  }
  mesh.triangles = {0, 1, 2, 0, 2, 3};
  scene.meshes.push_back(mesh);
}

}  // namespace clipmill::test
