// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "retarget/sole_height.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/portable_math.h"
#include "core/to_size.h"
#include "locomotion/foot_contacts.h"
#include "locomotion/root_joint.h"
#include "retarget/rest_alignment.h"
#include "scene/point_paths.h"

namespace clipmill::retarget {
namespace {

constexpr double kSigma_s = 1.0 / 30.0;
constexpr double kMaxShare = 0.15, kFarShare = 0.25;  // of a leg

// Nodes of both feet and all below them.
std::vector<bool> footNodes(const Skeleton& skeleton, const humanoid::HumanoidMap& map) {
  std::vector<bool> is_foot(skeleton.size(), false);
  for (std::size_t n = 0; n < skeleton.size(); ++n) {
    const int parent = skeleton.nodes[n].parent, node = static_cast<int>(n);
    is_foot[n] = node == map[humanoid::HumanoidRole::kLeftFoot] ||
                 node == map[humanoid::HumanoidRole::kRightFoot] ||
                 (parent >= 0 && is_foot[toSize(parent)]);
  }
  return is_foot;
}

// The vertices that follow a foot most, as points of that node.
std::vector<NodePoint> solePoints(const Scene& scene, const humanoid::HumanoidMap& map) {
  const std::vector<bool> is_foot = footNodes(scene.skeleton, map);
  std::vector<NodePoint> points;
  for (const SkinnedMesh& mesh : scene.meshes) {
    if (mesh.skin < 0 || mesh.influence_start.empty()) continue;
    const Skin& skin = scene.skins[toSize(mesh.skin)];
    for (std::size_t v = 0; v < mesh.vertexCount(); ++v) {
      const auto start = mesh.influences.begin() + mesh.influence_start[v];
      const auto end = mesh.influences.begin() + mesh.influence_start[v + 1];
      const auto most = std::max_element(
          start, end, [](const Influence& a, const Influence& b) { return a.weight < b.weight; });
      if (most == end || !is_foot[toSize(skin.joints[most->joint])]) continue;
      points.push_back({skin.joints[most->joint],
                        transformPoint(skin.joint_from_bind[most->joint], mesh.positions[v])});
    }
  }
  return points;
}

double lowestOf(std::span<const NodePoint> points, std::span<const Affine> worlds) {
  double lowest = HUGE_VAL;
  for (const NodePoint& point : points) {
    lowest = std::min(lowest, transformPoint(worlds[toSize(point.node)], point.offset).y);
  }
  return lowest;
}

// The soles of a character along a clip, in metres.
struct Soles {
  std::vector<double> heights_m;  // one a frame; empty where there is no skin at the feet
  double at_bind_m = 0.0;
  double leg_m = 1.0;
};

Soles solesOf(const Scene& scene, const humanoid::HumanoidMap& map, const Motion& motion) {
  Soles soles;
  const std::vector<NodePoint> points = solePoints(scene, map);
  if (points.empty()) return soles;
  const RestPose bind(scene);
  soles.at_bind_m = lowestOf(points, bind.worlds);
  soles.leg_m = lengthOfLegs(map, bind.worlds);
  std::vector<Affine> worlds;
  for (std::size_t f = 0; f < motion.grid.frame_count; ++f) {
    computeWorlds(scene.skeleton, motion.localsOf(f), scene.metric_from_file, worlds);
    soles.heights_m.push_back(lowestOf(points, worlds));
  }
  return soles;
}

double groundOf(const Soles& soles) {
  std::vector<Vec3> positions;
  for (const double height : soles.heights_m) positions.emplace_back(0.0, height, 0.0);
  const double level_m = locomotion::levelOf(positions);
  const bool is_far = std::fabs(level_m - soles.at_bind_m) > kFarShare * soles.leg_m;
  return is_far ? level_m : soles.at_bind_m;
}

// Weighted means of the neighbours; ends are held.
std::vector<double> smoothed(const std::vector<double>& values, double fps) {
  const double sigma = kSigma_s * fps;
  const int reach = static_cast<int>(std::min(3.0 * sigma, 1000.0));
  const int last = static_cast<int>(values.size()) - 1;
  std::vector<double> means;
  for (int f = 0; f <= last; ++f) {
    double sum = 0.0, weights = 0.0;
    for (int k = -reach; k <= reach; ++k) {
      const double weight = portable::exp(-0.5 * k * k / (sigma * sigma));
      sum += weight * values[toSize(std::clamp(f + k, 0, last))];
      weights += weight;
    }
    means.push_back(sum / weights);
  }
  return means;
}

void moveHips(const Scene& target, int hips, std::span<const double> rises_m, Motion& result) {
  std::vector<locomotion::RootMove> moves;
  std::vector<Affine> worlds;
  for (std::size_t f = 0; f < result.grid.frame_count; ++f) {
    computeWorlds(target.skeleton, result.localsOf(f), target.metric_from_file, worlds);
    const Vec3& from = worlds[toSize(hips)].translation;
    moves.push_back({from, from + Vec3(0.0, rises_m[f], 0.0), 0.0});
  }
  Warnings ignored;  // of rotations: there are none
  locomotion::writeMoves(target, std::span(&hips, 1), moves, result, ignored);
}

}  // namespace

void matchSoleHeights(const Scene& source, const humanoid::HumanoidMap& source_map,
                      const Motion& motion, const Scene& target,
                      const humanoid::HumanoidMap& target_map, double scale, Motion& result) {
  const int hips = target_map[humanoid::HumanoidRole::kHips];
  if (hips < 0) return;
  const Soles from = solesOf(source, source_map, motion);
  const Soles to = solesOf(target, target_map, result);
  if (from.heights_m.empty() || to.heights_m.empty()) return;
  const double ground_m = groundOf(from), most_m = kMaxShare * to.leg_m;
  std::vector<double> rises_m;
  for (std::size_t f = 0; f < to.heights_m.size(); ++f) {
    const double wanted_m = to.at_bind_m + scale * (from.heights_m[f] - ground_m);
    const double rise_m = wanted_m - to.heights_m[f];
    rises_m.push_back(std::isfinite(rise_m) ? std::clamp(rise_m, -most_m, most_m) : 0.0);
  }
  moveHips(target, hips, smoothed(rises_m, result.grid.fps), result);
}

}  // namespace clipmill::retarget
