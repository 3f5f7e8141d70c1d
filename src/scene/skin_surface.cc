// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "scene/skin_surface.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <unordered_map>

#include "core/to_size.h"
#include "mesh/triangle_bvh.h"
#include "scene/bind_pose.h"

namespace clipmill {
namespace {

// Positions that differ by less than this share of the size of the surface coincide, and so do
// weights that differ by less than kSameWeight.
constexpr double kSamePosition = 1e-6;
constexpr double kSameWeight = 1e-4;
// Joints that put one vertex further apart at bind than this share of the size disagree about it.
constexpr double kTwoPoses = 1e-3;
constexpr std::size_t kMaxNamed = 8;

// A vertex of a mesh in the bind pose.
struct BoundVertex {
  bool takes_part = false;
  Vec3 position{0.0};
  std::vector<Influence> influences;  // joints are nodes, ascending, each once
};

// Why vertices take no part.
struct LeftOut {
  std::size_t not_finite = 0, no_weights = 0, no_bind = 0, two_poses = 0;
};

// What the vertices of one mesh need to be bound.
struct MeshBinder {
  const SkinnedMesh& mesh;
  const Skin& skin;
  const BindPose& pose;
  bool skin_is_positioned;
  double two_poses_m;  // joints that disagree by more have two poses

  BoundVertex bind(std::size_t vertex, LeftOut& left_out) const;
  bool gatherInfluences(std::size_t vertex, BoundVertex& bound, LeftOut& left_out) const;
};

void mergeEqualJoints(std::vector<Influence>& influences) {
  std::stable_sort(influences.begin(), influences.end(),
                   [](const Influence& a, const Influence& b) { return a.joint < b.joint; });
  std::size_t kept = 0;
  for (const Influence& influence : influences) {
    if (kept > 0 && influences[kept - 1].joint == influence.joint) {
      influences[kept - 1].weight += influence.weight;
    } else {
      influences[kept++] = influence;
    }
  }
  influences.resize(kept);
}

bool MeshBinder::gatherInfluences(std::size_t vertex, BoundVertex& bound, LeftOut& left_out) const {
  if (mesh.influence_start.empty()) {
    ++left_out.no_weights;
    return false;
  }
  double sum = 0.0;
  for (std::size_t i = mesh.influence_start[vertex]; i < mesh.influence_start[vertex + 1]; ++i) {
    const Influence& influence = mesh.influences[i];
    if (!(influence.weight > 0.0) || !std::isfinite(influence.weight)) continue;
    if (!isInvertible(skin.joint_from_bind[influence.joint])) {
      ++left_out.no_bind;
      return false;
    }
    sum += influence.weight;
    bound.influences.push_back(
        {static_cast<std::uint32_t>(skin.joints[influence.joint]), influence.weight});
  }
  if (!(sum > 0.0)) {
    ++left_out.no_weights;
    return false;
  }
  for (Influence& influence : bound.influences) influence.weight /= sum;
  mergeEqualJoints(bound.influences);
  return true;
}

BoundVertex MeshBinder::bind(std::size_t vertex, LeftOut& left_out) const {
  BoundVertex bound;
  const auto skin_index = toSize(mesh.skin);
  bound.position = transformPoint(pose.world_from_mesh[skin_index], mesh.positions[vertex]);
  if (!isFinite(mesh.positions[vertex]) || !isFinite(bound.position)) {
    ++left_out.not_finite;
    return bound;
  }
  if (!skin_is_positioned) {
    ++left_out.no_bind;
    return bound;
  }
  if (!gatherInfluences(vertex, bound, left_out)) return bound;
  for (std::size_t i = mesh.influence_start[vertex]; i < mesh.influence_start[vertex + 1]; ++i) {
    const std::uint32_t joint = mesh.influences[i].joint;
    if (!(mesh.influences[i].weight > 0.0)) continue;
    const Affine by_joint =
        pose.world_from_node[toSize(skin.joints[joint])] * skin.joint_from_bind[joint];
    const Vec3 apart = transformPoint(by_joint, mesh.positions[vertex]) - bound.position;
    if (!(glm::length(apart) <= two_poses_m)) {
      ++left_out.two_poses;
      return bound;
    }
  }
  bound.takes_part = true;
  return bound;
}

// Bits of what makes two vertices one point.
std::string keyOf(const BoundVertex& vertex, double same_position_m) {
  std::string key;
  const auto append = [&](double value) {
    key.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  for (int axis = 0; axis < 3; ++axis) {
    append(std::floor(vertex.position[axis] / same_position_m + 0.5) + 0.0);
  }
  for (const Influence& influence : vertex.influences) {
    const double steps = std::floor(influence.weight / kSameWeight + 0.5);
    if (steps == 0.0) continue;
    append(influence.joint);
    append(steps);
  }
  return key;
}

class SurfaceMaker {
 public:
  SurfaceMaker(const Scene& scene, BindPose pose) : scene_(scene), pose_(std::move(pose)) {
    Box box;
    forEachSkinned([&](std::size_t, const SkinnedMesh& mesh) {
      const Affine& world = pose_.world_from_mesh[toSize(mesh.skin)];
      for (const Vec3& in_mesh : mesh.positions) {
        const Vec3 position = transformPoint(world, in_mesh);
        if (isFinite(position)) box.add(position);
      }
    });
    const double size_m = box.low.x <= box.high.x ? glm::length(box.high - box.low) : 0.0;
    // Where all is one point any step will do.
    size_m_ = size_m > 0.0 && std::isfinite(size_m) ? size_m : 1.0;
    surface_.influence_start.push_back(0);
  }

  SkinSurface make() {
    forEachSkinned([&](std::size_t m, const SkinnedMesh& mesh) { addMesh(m, mesh); });
    surface_.share.assign(surface_.pointCount(), 1.0);
    surface_.bind_world_from_node = std::move(pose_.world_from_node);
    return std::move(surface_);
  }

  const LeftOut& leftOut() const { return left_out_; }
  const std::vector<int>& rescaledNodes() const { return pose_.rescaled_nodes; }

 private:
  template <class Visit>
  void forEachSkinned(const Visit& visit) const {
    for (std::size_t m = 0; m < scene_.meshes.size(); ++m) {
      if (scene_.meshes[m].skin >= 0) visit(m, scene_.meshes[m]);
    }
  }

  void addMesh(std::size_t m, const SkinnedMesh& mesh) {
    const auto skin = toSize(mesh.skin);
    const MeshBinder binder{mesh, scene_.skins[skin], pose_, pose_.is_positioned[skin] != 0,
                            kTwoPoses * size_m_};
    SurfacePart part{m, {}};
    part.point_of_vertex.reserve(mesh.vertexCount());
    for (std::size_t v = 0; v < mesh.vertexCount(); ++v) {
      part.point_of_vertex.push_back(pointFor(binder.bind(v, left_out_)));
    }
    for (std::size_t t = 0; t + 3 <= mesh.triangles.size(); t += 3) {
      addTriangle({part.point_of_vertex[mesh.triangles[t]],
                   part.point_of_vertex[mesh.triangles[t + 1]],
                   part.point_of_vertex[mesh.triangles[t + 2]]});
    }
    surface_.parts.push_back(std::move(part));
  }

  std::uint32_t pointFor(const BoundVertex& vertex) {
    if (!vertex.takes_part) return kNoPoint;
    const auto next = static_cast<std::uint32_t>(surface_.pointCount());
    const auto [known, is_new] =
        point_of_key_.try_emplace(keyOf(vertex, kSamePosition * size_m_), next);
    if (is_new) {
      surface_.positions.push_back(vertex.position);
      surface_.influences.insert(surface_.influences.end(), vertex.influences.begin(),
                                 vertex.influences.end());
      surface_.influence_start.push_back(surface_.influences.size());
    }
    return known->second;
  }

  void addTriangle(const std::array<std::uint32_t, 3>& points) {
    const auto [a, b, c] = points;
    if (a == kNoPoint || b == kNoPoint || c == kNoPoint) return;
    if (a == b || b == c || c == a) return;
    surface_.triangles.insert(surface_.triangles.end(), points.begin(), points.end());
  }

  const Scene& scene_;
  BindPose pose_;
  double size_m_ = 1.0;
  SkinSurface surface_;
  LeftOut left_out_;
  std::unordered_map<std::string, std::uint32_t> point_of_key_;  // looked up, never walked
};

void report(const LeftOut& left_out, Warnings& warnings) {
  const auto add = [&](const char* code, const char* text, std::size_t count) {
    if (count > 0) warnings.add(code, text, "skinned meshes", count);
  };
  add("vertex_not_finite", "a vertex has no finite position and is left to plain skinning",
      left_out.not_finite);
  add("vertex_without_weights", "a vertex has no weights and is left to plain skinning",
      left_out.no_weights);
  add("bind_without_inverse", "a vertex is weighted to a joint whose bind matrix has no inverse",
      left_out.no_bind);
  add("bound_in_two_poses", "a vertex was bound in another pose than the rest of the character",
      left_out.two_poses);
}

void reportRescaled(const Scene& scene, const std::vector<int>& nodes, Warnings& warnings) {
  if (nodes.empty()) return;
  std::string names;
  for (std::size_t i = 0; i < std::min(nodes.size(), kMaxNamed); ++i) {
    names += (i > 0 ? ", " : "") + scene.skeleton.nodes[toSize(nodes[i])].name;
  }
  if (nodes.size() > kMaxNamed) names += ", ...";
  warnings.add("bind_scale_differs",
               "the rest pose and the inverse bind matrix of a joint give its skin another scale "
               "than the other joints do; it counts as a scale of the joint",
               names, nodes.size());
}

}  // namespace

double weightOf(std::span<const Influence> influences, std::uint32_t node) {
  for (const Influence& influence : influences) {
    if (influence.joint == node) return influence.weight;
  }
  return 0.0;
}

std::uint32_t dominantNode(std::span<const Influence> influences) {
  const auto most =
      std::max_element(influences.begin(), influences.end(),
                       [](const Influence& a, const Influence& b) { return a.weight < b.weight; });
  return most == influences.end() ? 0 : most->joint;
}

std::vector<Affine> worldsFromBind(std::span<const Affine> bind_world_from_node,
                                   std::span<const Affine> world_from_node) {
  std::vector<Affine> world_from_bind(bind_world_from_node.size());
  for (std::size_t n = 0; n < world_from_bind.size(); ++n) {
    if (!isInvertible(bind_world_from_node[n])) continue;
    world_from_bind[n] = world_from_node[n] * inverse(bind_world_from_node[n]);
  }
  return world_from_bind;
}

void skinSurface(const SkinSurface& surface, std::span<const Affine> world_from_bind,
                 std::span<Vec3> posed) {
  for (std::size_t p = 0; p < surface.pointCount(); ++p) {
    Vec3 sum(0.0);
    for (const Influence& influence : surface.influencesOf(p)) {
      sum +=
          transformPoint(world_from_bind[influence.joint], surface.positions[p]) * influence.weight;
    }
    posed[p] = sum;
  }
}

Result<SkinSurface> makeSkinSurface(const Scene& scene, Warnings& warnings) {
  SurfaceMaker maker(scene, findBindPose(scene));
  SkinSurface surface = maker.make();
  report(maker.leftOut(), warnings);
  reportRescaled(scene, maker.rescaledNodes(), warnings);
  if (surface.triangles.empty() && scene.warnings.count("draco_geometry") > 0) {
    return Error{ErrorCode::kUnsupported, "",
                 "the skinned geometry is compressed with Draco, which is not decoded",
                 "write the file without Draco compression first"};
  }
  if (surface.triangles.empty()) {
    return Error{ErrorCode::kUnsupported, "", "the file has no triangle that is skinned to joints",
                 "give a file whose meshes are bound to a skeleton"};
  }
  return surface;
}

}  // namespace clipmill
