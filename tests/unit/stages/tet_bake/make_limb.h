// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "anim/pose.h"
#include "core/portable_math.h"
#include "scene/scene.h"
#include "scene/skin_surface.h"

/// A round limb of two bones, in any unit.
namespace clipmill::test {

struct LimbOptions {
  double radius = 0.05;
  double half_length = 0.2;  ///< From the joint to either end.
  int segments = 48;         ///< Around.
  int slices = 96;           ///< Along.
  int rings = 4;             ///< In each end cap.
};

/// A third of the points, for what takes long a point; still fine along, where the limb bends.
inline constexpr LimbOptions kCoarseLimb{.segments = 24, .slices = 64};

/// Weight of the lower bone at height z: a smoothstep over the limb's radius to either side.
inline double lowerWeight(double z, double radius) {
  const double t = std::clamp(0.5 * (z / radius + 1.0), 0.0, 1.0);
  return t * t * (3.0 - 2.0 * t);
}

/// A closed cylinder along z with outward triangles, its middle in the origin.
inline SkinnedMesh limbMesh(const LimbOptions& options) {
  SkinnedMesh mesh;
  mesh.name = "limb";
  mesh.node = 2;
  mesh.skin = 0;
  mesh.influence_start.push_back(0);
  const auto add = [&](double radius, int segment, double z) {
    const auto rotation =
        portable::sinCos(2.0 * kPi * segment / static_cast<double>(options.segments));
    mesh.positions.push_back({radius * rotation.cosine, radius * rotation.sine, z});
    const double lower = lowerWeight(z, options.radius);
    mesh.influences.push_back({0, 1.0 - lower});
    mesh.influences.push_back({1, lower});
    mesh.influence_start.push_back(mesh.influences.size());
    return static_cast<std::uint32_t>(mesh.positions.size() - 1);
  };
  // Rings of vertices from the middle of one cap along the side to the middle of the other.
  std::vector<std::pair<double, double>> profile;  // radius, z
  for (int r = 1; r < options.rings; ++r) {
    profile.emplace_back(options.radius * r / options.rings, -options.half_length);
  }
  for (int s = 0; s <= options.slices; ++s) {
    profile.emplace_back(options.radius, options.half_length * (2.0 * s / options.slices - 1.0));
  }
  for (int r = options.rings - 1; r > 0; --r) {
    profile.emplace_back(options.radius * r / options.rings, options.half_length);
  }
  const std::uint32_t first_pole = add(0.0, 0, -options.half_length);
  std::vector<std::vector<std::uint32_t>> ring;
  for (const auto& [radius, z] : profile) {
    ring.emplace_back();
    for (int s = 0; s < options.segments; ++s) ring.back().push_back(add(radius, s, z));
  }
  const std::uint32_t last_pole = add(0.0, 0, options.half_length);
  for (std::size_t s = 0; s < ring[0].size(); ++s) {
    const std::size_t n = (s + 1) % ring[0].size();
    const auto triangle = [&](std::uint32_t a, std::uint32_t b, std::uint32_t c) {
      mesh.triangles.insert(mesh.triangles.end(), {a, b, c});
    };
    triangle(first_pole, ring.front()[n], ring.front()[s]);
    for (std::size_t r = 0; r + 1 < ring.size(); ++r) {
      triangle(ring[r][s], ring[r][n], ring[r + 1][n]);
      triangle(ring[r][s], ring[r + 1][n], ring[r + 1][s]);
    }
    triangle(last_pole, ring.back()[s], ring.back()[n]);
  }
  return mesh;
}

/// Nodes: upper bone from the lower end of z, lower bone at the origin, the node of the mesh.
inline Scene limbScene(const LimbOptions& options = {}) {
  Scene scene;
  const Vec3 head(0, 0, -options.half_length);
  scene.skeleton.nodes = {{"upper", -1, 0, {head, kIdentityRotation, Vec3(1)}},
                          {"lower", 0, 1, {-head, kIdentityRotation, Vec3(1)}},
                          {"mesh", -1, 2, {}}};
  scene.skins.push_back({"skin", {0, 1}, {{Mat3(1.0), -head}, {Mat3(1.0), Vec3(0.0)}}});
  scene.meshes.push_back(limbMesh(options));
  return scene;
}

inline SkinSurface surfaceOf(const Scene& scene) {
  Warnings warnings;
  return makeSkinSurface(scene, warnings).value();
}

/// world_from_node, metric, at rest with the lower bone rotated about its joint.
inline std::vector<Affine> limbPose(const Scene& scene, const Quat& rotation) {
  Pose pose = restPose(scene.skeleton);
  pose.locals[1].rotation = rotation;
  std::vector<Affine> worlds;
  computeWorlds(scene.skeleton, pose.locals, scene.metric_from_file, worlds);
  return worlds;
}

}  // namespace clipmill::test
