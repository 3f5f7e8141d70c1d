// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "retarget/clip_transfer.h"

#include <algorithm>
#include <cmath>

#include "core/math.h"
#include "core/text.h"
#include "core/to_size.h"
#include "retarget/face_transfer.h"
#include "retarget/rest_delta.h"

namespace clipmill::retarget {
namespace {

// Less than that is noise of keys that hold the rest pose: of lengths in the file, rotations as
// quaternions, and scales.
constexpr double kStill = 1e-4;

double quaternionDistance(const Quat& a, const Quat& b) {
  return std::sqrt(std::max(
      0.0, 2.0 - 2.0 * std::fabs(glm::dot(normalizedOrIdentity(a), normalizedOrIdentity(b)))));
}

// -- What moves in the source

// The largest step of each property of a node away from its rest pose.
struct Range {
  double translation = 0.0, rotation = 0.0, scale = 0.0;
  bool isStill() const { return translation <= kStill && rotation <= kStill && scale <= kStill; }
};

Range rangeOf(const Scene& source, const Motion& motion, int node) {
  const auto n = toSize(node);
  const Transform& rest = source.skeleton.nodes[n].rest;
  Range range;
  for (std::size_t f = 0; f < motion.grid.frame_count; ++f) {
    const Transform& local = motion.localsOf(f)[n];
    range.translation = std::max(range.translation, lengthOf(local.translation - rest.translation));
    range.rotation = std::max(range.rotation, quaternionDistance(local.rotation, rest.rotation));
    range.scale = std::max(range.scale, lengthOf(local.scale - rest.scale));
  }
  return range;
}

const TrackMask& animatedOf(const Scene& source, const Motion& motion) {
  return source.clips[toSize(motion.clip_index)].animated;
}

// True for paired nodes and all above them: their motion arrives at the target.
std::vector<bool> carriedNodes(const Scene& source, const NodeMatch& match) {
  std::vector<bool> carried(source.skeleton.size(), false);
  for (const NodePair& pair : match.pairs) {
    for (int n = pair.source; n >= 0; n = source.skeleton.nodes[toSize(n)].parent) {
      carried[toSize(n)] = true;
    }
  }
  return carried;
}

// What of the source's face arrives at the target.
struct CarriedFace {
  FaceMotion face;
  FaceFit fit;

  bool shows(const std::string& name) const {
    for (std::size_t i = 0; i < face.expressions.size(); ++i) {
      if (face.expressions[i].name == name) return fit.expressions[i];
    }
    return false;
  }
};

// Nodes whose expression or gaze arrives.
void addFaceNodes(const Scene& source, const CarriedFace& face, std::vector<bool>& carried) {
  for (const Expression& expression : source.face.expressions) {
    if (expression.weight_node >= 0 && face.shows(expression.name)) {
      carried[toSize(expression.weight_node)] = true;
    }
  }
  if (!face.fit.gaze) return;
  if (source.face.gaze.node >= 0) carried[toSize(source.face.gaze.node)] = true;
  for (const DeclaredRole& role : source.humanoid) {
    if (role.role == "leftEye" || role.role == "rightEye") carried[toSize(role.node)] = true;
  }
}

void warnOfLosses(const Scene& source, const Motion& motion, const NodeMatch& match, bool is_copy,
                  const CarriedFace& face, Warnings& warnings) {
  const TrackMask& animated = animatedOf(source, motion);
  std::vector<bool> carried = carriedNodes(source, match);
  addFaceNodes(source, face, carried);
  for (std::size_t n = 0; n < source.skeleton.size(); ++n) {
    const int node = static_cast<int>(n);
    if (!animated.any(node)) continue;
    const Range range = rangeOf(source, motion, node);
    if (!carried[n] && !range.isStill()) {
      warnings.add(
          "unmatched_motion",
          "an animated node has no counterpart in the target character, and its motion is left out",
          pathOf(source.skeleton, node));
    } else if (carried[n] && !is_copy && range.scale > kStill) {
      warnings.add("scale_left_out", "an animated scale is not transferred to the target character",
                   pathOf(source.skeleton, node));
    }
  }
}

// -- The motion of the target

Motion restMotion(const Scene& target, const Motion& motion) {
  Motion result;
  result.clip_name = motion.clip_name;
  result.clip_index = -1;
  result.grid = motion.grid;
  result.node_count = target.skeleton.size();
  result.weight_count = target.skeleton.rest_weights.size();
  result.modified = TrackMask(result.node_count);
  const Pose rest = restPose(target.skeleton);
  result.locals.reserve(motion.grid.frame_count * result.node_count);
  result.weights.reserve(motion.grid.frame_count * result.weight_count);
  for (std::size_t f = 0; f < motion.grid.frame_count; ++f) {
    result.locals.insert(result.locals.end(), rest.locals.begin(), rest.locals.end());
    result.weights.insert(result.weights.end(), rest.weights.begin(), rest.weights.end());
  }
  // What other clips move is keyed at rest: players that go from clip to clip leave it where it
  // was.
  for (const Clip& clip : target.clips) {
    for (std::size_t n = 0; n < result.node_count; ++n) {
      for (const TrackPath path :
           {TrackPath::kTranslation, TrackPath::kRotation, TrackPath::kScale}) {
        const int node = static_cast<int>(n);
        if (clip.animated.has(node, path)) result.modified.set(node, path);
      }
    }
  }
  return result;
}

void copyLocals(const Scene& source, const Motion& motion, const NodeMatch& match, Motion& result) {
  const TrackMask& animated = animatedOf(source, motion);
  for (const NodePair& pair : match.pairs) {
    for (const TrackPath path :
         {TrackPath::kTranslation, TrackPath::kRotation, TrackPath::kScale}) {
      if (animated.has(pair.source, path)) result.modified.set(pair.target, path);
    }
    for (std::size_t f = 0; f < motion.grid.frame_count; ++f) {
      const Transform& from = motion.localsOf(f)[toSize(pair.source)];
      Transform& to = result.frame(f).locals[toSize(pair.target)];
      if (animated.has(pair.source, TrackPath::kTranslation)) to.translation = from.translation;
      if (animated.has(pair.source, TrackPath::kRotation)) to.rotation = from.rotation;
      if (animated.has(pair.source, TrackPath::kScale)) to.scale = from.scale;
    }
  }
}

void warnOfStoredPose(const Motion& motion, Warnings& warnings) {
  warnings.add("rest_pose_not_used",
               "the file stores another pose of the same skeleton than this one, and no skin: the "
               "motion is copied joint by joint",
               motion.clip_name);
}

// True where expressions move morphs of the node, so that these arrive as expressions.
bool isExpressed(const Scene& scene, int node) {
  for (const Expression& expression : scene.face.expressions) {
    for (const MorphBind& bind : expression.binds) {
      if (bind.node == node) return true;
    }
  }
  return false;
}

// Between namesakes with as many morphs.
void copyWeights(const Scene& source, const Motion& motion, const Scene& target,
                 const NodeMatch& match, Motion& result, Warnings& warnings) {
  const bool has_expressions = !target.face.expressions.empty();
  const TrackMask& animated = animatedOf(source, motion);
  for (const NodePair& pair : match.pairs) {
    if (!animated.has(pair.source, TrackPath::kWeights)) continue;
    const Node& from = source.skeleton.nodes[toSize(pair.source)];
    const Node& to = target.skeleton.nodes[toSize(pair.target)];
    if (from.name != to.name || from.weights_count != to.weights_count) {
      if (has_expressions && isExpressed(source, pair.source)) continue;
      warnings.add("weights_left_out",
                   "morph weights are not transferred to a node with other morphs",
                   pathOf(source.skeleton, pair.source));
      continue;
    }
    result.modified.set(pair.target, TrackPath::kWeights);
    for (std::size_t f = 0; f < motion.grid.frame_count; ++f) {
      const auto weights =
          motion.weightsOf(f).subspan(toSize(from.weights_start), toSize(from.weights_count));
      std::copy(weights.begin(), weights.end(), result.frame(f).weights.begin() + to.weights_start);
    }
  }
}

// True where all morphs that expressions move have arrived as they are.
bool areMorphsCopied(const Scene& source, const Motion& motion, const NodeMatch& match,
                     const Motion& result) {
  const TrackMask& animated = animatedOf(source, motion);
  for (std::size_t n = 0; n < source.skeleton.size(); ++n) {
    const int node = static_cast<int>(n);
    if (!animated.has(node, TrackPath::kWeights) || !isExpressed(source, node)) continue;
    const auto pair = std::find_if(match.pairs.begin(), match.pairs.end(),
                                   [&](const NodePair& p) { return p.source == node; });
    if (pair == match.pairs.end() || !result.modified.has(pair->target, TrackPath::kWeights)) {
      return false;
    }
  }
  return true;
}

// Expressions and gaze of VRM and VRMA files. What has arrived as morph weights or rotations of
// eyes is left as it is.
CarriedFace carryFace(const Scene& source, const Motion& motion, const Scene& target,
                      const NodeMatch& match, TransferredClip& result) {
  const bool are_characters = !source.face.is_animation && !target.face.is_animation;
  if (are_characters && areMorphsCopied(source, motion, match, result.motion) &&
      source.face.gaze.kind == target.face.gaze.kind) {
    return {};
  }
  CarriedFace carried;
  carried.face = faceOf(source, motion, result.warnings);
  if (are_characters && source.face.gaze.kind == Gaze::Kind::kEyes &&
      target.face.gaze.kind == Gaze::Kind::kEyes) {
    carried.face.gaze_rad.clear();
  }
  carried.fit = faceFit(carried.face, target);
  applyFace(carried.face, target, result.motion);
  return carried;
}

// Of roles, both how sure they are and what the source's rest pose is.
std::string noteOf(const NodeMatch& match, bool is_copy, const RestDeltaNote& delta) {
  if (match.pairs.empty()) return "a face alone: expressions by name";
  const std::string nodes = counted(match.pairs.size(), "node");
  if (is_copy) return nodes + " of the same skeleton: copied";
  const bool by_names = match.origin == NodeMatch::Origin::kNames;
  std::string note =
      nodes + (by_names ? " by name" : " by role") + ", lengths times " + fixedText(delta.scale, 3);
  if (match.source_map.origin == humanoid::HumanoidMap::Origin::kNone) return note;
  if (!by_names) {
    note += ", roles with confidence " + fixedText(match.source_map.confidence, 2) + " and " +
            fixedText(match.target_map.confidence, 2);
  }
  return note + ", rest pose: " + delta.rest + ", confidence " +
         fixedText(delta.rest_confidence, 2);
}

}  // namespace

Result<TransferredClip> transferClip(const Scene& source, const Motion& motion, const Scene& target,
                                     const NodeMatch& match, const RestChoice& choice) {
  TransferredClip result;
  result.motion = restMotion(target, motion);
  const bool is_same = match.origin == NodeMatch::Origin::kSameSkeleton;
  const bool is_given = !choice.locals.empty() || choice.facing_rad;
  const bool is_copy = match.origin == NodeMatch::Origin::kSameRig || (is_same && !is_given);
  RestDeltaNote delta;
  if (is_copy) {
    copyLocals(source, motion, match, result.motion);
    if (is_same) warnOfStoredPose(motion, result.warnings);
  } else if (!match.pairs.empty()) {
    CLIPMILL_TRY(delta, applyRestDelta(source, motion, target, match, choice, result.motion,
                                       result.warnings));
  }
  copyWeights(source, motion, target, match, result.motion, result.warnings);
  const CarriedFace face = carryFace(source, motion, target, match, result);
  warnOfLosses(source, motion, match, is_copy, face, result.warnings);
  const bool is_face = match.pairs.empty();
  if (is_face && std::find(face.fit.expressions.begin(), face.fit.expressions.end(), true) ==
                     face.fit.expressions.end()) {
    return Error{ErrorCode::kUnsupported, "", "has a face alone, and the character no such shapes",
                 "give pairs SHAPE=MORPH by the map, or a character with ARKit shapes"};
  }
  result.is_copy = is_copy;
  result.scale = delta.scale;
  result.rotation = delta.rotation;
  result.note = noteOf(match, is_copy, delta);
  return result;
}

Clip clipOf(const Skeleton& skeleton, const Motion& motion) {
  Clip clip;
  clip.name = motion.clip_name;
  clip.start_s = motion.grid.start_s;
  clip.end_s = motion.grid.end_s;
  clip.fps = motion.grid.fps;
  clip.animated = motion.modified;
  clip.source = keyframeSource(skeleton, tracksOf(skeleton, motion));
  return clip;
}

}  // namespace clipmill::retarget
