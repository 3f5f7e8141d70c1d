// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "scene/key_budgets.h"

#include <algorithm>
#include <cmath>

#include "anim/error_sensitivity.h"
#include "core/cancel.h"
#include "core/math.h"
#include "core/to_size.h"

namespace clipmill {
namespace {

// Changes below this, relative to values above 1, are rounding.
constexpr double kStill = 1e-9;
// Of a weight that moves no vertex.
constexpr double kIdleWeightTolerance = 1e-4;

bool differs(double a, double b) { return std::fabs(a - b) > kStill * std::max(1.0, std::fabs(a)); }
bool differs(const Vec3& a, const Vec3& b) {
  return differs(a.x, b.x) || differs(a.y, b.y) || differs(a.z, b.z);
}

double largestOf(const Vec3& v) {
  return std::max({std::fabs(v.x), std::fabs(v.y), std::fabs(v.z)});
}

TrackMask movingTracks(const Motion& motion) {
  TrackMask moving(motion.node_count);
  for (std::size_t frame = 1; frame < motion.grid.frame_count; ++frame) {
    pollCancel();
    const auto first = motion.localsOf(0), here = motion.localsOf(frame);
    for (std::size_t i = 0; i < motion.node_count; ++i) {
      const int node = static_cast<int>(i);
      if (differs(first[i].translation, here[i].translation)) {
        moving.set(node, TrackPath::kTranslation);
      }
      if (differs(std::fabs(glm::dot(first[i].rotation, here[i].rotation)), 1.0)) {
        moving.set(node, TrackPath::kRotation);
      }
      if (differs(first[i].scale, here[i].scale)) moving.set(node, TrackPath::kScale);
    }
  }
  return moving;
}

// Largest scale of every node in the motion.
std::vector<double> largestScales(const Motion& motion) {
  std::vector<double> largest(motion.node_count, 0.0);
  for (std::size_t frame = 0; frame < motion.grid.frame_count; ++frame) {
    const auto locals = motion.localsOf(frame);
    for (std::size_t i = 0; i < motion.node_count; ++i) {
      largest[i] = std::max(largest[i], largestOf(locals[i].scale));
    }
  }
  return largest;
}

// Among how many tracks the tolerance of each node is shared: those that move on the longest chain
// through it.
std::vector<double> sharersOf(const Skeleton& skeleton, const TrackMask& moving,
                              std::span<const TrackPath> paths) {
  std::vector<double> own(skeleton.size(), 0.0);
  for (std::size_t i = 0; i < own.size(); ++i) {
    for (const TrackPath path : paths) own[i] += moving.has(static_cast<int>(i), path) ? 1.0 : 0.0;
  }
  std::vector<double> sharers = mostAlongChains(skeleton, own);
  for (double& count : sharers) count = std::max(count, 1.0);
  return sharers;
}

double shareOf(double tolerance, double sensitivity) {
  return sensitivity > 0.0 ? tolerance / sensitivity : HUGE_VAL;
}

// How far vertices move for one unit of each weight, in the space of the mesh.
std::vector<double> reachOfWeights(const Scene& scene) {
  std::vector<double> reach(scene.skeleton.rest_weights.size(), 0.0);
  for (const SkinnedMesh& mesh : scene.meshes) {
    if (mesh.node < 0) continue;
    const Node& node = scene.skeleton.nodes[toSize(mesh.node)];
    const std::size_t count = std::min(mesh.morphs.size(), toSize(node.weights_count));
    for (std::size_t m = 0; m < count; ++m) {
      double& own = reach[toSize(node.weights_start) + m];
      for (const Vec3& delta : mesh.morphs[m].position_deltas) own = std::max(own, lengthOf(delta));
    }
  }
  return reach;
}

std::size_t movingWeights(const Motion& motion, const Node& node) {
  std::size_t count = 0;
  for (int w = node.weights_start; w < node.weights_start + node.weights_count; ++w) {
    count += isMoving(motion, toSize(w)) ? 1 : 0;
  }
  return count;
}

}  // namespace

bool isMoving(const Motion& motion, std::size_t weight) {
  for (std::size_t frame = 1; frame < motion.grid.frame_count; ++frame) {
    if (differs(motion.weightsOf(0)[weight], motion.weightsOf(frame)[weight])) return true;
  }
  return false;
}

KeyBudgets keyBudgets(const Scene& scene, const Motion& motion,
                      std::span<const double> shell_distances, double position, double angle_rad) {
  const Skeleton& skeleton = scene.skeleton;
  const TrackMask moving = movingTracks(motion);
  const std::vector<ErrorSensitivity> sensitivities =
      errorSensitivityOf(skeleton, motion, shell_distances);
  const std::vector<double> scales = largestScales(motion);
  constexpr TrackPath kOfPositions[] = {TrackPath::kTranslation, TrackPath::kRotation,
                                        TrackPath::kScale};
  constexpr TrackPath kOfAxes[] = {TrackPath::kRotation, TrackPath::kScale};
  const std::vector<double> of_positions = sharersOf(skeleton, moving, kOfPositions);
  const std::vector<double> of_axes = sharersOf(skeleton, moving, kOfAxes);
  KeyBudgets budgets;
  budgets.nodes.resize(skeleton.size());
  const std::vector<double> reach = reachOfWeights(scene);
  budgets.weights.assign(reach.size(), kIdleWeightTolerance);
  for (std::size_t i = 0; i < skeleton.size(); ++i) {
    const double own_position = position / of_positions[i], axes = angle_rad / of_axes[i];
    FitTolerances& own = budgets.nodes[i];
    own.translation = shareOf(own_position, sensitivities[i].translation);
    own.angle_rad = std::min(axes, shareOf(own_position, sensitivities[i].rotation));
    own.scale =
        std::min(axes * std::max(scales[i], kStill), shareOf(own_position, sensitivities[i].scale));
    const Node& node = skeleton.nodes[i];
    const std::size_t sharers = std::max<std::size_t>(1, movingWeights(motion, node));
    const double size = sensitivities[i].translation * scales[i] * static_cast<double>(sharers);
    for (int w = node.weights_start; w < node.weights_start + node.weights_count; ++w) {
      double& weight = budgets.weights[toSize(w)];
      weight = std::min(weight, shareOf(position, reach[toSize(w)] * size));
    }
  }
  return budgets;
}

}  // namespace clipmill
