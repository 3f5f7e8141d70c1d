// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "pipeline/written_keys.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "anim/key_reduction.h"
#include "core/parallel.h"
#include "core/to_size.h"
#include "core/units.h"
#include "humanoid/humanoid.h"
#include "pipeline/planted_points.h"
#include "scene/key_budgets.h"
#include "scene/shell_distance.h"

namespace clipmill::pipeline {
namespace {

// Metres in a unit of the file.
double metresPerUnit(const Scene& scene) {
  const Vec3& x = scene.metric_from_file.linear[0];
  return std::sqrt(glm::dot(x, x));
}

// Which weights change within any clip: keys of the others are never off.
std::vector<char> movingWeights(const Scene& scene, std::span<const Motion> motions) {
  std::vector<char> moving(scene.skeleton.rest_weights.size());
  for (std::size_t w = 0; w < moving.size(); ++w) {
    moving[w] = std::any_of(motions.begin(), motions.end(),
                            [w](const Motion& motion) { return isMoving(motion, w); });
  }
  return moving;
}

// How far a vertex of the node's meshes goes if all weights that move change by 1 in the worst
// direction, file units.
double weightReach(const Scene& scene, int node, std::span<const char> moving) {
  double most = 0.0;
  const Node& described = scene.skeleton.nodes[toSize(node)];
  const auto own = moving.subspan(toSize(described.weights_start), toSize(described.weights_count));
  for (const SkinnedMesh& mesh : scene.meshes) {
    if (mesh.node != node) continue;
    std::vector<double> sum(mesh.vertexCount(), 0.0);
    for (std::size_t m = 0; m < std::min(mesh.morphs.size(), own.size()); ++m) {
      if (!own[m]) continue;
      const MorphTarget& morph = mesh.morphs[m];
      for (std::size_t v = 0; v < morph.position_deltas.size(); ++v) {
        sum[v] += std::sqrt(glm::dot(morph.position_deltas[v], morph.position_deltas[v]));
      }
    }
    for (const double reach : sum) most = std::max(most, reach);
  }
  return most;
}

// What the weights of each node may be off. Deltas count as in the file's world, which skinning
// does not stretch by much.
std::vector<double> weightTolerances(const Scene& scene, const OutputSettings& output,
                                     std::span<const AddedMorph> added,
                                     std::span<const Motion> motions) {
  std::vector<double> tolerances(scene.skeleton.size(), KeyReductionSettings{}.weight_tolerance);
  const double tolerance = output.key_tolerance_mm / (metresPerUnit(scene) * kMillimetresInMetre);
  std::set<int> nodes;
  for (const AddedMorph& morph : added) nodes.insert(morph.node);
  if (nodes.empty()) return tolerances;
  const std::vector<char> moving = movingWeights(scene, motions);
  for (const int node : nodes) {
    const double reach = weightReach(scene, node, moving);
    if (reach > 0.0) tolerances[toSize(node)] = tolerance / reach;
  }
  return tolerances;
}

// What is the same for all clips.
struct KeyPlan {
  const Scene& scene;
  const OutputSettings& output;
  std::vector<double> shell_distances;
  std::vector<double> weight_tolerances;
  std::optional<humanoid::HumanoidMap>
      feet;  // set where planted feet have a tolerance of their own
};

// The keys to write for one clip.
std::vector<Track> keysOf(const KeyPlan& plan, const Motion& motion, ClipReport& report) {
  const Scene& scene = plan.scene;
  const OutputSettings& output = plan.output;
  if (output.keys == KeysMode::kAll) {
    std::vector<Track> tracks = tracksOf(scene.skeleton, motion);
    for (const Track& track : tracks) report.keys_before += track.times_s->size();
    report.keys_after = report.keys_before;
    report.tracks_written = tracks.size();
    return tracks;
  }
  const double mm_per_unit = metresPerUnit(scene) * kMillimetresInMetre;
  KeyReductionSettings settings;
  settings.tolerance = output.key_tolerance_mm / mm_per_unit;
  settings.shell_distances = plan.shell_distances;
  settings.weight_tolerances = plan.weight_tolerances;
  std::vector<HeldPoint> planted;
  if (plan.feet) {
    planted = plantedPoints(scene, *plan.feet, motion, output.planted_tolerance_mm / mm_per_unit);
  }
  settings.held = planted;
  settings.short_rotations = output.short_rotations;
  settings.cubic_keys = output.cubic_keys;
  ReducedKeys reduced = reduceKeys(scene.skeleton, motion, settings);
  report.tracks_written = reduced.tracks.size();
  report.keys_before = reduced.keys_before;
  report.keys_after = reduced.keys_after;
  report.worst_key_error_mm = reduced.worst_error * mm_per_unit;
  if (!planted.empty()) report.planted_key_error_mm = reduced.worst_held_error * mm_per_unit;
  report.key_errors = std::move(reduced.error_histogram);
  return std::move(reduced.tracks);
}

// Start and end of a clip that a stage made longer or shorter.
std::optional<std::pair<double, double>> newSpan(const Scene& scene, const Motion& motion) {
  constexpr double kSameInstant_s = 1e-9;
  const Clip& clip = scene.clips[toSize(motion.clip_index)];
  if (std::fabs(motion.grid.start_s - clip.start_s) <= kSameInstant_s &&
      std::fabs(motion.grid.end_s - clip.end_s) <= kSameInstant_s) {
    return std::nullopt;
  }
  return std::pair(motion.grid.start_s, motion.grid.end_s);
}

// The name of a clip that a stage gave another one.
std::optional<std::string> newName(const Scene& scene, const Motion& motion) {
  const std::string& name = scene.clips[toSize(motion.clip_index)].name;
  return motion.clip_name == name ? std::nullopt : std::optional(motion.clip_name);
}

}  // namespace

std::vector<io::ClipEdit> keysToWrite(const Scene& scene, const OutputSettings& output,
                                      std::span<const AddedMorph> added,
                                      const std::vector<Motion>& motions, int threads,
                                      std::vector<ClipReport>& reports) {
  KeyPlan plan{scene, output, shellDistances(scene),
               weightTolerances(scene, output, added, motions), std::nullopt};
  if (output.planted_tolerance_mm < output.key_tolerance_mm) {
    plan.feet = humanoid::findHumanoid(scene);
  }
  std::vector<io::ClipEdit> edits(motions.size());
  parallelFor(motions.size(), 1, threads, [&](std::size_t i, std::size_t) {
    edits[i] = {motions[i].clip_index, keysOf(plan, motions[i], reports[i]),
                newSpan(scene, motions[i]), newName(scene, motions[i])};
  });
  return edits;
}

}  // namespace clipmill::pipeline
