// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "locomotion/root_motion.h"

#include <algorithm>
#include <cmath>

#include "core/cancel.h"
#include "core/portable_math.h"
#include "core/to_size.h"
#include "locomotion/ground.h"
#include "locomotion/root_joint.h"
#include "scene/partial_pose.h"

namespace clipmill::locomotion {
namespace {

const Vec3 kUp(0, 1, 0);

// Nodes whose parent is on the path from root to hips, hips excluded, and that are not on it: hips
// and side branches. Branches without joints and keys move with the root.
std::vector<int> branchesBetween(const Scene& scene, const Motion& motion, int hips, int root) {
  const Skeleton& skeleton = scene.skeleton;
  std::vector<bool> matters(skeleton.size(), false);
  for (const Skin& skin : scene.skins) {
    for (int joint : skin.joints) matters[toSize(joint)] = true;
  }
  for (std::size_t i = 0; i < skeleton.size(); ++i) {
    for (std::size_t frame = 1; frame < motion.grid.frame_count && !matters[i]; ++frame) {
      matters[i] = !(motion.localsOf(frame)[i] == motion.localsOf(0)[i]);
    }
  }
  for (std::size_t i = skeleton.size(); i-- > 0;) {
    const int parent = skeleton.nodes[i].parent;
    if (matters[i] && parent >= 0) matters[toSize(parent)] = true;
  }
  std::vector<int> branches;
  for (int node = root + 1; node < static_cast<int>(skeleton.size()); ++node) {
    const int parent = skeleton.nodes[toSize(node)].parent;
    const bool hangs_on_path = parent >= root && isAtOrBelow(skeleton, hips, parent) &&
                               parent != hips && isAtOrBelow(skeleton, parent, root);
    const bool is_on_path = node != hips && isAtOrBelow(skeleton, hips, node);
    if (!hangs_on_path || is_on_path) continue;
    if (node == hips || matters[toSize(node)]) branches.push_back(node);
  }
  return branches;
}

}  // namespace

std::vector<double> headingsOf(const Scene& scene, const Motion& motion, int node) {
  PartialPose worlds(scene, motion, std::span(&node, 1));
  worlds.seekRest();
  const Quat from_rest = glm::conjugate(rotationOf(worlds.worldOf(0)));
  std::vector<double> headings_rad;
  for (std::size_t frame = 0; frame < motion.grid.frame_count; ++frame) {
    worlds.seekFrame(frame);
    const Quat twist = swingTwist(rotationOf(worlds.worldOf(0)) * from_rest, kUp).twist;
    const double heading_rad = wrappedAngle(2.0 * portable::atan2(twist.y, twist.w));
    const double before_rad = headings_rad.empty() ? 0.0 : headings_rad.back();
    headings_rad.push_back(before_rad + wrappedAngle(heading_rad - before_rad));
  }
  return headings_rad;
}

std::vector<Vec3> smoothed(const std::vector<Vec3>& values, const TimeGrid& grid, double width_s) {
  const auto n = static_cast<std::ptrdiff_t>(values.size());
  const auto half = std::min(static_cast<std::ptrdiff_t>(0.5 * width_s * grid.fps), n - 1);
  if (half < 1) return values;
  std::vector<double> kernel(toSize(half) + 1);
  double sum = 0.0;
  for (std::size_t k = 0; k < kernel.size(); ++k) {
    kernel[k] = 1.0 + portable::cos(kPi * static_cast<double>(k) / static_cast<double>(half + 1));
    sum += k == 0 ? kernel[k] : 2.0 * kernel[k];
  }
  const auto valueAt = [&](std::ptrdiff_t i) {
    if (i < 0) return 2.0 * values.front() - values[toSize(-i)];
    if (i >= n) return 2.0 * values.back() - values[toSize(2 * (n - 1) - i)];
    return values[toSize(i)];
  };
  std::vector<Vec3> means(values.size());
  for (std::ptrdiff_t i = 0; i < n; ++i) {
    pollCancel();
    Vec3 mean = values[toSize(i)] * kernel[0];
    for (std::ptrdiff_t k = 1; k <= half; ++k) {
      mean += (valueAt(i - k) + valueAt(i + k)) * kernel[toSize(k)];
    }
    means[toSize(i)] = mean / sum;
  }
  means.front() = values.front();
  means.back() = values.back();
  return means;
}

void makeInPlace(const Scene& scene, int node, const std::vector<int>& followers, double smooth_s,
                 Motion& motion, Warnings& warnings) {
  const std::vector<Vec3> positions_m = positionsOf(scene, motion, node);
  const std::vector<Vec3> path_m = smoothed(positions_m, motion.grid, smooth_s);
  std::vector<RootMove> moves;
  for (std::size_t frame = 0; frame < positions_m.size(); ++frame) {
    const Vec3 gone_m = path_m[frame] - path_m.front();
    moves.push_back({positions_m[frame], positions_m[frame] - Vec3(gone_m.x, 0.0, gone_m.z), 0.0});
  }
  std::vector<int> nodes = {node};
  nodes.insert(nodes.end(), followers.begin(), followers.end());
  writeMoves(scene, nodes, moves, motion, warnings);
}

Result<int> rootAbove(const Scene& scene, int hips) {
  const auto& nodes = scene.skeleton.nodes;
  int topmost = -1;
  for (int above = nodes[toSize(hips)].parent; above >= 0; above = nodes[toSize(above)].parent) {
    topmost = above;
    for (const Skin& skin : scene.skins) {
      if (std::find(skin.joints.begin(), skin.joints.end(), above) != skin.joints.end()) {
        return above;
      }
    }
  }
  if (topmost >= 0) return topmost;
  return Error{
      ErrorCode::kRecipe, "hips_joint",
      "'" + nodes[toSize(hips)].name + "' has no node above it that can receive root motion",
      "name the hips, and add a root above them in the file"};
}

Result<RootTrajectory> findRootTrajectory(const Scene& scene, const Motion& motion,
                                          const std::string& hips_name,
                                          const std::string& root_name, double still_m) {
  const auto nameOf = [&](int node) { return scene.skeleton.nodes[toSize(node)].name; };
  RootTrajectory path;
  if (hips_name.empty()) {
    CLIPMILL_TRY(path.hips, findRootMotionJoint(scene, motion, "", still_m));
  } else {
    CLIPMILL_TRY(path.hips, findOneNode(scene.skeleton, hips_name, "hips_joint"));
  }
  if (root_name.empty()) {
    CLIPMILL_TRY(path.root, rootAbove(scene, path.hips));
  } else {
    CLIPMILL_TRY(path.root, findOneNode(scene.skeleton, root_name, "root_joint"));
  }
  if (path.hips != path.root && isAtOrBelow(scene.skeleton, path.hips, path.root)) return path;
  return Error{ErrorCode::kRecipe, "hips_joint",
               "'" + nameOf(path.hips) + "' is not below '" + nameOf(path.root) + "'",
               "name hips, and a root above them"};
}

void extractRoot(const Scene& scene, int hips, int root, bool yaw, double smooth_s, Motion& motion,
                 Warnings& warnings) {
  const Motion before = motion;
  const std::vector<Vec3> hips_m =
      smoothed(positionsOf(scene, before, hips), motion.grid, smooth_s);
  const std::vector<Vec3> root_m = positionsOf(scene, before, root);
  std::vector<Vec3> rotations(hips_m.size(), Vec3(0.0));  // y alone, so that one filter serves both
  if (yaw) {
    const std::vector<double> headings_rad = headingsOf(scene, before, hips);
    for (std::size_t i = 0; i < rotations.size(); ++i)
      rotations[i].y = headings_rad[i] - headings_rad[0];
    rotations = smoothed(rotations, motion.grid, smooth_s);
  }
  std::vector<RootMove> moves;
  for (std::size_t frame = 0; frame < hips_m.size(); ++frame) {
    // Hips keep their position relative to the root at the first frame.
    const Vec3 offset_m = rotated(root_m.front() - hips_m.front(), rotations[frame].y);
    const Vec3 to_m = hips_m[frame] + offset_m;
    moves.push_back({root_m[frame], Vec3(to_m.x, root_m[frame].y, to_m.z), rotations[frame].y});
  }
  writeMoves(scene, std::span(&root, 1), moves, motion, warnings);
  const std::vector<int> branches = branchesBetween(scene, before, hips, root);
  PartialPose old_worlds(scene, before, branches), new_worlds(scene, motion, branches);
  for (std::size_t frame = 0; frame < hips_m.size(); ++frame) {
    old_worlds.seekFrame(frame);
    new_worlds.seekFrame(frame);
    for (std::size_t b = 0; b < branches.size(); ++b) {
      constexpr double kShear = 1e-6;
      double shear = 0.0;
      const Affine map = inverse(new_worlds.parentOf(b)) * old_worlds.parentOf(b) *
                         toAffine(before.localsOf(frame)[toSize(branches[b])]);
      const Transform local = decompose(map, &shear);
      const std::string& name = scene.skeleton.nodes[toSize(branches[b])].name;
      if (shear > kShear || !isFinite(local.translation) || !isFinite(local.rotation)) {
        warnings.add("extract_under_nonuniform_scale",
                     "a node under a non-uniform scale does not keep its world position exactly "
                     "while root motion "
                     "is extracted",
                     name);
        if (!isFinite(local.translation) || !isFinite(local.rotation)) continue;
      }
      Transform& written = motion.locals[frame * motion.node_count + toSize(branches[b])];
      written.translation = local.translation;
      written.rotation = local.rotation;
      motion.modified.set(branches[b], TrackPath::kTranslation);
      if (yaw) motion.modified.set(branches[b], TrackPath::kRotation);
    }
  }
}

}  // namespace clipmill::locomotion
