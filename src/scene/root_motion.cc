// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "scene/root_motion.h"

#include <algorithm>
#include <cmath>

#include "core/portable_math.h"
#include "scene/few_worlds.h"
#include "scene/ground.h"
#include "scene/root_track.h"

namespace clipmill {
namespace {

const Vec3 kUp(0, 1, 0);

// Nodes whose parent is on the way from root to hips, hips excluded, and that are not on it: hips
// and the branches beside it. Those without joints and keys ride along with the way.
std::vector<int> branchesBetween(const Scene& scene, const Motion& motion, int hips, int root) {
  const Skeleton& skeleton = scene.skeleton;
  std::vector<bool> matters(skeleton.size(), false);
  for (const Skin& skin : scene.skins) {
    for (int joint : skin.joints) matters[static_cast<std::size_t>(joint)] = true;
  }
  for (std::size_t i = 0; i < skeleton.size(); ++i) {
    for (std::size_t frame = 1; frame < motion.grid.frame_count && !matters[i]; ++frame) {
      matters[i] = !(motion.localsOf(frame)[i] == motion.localsOf(0)[i]);
    }
  }
  for (std::size_t i = skeleton.size(); i-- > 0;) {
    const int parent = skeleton.nodes[i].parent;
    if (matters[i] && parent >= 0) matters[static_cast<std::size_t>(parent)] = true;
  }
  std::vector<int> branches;
  for (int node = root + 1; node < static_cast<int>(skeleton.size()); ++node) {
    const int parent = skeleton.nodes[static_cast<std::size_t>(node)].parent;
    const bool hangs_on_way = parent >= root && isAtOrBelow(skeleton, hips, parent) &&
                              parent != hips && isAtOrBelow(skeleton, parent, root);
    const bool is_on_way = node != hips && isAtOrBelow(skeleton, hips, node);
    if (!hangs_on_way || is_on_way) continue;
    if (node == hips || matters[static_cast<std::size_t>(node)]) branches.push_back(node);
  }
  return branches;
}

}  // namespace

std::vector<double> headingsOf(const Scene& scene, const Motion& motion, int node) {
  FewWorlds worlds(scene, motion, std::span(&node, 1));
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
  std::vector<double> kernel(static_cast<std::size_t>(half) + 1);
  double sum = 0.0;
  for (std::size_t k = 0; k < kernel.size(); ++k) {
    kernel[k] = 1.0 + portable::cos(kPi * static_cast<double>(k) / static_cast<double>(half + 1));
    sum += k == 0 ? kernel[k] : 2.0 * kernel[k];
  }
  const auto valueAt = [&](std::ptrdiff_t i) {
    if (i < 0) return 2.0 * values.front() - values[static_cast<std::size_t>(-i)];
    if (i >= n) return 2.0 * values.back() - values[static_cast<std::size_t>(2 * (n - 1) - i)];
    return values[static_cast<std::size_t>(i)];
  };
  std::vector<Vec3> means(values.size());
  for (std::ptrdiff_t i = 0; i < n; ++i) {
    Vec3 mean = values[static_cast<std::size_t>(i)] * kernel[0];
    for (std::ptrdiff_t k = 1; k <= half; ++k) {
      mean += (valueAt(i - k) + valueAt(i + k)) * kernel[static_cast<std::size_t>(k)];
    }
    means[static_cast<std::size_t>(i)] = mean / sum;
  }
  means.front() = values.front();
  means.back() = values.back();
  return means;
}

void makeInPlace(const Scene& scene, int node, const std::vector<int>& followers, double smooth_s,
                 Motion& motion, Warnings& warnings) {
  const std::vector<Vec3> places_m = placesOf(scene, motion, node);
  const std::vector<Vec3> way_m = smoothed(places_m, motion.grid, smooth_s);
  std::vector<RootMove> moves;
  for (std::size_t frame = 0; frame < places_m.size(); ++frame) {
    const Vec3 gone_m = way_m[frame] - way_m.front();
    moves.push_back({places_m[frame], places_m[frame] - Vec3(gone_m.x, 0.0, gone_m.z), 0.0});
  }
  std::vector<int> nodes = {node};
  nodes.insert(nodes.end(), followers.begin(), followers.end());
  writeMoves(scene, nodes, moves, motion, warnings);
}

Result<int> rootAbove(const Scene& scene, int hips) {
  const auto& nodes = scene.skeleton.nodes;
  int topmost = -1;
  for (int above = nodes[static_cast<std::size_t>(hips)].parent; above >= 0;
       above = nodes[static_cast<std::size_t>(above)].parent) {
    topmost = above;
    for (const Skin& skin : scene.skins) {
      if (std::find(skin.joints.begin(), skin.joints.end(), above) != skin.joints.end()) {
        return above;
      }
    }
  }
  if (topmost >= 0) return topmost;
  return Error{ErrorCode::kRecipe, "root_from",
               "'" + nodes[static_cast<std::size_t>(hips)].name +
                   "' has no node above it to carry root motion",
               "name the hips, and add a root above them in the file"};
}

Result<RootWay> findRootWay(const Scene& scene, const Motion& motion, const std::string& hips_name,
                            const std::string& root_name, double still_m) {
  const auto nameOf = [&](int node) {
    return scene.skeleton.nodes[static_cast<std::size_t>(node)].name;
  };
  RootWay way;
  if (hips_name.empty()) {
    CLIPMILL_TRY(way.hips, findCarrier(scene, motion, "", still_m));
  } else {
    CLIPMILL_TRY(way.hips, findOneNode(scene.skeleton, hips_name, "root_from"));
  }
  if (root_name.empty()) {
    CLIPMILL_TRY(way.root, rootAbove(scene, way.hips));
  } else {
    CLIPMILL_TRY(way.root, findOneNode(scene.skeleton, root_name, "root"));
  }
  if (way.hips != way.root && isAtOrBelow(scene.skeleton, way.hips, way.root)) return way;
  return Error{ErrorCode::kRecipe, "root_from",
               "'" + nameOf(way.hips) + "' is not below '" + nameOf(way.root) + "'",
               "name hips, and a root above them"};
}

void extractRoot(const Scene& scene, int hips, int root, bool yaw, double smooth_s, Motion& motion,
                 Warnings& warnings) {
  const Motion before = motion;
  const std::vector<Vec3> hips_m = smoothed(placesOf(scene, before, hips), motion.grid, smooth_s);
  const std::vector<Vec3> root_m = placesOf(scene, before, root);
  std::vector<Vec3> turns(hips_m.size(), Vec3(0.0));  // y alone, so that one filter serves both
  if (yaw) {
    const std::vector<double> headings_rad = headingsOf(scene, before, hips);
    for (std::size_t i = 0; i < turns.size(); ++i) turns[i].y = headings_rad[i] - headings_rad[0];
    turns = smoothed(turns, motion.grid, smooth_s);
  }
  std::vector<RootMove> moves;
  for (std::size_t frame = 0; frame < hips_m.size(); ++frame) {
    // Hips keep the place relative to the root that they have at the first frame.
    const Vec3 offset_m = turned(root_m.front() - hips_m.front(), turns[frame].y);
    const Vec3 to_m = hips_m[frame] + offset_m;
    moves.push_back({root_m[frame], Vec3(to_m.x, root_m[frame].y, to_m.z), turns[frame].y});
  }
  writeMoves(scene, std::span(&root, 1), moves, motion, warnings);
  const std::vector<int> branches = branchesBetween(scene, before, hips, root);
  FewWorlds old_worlds(scene, before, branches), new_worlds(scene, motion, branches);
  for (std::size_t frame = 0; frame < hips_m.size(); ++frame) {
    old_worlds.seekFrame(frame);
    new_worlds.seekFrame(frame);
    for (std::size_t b = 0; b < branches.size(); ++b) {
      constexpr double kShear = 1e-6;
      double shear = 0.0;
      const Affine map = inverse(new_worlds.parentOf(b)) * old_worlds.parentOf(b) *
                         toAffine(before.localsOf(frame)[static_cast<std::size_t>(branches[b])]);
      const Transform local = decompose(map, &shear);
      const std::string& name = scene.skeleton.nodes[static_cast<std::size_t>(branches[b])].name;
      if (shear > kShear || !isFinite(local.translation) || !isFinite(local.rotation)) {
        warnings.add("extract_under_uneven_scale",
                     "a node stands under a scale that is not uniform, and does not keep its place "
                     "exactly while the root takes over",
                     name);
        if (!isFinite(local.translation) || !isFinite(local.rotation)) continue;
      }
      Transform& written =
          motion.locals[frame * motion.node_count + static_cast<std::size_t>(branches[b])];
      written.translation = local.translation;
      written.rotation = local.rotation;
      motion.touched.set(branches[b], TrackPath::kTranslation);
      if (yaw) motion.touched.set(branches[b], TrackPath::kRotation);
    }
  }
}

}  // namespace clipmill
