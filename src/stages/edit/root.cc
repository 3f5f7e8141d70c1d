// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/edit/root.h"

#include "locomotion/ground.h"
#include "locomotion/ground_track.h"
#include "locomotion/root_joint.h"
#include "locomotion/root_motion.h"
#include "stages/edit/each_motion.h"

namespace clipmill::stages::edit {
namespace {

constexpr double kStillRootHeights = 0.005;  // below this, in heights, the root does not move

Status moveRoot(const Scene& scene, const RootSettings& settings, const Motion& motion,
                StageResult& result) {
  const double still_m = kStillRootHeights * locomotion::characterHeight(scene);
  result.motion = motion;
  int root = -1;
  if (settings.root_motion == RootMotionMode::kExtract) {
    CLIPMILL_TRY(const locomotion::RootTrajectory path,
                 locomotion::findRootTrajectory(scene, motion, settings.hips_joint.value_or(""),
                                                settings.root_joint.value_or(""), still_m));
    root = path.root;
    locomotion::extractRoot(scene, path.hips, root, settings.yaw, settings.smooth_s, result.motion,
                            result.warnings);
  } else {
    CLIPMILL_TRY(root, locomotion::findRootMotionJoint(scene, motion,
                                                       settings.root_joint.value_or(""), still_m));
    CLIPMILL_TRY(const std::vector<int> followers,
                 locomotion::findFollowers(scene, root, settings.follow));
    locomotion::makeInPlace(scene, root, followers, settings.smooth_s, result.motion,
                            result.warnings);
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
