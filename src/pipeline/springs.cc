// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "pipeline/springs.h"

#include "core/file.h"
#include "io/io.h"
#include "pipeline/unity_springs.h"
#include "pipeline/unity_text.h"
#include "stages/dynamic_bones/chains/file_springs.h"

namespace clipmill {
namespace {

using Notes = std::vector<std::string>;

Result<Notes> addOfModel(const std::filesystem::path& path, const io::Limits& limits,
                         DynamicBonesSettings& settings) {
  CLIPMILL_TRY(const io::Asset asset, io::load(path, {false, limits}));
  auto notes = addFileSprings(asset.scene, settings);
  if (!notes) return within(path.string(), notes.error());
  if (settings.chain.empty()) {
    return Error{ErrorCode::kNotFound, path.string(), "the file carries no springs",
                 "name chains in a recipe, or let the stage look for them with auto = true"};
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
  auto& settings = *static_cast<DynamicBonesSettings*>(stage.settings.get());
  if (unity::looksLikeUnityText(asText(bytes))) {
    auto notes = unity::addUnitySprings(asText(bytes), limits.max_decoded_bytes, settings);
    if (!notes) return within(path.string(), notes.error());
    found.notes = std::move(*notes);
  } else {
    CLIPMILL_TRY(found.notes, addOfModel(path, limits, settings));
  }
  found.recipe.stages.push_back(std::move(stage));
  return found;
}

}  // namespace clipmill
