// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "anim/motion.h"
#include "measure/joint_volumes.h"
#include "scene/scene.h"
#include "scene/skin_surface.h"

namespace clipmill::measure {

/// The volume of the skin about one joint in a clip.
struct LimbVolume {
  std::string joint;
  double min_percent = 100.0;  ///< Over that at rest (the pose in which the skin was bound).
  double min_at_s = 0.0;       ///< The first frame with the minimum.
  double max_percent = 100.0;
};

/// Follows the volume of limbs as the stage tet-bake does (JointVolumes), morphs
/// included: what a player shows.
class LimbVolumeMeter {
 public:
  /// Takes the limbs that are at least a five-hundredth of the skin's volume; what is thin (hair,
  /// cloth) is no limb. Nothing where no skin has a limb.
  static std::optional<LimbVolumeMeter> make(const Scene& scene);

  /// One a limb, at the frames of the clip, by joint.
  std::vector<LimbVolume> measure(const Motion& motion) const;

 private:
  LimbVolumeMeter(const Scene& scene, SkinSurface surface);

  void pose(const Motion& motion, std::size_t frame, std::vector<Vec3>& positions) const;

  const Scene* scene_;
  SkinSurface surface_;
  JointVolumes volumes_;
  std::vector<std::size_t> limbs_;  // those that are large enough
};

}  // namespace clipmill::measure
