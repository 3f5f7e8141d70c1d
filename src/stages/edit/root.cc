// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/edit/root.h"

#include "scene/ground.h"
#include "scene/ground_track.h"
#include "scene/root_motion.h"
#include "scene/root_track.h"
#include "stages/edit/each_motion.h"

namespace clipmill {
namespace {

constexpr double kStillHeights = 0.005;  // what keeps within so many heights does not go anywhere

Status moveRoot(const Scene& scene, const RootSettings& settings, const Motion& motion,
                StageResult& result) {
  const double still_m = kStillHeights * figureHeight(scene);
  result.motion = motion;
  int root = -1;
  if (settings.form == RootForm::kExtract) {
    CLIPMILL_TRY(const RootWay way,
                 findRootWay(scene, motion, settings.root_from, settings.root, still_m));
    root = way.root;
    extractRoot(scene, way.hips, root, settings.yaw, settings.smooth_s, result.motion,
                result.warnings);
  } else {
    CLIPMILL_TRY(root, findCarrier(scene, motion, settings.root, still_m));
    CLIPMILL_TRY(const std::vector<int> followers, findFollowers(scene, root, settings.follow));
    makeInPlace(scene, root, followers, settings.smooth_s, result.motion, result.warnings);
  }
  const auto whole = [&](const Motion& of) {
    return GroundTrack(scene, of, root, GroundHeading::kOfNode).whole();
  };
  const GroundStep before = whole(motion), after = whole(result.motion);
  result.metrics = {
      {"root_way_m", horizontalLength(before.ahead_m), horizontalLength(after.ahead_m)},
      {"root_turn_deg", before.turn_rad / kDegree, after.turn_rad / kDegree}};
  return {};
}

}  // namespace

Result<std::vector<StageResult>> runRoot(const StageInput& input, const RootSettings& settings) {
  return edit::eachMotion(input, [&](const Motion& motion, StageResult& result) {
    return moveRoot(input.scene, settings, motion, result);
  });
}

}  // namespace clipmill
