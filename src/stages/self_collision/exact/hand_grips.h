// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "anim/motion.h"
#include "scene/scene.h"
#include "stages/self_collision/exact/clip_samples.h"
#include "stages/self_collision/exact/limb_pose.h"

namespace clipmill::stages::self_collision {

/// Why both hands count as holding one thing.
enum class GripKind {
  kProp,   ///< A mesh without skin is attached to one hand, and the other hand is on it.
  kRigid,  ///< The hands rotate as one rigid body.
  kGiven   ///< The contact graph of the user lists it.
};

/// A span of samples in which both hands hold one thing.
struct GripSpan {
  Window window;  ///< Never beyond the end of the clip.
  GripKind kind = GripKind::kProp;
  int prop = -1;  ///< Node of the mesh, for kProp.
};

/// The spans of a motion in which both hands hold one thing, ascending; spans of different kinds
/// may overlap. Spans shorter than 0.15 s do not count. None for a character without two hands.
///
/// A slender prop of 30 % of the character's height or more is gripped while the skin of the other
/// hand is nearer to it than 5 % of the height, if it is between points of that hand for at least
/// 0.05 s of that time, and if it is on that side of the hand on which the first hand holds it,
/// mirrored, for most of these samples: a prop that crosses the back of a hand at rest is not held.
///
/// Hands move as one rigid body where their relative transform stays within 2 degrees and 0.75 % of
/// the height, while both rotate by 15 degrees or more relative to the world, and by 3 degrees and
/// 4 times the change of the relative rotation to the chest, and are nearer to each other than 40 %
/// of the height. If a mesh without skin is attached to a hand, one such mesh must reach the other
/// hand in most of these samples, or the hands each other: nearer than 5 % of the height.
std::vector<GripSpan> findHandGrips(const Scene& scene, const LimbPoser& poser,
                                    const Motion& motion, double height_m);

/// The samples of a clip in any of the spans.
std::vector<bool> grippedSamples(std::span<const GripSpan> grips, std::size_t sample_count);

}  // namespace clipmill::stages::self_collision
