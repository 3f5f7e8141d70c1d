// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "pipeline/springs.h"

#include "core/file.h"
#include "io/io.h"
#include "stages/dynamic_bones/chains/file_springs.h"
#include "stages/dynamic_bones/unity/springs.h"
#include "stages/dynamic_bones/unity/text.h"

namespace clipmill::pipeline {
namespace {

using Notes = std::vector<std::string>;

Result<Notes> addOfModel(const std::filesystem::path& path, const io::Limits& limits,
                         stages::dynamic_bones::DynamicBonesSettings& settings) {
  CLIPMILL_TRY(const io::Asset asset, io::load(path, {false, limits}));
  auto notes = stages::dynamic_bones::addFileSprings(asset.scene, settings);
  if (!notes) return within(path.string(), notes.error());
  if (settings.chain.empty()) {
    return Error{ErrorCode::kNotFound, path.string(), "has no springs",
                 "name chains in a recipe, or set auto = true to detect them"};
  }
  for (const Warning& warning : asset.scene.warnings.all()) {
    notes->push_back(warning.text + " (" + std::to_string(warning.count) + "x, first at " +
                     warning.first + ")");
  }
  return notes;
}

}  // namespace

Result<FoundSprings> findSprings(const std::filesystem::path& path, const io::Limits& limits) {
  CLIPMILL_TRY(const Bytes bytes, readFile(path, limits.max_file_bytes));
  FoundSprings found;
  CLIPMILL_TRY(RecipeStage stage, makeStage("dynamic-bones", ""));
  auto& settings = *static_cast<stages::dynamic_bones::DynamicBonesSettings*>(stage.settings.get());
  // The values of engines are those of springs that do not feel each other.
  settings.method = stages::dynamic_bones::DynamicBonesMethod::kSpring;
  if (stages::dynamic_bones::unity::looksLikeUnityText(asText(bytes))) {
    auto notes = stages::dynamic_bones::unity::addUnitySprings(asText(bytes),
                                                               limits.max_decoded_bytes, settings);
    if (!notes) return within(path.string(), notes.error());
    found.notes = std::move(*notes);
  } else {
    CLIPMILL_TRY(found.notes, addOfModel(path, limits, settings));
  }
  found.recipe.stages.push_back(std::move(stage));
  return found;
}

}  // namespace clipmill::pipeline
