// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "pipeline/spring_fit.h"

#include <algorithm>
#include <memory>

#include "core/text.h"
#include "core/to_size.h"
#include "io/io.h"
#include "pipeline/clip_choice.h"
#include "pipeline/recipe.h"
#include "stages/dynamic_bones/fit/made_probe.h"

namespace clipmill::pipeline {
namespace {

using stages::dynamic_bones::ChainFit;
using stages::dynamic_bones::DynamicBonesMethod;
using stages::dynamic_bones::DynamicBonesSettings;

const DynamicBonesSettings& bonesSettings(const RecipeStage& stage) {
  return *static_cast<const DynamicBonesSettings*>(stage.settings.get());
}

// The stages whose rods are fitted.
Result<std::vector<RecipeStage>> rodStages(const SpringFitOptions& options) {
  std::vector<RecipeStage> stages;
  if (options.recipe.empty()) {
    CLIPMILL_TRY(RecipeStage stage, makeStage("dynamic-bones", ""));
    static_cast<DynamicBonesSettings*>(stage.settings.get())->find_chains = true;
    stages.push_back(std::move(stage));
    return stages;
  }
  CLIPMILL_TRY(const Recipe recipe, loadRecipe(options.recipe));
  for (const RecipeStage& stage : recipe.stages) {
    if (stage.type->name != "dynamic-bones") continue;
    if (bonesSettings(stage).method == DynamicBonesMethod::kRod) stages.push_back(stage);
  }
  if (!stages.empty()) return stages;
  return Error{ErrorCode::kRecipe, options.recipe.string(),
               "has no dynamic-bones stage with the method rod",
               "add one, or leave --recipe out to use the chains that --auto finds"};
}

// The clips to compare in, as long as they fit into kMaxProbe_s; the first one counts in any case.
Result<std::vector<int>> probeClips(const Scene& scene, const SpringFitOptions& options,
                                    std::vector<std::string>& notes) {
  if (options.probes == ProbeMotions::kMade) return std::vector<int>();
  CLIPMILL_TRY(std::vector<int> clips, selectClips(scene, options.clips));
  std::erase_if(clips, [&](int clip) {
    const Clip& c = scene.clips[toSize(clip)];
    return !(c.end_s > c.start_s);
  });
  const std::size_t all = clips.size();
  double total_s = 0.0;
  for (std::size_t i = 0; i < clips.size(); ++i) {
    const Clip& c = scene.clips[toSize(clips[i])];
    total_s += c.end_s - c.start_s;
    if (i > 0 && total_s > kMaxProbe_s) clips.resize(i);
  }
  if (clips.size() < all) {
    notes.push_back("compared in the first " + counted(clips.size(), "clip") + " of " +
                    std::to_string(all) + "; choose others with --clip");
  }
  return clips;
}

// A motion that is longer than kMaxProbe_s, without the rest.
void shorten(Motion& motion) {
  const auto most = toSize(kMaxProbe_s * motion.grid.fps) + 1;
  if (motion.grid.frame_count <= most) return;
  motion.grid.end_s = motion.grid.timeOf(most - 1);
  motion.grid.frame_count = most;
  motion.locals.resize(most * motion.node_count);
  motion.weights.resize(most * motion.weight_count);
}

Result<std::vector<Motion>> probeMotions(const Scene& scene, const SpringFitOptions& options,
                                         std::vector<std::string>& notes) {
  CLIPMILL_TRY(const std::vector<int> clips, probeClips(scene, options, notes));
  CLIPMILL_TRY(std::vector<Motion> motions,
               sampleClips(scene, clips, stages::dynamic_bones::kProbeRate_hz, options.threads,
                           options.limits));
  for (Motion& motion : motions) shorten(motion);
  if (motions.empty() && options.probes == ProbeMotions::kClips) {
    return Error{ErrorCode::kNotFound, "", "has no clip with a length",
                 "use --probe made for a made motion"};
  }
  const bool is_made = options.probes == ProbeMotions::kMade ||
                       options.probes == ProbeMotions::kBoth || motions.empty();
  if (is_made) motions.push_back(stages::dynamic_bones::madeProbe(scene));
  return motions;
}

Status fitStages(const Scene& scene, std::span<const Motion> motions,
                 const SpringFitOptions& options, FittedSprings& fitted) {
  CLIPMILL_TRY(const std::vector<RecipeStage> stages, rodStages(options));
  for (const RecipeStage& stage : stages) {
    CLIPMILL_TRY(const stages::ResolvedSettings resolved,
                 stage.type->resolve(scene, motions, stage.settings.get()));
    fitted.notes.insert(fitted.notes.end(), resolved.notes.begin(), resolved.notes.end());
    const auto& settings = *static_cast<const DynamicBonesSettings*>(resolved.settings.get());
    if (settings.chain.empty()) continue;
    CLIPMILL_TRY(std::vector<ChainFit> fits,
                 stages::dynamic_bones::fitChains(scene, settings, motions, options.target,
                                                  options.threads));
    for (ChainFit& fit : fits) {
      const auto chain = toSize(fit.row.chain);
      fitted.rows.push_back({std::move(fit), settings.chain[chain]});
    }
  }
  if (!fitted.rows.empty()) return {};
  return Error{ErrorCode::kNotFound, "", "has no chains",
               "name chains in a recipe, and give it with --recipe"};
}

}  // namespace

Result<FittedSprings> fitSpringsOfFile(const std::filesystem::path& path,
                                       const SpringFitOptions& options) {
  CLIPMILL_TRY(const io::Asset asset, io::load(path, {true, options.limits}));
  FittedSprings fitted;
  fitted.file = path.string();
  fitted.target = options.target;
  fitted.skeleton = asset.scene.skeleton;
  fitted.has_gltf_nodes = asset.document->nativeFormat() == io::OutputFormat::kGltf;
  const auto motions = probeMotions(asset.scene, options, fitted.notes);
  if (!motions) return within(path.string(), motions.error());
  for (const Motion& motion : *motions) {
    fitted.probes.push_back({motion.clip_name, motion.grid.end_s - motion.grid.start_s});
  }
  const Status done = fitStages(asset.scene, *motions, options, fitted);
  if (!done) return within(path.string(), done.error());
  return fitted;
}

}  // namespace clipmill::pipeline
