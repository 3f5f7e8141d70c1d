// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "retarget/rest_delta.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/math.h"
#include "core/to_size.h"
#include "humanoid/rest_pose.h"
#include "locomotion/foot_lock_plan.h"
#include "retarget/rest_alignment.h"
#include "retarget/source_rest.h"

namespace clipmill::retarget {
namespace {

// Less than that is noise of keys that hold the rest pose.
constexpr double kStill_m = 1e-5;
// Directions of limbs that differ by less are those of their joints.
constexpr double kAlongBone_rad = 1e-5;

// How far the source's rest pose must be raised to be on the floor that its clip walks on: rest
// poses of motion capture have their hips in the origin. 0 where the two already agree, or nothing
// is near a floor at height 0.
double floorOffset(const Scene& source, const Motion& motion, const humanoid::HumanoidMap& map,
                   const RestPose& rest) {
  constexpr double kNearShare = 0.25;  // of a leg
  const double near_m = kNearShare * lengthOfLegs(map, rest.worlds);
  if (near_m == 0.0) return 0.0;
  std::vector<Affine> worlds;
  double lowest = 0.0;
  for (std::size_t f = 0; f < motion.grid.frame_count; ++f) {
    computeWorlds(source.skeleton, motion.localsOf(f), source.metric_from_file, worlds);
    const double height = heightOfFeet(map, worlds);
    lowest = f == 0 ? height : std::min(lowest, height);
  }
  const double offset = lowest - heightOfFeet(map, rest.worlds);
  return std::fabs(offset) > near_m && std::fabs(lowest) <= near_m ? offset : 0.0;
}

// True where both files declare their rest pose a T-pose, and nothing else is asked for.
bool areTPoses(const Scene& source, const Scene& target, const NodeMatch& match,
               const RestChoice& choice) {
  return source.t_pose_front && target.t_pose_front && choice.locals.empty() &&
         !choice.facing_rad && match.origin == NodeMatch::Origin::kRoles;
}

RestPose declaredRest(const Scene& scene) {
  RestPose rest(scene, restPose(scene.skeleton).locals);
  rest.origin = "declared T-pose";
  return rest;
}

// Converts the motion of one character to that of another, frame by frame.
class RestDelta {
 public:
  RestDelta(const Scene& source, const Motion& motion, const Scene& target, const NodeMatch& match,
            const RestChoice& choice, Warnings& warnings)
      : source_(source),
        motion_(motion),
        animated_(source.clips[toSize(motion.clip_index)].animated),
        target_(target),
        match_(match),
        are_t_poses_(areTPoses(source, target, match, choice)),
        source_rest_(are_t_poses_
                         ? declaredRest(source)
                         : sourceRestOf(source, motion, match.source_map, choice, warnings)),
        target_rest_(are_t_poses_ ? declaredRest(target) : RestPose(target)),
        alignment_(are_t_poses_
                       ? alignTPoses(source, source_rest_, target, target_rest_, match)
                       : alignRests(source_rest_, target, target_rest_, match, choice.facing_rad)),
        above_(pairsAbove(target.skeleton, match.pairs)),
        rotation_(glm::mat3_cast(alignment_.rotation)),
        floor_offset_m_(are_t_poses_ ? 0.0
                                     : floorOffset(source, motion, match.source_map, source_rest_)),
        pair_of_(target.skeleton.size(), -1) {
    for (std::size_t i = 0; i < match.pairs.size(); ++i) {
      pair_of_[toSize(match.pairs[i].target)] = static_cast<int>(i);
      const bool by_roles = match.origin == NodeMatch::Origin::kRoles;
      limb_ends_.push_back(by_roles ? endOfLimb(match.source_map, match.pairs[i].source) : -1);
    }
    computeWorlds(target.skeleton, restPose(target.skeleton).locals, target.metric_from_file,
                  target_worlds_);
    if (match.origin == NodeMatch::Origin::kRoles) findEndsApart();
  }

  Result<RestDeltaNote> apply(Motion& result) {
    for (std::size_t f = 0; f < motion_.grid.frame_count; ++f) {
      CLIPMILL_CHECK(applyFrame(f, result));
    }
    keepSigns(result);
    for (std::size_t i = 0; i < match_.pairs.size(); ++i) markModified(i, result);
    for (const EndApart& apart : ends_apart_) {
      result.modified.set(apart.end, TrackPath::kTranslation);
    }
    return RestDeltaNote{
        alignment_.scale, alignment_.rotation, source_rest_.origin,
        are_t_poses_ ? 1.0 : humanoid::restPoseConfidence(match_.source_map, source_rest_.worlds)};
  }

 private:
  // A hand or foot of the target that hangs elsewhere than below its limb, as those of control rigs
  // do, and where it is at rest in the axes of the lower joint.
  struct EndApart {
    int lower, end;
    Vec3 position;
  };

  void findEndsApart() {
    for (const locomotion::Limb& limb :
         locomotion::limbsOf(target_.skeleton, match_.target_map, true)) {
      if (!limb.is_end_apart) continue;
      const Affine lower_from_metric = inverse(target_rest_.worlds[toSize(limb.lower)]);
      ends_apart_.push_back({limb.lower, limb.end,
                             transformPoint(lower_from_metric, target_rest_.positionOf(limb.end))});
    }
  }

  // They are at the ends of their limbs.
  Status setEndsApart(std::span<Transform> locals) {
    for (const EndApart& apart : ends_apart_) {
      computeWorlds(target_.skeleton, locals, target_.metric_from_file, result_worlds_);
      const Vec3 position = transformPoint(result_worlds_[toSize(apart.lower)], apart.position);
      const Affine above = worldAbove(target_, result_worlds_, apart.end);
      CLIPMILL_CHECK(setPosition(apart.end, transformPoint(inverse(above), position), locals));
    }
    return {};
  }

  Status setPosition(int node, const Vec3& position, std::span<Transform> locals) const {
    locals[toSize(node)].translation = position;
    if (isFinite(position)) return {};
    return Error{ErrorCode::kUnsupported, pathOf(target_.skeleton, node),
                 "is below a node of scale 0, so that its position cannot be set",
                 "give a character with another rest pose"};
  }

  bool isHips(const NodePair& pair) const {
    return pair.target == match_.target_map[humanoid::HumanoidRole::kHips];
  }

  // Of those that are no joint of a human character.
  bool isNamesake(const NodePair& pair) const {
    const auto& roles = match_.target_map.nodes;
    const std::string& from = source_.skeleton.nodes[toSize(pair.source)].name;
    const std::string& to = target_.skeleton.nodes[toSize(pair.target)].name;
    return from == to && std::find(roles.begin(), roles.end(), pair.target) == roles.end();
  }

  bool carriesPosition(std::size_t i) const {
    const NodePair& pair = match_.pairs[i];
    if (isHips(pair)) return true;
    // Lengths of limbs are those of the character.
    if (match_.origin == NodeMatch::Origin::kRoles && !isNamesake(pair)) return false;
    return above_[i] < 0 || animated_.has(pair.source, TrackPath::kTranslation);
  }

  Status applyFrame(std::size_t f, Motion& result) {
    const auto source_locals = motion_.localsOf(f);
    const auto locals = result.frame(f).locals;
    computeAxes(source_, source_locals, source_axes_);
    computeWorlds(source_.skeleton, source_locals, source_.metric_from_file, source_worlds_);
    target_axes_.resize(locals.size());
    for (std::size_t n = 0; n < locals.size(); ++n) {
      if (pair_of_[n] >= 0) {
        rotateNode(toSize(pair_of_[n]), locals[n]);
      } else {
        target_axes_[n] = parentAxes(n) * signedAxes(locals[n]);
      }
    }
    for (std::size_t i = 0; i < match_.pairs.size(); ++i) {
      if (!carriesPosition(i)) continue;
      const Vec3 position = above_[i] < 0 ? positionOfTop(i) : positionBelow(i, source_locals);
      CLIPMILL_CHECK(setPosition(match_.pairs[i].target, position, locals));
    }
    return setEndsApart(locals);
  }

  // Axes of the parent times rotation times signs of the scale are the axes of the node.
  void rotateNode(std::size_t i, Transform& local) {
    const auto s = toSize(match_.pairs[i].source);
    const auto t = toSize(match_.pairs[i].target);
    const Mat3 delta = rotation_ * source_axes_[s] * glm::transpose(source_rest_.axes[s]) *
                       glm::transpose(rotation_);
    target_axes_[t] =
        limbSwing(i) * delta * glm::mat3_cast(alignment_.corrections[i]) * target_rest_.axes[t];
    const Mat3 signs = signedAxes({Vec3(0.0), kIdentityRotation, local.scale});
    const Mat3 rotation = glm::transpose(parentAxes(t)) * target_axes_[t] * signs;
    local.rotation = rotationOf({rotation, Vec3(0.0)});
  }

  // What leads from the direction that a limb of the source has by its joint to the one that it
  // has: they differ where keys move the joint at its end.
  Mat3 limbSwing(std::size_t i) const {
    if (limb_ends_[i] < 0) return Mat3(1.0);
    const int node = match_.pairs[i].source;
    const auto s = toSize(node);
    const Vec3 at_rest = source_rest_.positionOf(limb_ends_[i]) - source_rest_.positionOf(node);
    const Vec3 by_joint = source_axes_[s] * (glm::transpose(source_rest_.axes[s]) * at_rest);
    const Vec3 now =
        source_worlds_[toSize(limb_ends_[i])].translation - source_worlds_[s].translation;
    const double lengths = lengthOf(by_joint) * lengthOf(now);
    if (!(lengths > 0.0)) return Mat3(1.0);
    const double sine = lengthOf(glm::cross(by_joint, now)) / lengths;
    if (sine < kAlongBone_rad && glm::dot(by_joint, now) > 0.0) return Mat3(1.0);
    return glm::mat3_cast(rotationBetween(rotation_ * by_joint, rotation_ * now, kUp));
  }

  Mat3 parentAxes(std::size_t node) const {
    const int parent = target_.skeleton.nodes[node].parent;
    return parent < 0 ? target_rest_.file_axes : target_axes_[toSize(parent)];
  }

  // How much the node is raised apart from what the source does.
  Vec3 riseOf(std::size_t i) const {
    const double rise_m = alignment_.rise_m - alignment_.scale * floor_offset_m_;
    return isHips(match_.pairs[i]) ? kUp * rise_m : Vec3(0.0);
  }

  // By its displacement in the world; all above a topmost node is at rest.
  Vec3 positionOfTop(std::size_t i) const {
    const NodePair& pair = match_.pairs[i];
    const auto s = toSize(pair.source);
    const Vec3 offset =
        rotation_ * (source_worlds_[s].translation - source_rest_.positionOf(pair.source));
    const Vec3 position =
        target_rest_.positionOf(pair.target) + riseOf(i) + alignment_.scale * offset;
    return transformPoint(inverse(worldAbove(target_, target_worlds_, pair.target)), position);
  }

  // By its displacement within its parent. Lengths of the parent's axes are those of its rest pose.
  Vec3 positionBelow(std::size_t i, std::span<const Transform> source_locals) const {
    const NodePair& pair = match_.pairs[i];
    const auto s = toSize(pair.source), t = toSize(pair.target);
    const auto p = toSize(target_.skeleton.nodes[t].parent);
    const Vec3 step = source_locals[s].translation - source_rest_.locals[s].translation;
    const Vec3 offset =
        rotation_ * transformVector(worldAbove(source_, source_worlds_, pair.source), step);
    const Mat3 rotated = target_axes_[p] * glm::transpose(target_rest_.axes[p]);
    const Affine parent{rotated * target_rest_.worlds[p].linear, Vec3(0.0)};
    return target_rest_.locals[t].translation +
           transformVector(inverse(parent), alignment_.scale * offset + riseOf(i));
  }

  static Affine worldAbove(const Scene& scene, const std::vector<Affine>& worlds, int node) {
    const int parent = scene.skeleton.nodes[toSize(node)].parent;
    return parent < 0 ? scene.metric_from_file : worlds[toSize(parent)];
  }

  // One hemisphere from frame to frame.
  void keepSigns(Motion& result) const {
    for (const NodePair& pair : match_.pairs) {
      const auto n = toSize(pair.target);
      for (std::size_t f = 1; f < result.grid.frame_count; ++f) {
        Quat& rotation = result.frame(f).locals[n].rotation;
        if (glm::dot(result.localsOf(f - 1)[n].rotation, rotation) < 0.0) rotation = -rotation;
      }
    }
  }

  // Positions that stay at rest are set to it and left alone.
  void markModified(std::size_t i, Motion& result) const {
    const NodePair& pair = match_.pairs[i];
    const auto n = toSize(pair.target);
    result.modified.set(pair.target, TrackPath::kRotation);
    if (!carriesPosition(i)) return;
    const Vec3 rest = target_.skeleton.nodes[n].rest.translation;
    const Affine above = worldAbove(target_, target_worlds_, pair.target);
    double moved_m = 0.0;
    for (std::size_t f = 0; f < result.grid.frame_count; ++f) {
      moved_m = std::max(
          moved_m, lengthOf(transformVector(above, result.localsOf(f)[n].translation - rest)));
    }
    if (moved_m > kStill_m) {
      result.modified.set(pair.target, TrackPath::kTranslation);
      return;
    }
    for (std::size_t f = 0; f < result.grid.frame_count; ++f) {
      result.frame(f).locals[n].translation = rest;
    }
  }

  const Scene& source_;
  const Motion& motion_;
  const TrackMask& animated_;
  const Scene& target_;
  const NodeMatch& match_;
  bool are_t_poses_;
  RestPose source_rest_, target_rest_;
  RestAlignment alignment_;
  std::vector<int> above_;  // of each pair, see pairsAbove()
  Mat3 rotation_;
  double floor_offset_m_;
  std::vector<int> pair_of_;    // by target node
  std::vector<int> limb_ends_;  // by pair: node of the source to which its limb points, or -1
  std::vector<Mat3> source_axes_, target_axes_;
  std::vector<Affine> source_worlds_;
  std::vector<Affine> target_worlds_;  // at rest, as nodes without a match stay
  std::vector<EndApart> ends_apart_;
  std::vector<Affine> result_worlds_;
};

}  // namespace

Result<RestDeltaNote> applyRestDelta(const Scene& source, const Motion& motion, const Scene& target,
                                     const NodeMatch& match, const RestChoice& choice,
                                     Motion& result, Warnings& warnings) {
  return RestDelta(source, motion, target, match, choice, warnings).apply(result);
}

}  // namespace clipmill::retarget
