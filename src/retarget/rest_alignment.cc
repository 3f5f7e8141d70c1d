// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "retarget/rest_alignment.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "anim/pose.h"
#include "core/to_size.h"

namespace clipmill::retarget {
namespace {

using Role = humanoid::HumanoidRole;

constexpr double kNoLength_m = 1e-6;

// Both sides of what characters have twice.
constexpr std::array<std::array<Role, 2>, 2> kMirrored = {
    {{Role::kLeftUpperLeg, Role::kRightUpperLeg}, {Role::kLeftUpperArm, Role::kRightUpperArm}}};
constexpr std::array<std::array<Role, 3>, 2> kLegs = {
    {{Role::kLeftUpperLeg, Role::kLeftLowerLeg, Role::kLeftFoot},
     {Role::kRightUpperLeg, Role::kRightLowerLeg, Role::kRightFoot}}};

// Which joint a limb points to.
struct Limb {
  Role from, to;
  bool is_foot;
};
constexpr std::array kLimbs = {
    Limb{Role::kLeftUpperArm, Role::kLeftLowerArm, false},
    Limb{Role::kLeftLowerArm, Role::kLeftHand, false},
    Limb{Role::kRightUpperArm, Role::kRightLowerArm, false},
    Limb{Role::kRightLowerArm, Role::kRightHand, false},
    Limb{Role::kLeftUpperLeg, Role::kLeftLowerLeg, false},
    Limb{Role::kLeftLowerLeg, Role::kLeftFoot, false},
    Limb{Role::kRightUpperLeg, Role::kRightLowerLeg, false},
    Limb{Role::kRightLowerLeg, Role::kRightFoot, false},
    Limb{Role::kLeftFoot, Role::kLeftToes, true},
    Limb{Role::kRightFoot, Role::kRightToes, true},
};

Vec3 horizontal(const Vec3& v) { return {v.x, 0.0, v.z}; }

std::optional<Role> roleOf(const humanoid::HumanoidMap& map, int node) {
  for (std::size_t r = 0; r < humanoid::kHumanoidRoleCount; ++r) {
    if (map.nodes[r] == node) return static_cast<Role>(r);
  }
  return std::nullopt;
}

const Limb* limbOf(Role role) {
  const auto found = std::find_if(kLimbs.begin(), kLimbs.end(),
                                  [&](const Limb& limb) { return limb.from == role; });
  return found == kLimbs.end() ? nullptr : &*found;
}

std::optional<Vec3> between(const humanoid::HumanoidMap& map, const RestPose& rest, Role from,
                            Role to) {
  if (map[from] < 0 || map[to] < 0) return std::nullopt;
  const Vec3 offset = rest.positionOf(map[to]) - rest.positionOf(map[from]);
  if (glm::dot(offset, offset) < kNoLength_m * kNoLength_m) return std::nullopt;
  return offset;
}

// From the right side to the left, level; zero where nothing determines it.
Vec3 leftOf(const humanoid::HumanoidMap& map, const RestPose& rest) {
  Vec3 left(0.0);
  for (const auto& [left_role, right_role] : kMirrored) {
    if (const auto offset = between(map, rest, right_role, left_role)) left += *offset;
  }
  return horizontal(left);
}

Quat facingBetween(const humanoid::HumanoidMap& source, const RestPose& source_rest,
                   const humanoid::HumanoidMap& target, const RestPose& target_rest,
                   std::optional<double> source_facing_rad) {
  const Vec3 from = source_facing_rad ? rotationAbout(kUp, *source_facing_rad) * Vec3(1, 0, 0)
                                      : leftOf(source, source_rest),
             to = leftOf(target, target_rest);
  const double least = kNoLength_m * kNoLength_m;
  if (glm::dot(from, from) < least || glm::dot(to, to) < least) return kIdentityRotation;
  return rotationBetween(from, to, kUp);
}

// Mean distance of the paired nodes from the first of them.
double extentOf(const RestPose& rest, std::span<const NodePair> pairs, int NodePair::*side) {
  double sum = 0.0;
  for (const NodePair& pair : pairs) {
    const Vec3 offset = rest.positionOf(pair.*side) - rest.positionOf(pairs.front().*side);
    sum += std::sqrt(glm::dot(offset, offset));
  }
  return sum;
}

double scaleBetween(const RestPose& source_rest, const RestPose& target_rest,
                    const NodeMatch& match) {
  double from = lengthOfLegs(match.source_map, source_rest.worlds);
  double to = lengthOfLegs(match.target_map, target_rest.worlds);
  if (from < kNoLength_m || to < kNoLength_m) {
    from = extentOf(source_rest, match.pairs, &NodePair::source);
    to = extentOf(target_rest, match.pairs, &NodePair::target);
  }
  return from < kNoLength_m || to < kNoLength_m ? 1.0 : to / from;
}

class Aligner {
 public:
  Aligner(const RestPose& source_rest, const RestPose& target_rest, const NodeMatch& match,
          std::optional<double> source_facing_rad)
      : source_rest_(source_rest),
        target_rest_(target_rest),
        match_(match),
        rotation_(facingBetween(match.source_map, source_rest, match.target_map, target_rest,
                                source_facing_rad)) {}

  const Quat& rotation() const { return rotation_; }

  // `above` is the correction of the paired node above.
  Quat correctionOf(const NodePair& pair, const Quat& above) const {
    const auto role = roleOf(match_.target_map, pair.target);
    if (!role) return above;
    const Limb* limb = limbOf(*role);
    if (!limb) return isEnd(*role) ? above : kIdentityRotation;
    const auto from = between(match_.source_map, source_rest_, limb->from, limb->to);
    const auto to = between(match_.target_map, target_rest_, limb->from, limb->to);
    if (!from || !to) return limb->is_foot ? kIdentityRotation : above;
    const Vec3 wanted = rotation_ * *from;
    if (limb->is_foot) return rotationOfFoot(*to, wanted);
    return rotationBetween(above * *to, wanted, kUp) * above;
  }

 private:
  // Hands and toes go along with the limb that carries them.
  static bool isEnd(Role role) {
    return role == Role::kLeftHand || role == Role::kRightHand || role == Role::kLeftToes ||
           role == Role::kRightToes;
  }

  // Soles are level in both rest poses, however high the ankles are. Feet that point up or down
  // show nothing of where they face.
  static Quat rotationOfFoot(const Vec3& from, const Vec3& to) {
    constexpr double kLevelShare = 0.3;
    const auto isLevel = [](const Vec3& v) {
      const Vec3 level = horizontal(v);
      return glm::dot(level, level) > kLevelShare * kLevelShare * glm::dot(v, v);
    };
    if (!isLevel(from) || !isLevel(to)) return kIdentityRotation;
    return rotationBetween(horizontal(from), horizontal(to), kUp);
  }

  const RestPose& source_rest_;
  const RestPose& target_rest_;
  const NodeMatch& match_;
  Quat rotation_;
};

// World positions of the target's nodes with the corrections of the pairs.
std::vector<Affine> correctedWorlds(const Scene& target, const RestPose& rest,
                                    std::span<const NodePair> pairs,
                                    std::span<const Quat> corrections) {
  const std::vector<Node>& nodes = target.skeleton.nodes;
  std::vector<Quat> correction_of(nodes.size(), kIdentityRotation);
  std::vector<int> pair_of(nodes.size(), -1);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    pair_of[toSize(pairs[i].target)] = static_cast<int>(i);
  }
  std::vector<Affine> worlds = rest.worlds;
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    if (nodes[n].parent >= 0) {
      const auto p = toSize(nodes[n].parent);
      correction_of[n] = correction_of[p];
      worlds[n].translation =
          worlds[p].translation +
          correction_of[p] * (rest.worlds[n].translation - rest.worlds[p].translation);
    }
    if (pair_of[n] >= 0) correction_of[n] = corrections[toSize(pair_of[n])];
  }
  return worlds;
}

Mat3 unitColumns(const Mat3& m) {
  Mat3 unit = m;
  for (int a = 0; a < 3; ++a) {
    const double length = std::sqrt(glm::dot(m[a], m[a]));
    if (length > 0.0) unit[a] = m[a] / length;
  }
  return unit;
}

// Whether a local transform is the rest pose but for the rounding of files.
bool isAtRest(const Transform& local, const Transform& rest) {
  constexpr double kSameAngle_rad = 1e-3;
  constexpr double kSameShare = 1e-3;  // of the length of the bone
  const Vec3 step = local.translation - rest.translation;
  const double length2 = glm::dot(rest.translation, rest.translation);
  return angleBetween(local.rotation, normalizedOrIdentity(rest.rotation)) <= kSameAngle_rad &&
         glm::dot(step, step) <= kSameShare * kSameShare * length2;
}

bool isFiniteLocal(const Transform& local) {
  return isFinite(local.translation) && isFinite(local.rotation) && isFinite(local.scale);
}

// The local transform at bind of joint `j` below its parent, or nothing where it is as at rest.
std::optional<Transform> bindLocal(const Skin& skin, std::size_t parent, std::size_t j,
                                   const Transform& rest) {
  const Affine map = skin.joint_from_bind[parent] * inverse(skin.joint_from_bind[j]);
  const Transform local = decompose(map);
  if (!isFiniteLocal(local) || isAtRest(local, rest)) return std::nullopt;
  return local;
}

// The extent of the joints of a skin where they were bound.
double bindSizeOf(const Skin& skin) {
  Vec3 low(0.0), high(0.0);
  for (std::size_t j = 0; j < skin.joints.size(); ++j) {
    const Vec3 at = inverse(skin.joint_from_bind[j]).translation;
    if (!isFinite(at)) continue;
    low = j == 0 ? at : glm::min(low, at);
    high = j == 0 ? at : glm::max(high, at);
  }
  return lengthOf(high - low);
}

// The same of a topmost joint, whose rest pose is a frame of motion in some files. Files do not
// state in which space a skin was bound: it is taken for that of the file or that of the node
// above, whichever is nearer to the rest pose, if it is as large and near at all.
std::optional<Transform> bindLocalOfTop(const Skin& skin, std::size_t j, const Affine& above,
                                        const Transform& rest) {
  constexpr double kSameScale = 0.01, kFarthestShare = 0.25, kFarthest_rad = 60.0 * kDegree;
  const Affine bind = inverse(skin.joint_from_bind[j]);
  const double farthest = kFarthestShare * bindSizeOf(skin);
  std::optional<Transform> nearest;
  double least_rad = kFarthest_rad;
  for (const Affine& map : {inverse(above) * bind, bind}) {
    const Transform local = decompose(map);
    if (!isFiniteLocal(local)) continue;
    const Vec3 ratio = local.scale / rest.scale - Vec3(1.0);
    const double angle_rad = angleBetween(local.rotation, normalizedOrIdentity(rest.rotation));
    const Vec3 step = transformVector(above, local.translation - rest.translation);
    if (!(lengthOf(ratio) <= kSameScale) || !(lengthOf(step) <= farthest)) continue;
    if (!(angle_rad < least_rad)) continue;
    least_rad = angle_rad;
    nearest = local;
  }
  if (!nearest || isAtRest(*nearest, rest)) return std::nullopt;
  return nearest;
}

}  // namespace

Mat3 signedAxes(const Transform& local) {
  Mat3 axes = glm::mat3_cast(normalizedOrIdentity(local.rotation));
  for (int a = 0; a < 3; ++a) {
    if (local.scale[a] < 0.0) axes[a] = -axes[a];
  }
  return axes;
}

void computeAxes(const Scene& scene, std::span<const Transform> locals, std::vector<Mat3>& axes) {
  axes.resize(locals.size());
  const Mat3 metric = unitColumns(scene.metric_from_file.linear);
  for (std::size_t n = 0; n < locals.size(); ++n) {
    const int parent = scene.skeleton.nodes[n].parent;
    axes[n] = (parent < 0 ? metric : axes[toSize(parent)]) * signedAxes(locals[n]);
  }
}

std::vector<Transform> bindLocals(const Scene& scene) {
  std::vector<Transform> locals = restPose(scene.skeleton).locals;
  std::vector<Affine> rest_worlds;
  computeWorlds(scene.skeleton, locals, {}, rest_worlds);
  for (const Skin& skin : scene.skins) {
    std::vector<int> joint_of_node(locals.size(), -1);
    for (std::size_t j = 0; j < skin.joints.size(); ++j) {
      joint_of_node[toSize(skin.joints[j])] = static_cast<int>(j);
    }
    for (std::size_t j = 0; j < skin.joints.size(); ++j) {
      const auto n = toSize(skin.joints[j]);
      const Node& node = scene.skeleton.nodes[n];
      const int parent = node.parent < 0 ? -1 : joint_of_node[toSize(node.parent)];
      const Affine above = node.parent < 0 ? Affine{} : rest_worlds[toSize(node.parent)];
      const auto local = parent < 0 ? bindLocalOfTop(skin, j, above, node.rest)
                                    : bindLocal(skin, toSize(parent), j, node.rest);
      if (local) locals[n] = *local;
    }
  }
  return locals;
}

RestPose::RestPose(const Scene& scene) : RestPose(scene, bindLocals(scene)) {}

RestPose::RestPose(const Scene& scene, std::vector<Transform> pose)
    : locals(std::move(pose)), file_axes(unitColumns(scene.metric_from_file.linear)) {
  computeWorlds(scene.skeleton, locals, scene.metric_from_file, worlds);
  computeAxes(scene, locals, axes);
}

std::vector<int> pairsAbove(const Skeleton& target, std::span<const NodePair> pairs) {
  std::vector<int> pair_of(target.size(), -1), above;
  std::size_t next = 0;
  for (std::size_t n = 0; n < target.size(); ++n) {
    const int parent = target.nodes[n].parent;
    const int inherited = parent < 0 ? -1 : pair_of[toSize(parent)];
    pair_of[n] = inherited;
    if (next == pairs.size() || pairs[next].target != static_cast<int>(n)) continue;
    above.push_back(inherited);
    pair_of[n] = static_cast<int>(next++);
  }
  return above;
}

RestAlignment alignRests(const RestPose& source_rest, const Scene& target,
                         const RestPose& target_rest, const NodeMatch& match,
                         std::optional<double> source_facing_rad) {
  const Aligner aligner(source_rest, target_rest, match, source_facing_rad);
  RestAlignment alignment;
  alignment.rotation = aligner.rotation();
  alignment.scale = scaleBetween(source_rest, target_rest, match);
  const std::vector<int> above = pairsAbove(target.skeleton, match.pairs);
  for (std::size_t i = 0; i < match.pairs.size(); ++i) {
    const Quat inherited =
        above[i] < 0 ? kIdentityRotation : alignment.corrections[toSize(above[i])];
    alignment.corrections.push_back(aligner.correctionOf(match.pairs[i], inherited));
  }
  const auto corrected = correctedWorlds(target, target_rest, match.pairs, alignment.corrections);
  const humanoid::HumanoidMap& map = match.target_map;
  if (map[Role::kLeftFoot] >= 0 || map[Role::kRightFoot] >= 0) {
    alignment.rise_m = heightOfFeet(map, target_rest.worlds) - heightOfFeet(map, corrected);
  }
  return alignment;
}

RestAlignment alignTPoses(const Scene& source, const RestPose& source_rest, const Scene& target,
                          const RestPose& target_rest, const NodeMatch& match) {
  RestAlignment alignment;
  alignment.rotation = rotationBetween(*source.t_pose_front, *target.t_pose_front, kUp);
  const int from = match.source_map[Role::kHips], to = match.target_map[Role::kHips];
  const double from_m = from < 0 ? 0.0 : source_rest.positionOf(from).y;
  const double to_m = to < 0 ? 0.0 : target_rest.positionOf(to).y;
  const bool has_heights = from_m > kNoLength_m && to_m > kNoLength_m;
  alignment.scale = has_heights ? to_m / from_m : scaleBetween(source_rest, target_rest, match);
  alignment.corrections.assign(match.pairs.size(), kIdentityRotation);
  return alignment;
}

int endOfLimb(const humanoid::HumanoidMap& map, int node) {
  const auto role = roleOf(map, node);
  const Limb* limb = role ? limbOf(*role) : nullptr;
  return limb && !limb->is_foot ? map[limb->to] : -1;
}

double heightOfFeet(const humanoid::HumanoidMap& map, std::span<const Affine> worlds) {
  double sum = 0.0;
  int count = 0;
  for (const auto& leg : kLegs) {
    const int foot = map[leg.back()];
    if (foot < 0) continue;
    sum += worlds[toSize(foot)].translation.y;
    ++count;
  }
  if (count > 0) return sum / count;
  double lowest = worlds.empty() ? 0.0 : worlds.front().translation.y;
  for (const Affine& world : worlds) lowest = std::min(lowest, world.translation.y);
  return lowest;
}

double lengthOfLegs(const humanoid::HumanoidMap& map, std::span<const Affine> worlds) {
  double sum = 0.0;
  int count = 0;
  for (const auto& leg : kLegs) {
    if (std::any_of(leg.begin(), leg.end(), [&](Role role) { return map[role] < 0; })) continue;
    for (std::size_t j = 0; j + 1 < leg.size(); ++j) {
      const Vec3 offset =
          worlds[toSize(map[leg[j + 1]])].translation - worlds[toSize(map[leg[j]])].translation;
      sum += std::sqrt(glm::dot(offset, offset));
    }
    ++count;
  }
  return count > 0 ? sum / count : 0.0;
}

}  // namespace clipmill::retarget
