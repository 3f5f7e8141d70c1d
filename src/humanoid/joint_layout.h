// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "core/to_size.h"
#include "humanoid/humanoid.h"
#include "scene/scene.h"

namespace clipmill::humanoid {

/// The input of the search for a human character.
struct JointLayout {
  const Scene* scene = nullptr;
  std::vector<std::vector<int>> children;  ///< Of every node, ascending.
  std::vector<bool> is_joint;              ///< Of a skin; false everywhere in files without skins.
  bool has_joints = false;
  std::vector<Vec3> positions;  ///< Of every node, metres, as bound to the skin, else at rest.

  int parentOf(int node) const { return scene->skeleton.nodes[toSize(node)].parent; }
  const Vec3& positionOf(int node) const { return positions[toSize(node)]; }
  const std::vector<int>& childrenOf(int node) const { return children[toSize(node)]; }
  bool isJoint(int node) const { return is_joint[toSize(node)]; }
  const std::string& nameOf(int node) const { return scene->skeleton.nodes[toSize(node)].name; }
};

/// The pose in which the largest skin was bound shows the character better than the rest pose,
/// which in many files is a frame of the animation. Where there is no skin, or it cannot be
/// inverted, the positions are those of the rest pose.
JointLayout jointLayoutOf(const Scene& scene);

/// metric_from_node of every node in that pose.
std::vector<Affine> boundWorlds(const Scene& scene);

double distanceBetween(const JointLayout& character, int a, int b);

/// Whether `above` is `node` or one of its ancestors.
bool isAtOrAbove(const JointLayout& character, int above, int node);

/// The lowest node at or above both; -1 where they have different roots.
int commonAncestor(const JointLayout& character, int a, int b);

/// From below `above` down to `node`; empty where `above` is not above it.
std::vector<int> pathDown(const JointLayout& character, int above, int node);

/// The roles of one limb, from the body outwards: collar, upper arm, lower arm, hand; or -1, upper
/// leg, lower leg, foot, toes (`first` is -1 for legs).
struct Limb {
  int first = -1;  ///< Shoulder.
  int upper = -1;
  int lower = -1;
  int end = -1;   ///< Hand or foot.
  int toes = -1;  ///< Legs only.

  bool hasBones() const { return upper >= 0 && lower >= 0; }
  int root() const { return first >= 0 ? first : upper; }
};

struct Limbs {
  Limb left_arm, right_arm, left_leg, right_leg;
};

void setLimbs(const Limbs& limbs, HumanoidMap& map);

inline int& roleOf(HumanoidMap& map, HumanoidRole role) { return map.nodes[toSize(role)]; }

/// The 15 roles that every human character has (required in VRM 1.0).
const std::vector<HumanoidRole>& coreRoles();
std::size_t countCoreRoles(const HumanoidMap& map);

/// Spine, chest and upper chest among the nodes from above the hips to where the arms part, from
/// below: the only one is the spine, of two the second is the chest; of more the last is the upper
/// chest and the middle one the chest.
void setSpine(const std::vector<int>& path, HumanoidMap& map);

/// Neck and head along what rises from `chest` besides the arms, where names do not identify them:
/// of two joints in a row the first is the neck. `rising` is the direction from the hips to the
/// chest.
void setNeckAndHead(const JointLayout& character, int chest, const Limbs& limbs, const Vec3& rising,
                    HumanoidMap& map);

}  // namespace clipmill::humanoid
