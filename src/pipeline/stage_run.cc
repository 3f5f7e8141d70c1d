// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "pipeline/stage_run.h"

#include <algorithm>

#include "core/to_size.h"

namespace clipmill::pipeline {
namespace {

std::string locationOf(const Recipe& recipe, std::size_t stage) {
  return "stage[" + std::to_string(stage) + "] " + recipe.stages[stage].type->name;
}

StageReport stageReport(const Scene& scene, const stages::StageType& type,
                        const std::vector<std::string>& notes, stages::StageResult& result) {
  StageReport report;
  report.type = type.name;
  report.notes = notes;
  report.metrics = std::move(result.metrics);
  report.series = std::move(result.series);
  report.shapes = std::move(result.shapes);
  report.points = std::move(result.points);
  report.contacts = std::move(result.contacts);
  report.warnings = std::move(result.warnings);
  report.clip_notes = std::move(result.notes);
  const auto sourceOf = [&](int node) { return scene.skeleton.nodes[toSize(node)].source_id; };
  for (stages::StageShape& shape : report.shapes) shape.node = sourceOf(shape.node);
  for (stages::StagePoint& point : report.points) point.node = sourceOf(point.node);
  return report;
}

Status checkCount(const stages::StageOutput& made, std::size_t clips, const std::string& location) {
  if (made.results.size() == clips) return {};
  return Error{ErrorCode::kInternal, location,
               "returned " + std::to_string(made.results.size()) + " results for " +
                   std::to_string(clips) + " clips",
               "please report it with the file and the recipe"};
}

// Stages that follow see what was added as if the file had it.
Status keepAdditions(Additions made, int threads, StageState& state) {
  if (made.empty()) return {};
  CLIPMILL_CHECK(checkAdditions(*state.scene, made, threads));
  state.scene = std::make_shared<const Scene>(withAdditions(*state.scene, made, threads));
  append(std::move(made), state.additions);
  return {};
}

}  // namespace

Result<const io::Asset*> AuxiliaryFiles::load(const std::string& path, bool with_meshes) {
  const auto found = loaded_.find(path);
  if (found != loaded_.end()) return &found->second;
  CLIPMILL_TRY(io::Asset asset, io::load(path, {with_meshes, limits_, arrays_}));
  return &loaded_.emplace(path, std::move(asset)).first->second;
}

Result<std::vector<stages::AuxiliaryFile>> AuxiliaryFiles::of(const RecipeStage& stage) {
  std::vector<stages::AuxiliaryFile> files;
  if (!stage.type->files_of) return files;
  for (const std::string& path : stage.type->files_of(stage.settings.get())) {
    CLIPMILL_TRY(const io::Asset* asset, load(path));
    files.push_back({path, asset->scene});
  }
  return files;
}

std::vector<const io::Asset*> AuxiliaryFiles::all() const {
  std::vector<const io::Asset*> assets;
  for (const auto& [path, asset] : loaded_) assets.push_back(&asset);
  return assets;
}

Result<std::vector<stages::RawFile>> AuxiliaryFiles::rawOf(const RecipeStage& stage) {
  std::vector<stages::RawFile> files;
  if (!stage.type->raw_files_of) return files;
  for (const std::string& path : stage.type->raw_files_of(stage.settings.get())) {
    auto found = raw_.find(path);
    if (found == raw_.end()) {
      CLIPMILL_TRY(Bytes bytes, readFile(path, limits_.max_file_bytes));
      found = raw_.emplace(path, std::move(bytes)).first;
    }
    files.push_back({path, found->second});
  }
  return files;
}

std::vector<stages::RawFile> AuxiliaryFiles::allRaw() const {
  std::vector<stages::RawFile> files;
  for (const auto& [path, bytes] : raw_) files.push_back({path, bytes});
  return files;
}

Result<ResolvedRecipe> resolveStages(const Scene& scene, std::span<const Motion> motions,
                                     const Recipe& recipe) {
  ResolvedRecipe resolved{recipe, std::vector<std::vector<std::string>>(recipe.stages.size())};
  for (std::size_t s = 0; s < recipe.stages.size(); ++s) {
    const stages::StageType& type = *recipe.stages[s].type;
    if (!type.resolve) continue;
    auto found = type.resolve(scene, motions, recipe.stages[s].settings.get());
    if (!found) return found.error();
    resolved.recipe.stages[s].settings = std::move(found->settings);
    resolved.notes[s] = std::move(found->notes);
  }
  return resolved;
}

Result<Family> familyOf(const Recipe& recipe) {
  Family family;
  for (std::size_t s = 0; s < recipe.stages.size(); ++s) {
    const RecipeStage& stage = recipe.stages[s];
    if (!stage.type->variants) continue;
    std::vector<stages::StageVariant> variants = stage.type->variants(stage.settings.get());
    if (variants.empty()) continue;
    if (!family.variants.empty()) {
      return Error{ErrorCode::kRecipe, locationOf(recipe, s),
                   "asks for several outputs, and so does " + locationOf(recipe, family.stage),
                   "use only one such stage in a recipe"};
    }
    family = {s, std::move(variants)};
  }
  return family;
}

Status runStages(const StageContext& context, std::size_t first, std::size_t last,
                 const std::shared_ptr<void>& settings, StageState& state) {
  for (std::size_t s = first; s < last; ++s) {
    RecipeStage stage = context.resolved.recipe.stages[s];
    if (s == first && settings) stage.settings = settings;
    CLIPMILL_CHECK(context.start(s));
    CLIPMILL_TRY(const std::vector<stages::AuxiliaryFile> files, context.files.of(stage));
    CLIPMILL_TRY(const std::vector<stages::RawFile> raw_files, context.files.rawOf(stage));
    const stages::StageInput input{*state.scene,    stages::StageMotions::toTake(state.motions),
                                   context.threads, files,
                                   raw_files,       context.max_motion_bytes,
                                   context.contacts};
    CLIPMILL_TRY(stages::StageOutput made, stage.type->run(input, stage.settings.get()));
    CLIPMILL_CHECK(checkCount(made, state.motions.size(), locationOf(context.resolved.recipe, s)));
    CLIPMILL_CHECK(keepAdditions(std::move(made.additions), context.threads, state));
    for (std::size_t i = 0; i < made.results.size(); ++i) {
      state.motions[i] = std::move(made.results[i].motion);
      state.clips[i].stages.push_back(
          stageReport(*state.scene, *stage.type, context.resolved.notes[s], made.results[i]));
    }
  }
  return {};
}

}  // namespace clipmill::pipeline
