// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "scene/pose_driver.h"
#include "stages/tet_bake/drivers/driver_frames.h"
#include "stages/tet_bake/drivers/region_joints.h"
#include "stages/tet_bake/joints/bones_fit.h"
#include "stages/tet_bake/morphs/morph_regions.h"

/// Helper joints that follow joint rotations.
namespace clipmill::stages::tet_bake {

struct DrivenHelpers {
  std::vector<PoseDriver> drivers;  ///< Helpers without names, in the order of `fit.bones`.
  BonesFit fit;                     ///< With a motion for every pose, by these drivers.
};

/// Helper joints that are fitted to some frames of `target` (fitBones()), and for each region their
/// translations and rotations as functions of the rotations of some of its joints
/// (fitBestDriver()). Both count by how far they move the skin. Then alternately, as long as that
/// lowers the error: the weights of all points for the motions that the drivers give, and the
/// values of the drivers for the motions that fit best from there. Regions whose helpers no driver
/// predicts have none. Points that the driven helpers leave farther from where they are wanted than
/// plain skinning follow none (holdBack(), in the mean square). `joints`: one list per region;
/// `poses`: one per column of `target`.
DrivenHelpers fitDrivenHelpers(const BonesTarget& target, std::span<const MorphRegion> regions,
                               std::span<const std::vector<int>> joints, const BindRotations& bind,
                               const RelativePoses& poses, const DriverFrames& frames,
                               const BonesFitSettings& settings);

/// Removes the driver of a joint with its helpers; their points follow their owners. True if it had
/// one.
bool removeHelpers(const SkinSurface& surface, int node, DrivenHelpers& helpers);

}  // namespace clipmill::stages::tet_bake
