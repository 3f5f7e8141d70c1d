// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "pipeline/run.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "anim/key_reduction.h"
#include "core/parallel.h"
#include "core/system.h"
#include "core/text.h"
#include "scene/tips.h"

namespace clipmill {
namespace {

constexpr double kMillimetresInMetre = 1000.0;

void tell(const RunOptions& options, std::string_view step, std::size_t done, std::size_t total) {
  if (options.progress) options.progress(step, done, total);
}

// Metres in a unit of the file.
double metresPerUnit(const Scene& scene) {
  const Vec3& x = scene.metric_from_file.linear[0];
  return std::sqrt(glm::dot(x, x));
}

Status checkInterrupt() {
  if (!system::interrupted()) return {};
  return Error{ErrorCode::kInterrupted, "", "was interrupted, and nothing was written",
               "run it again"};
}

Result<std::vector<Motion>> sampleAll(const Scene& scene, const std::vector<int>& clips, double fps,
                                      const RunOptions& options) {
  double bytes = 0.0;
  for (int clip : clips) {
    const Clip& c = scene.clips[static_cast<std::size_t>(clip)];
    bytes += motionBytes(scene.skeleton, makeGrid(c.begin_s, c.end_s, fps > 0.0 ? fps : c.fps));
  }
  if (bytes > static_cast<double>(options.limits.max_decoded_bytes)) {
    return Error{ErrorCode::kLimit, "", "has clips that need more memory than the limit allows",
                 "choose fewer with --clip, a lower --fps, or raise --max-decoded-mb"};
  }
  std::vector<Motion> motions(clips.size());
  parallelFor(clips.size(), 1, options.threads, [&](std::size_t begin, std::size_t) {
    const Clip& c = scene.clips[static_cast<std::size_t>(clips[begin])];
    motions[begin] = sampleClip(scene.skeleton, c, clips[begin],
                                makeGrid(c.begin_s, c.end_s, fps > 0.0 ? fps : c.fps));
  });
  return motions;
}

StageReport stageReport(const Scene& scene, const StageType& type, StageResult& result) {
  StageReport report;
  report.type = type.name;
  report.metrics = std::move(result.metrics);
  report.series = std::move(result.series);
  report.shapes = std::move(result.shapes);
  report.points = std::move(result.points);
  report.warnings = std::move(result.warnings);
  const auto sourceOf = [&](int node) {
    return scene.skeleton.nodes[static_cast<std::size_t>(node)].source_id;
  };
  for (StageShape& shape : report.shapes) shape.node = sourceOf(shape.node);
  for (StagePoint& point : report.points) point.node = sourceOf(point.node);
  return report;
}

Status runStages(const Scene& scene, const Recipe& recipe, const RunOptions& options,
                 std::vector<Motion>& motions, RunReport& report) {
  for (std::size_t s = 0; s < recipe.stages.size(); ++s) {
    const RecipeStage& stage = recipe.stages[s];
    tell(options, stage.type->name, s, recipe.stages.size());
    CLIPMILL_CHECK(checkInterrupt());
    CLIPMILL_TRY(std::vector<StageResult> results,
                 stage.type->run({scene, motions, options.threads}, stage.settings.get()));
    for (std::size_t i = 0; i < results.size(); ++i) {
      motions[i] = std::move(results[i].motion);
      report.clips[i].stages.push_back(stageReport(scene, *stage.type, results[i]));
    }
  }
  return {};
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

std::vector<io::ClipTracks> makeKeys(const Scene& scene, const OutputSettings& output,
                                     const std::vector<Motion>& motions, int threads,
                                     RunReport& report) {
  const std::vector<double> tip_reach = tipReach(scene);
  std::vector<io::ClipTracks> edits(motions.size());
  parallelFor(motions.size(), 1, threads, [&](std::size_t i, std::size_t) {
    edits[i] = {motions[i].clip_index,
                keysOf(scene, output, motions[i], tip_reach, report.clips[i]),
                newSpan(scene, motions[i])};
  });
  return edits;
}

Status runLoaded(const io::Asset& asset, const Recipe& recipe, const std::filesystem::path& output,
                 const RunOptions& options, RunReport& report) {
  const Scene& scene = asset.scene;
  std::vector<io::ClipTracks> edits;
  CLIPMILL_TRY(const std::vector<int> clips, selectClips(scene, options.clips));
  if (!recipe.stages.empty()) {
    if (clips.empty()) {
      return Error{ErrorCode::kNotFound, "", "has no animation for the stages to work on",
                   "give a file with at least one clip"};
    }
    tell(options, "sample", 0, clips.size());
    CLIPMILL_TRY(std::vector<Motion> motions, sampleAll(scene, clips, recipe.output.fps, options));
    for (const Motion& motion : motions) {
      ClipReport clip;
      clip.clip = motion.clip_name;
      clip.index = motion.clip_index;
      clip.fps = motion.grid.fps;
      clip.frames = motion.grid.frame_count;
      report.clips.push_back(std::move(clip));
    }
    CLIPMILL_CHECK(runStages(scene, recipe, options, motions, report));
    tell(options, "keys", 0, motions.size());
    OutputSettings keys = recipe.output;
    // A conversion chooses among the keys of all tracks once they are together.
    if (io::isConversion(asset, output)) keys.keys = KeysMode::kAll;
    edits = makeKeys(scene, keys, motions, options.threads, report);
  }
  CLIPMILL_CHECK(checkInterrupt());
  if (options.dry_run) return {};
  tell(options, "save", 0, 1);
  const io::ConversionKeys conversion{recipe.output.keys == KeysMode::kAll,
                                      recipe.output.key_tolerance_mm, recipe.output.fps,
                                      options.threads};
  CLIPMILL_TRY(const Warnings lost, io::save(asset, edits, output, conversion));
  report.warnings.merge(lost);
  return {};
}

bool needsMeshes(const Recipe& recipe) {
  // Reduced keys are measured at the skin that a joint carries.
  return !recipe.stages.empty() &&
         (recipe.output.keys == KeysMode::kReduced ||
          std::any_of(recipe.stages.begin(), recipe.stages.end(), [](const RecipeStage& stage) {
            return stage.type->needs_meshes && stage.type->needs_meshes(stage.settings.get());
          }));
}

Status loadAndRun(const std::filesystem::path& input, const Recipe& recipe,
                  const std::filesystem::path& output, const RunOptions& options,
                  RunReport& report) {
  tell(options, "load", 0, 1);
  const bool with_meshes = needsMeshes(recipe);
  CLIPMILL_TRY(io::Asset asset, io::load(input, {with_meshes, options.limits}));
  report.input_hash = asset.content_hash;
  report.referenced_files = asset.document->referencedFiles();
  report.warnings = asset.scene.warnings;
  CLIPMILL_CHECK(io::checkOutput(asset, output));
  if (io::isConversion(asset, output) && !with_meshes) {
    CLIPMILL_TRY(asset, io::load(input, {true, options.limits}));
    report.warnings = asset.scene.warnings;
  }
  if (Status done = runLoaded(asset, recipe, output, options, report); !done) {
    const bool has_place =
        done.error().code == ErrorCode::kWrite || done.error().code == ErrorCode::kRecipe;
    return has_place ? done.error() : within(input.string(), done.error());
  }
  return {};
}

std::string escapedForMake(const std::string& path) {
  std::string text;
  std::size_t backslashes = 0;  // at the end of `text`, and the path's own
  for (char c : path) {
    // Before a space or a number sign make takes pairs of backslashes for one; elsewhere they stand
    // for themselves.
    if (c == ' ' || c == '#') text += std::string(backslashes + 1, '\\');
    if (c == ':' || c == '%') text += '\\';
    if (c == '$') text += '$';
    text += c;
    backslashes = c == '\\' ? backslashes + 1 : 0;
  }
  return text;
}

}  // namespace

Result<std::vector<int>> selectClips(const Scene& scene,
                                     const std::vector<std::string>& selectors) {
  std::vector<bool> chosen(scene.clips.size(), selectors.empty());
  for (const std::string& selector : selectors) {
    bool found = selector == "all";
    if (found) chosen.assign(chosen.size(), true);
    for (std::size_t i = 0; i < scene.clips.size(); ++i) {
      if (matchesGlob(selector, scene.clips[i].name) || scene.clips[i].name == selector) {
        chosen[i] = found = true;
      }
    }
    const auto index = parseNumber(selector);
    if (!found && index && *index >= 0 && *index < static_cast<double>(scene.clips.size()) &&
        *index == std::floor(*index)) {
      chosen[static_cast<std::size_t>(*index)] = found = true;
    }
    if (!found) {
      std::vector<std::string> names;
      for (const Clip& clip : scene.clips) names.push_back(clip.name);
      const auto nearest = nearestWord(selector, names);
      return Error{ErrorCode::kNotFound, "--clip " + selector, "no clip has that name or index",
                   nearest ? "did you mean '" + *nearest + "'?"
                           : "the file has " + counted(names.size(), "clip")};
    }
  }
  std::vector<int> indices;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (chosen[i]) indices.push_back(static_cast<int>(i));
  }
  return indices;
}

Status runFile(const std::filesystem::path& input, const Recipe& recipe,
               const std::filesystem::path& output, const RunOptions& options, RunReport& report) {
  const auto start = std::chrono::steady_clock::now();
  report.input = input.string();
  report.output = output.string();
  report.config_hash = recipeHash(recipe);
  const Status done = loadAndRun(input, recipe, output, options, report);
  if (!done) report.error = done.error();
  report.milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(
                            std::chrono::steady_clock::now() - start)
                            .count();
  report.peak_memory_bytes = system::peakMemoryBytes();
  return done;
}

std::string dependencyRule(const std::filesystem::path& output,
                           const std::vector<std::filesystem::path>& inputs) {
  std::string rule = escapedForMake(output.string()) + ":";
  for (const std::filesystem::path& input : inputs) rule += " " + escapedForMake(input.string());
  return rule + "\n";
}

}  // namespace clipmill
