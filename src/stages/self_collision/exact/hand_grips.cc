// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact/hand_grips.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "anim/pose.h"
#include "core/to_size.h"
#include "humanoid/joint_layout.h"
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
constexpr double kMinSlenderness = 1.3;  // of the longest extent to the second one
// Of the size of a hand: where the hand that has the prop holds it beside its middle, and where the
// prop is beside the middle of the other hand.
constexpr double kHeldShare = 0.1, kBesideShare = 0.15;
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
  bool is_long = false;        // a shaft with space for two hands
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
            !isAtOrBelow(scene.skeleton, mesh.node, hands_[side])) {
          continue;
        }
        props_.push_back({&mesh,
                          TriangleBvh(mesh.positions, mesh.triangles, TriangleBvh::Use::kDistances),
                          1 - side, isLong(mesh)});
      }
    }
    makeMirror();
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

  void makeMirror();
  void readPoses();
  std::vector<Vec3> handInProp(const Prop& prop, std::size_t hand, std::span<const Affine> worlds,
                               double& scale) const;
  std::optional<Vec3> offsetOf(const Prop& prop, std::size_t hand,
                               std::span<const Affine> worlds) const;
  bool isOnHeldSide(const Prop& prop, std::span<const Affine> worlds) const;
  bool areHandsNear(std::span<const Affine> worlds) const;
  bool isReached(std::size_t first, std::size_t last) const;
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
  // Of directions in one palm those in the other one, by the mirror plane of the body.
  std::array<Mat3, 2> other_from_palm_{Mat3(1.0), Mat3(1.0)};
  double hand_size_m_ = 0.0;
  std::vector<std::vector<bool>> is_taken_, is_held_;  // [prop][sample]
  std::vector<std::vector<bool>> is_opposite_;  // [prop][sample]: on the wrong side of the hand
  std::vector<bool> are_hands_near_;
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

// From the pose in which the skin was bound.
void GripFinder::makeMirror() {
  const std::vector<Affine> bound = humanoid::boundWorlds(scene_);
  const Affine &left = bound[toSize(palms_[0])], &right = bound[toSize(palms_[1])];
  const Vec3 across = bound[toSize(poser_.limb((*poser_.hands())[0]).upper)].translation -
                      bound[toSize(poser_.limb((*poser_.hands())[1]).upper)].translation;
  const double width = lengthOf(across);
  if (!(width > 0.0)) return;
  const Vec3 lateral = across / width;
  const Mat3 mirror = Mat3(1.0) - 2.0 * glm::outerProduct(lateral, lateral);
  const Mat3 from_left = glm::mat3_cast(rotationOf(left)),
             from_right = glm::mat3_cast(rotationOf(right));
  other_from_palm_[0] = glm::transpose(from_right) * mirror * from_left;
  other_from_palm_[1] = glm::transpose(from_left) * mirror * from_right;
  for (const std::vector<HandPoint>& points : points_) {
    Box box;
    for (const HandPoint& point : points) {
      box.add(transformPoint(bound[toSize(point.node)], point.position));
    }
    if (!points.empty()) hand_size_m_ = std::max(hand_size_m_, lengthOf(box.high - box.low));
  }
}

void GripFinder::readPoses() {
  std::vector<Affine> worlds;
  is_taken_.resize(props_.size());
  is_held_.resize(props_.size());
  is_opposite_.resize(props_.size());
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
      const bool is_taken = is_held && props_[p].is_long && isTaken(props_[p], worlds);
      is_taken_[p].push_back(is_taken);
      is_opposite_[p].push_back(is_held && props_[p].is_long && !isOnHeldSide(props_[p], worlds));
    }
    are_hands_near_.push_back(!props_.empty() && areHandsNear(worlds));
  }
}

// A hand in the space of the prop; no points where the prop has no size.
std::vector<Vec3> GripFinder::handInProp(const Prop& prop, std::size_t hand,
                                         std::span<const Affine> worlds, double& scale) const {
  const Affine& world_from_prop = worlds[toSize(prop.mesh->node)];
  scale = lengthOf(world_from_prop.linear[0]);
  std::vector<Vec3> positions;
  if (!(scale > 0.0)) return positions;
  const Affine prop_from_world = inverse(world_from_prop);
  for (const HandPoint& point : points_[hand]) {
    positions.push_back(
        transformPoint(prop_from_world * worlds[toSize(point.node)], point.position));
  }
  return positions;
}

// From the middle of a hand to the middle of what of the prop is near it, metres, in the axes of
// the palm; none where the prop is not near.
std::optional<Vec3> GripFinder::offsetOf(const Prop& prop, std::size_t hand,
                                         std::span<const Affine> worlds) const {
  double scale = 0.0;
  Box box;
  Vec3 sum(0.0);
  double count = 0.0;
  for (const Vec3& position : handInProp(prop, hand, worlds, scale)) {
    box.add(position);
    const NearestPoint nearest = prop.surface.nearest(position, kHeldHeights * height_m_ / scale);
    if (!std::isfinite(nearest.distance)) continue;
    sum += nearest.point;
    count += 1.0;
  }
  if (!(count > 0.0)) return std::nullopt;
  const Vec3 in_prop = sum / count - 0.5 * (box.low + box.high);
  const Vec3 in_world = worlds[toSize(prop.mesh->node)].linear * in_prop;
  return glm::conjugate(rotationOf(worlds[toSize(palms_[hand])])) * in_world;
}

// Whether the prop is on the side of the other hand on which the first hand holds it. A prop
// through the middle of either hand is on no other side.
bool GripFinder::isOnHeldSide(const Prop& prop, std::span<const Affine> worlds) const {
  const std::size_t holder = 1 - prop.other_hand;
  const std::optional<Vec3> own = offsetOf(prop, holder, worlds),
                            other = offsetOf(prop, prop.other_hand, worlds);
  if (!own || !other) return true;
  if (lengthOf(*own) < kHeldShare * hand_size_m_ ||
      lengthOf(*other) < kBesideShare * hand_size_m_) {
    return true;
  }
  return glm::dot(other_from_palm_[holder] * *own, *other) > 0.0;
}

bool GripFinder::areHandsNear(std::span<const Affine> worlds) const {
  const auto positionOf = [&](const HandPoint& point) {
    return transformPoint(worlds[toSize(point.node)], point.position);
  };
  const double reach_m = kHeldHeights * height_m_;
  return std::any_of(points_[0].begin(), points_[0].end(), [&](const HandPoint& left) {
    const Vec3 at = positionOf(left);
    return std::any_of(points_[1].begin(), points_[1].end(), [&](const HandPoint& right) {
      return lengthOf(positionOf(right) - at) < reach_m;
    });
  });
}

bool GripFinder::isHeld(const Prop& prop, std::span<const Affine> worlds) const {
  double scale = 0.0;
  const std::vector<Vec3> hand = handInProp(prop, prop.other_hand, worlds, scale);
  return std::any_of(hand.begin(), hand.end(), [&](const Vec3& position) {
    return prop.surface.isNear(position, kHeldHeights * height_m_ / scale);
  });
}

// Whether the prop is between points of the hand.
bool GripFinder::isTaken(const Prop& prop, std::span<const Affine> worlds) const {
  double scale = 0.0;
  std::vector<Vec3> directions;
  for (const Vec3& position : handInProp(prop, prop.other_hand, worlds, scale)) {
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
    std::size_t taken = 0, opposite = 0;
    for (std::size_t s = window.first; s <= window.last; ++s) {
      taken += is_taken[s] ? 1 : 0;
      opposite += is_opposite_[prop][s] ? 1 : 0;
    }
    if (static_cast<double>(taken) * samples_.step_s() < kMinTaken_s) continue;
    if (2 * opposite > window.last - window.first + 1) continue;
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

// Whether a prop of one hand reaches the other hand, or the hands each other, for most of the
// samples. Without any prop the motion alone decides.
bool GripFinder::isReached(std::size_t first, std::size_t last) const {
  if (props_.empty()) return true;
  std::size_t reached = 0;
  for (std::size_t s = first; s <= last; ++s) {
    reached += are_hands_near_[s] ||
               std::any_of(is_held_.begin(), is_held_.end(),
                           [&](const std::vector<bool>& is_held) { return is_held[s]; });
  }
  return 2 * reached > last - first + 1;
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
                         isRigidMotion(first, end - 1) && isReached(first, end - 1);
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

}  // namespace clipmill::stages::self_collision
