// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/skin/chain_skin.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "anim/pose.h"
#include "core/to_size.h"
#include "humanoid/body_parts.h"
#include "humanoid/humanoid.h"
#include "mesh/outward_surface.h"
#include "mesh/skinning.h"
#include "mesh/weld.h"
#include "stages/dynamic_bones/skin/mesh_joints.h"
#include "stages/dynamic_bones/skin/skin_points.h"

namespace clipmill::stages::dynamic_bones {
namespace {

// What keeps away from the body keeps this share of its size away.
constexpr double kGapShare = 0.003;
// Chains cannot move vertices out of the body that they move by less than this share of its size.
constexpr double kMovableShare = 0.01;

bool isShown(const Scene& scene, const SkinnedMesh& mesh) {
  const bool any_skin = std::any_of(scene.meshes.begin(), scene.meshes.end(),
                                    [](const SkinnedMesh& other) { return other.skin >= 0; });
  if (mesh.node < 0 || (any_skin && (mesh.skin < 0 || mesh.influence_start.empty()))) return false;
  return std::all_of(mesh.positions.begin(), mesh.positions.end(),
                     [](const Vec3& p) { return isFinite(p); });
}

// The triangles of a mesh with all corners in `is_kept`, and what decides where vertices are.
// `dropped`: nodes whose influences go to the other joints of a vertex, or null.
SkinnedMesh partOf(const MeshJoints& joints, const std::vector<char>& is_kept,
                   const std::vector<bool>* dropped) {
  const SkinnedMesh& mesh = joints.mesh;
  SkinnedMesh part;
  part.name = mesh.name;
  part.node = mesh.node;
  part.skin = mesh.influence_start.empty() ? -1 : mesh.skin;
  part.positions = mesh.positions;
  part.influence_start = mesh.influence_start;
  part.influences = mesh.influences;
  for (std::size_t i = 0; i + 2 < mesh.triangles.size(); i += 3) {
    const auto corners = std::span(mesh.triangles).subspan(i, 3);
    const auto isKept = [&](std::uint32_t v) { return is_kept[v] != 0; };
    if (!std::all_of(corners.begin(), corners.end(), isKept)) continue;
    part.triangles.insert(part.triangles.end(), corners.begin(), corners.end());
  }
  if (dropped && part.skin >= 0) {
    const Skin& skin = joints.scene.skins[toSize(part.skin)];
    for (std::size_t v = 0; v < part.positions.size(); ++v) {
      const double rest = 1.0 - joints.swinging(v, *dropped);
      for (std::size_t k = part.influence_start[v]; k < part.influence_start[v + 1]; ++k) {
        Influence& influence = part.influences[k];
        const bool is_dropped = (*dropped)[toSize(skin.joints[influence.joint])];
        influence.weight = is_dropped || !(rest > 0.0) ? 0.0 : influence.weight / rest;
      }
    }
  }
  return weldVertices(part);
}

double sizeOf(std::span<const Vec3> positions_m) {
  Box box;
  for (const Vec3& position_m : positions_m) box.add(position_m);
  const Vec3 size = box.high - box.low;
  return positions_m.empty() ? 0.0 : std::max({size.x, size.y, size.z});
}

// One a vertex of the body: whether an arm moves most of it.
std::vector<char> armVertices(const Scene& scene, const std::vector<SkinnedMesh>& body) {
  using Part = humanoid::BodyPart;
  const auto parts = humanoid::bodyPartsOfNodes(scene.skeleton, humanoid::findHumanoid(scene));
  const auto isArm = [&](int node) {
    const Part part = parts[toSize(node)];
    return part == Part::kLeftUpperArm || part == Part::kRightUpperArm ||
           part == Part::kLeftForearm || part == Part::kRightForearm;
  };
  std::vector<char> is_arm;
  for (const SkinnedMesh& part : body) {
    for (std::size_t v = 0; v < part.vertexCount(); ++v) {
      double of_arms = 0.0;
      MeshJoints{scene, part}.each(
          v, [&](int node, double weight) { of_arms += isArm(node) ? weight : 0.0; });
      is_arm.push_back(of_arms > 0.5);
    }
  }
  return is_arm;
}

// All of the body, and all but the arms if asked for.
std::vector<ClosedSurface> surfacesOf(const Scene& scene, const std::vector<SkinnedMesh>& body,
                                      std::span<const Vec3> rest_m, bool with_armless) {
  std::vector<std::uint32_t> triangles;
  std::uint32_t first = 0;
  for (const SkinnedMesh& part : body) {
    for (const std::uint32_t index : part.triangles) triangles.push_back(first + index);
    first += static_cast<std::uint32_t>(part.vertexCount());
  }
  const OutwardSurface outward = orientOutward(rest_m, triangles);
  const std::vector<char> is_arm = armVertices(scene, body);
  std::vector<std::uint32_t> all, armless;
  for (std::size_t t = 0; t < outward.triangleCount(); ++t) {
    if (!isAroundSomething(outward, t)) continue;
    const auto corners = std::span(outward.triangles).subspan(3 * t, 3);
    all.insert(all.end(), corners.begin(), corners.end());
    if (std::any_of(corners.begin(), corners.end(), [&](auto v) { return is_arm[v] != 0; })) {
      continue;
    }
    armless.insert(armless.end(), corners.begin(), corners.end());
  }
  std::vector<ClosedSurface> surfaces;
  surfaces.emplace_back(rest_m, std::move(all));
  if (with_armless) surfaces.emplace_back(rest_m, std::move(armless));
  return surfaces;
}

}  // namespace

SkinDistance skinDistance(ClosedSurface::Posed& surface, const Vec3& point, double reach_m) {
  // Within this sine of the surface, the side on which a point is shows in the triangle alone.
  constexpr double kClearSine = 0.5;
  SkinDistance found;
  found.distance_m = reach_m;
  found.nearest = surface.outer().nearest(point, reach_m);
  const double distance_m = found.nearest.distance;
  if (!(distance_m < reach_m)) return found;
  const Vec3 path = point - found.nearest.point;
  const Vec3 normal = surface.outerNormal(found.nearest.triangle);
  const double height_m = glm::dot(path, normal);
  const bool is_clear = std::abs(height_m) > kClearSine * distance_m;
  const bool penetrates = is_clear ? height_m < 0.0
                                   : surface.box().holds(point) &&
                                         surface.closed().windingNumber(point) > kInsideWinding;
  found.distance_m = penetrates ? -distance_m : distance_m;
  found.away = distance_m > 1e-9 ? path * (1.0 / found.distance_m) : normal;
  return found;
}

void poseSkin(const Scene& scene, const std::vector<SkinnedMesh>& parts,
              std::span<const Affine> metric_from_node, std::vector<Vec3>& positions_m) {
  positions_m.clear();
  PosedVertices posed;
  for (const SkinnedMesh& part : parts) {
    const Skin* skin = part.skin < 0 ? nullptr : &scene.skins[toSize(part.skin)];
    poseMesh(part, skin, metric_from_node, {}, posed);
    positions_m.insert(positions_m.end(), posed.positions.begin(), posed.positions.end());
  }
}

ChainSkin makeChainSkin(const Scene& scene, const DynamicBonesSettings& settings, const Rig& rig,
                        const std::vector<bool>& swings) {
  ChainSkin skin;
  for (const SkinnedMesh& mesh : scene.meshes) {
    if (!isShown(scene, mesh)) continue;
    const MeshJoints joints{scene, mesh};
    std::vector<char> is_body(mesh.vertexCount()), is_strip(mesh.vertexCount());
    for (std::size_t v = 0; v < mesh.vertexCount(); ++v) {
      const double swinging = joints.swinging(v, swings);
      is_strip[v] = swinging > 0.5;
      is_body[v] = !is_strip[v];
    }
    SkinnedMesh body = partOf(joints, is_body, &swings);
    SkinnedMesh strip = partOf(joints, is_strip, nullptr);
    if (!body.triangles.empty()) skin.body.push_back(std::move(body));
    if (!strip.triangles.empty()) skin.strips.push_back(std::move(strip));
  }
  std::vector<Affine> worlds;
  computeWorlds(scene.skeleton, restPose(scene.skeleton).locals, scene.metric_from_file, worlds);
  std::vector<Vec3> body_m, strips_m;
  poseSkin(scene, skin.body, worlds, body_m);
  const bool with_armless = std::find(rig.skin_uses.begin(), rig.skin_uses.end(),
                                      SkinUse::kWithoutArms) != rig.skin_uses.end();
  skin.surfaces = surfacesOf(scene, skin.body, body_m, with_armless);
  if (skin.surfaces.front().empty()) return skin;

  poseSkin(scene, skin.strips, worlds, strips_m);
  const std::size_t vertex_count = strips_m.size();
  addBareBones(scene, rig, worlds, strips_m, skin);
  poseSkin(scene, skin.strips, worlds, strips_m);
  const double size_m = skin.size_m = sizeOf(body_m);
  const std::vector<StripVertex> vertices =
      findSkinPoints(scene, rig, worlds, strips_m, size_m, skin);

  std::vector<ClosedSurface::Posed> posed;
  for (const ClosedSurface& surface : skin.surfaces) posed.emplace_back(surface).move(body_m);
  for (SkinPoint& point : skin.points) {
    const BoneInfluence& influence = point.influences.front();
    const Bone& bone = rig.bones[influence.bone];
    const bool is_bare = point.vertex >= vertex_count;
    const ChainSettings& chain = settings.chain[toSize(bone.chain)];
    const double depth = bone.head_depth + (bone.depth - bone.head_depth) * influence.share;
    const double gap_m = is_bare ? chain.radius_m.at(depth) : kGapShare * size_m;
    const double rest_m = skinDistance(posed[point.surface], point.in(strips_m), size_m).distance_m;
    point.distance_m = std::min(rest_m, gap_m);
  }
  for (std::size_t v = 0; v < vertex_count; ++v) {
    if (!vertices[v].surface) continue;
    const std::size_t surface = *vertices[v].surface;
    const bool penetrates = posed[surface].closed().windingNumber(strips_m[v]) > kInsideWinding;
    const bool is_movable = vertices[v].arm_m >= kMovableShare * size_m;
    if (penetrates) continue;
    const double rest_m = skinDistance(posed[surface], strips_m[v], size_m).distance_m;
    skin.free_vertices.push_back({v, surface, is_movable, std::min(rest_m, kGapShare * size_m)});
  }
  return skin;
}

}  // namespace clipmill::stages::dynamic_bones
