// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "anim/motion.h"
#include "scene/scene.h"
#include "stages/dynamic_bones/skin/chain_skin.h"

namespace clipmill::stages::dynamic_bones {

/// Vertices over all frames.
struct SkinMeasure {
  double penetrating_share = 0.0;  ///< In the body.
  double depth_m = 0.0;            ///< Of the one with the largest.
};

/// The vertices that chains move and that are outside of the body at rest.
struct SkinMeasures {
  SkinMeasure all;
  SkinMeasure movable;  ///< Those that chains can bring out (ChainSkin::FreeVertex::is_movable).
};
SkinMeasures measureSkin(const ChainSkin& skin, const Scene& scene, const Motion& motion);

}  // namespace clipmill::stages::dynamic_bones
