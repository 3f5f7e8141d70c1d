// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "anim/motion.h"
#include "scene/scene.h"
#include "stages/tet_bake/surface/bake_surface.h"
#include "stages/tet_bake/surface/volume.h"

namespace clipmill {

/// How the volume of the skin about one joint fares in a clip.
struct LimbVolume {
  std::string joint;
  double least_percent = 100.0;  ///< Over that at rest (the pose in which the skin was bound).
  double least_at_s = 0.0;       ///< The first frame where it is so.
  double most_percent = 100.0;
};

/// Follows the volume of limbs as the stage tet-bake does (tet_bake::LimbVolumes), morphs included:
/// what a player shows.
class LimbVolumeMeter {
 public:
  /// Takes the limbs that are at least a five-hundredth of the skin's volume; what is thin (hair,
  /// cloth) is no limb. Nothing where no skin has a limb.
  static std::optional<LimbVolumeMeter> make(const Scene& scene);

  /// One a limb, at the frames of the clip, by joint.
  std::vector<LimbVolume> measure(const Motion& motion) const;

 private:
  LimbVolumeMeter(const Scene& scene, tet_bake::BakeSurface surface);

  void pose(const Motion& motion, std::size_t frame, std::vector<Vec3>& places) const;

  const Scene* scene_;
  tet_bake::BakeSurface surface_;
  tet_bake::LimbVolumes volumes_;
  std::vector<std::size_t> limbs_;  // those that are large enough
};

}  // namespace clipmill
