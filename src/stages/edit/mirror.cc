// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/edit/mirror.h"

#include <algorithm>
#include <cmath>

#include "anim/pose.h"
#include "core/to_size.h"
#include "retarget/counterparts.h"
#include "retarget/mirror_frame.h"
#include "scene/resample.h"
#include "stages/edit/each_motion.h"

namespace clipmill::stages::edit {
namespace {

// What all clips of a file share.
struct MirrorCharacter {
  const Scene& scene;
  std::vector<int> counterparts;
  retarget::MirrorFrame frame;
  std::size_t pair_count = 0;
};

Result<MirrorCharacter> mirrorCharacterOf(const Scene& scene, const MirrorSettings& settings) {
  humanoid::HumanoidMap map;
  if (settings.humanoid_map.empty()) {
    map = humanoid::findHumanoid(scene);
  } else {
    CLIPMILL_TRY(map, humanoid::humanoidFromPairs(scene, settings.humanoid_map));
  }
  CLIPMILL_TRY(std::vector<int> counterparts,
               retarget::findCounterparts(scene, map, settings.pair));
  retarget::MirrorFrame frame = retarget::mirrorFrameOf(scene, counterparts);
  MirrorCharacter character{scene, std::move(counterparts), std::move(frame)};
  for (std::size_t n = 0; n < character.counterparts.size(); ++n) {
    if (character.counterparts[n] > static_cast<int>(n)) ++character.pair_count;
  }
  if (character.pair_count == 0) {
    return Error{ErrorCode::kUnsupported, "",
                 "has no left and right side: no humanoid was detected, and no names differ by "
                 "left and right",
                 "name nodes of the two sides with --pair left=right"};
  }
  return character;
}

// Mirrors one clip.
class ClipMirror {
 public:
  ClipMirror(const MirrorCharacter& character, const Motion& motion)
      : character_(character), motion_(motion), moved_(movedTracks(character.scene, motion)) {
    result_.motion = copyOf(motion);
  }

  StageResult run() {
    for (std::size_t frame = 0; frame < motion_.grid.frame_count; ++frame) mirrorFrame(frame);
    markMovedTracks();
    warn();
    result_.metrics = {{"mirrored_pairs", {}, static_cast<double>(character_.pair_count)}};
    return std::move(result_);
  }

 private:
  int counterpartOf(std::size_t node) const { return character_.counterparts[node]; }
  bool moves(std::size_t node, TrackPath path) const {
    const int other = counterpartOf(node);
    return moved_.has(static_cast<int>(node), path) || (other >= 0 && moved_.has(other, path));
  }

  void mirrorFrame(std::size_t frame) {
    const Scene& scene = character_.scene;
    const auto before = motion_.localsOf(frame);
    const PoseView pose = result_.motion.frame(frame);
    retarget::computeAxes(scene, before, axes_);
    computeWorlds(scene.skeleton, before, scene.metric_from_file, worlds_);
    new_axes_.resize(before.size());
    for (std::size_t n = 0; n < before.size(); ++n) rotateNode(n, before, pose.locals[n]);
    computeWorlds(scene.skeleton, pose.locals, scene.metric_from_file, new_worlds_);
    for (std::size_t n = 0; n < before.size(); ++n) positionNode(n, before, pose.locals[n]);
    swapWeights(frame, pose);
  }

  void rotateNode(std::size_t n, std::span<const Transform> before, Transform& local) {
    const int other = counterpartOf(n);
    const Mat3 above = axesAbove(n);
    if (other >= 0) {
      const std::size_t m = toSize(other);
      const Mat3 delta = axes_[m] * glm::transpose(character_.frame.rest.axes[m]);
      if (moves(n, TrackPath::kScale)) local.scale = mirroredScale(n, m, before[m].scale);
      const Mat3 signs = retarget::signedAxes({Vec3(0.0), kIdentityRotation, local.scale});
      const Mat3 axes = character_.frame.reflection * delta * character_.frame.reflection *
                        character_.frame.rest.axes[n];
      const Quat rotation = rotationOf({glm::transpose(above) * axes * signs, Vec3(0.0)});
      local.rotation = sameOrNew(before[n].rotation, rotation);
    }
    new_axes_[n] = above * retarget::signedAxes(local);
  }

  Mat3 axesAbove(std::size_t node) const {
    const int parent = character_.scene.skeleton.nodes[node].parent;
    return parent < 0 ? character_.frame.rest.file_axes : new_axes_[toSize(parent)];
  }

  // A rotation that does not change stays the same bit for bit.
  static Quat sameOrNew(const Quat& before, const Quat& after) {
    constexpr double kRounding_rad = 1e-9;
    return angleBetween(normalizedOrIdentity(before), after) < kRounding_rad ? before : after;
  }

  Vec3 mirroredScale(std::size_t n, std::size_t m, const Vec3& scale) const {
    const Vec3 &own = character_.frame.rest.locals[n].scale,
               &others = character_.frame.rest.locals[m].scale;
    Vec3 mirrored = own;
    for (int axis = 0; axis < 3; ++axis) {
      if (others[axis] != 0.0) mirrored[axis] = own[axis] * (scale[axis] / others[axis]);
    }
    return mirrored;
  }

  const Mat3& linearAbove(std::size_t node, const std::vector<Affine>& worlds) const {
    const int parent = character_.scene.skeleton.nodes[node].parent;
    return parent < 0 ? character_.scene.metric_from_file.linear : worlds[toSize(parent)].linear;
  }

  void positionNode(std::size_t n, std::span<const Transform> before, Transform& local) {
    const int other = counterpartOf(n);
    if (other < 0 || !moves(n, TrackPath::kTranslation)) return;
    const std::size_t m = toSize(other);
    const Vec3 step = before[m].translation - character_.frame.rest.locals[m].translation;
    const Vec3 mirrored = character_.frame.reflection * (linearAbove(m, worlds_) * step);
    const Vec3 own = glm::inverse(linearAbove(n, new_worlds_)) * mirrored;
    if (isFinite(own)) local.translation = character_.frame.rest.locals[n].translation + own;
  }

  void swapWeights(std::size_t frame, PoseView pose) const {
    const auto before = motion_.weightsOf(frame);
    const auto& nodes = character_.scene.skeleton.nodes;
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      const int other = counterpartOf(n);
      if (!canSwap(n)) continue;
      const auto from = before.subspan(toSize(nodes[toSize(other)].weights_start),
                                       toSize(nodes[n].weights_count));
      std::copy(from.begin(), from.end(), pose.weights.begin() + nodes[n].weights_start);
    }
  }

  bool canSwap(std::size_t n) const {
    const auto& nodes = character_.scene.skeleton.nodes;
    const int other = counterpartOf(n);
    return other >= 0 && other != static_cast<int>(n) && moves(n, TrackPath::kWeights) &&
           nodes[toSize(other)].weights_count == nodes[n].weights_count;
  }

  void markMovedTracks() {
    for (std::size_t n = 0; n < motion_.node_count; ++n) {
      const int node = static_cast<int>(n);
      for (TrackPath path : {TrackPath::kTranslation, TrackPath::kRotation, TrackPath::kScale}) {
        if (counterpartOf(n) >= 0 && moves(n, path)) result_.motion.modified.set(node, path);
      }
      if (canSwap(n)) result_.motion.modified.set(node, TrackPath::kWeights);
      for (std::size_t frame = 0; frame < motion_.grid.frame_count; ++frame) {
        if (motion_.localsOf(frame)[n].rotation == result_.motion.localsOf(frame)[n].rotation) {
          continue;
        }
        result_.motion.modified.set(node, TrackPath::kRotation);
        break;
      }
    }
  }

  void warn() {
    constexpr double kAsymmetric = 0.1;
    const Skeleton& skeleton = character_.scene.skeleton;
    if (character_.frame.asymmetry > kAsymmetric) {
      result_.warnings.add("rest_not_symmetric",
                           "the rest pose is not the same on both sides, so that the mirrored clip "
                           "differs from a mirror image; store the nodes in a symmetric pose",
                           motion_.clip_name);
    }
    for (std::size_t n = 0; n < motion_.node_count; ++n) {
      const int node = static_cast<int>(n);
      if (counterpartOf(n) < 0 && moved_.any(node)) {
        result_.warnings.add("no_counterpart",
                             "an animated node has no counterpart on the other side and keeps its "
                             "motion; set 'pair'",
                             pathOf(skeleton, node));
      }
      if (moved_.has(node, TrackPath::kWeights) && !canSwap(n)) {
        result_.warnings.add("morphs_not_mirrored",
                             "morphs of a node in the middle keep their sides",
                             pathOf(skeleton, node));
      }
    }
  }

  const MirrorCharacter& character_;
  const Motion& motion_;
  TrackMask moved_;
  StageResult result_;
  std::vector<Mat3> axes_, new_axes_;
  std::vector<Affine> worlds_, new_worlds_;
};

}  // namespace

Result<std::vector<StageResult>> runMirror(const StageInput& input,
                                           const MirrorSettings& settings) {
  CLIPMILL_TRY(const MirrorCharacter character, mirrorCharacterOf(input.scene, settings));
  return edit::eachMotion(input, [&](const Motion& motion, StageResult& result) -> Status {
    result = ClipMirror(character, motion).run();
    return {};
  });
}

StageType mirrorType() {
  StageType type = makeStageType<MirrorSettings>(
      "mirror", "Mirror a clip: left and right exchange their motion.", mirrorTable(), runMirror);
  type.algorithm_version = 2;
  type.needs_meshes = [](const void*) { return true; };  // to find where skins were bound
  return type;
}

}  // namespace clipmill::stages::edit
