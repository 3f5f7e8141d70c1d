// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "anim/motion.h"
#include "core/result.h"
#include "core/warnings.h"
#include "scene/node_match.h"

namespace clipmill {

/// A clip of one file as motion of another file's figure.
struct TransferredClip {
  Motion motion;      ///< Of the target; clip_index -1, no source. Touched is all that it sets.
  std::string note;   ///< For people: how the nodes were matched, and the scale.
  Warnings warnings;  ///< What was left out.
};

/// Puts `motion`, a sampled clip of `source`, on the figure of `target`, at the same frames.
///
/// Where every matched node has the same path, and at rest the same local transforms as in the
/// target, locals are copied bit for bit. Else, in metres, y up, with both figures facing the same
/// way at rest, where rest is the pose in which skins were bound (bindLocals()): R_target(t) =
/// R_source(t) * R_source_rest^-1 * C * R_target_rest for the world rotations of matched nodes. C
/// turns the limbs of the target's rest pose (upper and lower arms and legs) the shortest way into
/// the directions that those of the source have, so that an A pose and a T pose mean the same; feet
/// keep their soles and turn about the vertical only. The hips (of figures without roles: the
/// topmost matched nodes) keep their rest place plus the source's way from its own, scaled by the
/// lengths of the legs; a source whose rest pose hovers apart from the floor that its clip walks on
/// is first set on that floor. Other nodes keep their rest pose.
///
/// Left out with a warning: what moves and has no match, scale, morph weights between nodes that
/// have another number of them. Error: kUnsupported for a figure whose rest pose is flat.
Result<TransferredClip> transferClip(const Scene& source, const Motion& motion, const Scene& target,
                                     const NodeMatch& match);

/// Makes a clip of a motion that comes from no clip of the file: keys at its frames, linear.
Clip clipOf(const Skeleton& skeleton, const Motion& motion);

}  // namespace clipmill
