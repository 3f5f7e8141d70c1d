// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "anim/motion.h"
#include "scene/scene.h"
#include "stages/stage.h"
#include "stages/tet_bake/bake.h"
#include "stages/tet_bake/bake_report.h"
#include "stages/tet_bake/normal_fit.h"

/// Keeps plain skinning where a bake is worse.
namespace clipmill::stages::tet_bake {

/// A joint whose correction fades about the frames in which all of it would be worse.
struct FadedJoint {
  int node = 0;
  WorseBy reason = WorseBy::kNothing;
  std::vector<double> shares;  ///< Of its correction that is shown, one per frame.
};

/// The result of a fallback.
struct FallbackSkin {
  std::vector<int> nodes;  ///< Joints that keep plain skinning.
  ClipErrors errors;
  std::vector<WorseBy> reasons = {};   ///< One per node.
  std::vector<FadedJoint> faded = {};  ///< By node; none of `nodes`.
  NormalErrors normals = {};           ///< Of all points, if they were measured.
};

/// The skin that a fallback measures, and how it changes a joint.
struct SkinFallback {
  std::span<const MorphRegion> regions;
  SkinOfFrame skin_of;  ///< Its current state.
  /// Shows these shares (one per frame, 0..1) of the correction that the joint had at first; 0 is
  /// plain skinning. True if the joint has any correction in the clip now.
  std::function<bool(int node, std::span<const double> shares)> show;
  const SkinQuality* quality = nullptr;   ///< Of the regions; none: not measured.
  std::optional<ClipLimits> limits = {};  ///< Of worseFrames().
};

/// Keeps plain skinning where a bake is worse.
/// - In the clip `index` of a bake, where the part of a joint is farther from the solved surface
///   (mean square), or where more than half of the frames are worse with any share of the
///   correction.
/// - A frame is worse by worseFrames(), or where the limb loses 10 percent more volume than with
///   plain skinning. Where the volume about a joint is less than that of plain skinning, or bulges
///   more, by 2 percent on average over the clip (with a region for each joint), so are the
///   frames in which it does so by more than that. About such frames the correction fades to the
///   largest of some shares that is not worse, and in again (fadedShares()), so slowly that no
///   point of the joint accelerates by more than 1.1 of the largest acceleration without the fade.
/// Where shares of joints overlap, a joint may become worse once its neighbour is changed: it is
/// measured again until nothing changes. Other clips are not modified.
FallbackSkin applySkinFallback(const Scene& scene, const BakeRig& rig, const Motion& motion,
                               const Baked& baked, std::size_t index, const SkinFallback& fallback,
                               int threads);

/// The joints and shares of two fallbacks of a clip, one after the other, with the errors of the
/// second.
void mergeFallback(FallbackSkin&& second, FallbackSkin& skin);

/// Warnings that name the joints, the frames and the reasons; a series of each share.
void reportHeldBack(const FallbackSkin& skin, const Motion& motion, const Skeleton& skeleton,
                    StageResult& result);

}  // namespace clipmill::stages::tet_bake
