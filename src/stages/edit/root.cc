// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/edit/root.h"

#include "locomotion/ground.h"
#include "locomotion/ground_track.h"
#include "locomotion/root_joint.h"
#include "locomotion/root_motion.h"
#include "stages/edit/each_motion.h"
#include "stages/edit/root_joints.h"

namespace clipmill::stages::edit {
namespace {

constexpr double kStillRootHeights = 0.005;  // below this, in heights, the root does not move

// Hips -1: the root joint has the root motion already, and only the IK bones are to follow.
Result<locomotion::RootTrajectory> trajectoryOf(const Scene& scene, const RootSettings& settings,
                                                const Motion& motion, double still_m) {
  const bool only_ik =
      !settings.create && !settings.hips_joint && settings.ik_bones != IkBones::kNone;
  if (only_ik) {
    CLIPMILL_TRY(const int root, rootOf(scene, settings));
    const int mover = locomotion::findMovingJoint(scene, motion, still_m);
    const bool is_below = mover != root && isAtOrBelow(scene.skeleton, mover, root);
    return locomotion::RootTrajectory{mover >= 0 && is_below ? mover : -1, root};
  }
  if (!settings.create || settings.hips_joint) {
    const std::string root = settings.create ? createdRootName(settings) : "";
    return locomotion::findRootTrajectory(scene, motion, settings.hips_joint.value_or(""),
                                          settings.root_joint.value_or(root), still_m);
  }
  CLIPMILL_TRY(const int root, findOneNode(scene.skeleton, createdRootName(settings), "create"));
  return locomotion::RootTrajectory{hipsBelow(scene, motion, root, still_m), root};
}

Status moveRoot(const Scene& scene, const RootSettings& settings, const Motion& motion,
                StageResult& result) {
  const double still_m = kStillRootHeights * locomotion::characterHeight(scene);
  result.motion = copyOf(motion);
  int root = -1;
  if (settings.root_motion == RootMotionMode::kExtract) {
    CLIPMILL_TRY(const locomotion::RootTrajectory path,
                 trajectoryOf(scene, settings, motion, still_m));
    root = path.root;
    if (path.hips >= 0) {
      locomotion::extractRoot(scene, path.hips, root, settings.yaw, settings.smooth_s,
                              result.motion, result.warnings);
    }
    if (settings.create) {
      // Blender takes channels without keys from the clip before: every clip has both.
      result.motion.modified.set(root, TrackPath::kTranslation);
      result.motion.modified.set(root, TrackPath::kRotation);
    }
  } else {
    const std::string name = settings.create ? "" : settings.root_joint.value_or("");
    CLIPMILL_TRY(root, locomotion::findRootMotionJoint(scene, motion, name, still_m));
    CLIPMILL_TRY(const std::vector<int> followers,
                 locomotion::findFollowers(scene, root, settings.follow));
    locomotion::makeInPlace(scene, root, followers, settings.smooth_s, result.motion,
                            result.warnings);
  }
  if (settings.ik_bones == IkBones::kUnreal) {
    CLIPMILL_CHECK(followWithIkBones(scene, motion, result.motion));
  }
  const auto whole = [&](const Motion& of) {
    return locomotion::GroundTrack(scene, of, root, locomotion::GroundHeading::kOfNode).whole();
  };
  const locomotion::GroundStep before = whole(motion), after = whole(result.motion);
  result.metrics = {{"root_net_m", locomotion::horizontalLength(before.ahead_m),
                     locomotion::horizontalLength(after.ahead_m)},
                    {"root_yaw_deg", before.rotation_rad / kDegree, after.rotation_rad / kDegree}};
  return {};
}

}  // namespace

Result<std::vector<StageResult>> runRoot(const StageInput& input, const RootSettings& settings) {
  return edit::eachMotion(input, [&](const Motion& motion, StageResult& result) {
    return moveRoot(input.scene, settings, motion, result);
  });
}

StageType rootType() {
  return makeStageType<RootSettings>(
      "root", "Move root motion from the hips to the root joint, or remove it.", rootTable(),
      runRoot);
}

}  // namespace clipmill::stages::edit
