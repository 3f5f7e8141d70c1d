// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/chains/file_springs.h"

#include <algorithm>
#include <cmath>

#include "anim/euler.h"
#include "anim/pose.h"
#include "core/math.h"
#include "core/text.h"
#include "core/to_size.h"
#include "stages/dynamic_bones/chains/engine_chain.h"

namespace clipmill::stages::dynamic_bones {
namespace {

using dynamic_bones::EngineBone;

constexpr double kRate_hz = 60.0;   // step rate of VRM
constexpr double kSideways = 1e-3;  // component of gravity's direction above which a note is added
constexpr double kMaxTip = 1000.0;  // in lengths of the bone before it, as the settings allow
constexpr std::size_t kMaxLinks = 1000000;  // references from chains to colliders

std::vector<double> listOf(const Vec3& v) { return {v.x, v.y, v.z}; }

// Counts of values that could not be converted exactly.
struct Losses {
  std::size_t sideways_gravity = 0;
  std::size_t mixed_limits = 0;
  std::size_t chains_without_bone = 0;
  std::size_t moved_centers = 0;
  std::size_t far_colliders = 0;
};

class VrmSprings {
 public:
  VrmSprings(const Scene& scene, DynamicBonesSettings& settings)
      : scene_(scene), setup_(scene.springs), settings_(settings), references_(scene.skeleton) {
    computeWorlds(scene.skeleton, restPose(scene.skeleton).locals, scene.metric_from_file, worlds_);
    moved_ = movedNodes();
  }

  Result<std::vector<std::string>> add() {
    addColliders();
    for (const SpringChain& chain : setup_.chains) CLIPMILL_CHECK(addChain(chain));
    return notes();
  }

 private:
  Vec3 positionOf(int node) const { return worlds_[toSize(node)].translation; }

  // Lengths of the node's axes in metres.
  Vec3 scaleOf(int node) const {
    const Mat3& linear = worlds_[toSize(node)].linear;
    return {lengthOf(linear[0]), lengthOf(linear[1]), lengthOf(linear[2])};
  }

  // The nodes at or below a joint, which chains move.
  std::vector<bool> movedNodes() const {
    std::vector<bool> moved(scene_.skeleton.size(), false);
    for (const SpringChain& chain : setup_.chains) {
      for (const SpringJoint& joint : chain.joints) {
        moved[toSize(joint.node)] = true;
      }
    }
    for (std::size_t i = 0; i < moved.size(); ++i) {
      const int parent = scene_.skeleton.nodes[i].parent;
      if (parent >= 0 && moved[toSize(parent)]) moved[i] = true;
    }
    return moved;
  }

  void addColliders() {
    names_.assign(setup_.colliders.size(), "");
    for (std::size_t i = 0; i < setup_.colliders.size(); ++i) {
      const SpringCollider& collider = setup_.colliders[i];
      const std::string name = "spring_collider_" + std::to_string(i);
      ColliderSettings settings = colliderSettings(collider, name);
      if (!dynamic_bones::isWithinBounds(settings)) {
        ++losses_.far_colliders;
        continue;
      }
      names_[i] = name;
      settings_.collider.push_back(std::move(settings));
    }
  }

  ColliderSettings colliderSettings(const SpringCollider& collider, const std::string& name) const {
    const Vec3 scale = scaleOf(collider.node);
    ColliderSettings result;
    result.node = references_.plain(collider.node);
    result.name = name;
    result.inside = collider.inside;
    result.offset_m = listOf(collider.offset * scale);
    result.radius_m = collider.radius * std::max({scale.x, scale.y, scale.z});
    switch (collider.kind) {
      case SpringCollider::Kind::kSphere:
        result.shape = ColliderShape::kSphere;
        break;
      case SpringCollider::Kind::kCapsule:
        result.shape = ColliderShape::kCapsule;
        result.tail_m = listOf(collider.tail * scale);
        break;
      case SpringCollider::Kind::kPlane:
        result.shape = ColliderShape::kPlane;
        result.normal = listOf(collider.normal);
        break;
    }
    return result;
  }

  Status addChain(const SpringChain& chain) {
    ChainSettings result;
    const std::vector<EngineBone> bones = bonesOf(chain, result);
    const bool has_length = std::any_of(bones.begin(), bones.end(),
                                        [](const EngineBone& bone) { return bone.length_m > 0.0; });
    if (!has_length) {
      ++losses_.chains_without_bone;
      return {};
    }
    for (const SpringJoint& joint : chain.joints) {
      result.joints.push_back(references_.plain(joint.node));
    }
    dynamic_bones::setMotion(bones, result);
    result.rest_includes_gravity = false;
    const bool has_center = chain.center >= 0;
    const bool center_moves = has_center && moved_[toSize(chain.center)];
    losses_.moved_centers += center_moves;
    if (has_center && !center_moves) {
      result.inertia_node = references_.plain(chain.center);
      result.inertia_translation = result.inertia_rotation = 0.0;
    }
    setLimit(chain, dynamic_bones::depthsOf(bones), result);
    CLIPMILL_CHECK(setColliders(chain, result));
    settings_.chain.push_back(std::move(result));
    joint_count_ += chain.joints.size();
    ++chain_count_;
    return {};
  }

  // The bones between joints, and the virtual tip, whose length goes to `settings`.
  std::vector<EngineBone> bonesOf(const SpringChain& chain, ChainSettings& settings) {
    std::vector<EngineBone> bones;
    const auto& joints = chain.joints;
    for (std::size_t i = 0; i + 1 < joints.size(); ++i) {
      const double length_m = lengthOf(positionOf(joints[i + 1].node) - positionOf(joints[i].node));
      bones.push_back(boneOf(joints[i], length_m));
    }
    settings.tip_length = 0.0;
    if (chain.tail_length_m > 0.0) {
      const double before_m = lengthBefore_m(joints.back().node);
      const double ratio = before_m > 0.0 ? chain.tail_length_m / before_m : 0.0;
      settings.tip_length = ratio <= kMaxTip ? ratio : 0.0;
      if (settings.tip_length > 0.0) bones.push_back(boneOf(joints.back(), chain.tail_length_m));
    }
    return bones;
  }

  double lengthBefore_m(int node) const {
    const int parent = scene_.skeleton.nodes[toSize(node)].parent;
    return parent < 0 ? 0.0 : lengthOf(positionOf(node) - positionOf(parent));
  }

  EngineBone boneOf(const SpringJoint& joint, double length_m) {
    EngineBone bone;
    bone.length_m = dynamic_bones::usableLength(length_m);
    const double pull_m = joint.stiffness / kRate_hz;
    bone.spring.drag = joint.drag;
    bone.spring.relaxation = pull_m > 0.0 ? pull_m / (bone.length_m + pull_m) : 0.0;
    bone.spring.rate_hz = kRate_hz;
    bone.push_m = joint.gravity_power * joint.gravity_dir.y / kRate_hz;
    const Vec3 scale = scaleOf(joint.node);
    bone.radius_m = joint.hit_radius * std::max({scale.x, scale.y, scale.z});
    const double sideways = std::max(std::abs(joint.gravity_dir.x), std::abs(joint.gravity_dir.z));
    if (joint.gravity_power != 0.0 && sideways > kSideways) ++losses_.sideways_gravity;
    return bone;
  }

  // A chain has one kind of limit in one set of axes; its angles may vary over depth.
  void setLimit(const SpringChain& chain, const std::vector<double>& depths,
                ChainSettings& settings) {
    const AngleLimit* given = nullptr;
    std::vector<double> angles_deg, yaws_deg;
    for (std::size_t i = 0; i < depths.size(); ++i) {
      const AngleLimit& limit = chain.joints[i].limit;
      const bool is_limited = limit.kind != AngleLimit::Kind::kNone;
      if (is_limited && !given) given = &limit;
      if (is_limited &&
          (limit.kind != given->kind || angleBetween(limit.rotation, given->rotation) > 1e-6)) {
        ++losses_.mixed_limits;
      }
      angles_deg.push_back(is_limited ? limit.angle_rad / kDegree : 180.0);
      yaws_deg.push_back(is_limited ? limit.yaw_rad / kDegree : 90.0);
    }
    if (!given) return;
    has_limits_ = true;
    settings.limit = given->kind == AngleLimit::Kind::kCone    ? LimitShape::kCone
                     : given->kind == AngleLimit::Kind::kHinge ? LimitShape::kHinge
                                                               : LimitShape::kSpherical;
    settings.limit_deg = dynamic_bones::chainCurve("limit_deg", depths, angles_deg);
    settings.limit_yaw_deg = dynamic_bones::chainCurve("limit_yaw_deg", depths, yaws_deg);
    settings.limit_rotation_deg = listOf(toEuler(given->rotation, EulerOrder::kXyz));
  }

  Status setColliders(const SpringChain& chain, ChainSettings& settings) {
    std::vector<int> indices;
    for (int group : chain.collider_groups) {
      const auto& colliders = setup_.groups[toSize(group)].colliders;
      indices.insert(indices.end(), colliders.begin(), colliders.end());
      link_count_ += colliders.size();
      if (link_count_ > kMaxLinks) {
        return Error{ErrorCode::kLimit, "springs of the file",
                     "have more than " + std::to_string(kMaxLinks) + " references to colliders",
                     "use fewer collider groups per spring"};
      }
    }
    std::sort(indices.begin(), indices.end());
    indices.erase(std::unique(indices.begin(), indices.end()), indices.end());
    settings.colliders.clear();
    for (int index : indices) {
      const std::string& name = names_[toSize(index)];
      if (!name.empty()) settings.colliders.push_back(name);
    }
    if (settings.colliders.empty()) settings.colliders = {"none"};
    return {};
  }

  std::vector<std::string> notes() const {
    std::vector<std::string> notes;
    const char* version = setup_.kind == SpringSetup::Kind::kVrm0 ? "VRM 0.x" : "VRM 1.0";
    notes.push_back(counted(chain_count_, "spring") + " of " + version + ": " +
                    counted(joint_count_, "joint") + ", " +
                    counted(setup_.colliders.size(), "collider") + " in " +
                    counted(setup_.groups.size(), "group") +
                    "; their values are converted for 60 steps per second");
    const auto note = [&](std::size_t count, const char* what, const char* text) {
      if (count > 0) notes.push_back(counted(count, what) + " " + text);
    };
    note(losses_.sideways_gravity, "bone",
         "with sideways gravity: only the component along the up axis is used");
    note(losses_.mixed_limits, "joint",
         "with a limit of another kind or in other axes than the first of its spring: the first "
         "is used");
    note(losses_.moved_centers, "spring",
         "with a center that springs move: the attachment joint is used instead");
    note(losses_.far_colliders, "collider", "with values that are too large: left out");
    note(losses_.chains_without_bone, "spring", "in which no bone has a length: left out");
    if (has_limits_) notes.push_back("angle limits follow a draft of VRMC_springBone_limit");
    return notes;
  }

  const Scene& scene_;
  const SpringSetup& setup_;
  DynamicBonesSettings& settings_;
  dynamic_bones::NodeReferences references_;
  std::vector<Affine> worlds_;      // at rest, metric
  std::vector<bool> moved_;         // nodes at or below a joint
  std::vector<std::string> names_;  // of colliders; empty for those left out
  Losses losses_;
  std::size_t joint_count_ = 0, chain_count_ = 0, link_count_ = 0;
  bool has_limits_ = false;
};

// A chain that starts at the node, with the settings in its extras.
Result<ChainSettings> chainFromNode(const NodeSettings& given, const std::string& root,
                                    const std::string& location) {
  const SettingsTable& table = *dynamicBonesTable().list("chain")->item;
  ChainSettings chain;
  for (const auto& [key, text] : given.values) {
    const std::string key_location = location + "." + key;
    const SettingField* field = table.field(key);
    if (!field) return unknownKey(table, key, key_location);
    if (key == "root" || key == "joints") {
      return Error{ErrorCode::kRecipe, key_location,
                   "is not allowed: the chain starts at this node", "remove the key"};
    }
    CLIPMILL_TRY(const SettingValue value, parseValue(*field, text, key_location));
    field->set(&chain, value);
  }
  chain.root = root;
  return chain;
}

Result<std::size_t> addNodeChains(const Scene& scene, DynamicBonesSettings& settings) {
  const dynamic_bones::NodeReferences references(scene.skeleton);
  std::size_t count = 0;
  for (const NodeSettings& given : scene.node_settings) {
    if (given.topic != "dynbone") continue;
    const std::string location =
        "node '" + scene.skeleton.nodes[toSize(given.node)].name + "': extras.dynbone";
    CLIPMILL_TRY(ChainSettings chain, chainFromNode(given, references.glob(given.node), location));
    settings.chain.push_back(std::move(chain));
    ++count;
  }
  return count;
}

}  // namespace

Result<std::vector<std::string>> addFileSprings(const Scene& scene,
                                                DynamicBonesSettings& settings) {
  std::vector<std::string> notes;
  if (!scene.springs.chains.empty()) {
    CLIPMILL_TRY(notes, VrmSprings(scene, settings).add());
  }
  CLIPMILL_TRY(const std::size_t count, addNodeChains(scene, settings));
  if (count > 0) notes.push_back(counted(count, "chain") + " of extras.dynbone");
  return notes;
}

}  // namespace clipmill::stages::dynamic_bones
