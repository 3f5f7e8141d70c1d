// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/skin/chain_skin.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "anim/pose.h"
#include "core/to_size.h"
#include "humanoid/body_parts.h"
#include "humanoid/humanoid.h"
#include "mesh/outward_surface.h"
#include "mesh/skinning.h"
#include "mesh/weld.h"

namespace clipmill::stages::dynamic_bones {
namespace {

// What keeps away from the body keeps this share of its size away.
constexpr double kGapShare = 0.003;
// Edges get points this share of the body's size apart.
constexpr double kSpacingShare = 0.03;
// A bone with a smaller part in a point does not carry it.
constexpr double kMinInfluence = 0.2;
constexpr std::size_t kPointsPerBone = 16;

bool isShown(const Scene& scene, const SkinnedMesh& mesh) {
  const bool any_skin = std::any_of(scene.meshes.begin(), scene.meshes.end(),
                                    [](const SkinnedMesh& other) { return other.skin >= 0; });
  if (mesh.node < 0 || (any_skin && (mesh.skin < 0 || mesh.influence_start.empty()))) return false;
  return std::all_of(mesh.positions.begin(), mesh.positions.end(),
                     [](const Vec3& p) { return isFinite(p); });
}

// The parts that joints have in the vertices of a mesh.
struct MeshJoints {
  const Scene& scene;
  const SkinnedMesh& mesh;

  template <class Visit>
  void each(std::size_t vertex, Visit&& visit) const {
    if (mesh.skin < 0 || mesh.influence_start.empty()) return visit(mesh.node, 1.0);
    const Skin& skin = scene.skins[toSize(mesh.skin)];
    for (std::size_t i = mesh.influence_start[vertex]; i < mesh.influence_start[vertex + 1]; ++i) {
      visit(skin.joints[mesh.influences[i].joint], mesh.influences[i].weight);
    }
  }
  // The part of chains in a vertex.
  double swinging(std::size_t vertex, const std::vector<bool>& swings) const {
    double sum = 0.0;
    each(vertex, [&](int node, double weight) { sum += swings[toSize(node)] ? weight : 0.0; });
    return sum;
  }
};

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

// The bones of the rig at rest, and which of them move with a node.
class RestRig {
 public:
  RestRig(const Scene& scene, const Rig& rig, std::span<const Affine> worlds) : rig_(rig) {
    joint_of_.assign(scene.skeleton.size(), -1);
    for (std::size_t j = 0; j < rig.joints.size(); ++j) {
      joint_of_[toSize(rig.slots[toSize(rig.joints[j].slot)].node)] = static_cast<int>(j);
    }
    for (const Bone& bone : rig.bones) {
      const int slot = rig.joints[toSize(bone.joint)].slot;
      const Affine& joint = worlds[toSize(rig.slots[toSize(slot)].node)];
      heads_.push_back(joint.translation);
      ends_.push_back(bone.tail_node < 0 ? transformPoint(joint, bone.tip_offset)
                                         : worlds[toSize(bone.tail_node)].translation);
    }
    // Nodes below a joint that are no joints follow it.
    for (std::size_t i = 0; i < scene.skeleton.size(); ++i) {
      const int parent = scene.skeleton.nodes[i].parent;
      if (joint_of_[i] < 0 && parent >= 0) joint_of_[i] = joint_of_[toSize(parent)];
    }
  }

  // Of the bones of the joint that moves a node the one nearest to a point; none where no joint
  // moves it.
  std::optional<BoneInfluence> influenceOf(int node, const Vec3& point_m) const {
    const int j = joint_of_[toSize(node)];
    if (j < 0) return std::nullopt;
    std::optional<BoneInfluence> best;
    double best_m2 = std::numeric_limits<double>::infinity();
    for (std::size_t b = rig_.joints[toSize(j)].bones_start; b < rig_.joints[toSize(j)].bones_end;
         ++b) {
      const Vec3 path = ends_[b] - heads_[b];
      const double square = glm::dot(path, path);
      const double along = square > 0.0 ? glm::dot(point_m - heads_[b], path) / square : 0.0;
      const double share = std::clamp(along, 0.0, 1.0);
      const Vec3 apart = point_m - (heads_[b] + path * share);
      if (glm::dot(apart, apart) >= best_m2) continue;
      best_m2 = glm::dot(apart, apart);
      best = BoneInfluence{b, share};
    }
    return best;
  }

  const std::vector<Vec3>& heads() const { return heads_; }
  const std::vector<Vec3>& ends() const { return ends_; }

 private:
  const Rig& rig_;
  std::vector<int> joint_of_;  // one a node: the joint that moves it, or -1
  std::vector<Vec3> heads_, ends_;
};

// A influence and its part in a point.
struct WeightedInfluence {
  BoneInfluence influence;
  double weight = 0.0;
};

void addInfluence(const BoneInfluence& influence, double weight,
                  std::vector<WeightedInfluence>& all) {
  for (WeightedInfluence& known : all) {
    if (known.influence.bone != influence.bone) continue;
    const double sum = known.weight + weight;
    if (sum > 0.0) {
      known.influence.share =
          (known.influence.share * known.weight + influence.share * weight) / sum;
    }
    known.weight = sum;
    return;
  }
  all.push_back({influence, weight});
}

// Finds the points of strips.
class PointFinder {
 public:
  PointFinder(const Scene& scene, const Rig& rig, const RestRig& rest_rig, ChainSkin& skin,
              std::span<const Vec3> strips_m, double size_m)
      : rig_(rig), rest_rig_(rest_rig), skin_(skin), strips_m_(strips_m), size_m_(size_m) {
    for (const SkinnedMesh& part : skin.strips) {
      for (std::size_t v = 0; v < part.vertexCount(); ++v) {
        auto& influences = influences_of_.emplace_back();
        const Vec3 at_m = strips_m[influences_of_.size() - 1];
        MeshJoints{scene, part}.each(v, [&](int node, double weight) {
          const auto influence = rest_rig.influenceOf(node, at_m);
          if (influence) addInfluence(*influence, weight, influences);
        });
      }
    }
  }

  // The surface that a vertex stays out of; none where its chain avoids none.
  std::optional<std::size_t> surfaceOf(std::size_t vertex) const {
    if (influences_of_[vertex].empty()) return std::nullopt;
    const int chain = rig_.bones[influences_of_[vertex].front().influence.bone].chain;
    const SkinUse use = rig_.skin_uses[toSize(chain)];
    if (use == SkinUse::kNone) return std::nullopt;
    return use == SkinUse::kWithoutArms ? 1 : 0;
  }

  void find() {
    std::vector<SkinPoint> all;
    for (std::uint32_t v = 0; v < strips_m_.size(); ++v) add(v, v, 0.0, all);
    addEdges(all);
    thinOut(std::move(all));
  }

 private:
  void add(std::uint32_t v, std::uint32_t other, double toward, std::vector<SkinPoint>& all) {
    std::vector<WeightedInfluence> weighted;
    for (const WeightedInfluence& of : influences_of_[v]) {
      addInfluence(of.influence, of.weight * (1.0 - toward), weighted);
    }
    for (const WeightedInfluence& of : influences_of_[other]) {
      if (toward > 0.0) addInfluence(of.influence, of.weight * toward, weighted);
    }
    std::stable_sort(weighted.begin(), weighted.end(),
                     [](const auto& a, const auto& b) { return a.weight > b.weight; });
    SkinPoint point;
    point.vertex = v;
    point.other_vertex = other;
    point.toward_other = toward;
    for (const WeightedInfluence& of : weighted) {
      const bool avoids_skin = listsName(rig_.bones[of.influence.bone].own.colliders, kSkinName);
      if (of.weight >= kMinInfluence && avoids_skin) point.influences.push_back(of.influence);
    }
    if (point.influences.empty()) return;
    const auto surface = surfaceOf(v);
    point.surface = surface.value_or(0);
    if (surface) all.push_back(std::move(point));
  }

  void addEdges(std::vector<SkinPoint>& all) {
    const double spacing_m = kSpacingShare * size_m_;
    std::set<std::pair<std::uint32_t, std::uint32_t>> edges;
    std::uint32_t first = 0;
    for (const SkinnedMesh& part : skin_.strips) {
      for (std::size_t i = 0; i < part.triangles.size(); ++i) {
        const std::size_t next = i % 3 == 2 ? i - 2 : i + 1;
        edges.insert(std::minmax(first + part.triangles[i], first + part.triangles[next]));
      }
      first += static_cast<std::uint32_t>(part.vertexCount());
    }
    for (const auto& [a, b] : edges) {
      const double length_m = glm::length(strips_m_[b] - strips_m_[a]);
      const int pieces = static_cast<int>(std::min(length_m / spacing_m, 16.0));
      for (int k = 1; k < pieces; ++k) add(a, b, static_cast<double>(k) / pieces, all);
    }
  }

  // Of the points of each bone those that are farthest from each other.
  void thinOut(std::vector<SkinPoint> all) {
    std::vector<std::vector<std::size_t>> of_bone(rig_.bones.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      of_bone[all[i].influences.front().bone].push_back(i);
    }
    for (std::size_t b = 0; b < of_bone.size(); ++b) keepFarthest(b, of_bone[b], all);
  }

  void keepFarthest(std::size_t bone, std::span<const std::size_t> of_bone,
                    const std::vector<SkinPoint>& all) {
    const auto squareTo = [&](std::size_t i, const Vec3& from) {
      const Vec3 apart = all[i].in(strips_m_)-from;
      return glm::dot(apart, apart);
    };
    // The first is that which is farthest from the bone's head.
    std::vector<double> apart_m2;
    for (const std::size_t i : of_bone) apart_m2.push_back(squareTo(i, rest_rig_.heads()[bone]));
    for (std::size_t n = 0; n < std::min(kPointsPerBone, of_bone.size()); ++n) {
      const auto farthest = std::max_element(apart_m2.begin(), apart_m2.end());
      if (n > 0 && !(*farthest > 0.0)) break;
      const std::size_t chosen = of_bone[toSize(farthest - apart_m2.begin())];
      skin_.points.push_back(all[chosen]);
      const Vec3 from = all[chosen].in(strips_m_);
      for (std::size_t k = 0; k < of_bone.size(); ++k) {
        const double square = squareTo(of_bone[k], from);
        apart_m2[k] = n == 0 ? square : std::min(apart_m2[k], square);
      }
    }
  }

  const Rig& rig_;
  const RestRig& rest_rig_;
  ChainSkin& skin_;
  std::span<const Vec3> strips_m_;
  const double size_m_;
  std::vector<std::vector<WeightedInfluence>> influences_of_;  // one a vertex of strips
};

// Meshes of points on the axes of bones that move no vertex.
void addBareBones(const Scene& scene, const Rig& rig, const RestRig& rest_rig,
                  std::span<const Affine> worlds, std::span<const Vec3> strips_m, ChainSkin& skin) {
  std::vector<char> has_vertices(rig.bones.size(), 0);
  std::size_t at = 0;
  for (const SkinnedMesh& part : skin.strips) {
    for (std::size_t v = 0; v < part.vertexCount(); ++v, ++at) {
      MeshJoints{scene, part}.each(v, [&](int node, double weight) {
        const auto influence = rest_rig.influenceOf(node, strips_m[at]);
        if (influence && weight >= kMinInfluence) has_vertices[influence->bone] = 1;
      });
    }
  }
  for (std::size_t b = 0; b < rig.bones.size(); ++b) {
    if (has_vertices[b]) continue;
    const int slot = rig.joints[toSize(rig.bones[b].joint)].slot;
    SkinnedMesh points;
    points.node = rig.slots[toSize(slot)].node;
    const Affine own_from_metric = inverse(worlds[toSize(points.node)]);
    const Vec3 head = rest_rig.heads()[b], path = rest_rig.ends()[b] - head;
    for (const double share : {0.5, 1.0}) {
      points.positions.push_back(transformPoint(own_from_metric, head + path * share));
    }
    if (isFinite(points.positions[0]) && isFinite(points.positions[1])) {
      skin.strips.push_back(std::move(points));
    }
  }
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

  const RestRig rest_rig(scene, rig, worlds);
  poseSkin(scene, skin.strips, worlds, strips_m);
  const std::size_t vertex_count = strips_m.size();
  addBareBones(scene, rig, rest_rig, worlds, strips_m, skin);
  poseSkin(scene, skin.strips, worlds, strips_m);
  const double size_m = sizeOf(body_m);
  PointFinder finder(scene, rig, rest_rig, skin, strips_m, size_m);
  finder.find();

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
    const auto surface = finder.surfaceOf(v);
    if (!surface) continue;
    const bool penetrates = posed[*surface].closed().windingNumber(strips_m[v]) > kInsideWinding;
    if (!penetrates) skin.free_vertices.push_back({v, *surface});
  }
  return skin;
}

}  // namespace clipmill::stages::dynamic_bones
