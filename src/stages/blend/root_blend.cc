// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/blend/root_blend.h"

#include <algorithm>

#include "locomotion/ground.h"
#include "locomotion/root_joint.h"

namespace clipmill::stages::blend {
namespace {

constexpr double kStillHeights = 0.005;  // below this, in heights, the root does not move

// Position of a part at each frame: in its clip, and on its trajectory through several cycles.
struct PartTrajectory {
  std::vector<locomotion::GroundPosition> in_clip, on_path;
};

PartTrajectory trajectoryOf(const Scene& scene, const Part& part, const PartPlan& plan,
                            int root_joint, locomotion::GroundHeading heading) {
  int node = locomotion::findMovingJoint(scene, *part.clip,
                                         kStillHeights * locomotion::characterHeight(scene));
  if (node < 0 || !isAtOrBelow(scene.skeleton, node, root_joint)) node = root_joint;
  const locomotion::GroundTrack track(scene, *part.clip, node, heading);
  PartTrajectory path;
  for (std::size_t frame = 0; frame < plan.time_s.size(); ++frame) {
    path.in_clip.push_back(track.at(plan.time_s[frame]));
    path.on_path.push_back(track.at(plan.time_s[frame], plan.cycles[frame]));
  }
  return path;
}

// Mean weights of the parts between a frame and the one before it.
std::vector<double> weightsBefore(const BlendPlan& plan, double factor, std::size_t frame) {
  std::vector<double> weights(plan.parts.size());
  double others = 0.0;
  for (std::size_t i = 1; i < weights.size(); ++i) {
    weights[i] = factor * plan.parts[i].mean_weight[frame];
    others += weights[i];
  }
  weights[0] = std::max(1.0 - others, 0.0);
  return weights;
}

// Adds the weighted mean of the steps of all parts; the first, alone, keeps its positions bit for
// bit.
std::vector<locomotion::GroundPosition> blendedPath(const BlendPlan& plan, double factor,
                                                    std::span<const PartTrajectory> paths) {
  std::vector<locomotion::GroundPosition> result = {paths[0].on_path.front()};
  bool is_first_alone = true;
  for (std::size_t frame = 1; frame < plan.grid.frame_count; ++frame) {
    const std::vector<double> weights = weightsBefore(plan, factor, frame);
    is_first_alone = is_first_alone && weights[0] == 1.0;
    locomotion::GroundStep step;
    for (std::size_t i = 0; i < paths.size(); ++i) {
      const locomotion::GroundStep own =
          locomotion::stepBetween(paths[i].on_path[frame - 1], paths[i].on_path[frame]);
      step.ahead_m += own.ahead_m * weights[i];
      step.rotation_rad += own.rotation_rad * weights[i];
    }
    result.push_back(is_first_alone ? paths[0].on_path[frame]
                                    : locomotion::positionAfter(result.back(), step));
  }
  return result;
}

// Adds the whole step of every part: those that do not play do not move.
std::vector<locomotion::GroundPosition> joinedPath(const BlendPlan& plan,
                                                   std::span<const PartTrajectory> paths) {
  std::vector<locomotion::GroundPosition> result = {paths[0].on_path.front()};
  for (std::size_t frame = 1; frame < plan.grid.frame_count; ++frame) {
    locomotion::GroundPosition position = result.back();
    for (const PartTrajectory& path : paths) {
      position = locomotion::positionAfter(
          position, locomotion::stepBetween(path.on_path[frame - 1], path.on_path[frame]));
    }
    result.push_back(plan.parts[0].weight[frame] == 1.0 ? paths[0].on_path[frame] : position);
  }
  return result;
}

void carry(const Scene& scene, int root_joint, const PartTrajectory& from,
           std::span<const locomotion::GroundPosition> to, Motion& motion, Warnings& warnings) {
  std::vector<locomotion::RootMove> moves;
  for (std::size_t frame = 0; frame < to.size(); ++frame) {
    const locomotion::GroundPosition& position = from.in_clip[frame];
    moves.push_back({position.at_m, to[frame].at_m, to[frame].heading_rad - position.heading_rad});
  }
  locomotion::writeMoves(scene, std::span(&root_joint, 1), moves, motion, warnings);
}

}  // namespace

Result<int> findRootMotionJoint(const Scene& scene, std::span<const Part> parts,
                                const std::string& root) {
  if (!root.empty()) return findOneNode(scene.skeleton, root, "root_joint");
  int root_joint = -1;
  for (const Part& part : parts) {
    const int node = locomotion::findMovingJoint(
        scene, *part.clip, kStillHeights * locomotion::characterHeight(scene));
    if (node < 0) continue;
    if (root_joint < 0 || isAtOrBelow(scene.skeleton, root_joint, node)) root_joint = node;
  }
  return root_joint >= 0 ? root_joint : locomotion::nodeAboveCharacter(scene);
}

RootBlend alignParts(const Scene& scene, const BlendPlan& plan, int root_joint, double factor,
                     std::vector<Part>& parts, Warnings& warnings) {
  // Clips that follow one another are meant to fit, pose by pose.
  const locomotion::GroundHeading heading = plan.in_sequence
                                                ? locomotion::GroundHeading::kOfNode
                                                : locomotion::GroundHeading::kOfCharacter;
  std::vector<PartTrajectory> paths;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    paths.push_back(trajectoryOf(scene, parts[i], plan.parts[i], root_joint, heading));
  }
  RootBlend blend{root_joint,
                  plan.in_sequence ? joinedPath(plan, paths) : blendedPath(plan, factor, paths),
                  0.0, 0.0};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    carry(scene, root_joint, paths[i], blend.path, parts[i].played, warnings);
  }
  const locomotion::GroundPosition &is = blend.path.back(), &was = paths.back().in_clip.back();
  blend.rotation_rad = locomotion::wrappedAngle(is.heading_rad - was.heading_rad);
  blend.shift_m = locomotion::horizontalLength(is.at_m - was.at_m);
  return blend;
}

}  // namespace clipmill::stages::blend
