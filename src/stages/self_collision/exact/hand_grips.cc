// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact/hand_grips.h"

#include <algorithm>
#include <cmath>

#include "anim/pose.h"
#include "core/to_size.h"
#include "mesh/triangle_bvh.h"

namespace clipmill::stages::self_collision {
namespace {

// Shares of the character's height.
constexpr double kHeldHeights = 0.05, kMinPropHeights = 0.3;
constexpr double kRigidHeights = 0.0075, kMaxApartHeights = 0.4;
constexpr double kRigid_rad = 2.0 * kDegree;  // change of the relative rotation
// Common rotation that is evidence, in the world and relative to the chest.
constexpr double kMoved_rad = 15.0 * kDegree, kMovedInChest_rad = 3.0 * kDegree;
constexpr double kRigidRatio =
    4.0;  // of the rotation in the chest to the change of the relative one
constexpr double kMinGrip_s = 0.15, kMinTaken_s = 0.05;
constexpr double kMinSlenderness = 1.3;   // of the longest extent to the second one
constexpr double kOppositeCosine = -0.9;  // of directions from a hand to what is in it

// A vertex of a hand, carried by one joint.
struct HandPoint {
  int node = 0;
  Vec3 position{0.0};  // in the space of the node
};

// A mesh without skin at or below a hand, and the other hand.
struct Prop {
  const SkinnedMesh* mesh = nullptr;
  TriangleBvh surface;
  std::size_t other_hand = 0;  // 0 or 1
};

// A hand and all below it, down the chain of only children: rigs with wrist, hand and slot animate
// any of them.
int palmOf(const Skeleton& skeleton, int hand) {
  const std::vector<std::vector<int>> children = childrenOf(skeleton);
  while (children[toSize(hand)].size() == 1) hand = children[toSize(hand)].front();
  return hand;
}

std::vector<HandPoint> pointsOfHand(const Scene& scene, int hand) {
  std::vector<HandPoint> points;
  for (const SkinnedMesh& mesh : scene.meshes) {
    if (mesh.skin < 0) continue;
    const Skin& skin = scene.skins[toSize(mesh.skin)];
    for (std::size_t v = 0; v < mesh.vertexCount(); ++v) {
      const auto first =
                     mesh.influences.begin() + static_cast<std::ptrdiff_t>(mesh.influence_start[v]),
                 end = mesh.influences.begin() +
                       static_cast<std::ptrdiff_t>(mesh.influence_start[v + 1]);
      const auto strongest = std::max_element(
          first, end, [](const Influence& a, const Influence& b) { return a.weight < b.weight; });
      if (strongest == end) continue;
      const int node = skin.joints[strongest->joint];
      if (!isAtOrBelow(scene.skeleton, node, hand)) continue;
      points.push_back(
          {node, transformPoint(skin.joint_from_bind[strongest->joint], mesh.positions[v])});
    }
  }
  return points;
}

class GripFinder {
 public:
  GripFinder(const Scene& scene, const LimbPoser& poser, const Motion& motion, double height_m)
      : scene_(scene), poser_(poser), samples_(scene, motion), height_m_(height_m) {
    for (std::size_t side : {0, 1}) {
      hands_[side] = poser.limb((*poser.hands())[side]).end;
      palms_[side] = palmOf(scene.skeleton, hands_[side]);
      points_[side] = pointsOfHand(scene, hands_[side]);
    }
    for (const SkinnedMesh& mesh : scene.meshes) {
      for (std::size_t side : {0, 1}) {
        if (mesh.skin >= 0 || mesh.triangles.empty() || points_[1 - side].empty() ||
            !isAtOrBelow(scene.skeleton, mesh.node, hands_[side]) || !isLong(mesh)) {
          continue;
        }
        props_.push_back({&mesh,
                          TriangleBvh(mesh.positions, mesh.triangles, TriangleBvh::Use::kDistances),
                          1 - side});
      }
    }
  }

  std::vector<GripSpan> find() {
    readPoses();
    for (std::size_t prop = 0; prop < props_.size(); ++prop) addHeldSpans(prop);
    addRigidSpans();
    std::stable_sort(found_.begin(), found_.end(), [](const GripSpan& a, const GripSpan& b) {
      return a.window.first < b.window.first;
    });
    return std::move(found_);
  }

 private:
  // What is needed of a sample.
  struct PalmPose {
    Quat rotation_in_world, rotation_in_chest, relative_rotation;
    Vec3 relative_position_m;  // of the left palm in the axes of the right one
  };

  void readPoses();
  std::vector<Vec3> handInProp(const Prop& prop, std::span<const Affine> worlds,
                               double& scale) const;
  bool isHeld(const Prop& prop, std::span<const Affine> worlds) const;
  bool isTaken(const Prop& prop, std::span<const Affine> worlds) const;
  bool isLong(const SkinnedMesh& mesh) const;
  void addHeldSpans(std::size_t prop);
  void addRigidSpans();
  bool isRigidMotion(std::size_t first, std::size_t last) const;
  void add(std::size_t first, std::size_t last, GripKind kind, int prop);

  const Scene& scene_;
  const LimbPoser& poser_;
  ClipSamples samples_;
  double height_m_;
  std::array<int, 2> hands_{}, palms_{};
  std::array<std::vector<HandPoint>, 2> points_;
  std::vector<Prop> props_;
  std::vector<PalmPose> palm_poses_;
  std::vector<std::vector<bool>> is_taken_, is_held_;  // [prop][sample]
  std::vector<GripSpan> found_;
};

// A shaft with space for two hands; not a cup or a shield.
bool GripFinder::isLong(const SkinnedMesh& mesh) const {
  std::vector<Affine> worlds;
  computeWorlds(scene_.skeleton, restPose(scene_.skeleton).locals, scene_.metric_from_file, worlds);
  Box box;
  for (const Vec3& position : mesh.positions) box.add(position);
  const Mat3& map = worlds[toSize(mesh.node)].linear;
  const Vec3 extent = box.high - box.low;
  std::array<double, 3> lengths_m{};
  for (int axis = 0; axis < 3; ++axis) {
    lengths_m[toSize(axis)] = lengthOf(map[axis]) * extent[axis];
  }
  std::sort(lengths_m.begin(), lengths_m.end());
  return lengths_m[2] >= kMinPropHeights * height_m_ &&
         lengths_m[2] >= kMinSlenderness * lengths_m[1];
}

void GripFinder::readPoses() {
  std::vector<Affine> worlds;
  is_taken_.resize(props_.size());
  is_held_.resize(props_.size());
  const int chest = poser_.axesNodeOf((*poser_.hands())[0]);
  for (std::size_t s = 0; s < samples_.count(); ++s) {
    computeWorlds(scene_.skeleton, samples_.at(s).locals, scene_.metric_from_file, worlds);
    const Affine &left = worlds[toSize(palms_[0])], &right = worlds[toSize(palms_[1])];
    const Quat of_left = rotationOf(left), of_right = rotationOf(right);
    palm_poses_.push_back({of_right, glm::conjugate(rotationOf(worlds[toSize(chest)])) * of_right,
                           glm::conjugate(of_right) * of_left,
                           glm::conjugate(of_right) * (left.translation - right.translation)});
    for (std::size_t p = 0; p < props_.size(); ++p) {
      const bool is_held = isHeld(props_[p], worlds);
      is_held_[p].push_back(is_held);
      is_taken_[p].push_back(is_held && isTaken(props_[p], worlds));
    }
  }
}

// The hand in the space of the prop; no points where the prop has no size.
std::vector<Vec3> GripFinder::handInProp(const Prop& prop, std::span<const Affine> worlds,
                                         double& scale) const {
  const Affine& world_from_prop = worlds[toSize(prop.mesh->node)];
  scale = lengthOf(world_from_prop.linear[0]);
  std::vector<Vec3> positions;
  if (!(scale > 0.0)) return positions;
  const Affine prop_from_world = inverse(world_from_prop);
  for (const HandPoint& point : points_[prop.other_hand]) {
    positions.push_back(
        transformPoint(prop_from_world * worlds[toSize(point.node)], point.position));
  }
  return positions;
}

bool GripFinder::isHeld(const Prop& prop, std::span<const Affine> worlds) const {
  double scale = 0.0;
  const std::vector<Vec3> hand = handInProp(prop, worlds, scale);
  return std::any_of(hand.begin(), hand.end(), [&](const Vec3& position) {
    return prop.surface.isNear(position, kHeldHeights * height_m_ / scale);
  });
}

// Whether the prop is between points of the hand.
bool GripFinder::isTaken(const Prop& prop, std::span<const Affine> worlds) const {
  double scale = 0.0;
  std::vector<Vec3> directions;
  for (const Vec3& position : handInProp(prop, worlds, scale)) {
    const NearestPoint nearest = prop.surface.nearest(position, kHeldHeights * height_m_ / scale);
    if (!(nearest.distance > 0.0 && std::isfinite(nearest.distance))) continue;
    directions.push_back((nearest.point - position) / nearest.distance);
  }
  for (const Vec3& a : directions) {
    for (const Vec3& b : directions) {
      if (glm::dot(a, b) < kOppositeCosine) return true;
    }
  }
  return false;
}

void GripFinder::add(std::size_t first, std::size_t last, GripKind kind, int prop) {
  if (static_cast<double>(last - first) * samples_.step_s() < kMinGrip_s) return;
  found_.push_back({{first, last}, kind, prop});
}

void GripFinder::addHeldSpans(std::size_t prop) {
  for (const Window& window : findWindows(is_held_[prop], samples_.step_s(), 0.0, false)) {
    const std::vector<bool>& is_taken = is_taken_[prop];
    std::size_t taken = 0;
    for (std::size_t s = window.first; s <= window.last; ++s) taken += is_taken[s] ? 1 : 0;
    if (static_cast<double>(taken) * samples_.step_s() < kMinTaken_s) continue;
    add(window.first, window.last, GripKind::kProp, props_[prop].mesh->node);
  }
}

// Whether both hands rotate together by enough to differ from hands that are both at rest.
bool GripFinder::isRigidMotion(std::size_t first, std::size_t last) const {
  const auto largest_rad = [&](Quat PalmPose::*rotation) {
    double largest = 0.0;
    for (std::size_t s = first + 1; s <= last; ++s) {
      largest =
          std::max(largest, angleBetween(palm_poses_[first].*rotation, palm_poses_[s].*rotation));
    }
    return largest;
  };
  const double in_chest_rad = largest_rad(&PalmPose::rotation_in_chest);
  return in_chest_rad >= kMovedInChest_rad &&
         in_chest_rad >= kRigidRatio * largest_rad(&PalmPose::relative_rotation) &&
         largest_rad(&PalmPose::rotation_in_world) >= kMoved_rad;
}

void GripFinder::addRigidSpans() {
  for (std::size_t first = 0; first < palm_poses_.size();) {
    const PalmPose& start = palm_poses_[first];
    std::size_t end = first + 1;
    while (end < palm_poses_.size() &&
           angleBetween(start.relative_rotation, palm_poses_[end].relative_rotation) <=
               kRigid_rad &&
           lengthOf(start.relative_position_m - palm_poses_[end].relative_position_m) <=
               kRigidHeights * height_m_) {
      ++end;
    }
    const bool is_grip = lengthOf(start.relative_position_m) < kMaxApartHeights * height_m_ &&
                         isRigidMotion(first, end - 1);
    if (is_grip) add(first, end - 1, GripKind::kRigid, -1);
    first = is_grip ? end : first + std::max<std::size_t>(1, (end - first) / 2);
  }
}

}  // namespace

std::vector<GripSpan> findHandGrips(const Scene& scene, const LimbPoser& poser,
                                    const Motion& motion, double height_m) {
  if (!poser.hands()) return {};
  return GripFinder(scene, poser, motion, height_m).find();
}

std::vector<bool> grippedSamples(std::span<const GripSpan> grips, std::size_t sample_count) {
  std::vector<bool> is_gripped(sample_count, false);
  for (const GripSpan& grip : grips) {
    for (std::size_t s = grip.window.first; s <= grip.window.last && s < sample_count; ++s) {
      is_gripped[s] = true;
    }
  }
  return is_gripped;
}

RelativeHands relativeHands(const LimbPoser& poser, std::span<const Affine> worlds) {
  if (!poser.hands()) return {};
  const Affine &left = worlds[toSize(poser.limb((*poser.hands())[0]).end)],
               &right = worlds[toSize(poser.limb((*poser.hands())[1]).end)];
  const Quat right_from_world = glm::conjugate(rotationOf(right));
  return {right_from_world * rotationOf(left),
          right_from_world * (left.translation - right.translation)};
}

GripError gripError(const RelativeHands& from, const RelativeHands& to) {
  return {lengthOf(to.position_m - from.position_m), angleBetween(from.rotation, to.rotation)};
}

bool isGripKept(const GripError& error, double height_m) {
  return error.distance_m <= kMaxGripHeights * height_m && error.rotation_rad <= kMaxGrip_rad;
}

}  // namespace clipmill::stages::self_collision
