// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "anim/motion.h"
#include "core/result.h"
#include "core/warnings.h"
#include "retarget/node_match.h"
#include "retarget/source_rest.h"

namespace clipmill::retarget {

/// A clip of one file as motion of another file's character.
struct TransferredClip {
  Motion motion;         ///< Of the target; clip_index -1, no source. All that it sets is modified.
  bool is_copy = false;  ///< Of the same skeleton, joint by joint.
  double scale = 1.0;    ///< Of lengths.
  Quat rotation = kIdentityRotation;  ///< From the world of the source, about the vertical.
  std::string note;                   ///< For people: how the nodes were matched, and the scale.
  Warnings warnings;                  ///< What was left out.
};

/// Puts `motion`, a sampled clip of `source`, on the character of `target`, at the same frames.
///
/// Where every matched node has the same path, and at rest the same local transforms as in the
/// target, locals are copied bit for bit. Else, in metres, y up, with both characters facing the
/// same direction at rest, where rest is the pose in which skins were bound (bindLocals()):
/// R_target(t) = R_source(t) * R_source_rest^-1 * C * R_target_rest for the world rotations of
/// matched nodes. C rotates the limbs of the target's rest pose (upper and lower arms and legs) by
/// the shortest arc into the directions that those of the source have, so that an A pose and a T
/// pose mean the same; feet keep their soles and rotate about the vertical only. Where keys of the
/// source move the end of a limb beside its bone, that of the target points to where it is. The
/// hips (of characters without roles: the topmost matched nodes) keep their rest position plus the
/// source's displacement from its own, scaled by the lengths of the legs; a source whose rest pose
/// hovers apart from the floor that its clip walks on is first set on that floor. Hands and feet
/// that hang elsewhere than below their limbs, as those of control rigs do, are set to the ends of
/// these. Other nodes keep their rest pose.
///
/// Of two VRM or VRMA files, whose rest poses are T-poses by definition, C is the identity, nodes
/// have the same role, and lengths scale with the height of the hips. Expressions and gaze go over
/// too, by faceOf() and applyFace(), where they are not morphs of the same mesh.
///
/// `choice` gives the rest pose of the source or the direction in which it faces; equal skeletons
/// are then not copied where the file has no bind pose.
///
/// Left out with a warning: what moves and has no match, scale, morph weights between nodes that
/// have another number of them. Error: kUnsupported for a character whose rest pose is flat, and
/// for a face alone of which the character has no expression.
Result<TransferredClip> transferClip(const Scene& source, const Motion& motion, const Scene& target,
                                     const NodeMatch& match, const RestChoice& choice = {});

/// Makes a clip of a motion that comes from no clip of the file: keys at its frames, linear.
Clip clipOf(const Skeleton& skeleton, const Motion& motion);

}  // namespace clipmill::retarget
