// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "anim/motion.h"
#include "core/result.h"
#include "scene/joint_insertion.h"
#include "scene/scene.h"
#include "stages/edit/settings.h"

namespace clipmill::stages::edit {

/// The joints that a file needs before runRoot(): a root joint above the hips (RootSettings::
/// create), and those IK bones that it does not have. None where the settings ask for none. Errors:
/// kRecipe for hips that have a root joint, or a name that is taken; kNotFound; kUnsupported where
/// hands and feet are not found.
Result<JointInsertion> rootInsertion(const Scene& scene, const RootSettings& settings);

/// The name that the inserted root joint has.
std::string createdRootName(const RootSettings& settings);

/// The root joint of a character that has one: `root_joint`, else the one above its hips. Errors:
/// those of findOneNode() and locomotion::rootAbove().
Result<int> rootOf(const Scene& scene, const RootSettings& settings);

/// The joint below the inserted `root` that has the root motion of `motion`: the one that moves,
/// else the hips.
int hipsBelow(const Scene& scene, const Motion& motion, int root, double still_m);

/// Keys of the IK bones, as Unreal has them: ik_foot_l and ik_foot_r where the feet are,
/// ik_hand_gun and ik_hand_r where the right hand is, ik_hand_l where the left hand is. The roots
/// ik_foot_root and ik_hand_root stay on their parent as in `before`, the clip without any change.
/// Errors: kNotFound, kUnsupported.
Status followWithIkBones(const Scene& scene, const Motion& before, Motion& motion);

}  // namespace clipmill::stages::edit
