// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// VRMC_vrm_animation 1.0; roles and their parents: VRMC_vrm 1.0, humanoid.
#include "retarget/vrm_animation.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "core/math.h"
#include "core/to_size.h"
#include "humanoid/fingers.h"
#include "humanoid/humanoid.h"
#include "retarget/clip_transfer.h"
#include "retarget/face_transfer.h"
#include "retarget/rest_alignment.h"

namespace clipmill::retarget {
namespace {

// A role of VRM 1.0, after the one above it.
struct RoleParent {
  std::string_view role, parent;
  bool is_required = false;
};

constexpr std::array<RoleParent, 53> kRoles = {{
    {"hips", "", true},
    {"spine", "hips", true},
    {"chest", "spine"},
    {"upperChest", "chest"},
    {"neck", "upperChest"},
    {"head", "neck", true},
    {"jaw", "head"},
    {"leftShoulder", "upperChest"},
    {"leftUpperArm", "leftShoulder", true},
    {"leftLowerArm", "leftUpperArm", true},
    {"leftHand", "leftLowerArm", true},
    {"leftThumbMetacarpal", "leftHand"},
    {"leftThumbProximal", "leftThumbMetacarpal"},
    {"leftThumbDistal", "leftThumbProximal"},
    {"leftIndexProximal", "leftHand"},
    {"leftIndexIntermediate", "leftIndexProximal"},
    {"leftIndexDistal", "leftIndexIntermediate"},
    {"leftMiddleProximal", "leftHand"},
    {"leftMiddleIntermediate", "leftMiddleProximal"},
    {"leftMiddleDistal", "leftMiddleIntermediate"},
    {"leftRingProximal", "leftHand"},
    {"leftRingIntermediate", "leftRingProximal"},
    {"leftRingDistal", "leftRingIntermediate"},
    {"leftLittleProximal", "leftHand"},
    {"leftLittleIntermediate", "leftLittleProximal"},
    {"leftLittleDistal", "leftLittleIntermediate"},
    {"rightShoulder", "upperChest"},
    {"rightUpperArm", "rightShoulder", true},
    {"rightLowerArm", "rightUpperArm", true},
    {"rightHand", "rightLowerArm", true},
    {"rightThumbMetacarpal", "rightHand"},
    {"rightThumbProximal", "rightThumbMetacarpal"},
    {"rightThumbDistal", "rightThumbProximal"},
    {"rightIndexProximal", "rightHand"},
    {"rightIndexIntermediate", "rightIndexProximal"},
    {"rightIndexDistal", "rightIndexIntermediate"},
    {"rightMiddleProximal", "rightHand"},
    {"rightMiddleIntermediate", "rightMiddleProximal"},
    {"rightMiddleDistal", "rightMiddleIntermediate"},
    {"rightRingProximal", "rightHand"},
    {"rightRingIntermediate", "rightRingProximal"},
    {"rightRingDistal", "rightRingIntermediate"},
    {"rightLittleProximal", "rightHand"},
    {"rightLittleIntermediate", "rightLittleProximal"},
    {"rightLittleDistal", "rightLittleIntermediate"},
    {"leftUpperLeg", "hips", true},
    {"leftLowerLeg", "leftUpperLeg", true},
    {"leftFoot", "leftLowerLeg", true},
    {"leftToes", "leftFoot"},
    {"rightUpperLeg", "hips", true},
    {"rightLowerLeg", "rightUpperLeg", true},
    {"rightFoot", "rightLowerLeg", true},
    {"rightToes", "rightFoot"},
}};

// -- Roles of the character

using RoleNodes = std::map<std::string, int, std::less<>>;

RoleNodes declaredRoles(const Scene& scene) {
  RoleNodes nodes;
  for (const DeclaredRole& declared : scene.humanoid) nodes.emplace(declared.role, declared.node);
  return nodes;
}

// Joints of the trunk take the roles from the hips up without a gap: a chest needs a spine.
void addTrunk(const humanoid::HumanoidMap& map, RoleNodes& nodes) {
  using humanoid::HumanoidRole;
  constexpr std::array kTrunkRoles = {HumanoidRole::kSpine, HumanoidRole::kChest,
                                      HumanoidRole::kUpperChest};
  std::size_t next = 0;
  for (const HumanoidRole role : kTrunkRoles) {
    if (map[role] >= 0) nodes[humanoid::humanoidRoleName(kTrunkRoles[next++])] = map[role];
  }
}

void addFingers(const Scene& scene, const humanoid::HumanoidMap& map, RoleNodes& nodes) {
  constexpr std::array<const char*, humanoid::kFingerCount> kNames = {"Thumb", "Index", "Middle",
                                                                      "Ring", "Little"};
  constexpr std::array<const char*, humanoid::kFingerJoints> kThumb = {"Metacarpal", "Proximal",
                                                                       "Distal"},
                                                             kLong = {"Proximal", "Intermediate",
                                                                      "Distal"};
  const humanoid::Fingers fingers = humanoid::findFingers(scene, map);
  for (std::size_t side = 0; side < fingers.size(); ++side) {
    for (std::size_t finger = 0; finger < humanoid::kFingerCount; ++finger) {
      const auto& joints = finger == 0 ? kThumb : kLong;
      for (std::size_t j = 0; j < humanoid::kFingerJoints; ++j) {
        const int node = fingers[side][finger][j];
        if (node < 0) continue;
        nodes[std::string(side == 0 ? "left" : "right") + kNames[finger] + joints[j]] = node;
      }
    }
  }
}

RoleNodes foundRoles(const Scene& scene, const humanoid::HumanoidMap& map) {
  RoleNodes nodes;
  for (std::size_t r = 0; r < humanoid::kHumanoidRoleCount; ++r) {
    const auto role = static_cast<humanoid::HumanoidRole>(r);
    if (map[role] >= 0) nodes[humanoid::humanoidRoleName(role)] = map[role];
  }
  for (const char* role : {"spine", "chest", "upperChest"}) nodes.erase(role);
  addTrunk(map, nodes);
  addFingers(scene, map, nodes);
  return nodes;
}

// -- The T-pose

// The direction of a limb in a T-pose that faces +z, and the role at its end.
struct TLimb {
  std::string_view role, end;
  Vec3 direction;
};

const std::array<TLimb, 8> kTLimbs = {{
    {"leftUpperArm", "leftLowerArm", {1, 0, 0}},
    {"leftLowerArm", "leftHand", {1, 0, 0}},
    {"rightUpperArm", "rightLowerArm", {-1, 0, 0}},
    {"rightLowerArm", "rightHand", {-1, 0, 0}},
    {"leftUpperLeg", "leftLowerLeg", {0, -1, 0}},
    {"leftLowerLeg", "leftFoot", {0, -1, 0}},
    {"rightUpperLeg", "rightLowerLeg", {0, -1, 0}},
    {"rightLowerLeg", "rightFoot", {0, -1, 0}},
}};

bool isFoot(std::string_view role) { return role == "leftFoot" || role == "rightFoot"; }

Quat toFront(const Scene& scene, const humanoid::HumanoidMap& map, const RestPose& rest) {
  const Vec3 front(0, 0, 1);
  if (scene.t_pose_front) return rotationBetween(*scene.t_pose_front, front, kUp);
  const auto axes = humanoid::bodyAxes(map, rest.worlds);
  if (!axes) return kIdentityRotation;
  return rotationBetween(Vec3(axes->forward.x, 0, axes->forward.z), front, kUp);
}

// Makes the nodes of the roles one by one, parents first.
class TPoseBuilder {
 public:
  TPoseBuilder(const Scene& scene, const humanoid::HumanoidMap& map, RoleNodes roles)
      : is_t_pose_(scene.t_pose_front.has_value()),
        roles_(std::move(roles)),
        rest_(is_t_pose_ ? RestPose(scene, restPose(scene.skeleton).locals) : RestPose(scene)),
        to_front_(toFront(scene, map, rest_)) {}

  void build(Scene& target, NodeMatch& match) {
    for (const RoleParent& entry : kRoles) {
      const auto found = roles_.find(entry.role);
      if (found != roles_.end()) addRole(entry, found->second, target, match);
    }
    raiseHips(target);
  }

 private:
  struct PosedRole {
    int node = -1;
    Vec3 before, after;  // position before limbs were rotated, and after
    Quat rotation = kIdentityRotation;
  };

  Vec3 positionOf(int node) const { return to_front_ * rest_.positionOf(node); }

  // The nearest role above that the character has.
  const PosedRole* above(const RoleParent& entry) const {
    std::string_view parent = entry.parent;
    while (!parent.empty()) {
      const auto posed = posed_.find(parent);
      if (posed != posed_.end()) return &posed->second;
      const auto next = std::find_if(kRoles.begin(), kRoles.end(),
                                     [&](const RoleParent& r) { return r.role == parent; });
      parent = next->parent;
    }
    return nullptr;
  }

  Quat rotationOfRole(std::string_view role, const Vec3& position, const Quat& inherited) const {
    if (is_t_pose_ || isFoot(role)) return kIdentityRotation;
    for (const TLimb& limb : kTLimbs) {
      const auto end = roles_.find(limb.end);
      if (limb.role != role || end == roles_.end()) continue;
      const Vec3 bone = inherited * (positionOf(end->second) - position);
      return rotationBetween(bone, limb.direction, kUp) * inherited;
    }
    return inherited;
  }

  void addRole(const RoleParent& entry, int source, Scene& target, NodeMatch& match) {
    const PosedRole* parent = above(entry);
    const Quat inherited = parent ? parent->rotation : kIdentityRotation;
    PosedRole posed;
    posed.node = static_cast<int>(target.skeleton.size());
    posed.before = positionOf(source);
    const Vec3 offset = inherited * (posed.before - (parent ? parent->before : Vec3(0.0)));
    posed.after = (parent ? parent->after : Vec3(0.0)) + offset;
    posed.rotation = rotationOfRole(entry.role, posed.before, inherited);
    Node node;
    node.name = entry.role;
    node.parent = parent ? parent->node : -1;
    node.source_id = posed.node;
    node.rest.translation = offset;
    target.skeleton.nodes.push_back(std::move(node));
    target.humanoid.push_back({std::string(entry.role), posed.node});
    match.pairs.push_back({source, posed.node});
    if (const auto role = humanoid::humanoidRoleOfName(entry.role)) {
      match.target_map.nodes[toSize(*role)] = posed.node;
    }
    posed_[std::string(entry.role)] = posed;
  }

  // Feet are as high as before; rest poses of motion capture have their hips in the origin, and are
  // set on the floor.
  void raiseHips(Scene& target) const {
    double before = 0.0, after = 0.0, hips = 0.0;
    int count = 0;
    for (const auto& [role, posed] : posed_) {
      if (role == "hips") hips = posed.before.y;
      if (!isFoot(role)) continue;
      before += posed.before.y;
      after += posed.after.y;
      ++count;
    }
    if (count == 0) return;
    constexpr double kHipsInOrigin = 0.25;  // of the height of the hips above the feet
    const double height = hips - before / count;
    const double floor = hips < kHipsInOrigin * height ? -before / count : 0.0;
    target.skeleton.nodes.front().rest.translation.y += (before - after) / count + floor;
  }

  bool is_t_pose_;
  RoleNodes roles_;
  RestPose rest_;
  Quat to_front_;
  std::map<std::string, PosedRole, std::less<>> posed_;
};

// -- Expressions and gaze

int addNode(const std::string& name, Skeleton& skeleton) {
  Node node;
  node.name = name;
  node.source_id = static_cast<int>(skeleton.size());
  skeleton.nodes.push_back(std::move(node));
  return static_cast<int>(skeleton.size()) - 1;
}

bool isLookPreset(std::string_view name) {
  return name == "lookUp" || name == "lookDown" || name == "lookLeft" || name == "lookRight";
}

void addFace(const FaceMotion& face, const Gaze& gaze, Scene& target) {
  auto& expressions = target.face.expressions;
  for (const ExpressionCurve& curve : face.expressions) {
    const bool is_known =
        std::any_of(expressions.begin(), expressions.end(),
                    [&](const Expression& known) { return known.name == curve.name; });
    if (is_known || isLookPreset(curve.name)) continue;
    Expression expression{curve.name, curve.is_custom};
    expression.weight_node = addNode(curve.name, target.skeleton);
    expressions.push_back(std::move(expression));
  }
  if (face.gaze_rad.empty() || target.face.gaze.kind == Gaze::Kind::kNode) return;
  target.face.gaze.kind = Gaze::Kind::kNode;
  target.face.gaze.node = addNode("lookAt", target.skeleton);
  target.face.gaze.offset_from_head = gaze.offset_from_head;
}

// VRMA files have a position of the hips, and no other.
void keepRotations(const Scene& target, Motion& motion) {
  std::vector<bool> is_role(target.skeleton.size(), false);
  for (const DeclaredRole& role : target.humanoid) is_role[toSize(role.node)] = true;
  TrackMask mask(target.skeleton.size());
  for (std::size_t n = 0; n < target.skeleton.size(); ++n) {
    const int node = static_cast<int>(n);
    const bool may_move = !is_role[n] || n == 0;
    for (const TrackPath path : {TrackPath::kTranslation, TrackPath::kRotation}) {
      if (path == TrackPath::kTranslation && !may_move) continue;
      if (motion.modified.has(node, path)) mask.set(node, path);
    }
    if (may_move) continue;
    for (std::size_t f = 0; f < motion.grid.frame_count; ++f) {
      motion.frame(f).locals[n].translation = target.skeleton.nodes[n].rest.translation;
    }
  }
  motion.modified = std::move(mask);
}

Result<Motion> sampled(const Scene& scene, int index, double fps, const io::Limits& limits) {
  const Clip& clip = scene.clips[toSize(index)];
  const TimeGrid grid = makeGrid(clip.start_s, clip.end_s, fps > 0.0 ? fps : clip.fps);
  if (!(motionBytes(scene.skeleton, grid) <= static_cast<double>(limits.max_decoded_bytes))) {
    return Error{ErrorCode::kLimit, clip.name, "needs more memory than the limit allows",
                 "raise --max-decoded-mb"};
  }
  return sampleClip(scene.skeleton, clip, index, grid);
}

void warnOfMissingRoles(const RoleNodes& roles, Warnings& warnings) {
  for (const RoleParent& entry : kRoles) {
    if (!entry.is_required || roles.contains(entry.role)) continue;
    warnings.add("vrma_role_missing", "the character has no joint for a role that VRM requires",
                 std::string(entry.role));
  }
}

}  // namespace

Result<VrmAnimation> vrmAnimationOf(const Scene& scene, std::span<const int> clips, double fps,
                                    const io::Limits& limits) {
  if (clips.empty()) return Error{ErrorCode::kNotFound, "", "has no animation", "give a clip"};
  const humanoid::HumanoidMap map = humanoid::findHumanoid(scene);
  if (map[humanoid::HumanoidRole::kHips] < 0) {
    return Error{ErrorCode::kUnsupported, "", "has no human character, which VRMA files are for",
                 "clipmill info lists the humanoid roles that were found"};
  }
  const RoleNodes roles = scene.t_pose_front ? declaredRoles(scene) : foundRoles(scene, map);
  VrmAnimation result;
  warnOfMissingRoles(roles, result.warnings);
  Scene& target = result.scene;
  target.t_pose_front = Vec3(0, 0, 1);
  target.face.is_animation = true;
  NodeMatch match;
  match.origin = NodeMatch::Origin::kRoles;
  match.source_map = map;
  match.target_map.origin = humanoid::HumanoidMap::Origin::kDeclared;
  match.target_map.confidence = 1.0;
  TPoseBuilder(scene, map, roles).build(target, match);
  for (const int clip : clips) {
    CLIPMILL_TRY(const Motion motion, sampled(scene, clip, fps, limits));
    Warnings reported_later;
    addFace(faceOf(scene, motion, reported_later), scene.face.gaze, target);
  }
  for (const int clip : clips) {
    CLIPMILL_TRY(const Motion motion, sampled(scene, clip, fps, limits));
    CLIPMILL_TRY(TransferredClip transferred, transferClip(scene, motion, target, match));
    keepRotations(target, transferred.motion);
    transferred.motion.clip_name = scene.clips[toSize(clip)].name;
    target.clips.push_back(clipOf(target.skeleton, transferred.motion));
    result.warnings.merge(transferred.warnings);
  }
  return result;
}

}  // namespace clipmill::retarget
