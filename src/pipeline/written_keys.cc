// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "pipeline/written_keys.h"

#include <cmath>

#include "anim/key_reduction.h"
#include "core/parallel.h"
#include "scene/tips.h"

namespace clipmill {
namespace {

constexpr double kMillimetresInMetre = 1000.0;

// Metres in a unit of the file.
double metresPerUnit(const Scene& scene) {
  const Vec3& x = scene.metric_from_file.linear[0];
  return std::sqrt(glm::dot(x, x));
}

// The keys to write for one clip.
std::vector<Track> keysOf(const Scene& scene, const OutputSettings& output, const Motion& motion,
                          std::span<const double> tip_reach, ClipReport& report) {
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
  settings.tip_reach = tip_reach;
  ReducedKeys reduced = reduceKeys(scene.skeleton, motion, settings);
  report.tracks_written = reduced.tracks.size();
  report.keys_before = reduced.keys_before;
  report.keys_after = reduced.keys_after;
  report.worst_key_error_mm = reduced.worst_error * mm_per_unit;
  return std::move(reduced.tracks);
}

// Begin and end of a clip that a stage made longer or shorter.
std::optional<std::pair<double, double>> newSpan(const Scene& scene, const Motion& motion) {
  constexpr double kSameInstant_s = 1e-9;
  const Clip& clip = scene.clips[static_cast<std::size_t>(motion.clip_index)];
  if (std::fabs(motion.grid.begin_s - clip.begin_s) <= kSameInstant_s &&
      std::fabs(motion.grid.end_s - clip.end_s) <= kSameInstant_s) {
    return std::nullopt;
  }
  return std::pair(motion.grid.begin_s, motion.grid.end_s);
}

}  // namespace

std::vector<io::ClipTracks> keysToWrite(const Scene& scene, const OutputSettings& output,
                                        const std::vector<Motion>& motions, int threads,
                                        std::vector<ClipReport>& reports) {
  const std::vector<double> tip_reach = tipReach(scene);
  std::vector<io::ClipTracks> edits(motions.size());
  parallelFor(motions.size(), 1, threads, [&](std::size_t i, std::size_t) {
    edits[i] = {motions[i].clip_index, keysOf(scene, output, motions[i], tip_reach, reports[i]),
                newSpan(scene, motions[i])};
  });
  return edits;
}

}  // namespace clipmill
