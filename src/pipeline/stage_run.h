// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/file.h"
#include "core/result.h"
#include "io/io.h"
#include "pipeline/recipe.h"
#include "pipeline/report.h"
#include "scene/additions.h"

namespace clipmill::pipeline {

/// The files that settings of stages name, each loaded once, without its meshes.
class AuxiliaryFiles {
 public:
  explicit AuxiliaryFiles(const io::Limits& limits, const io::ArraySettings& arrays = {})
      : limits_(limits), arrays_(arrays) {}

  /// Those of one stage, in its order. Errors: those of io::load, with a location.
  Result<std::vector<stages::AuxiliaryFile>> of(const RecipeStage& stage);
  /// The file at `path`, loaded if it was not yet; only then `with_meshes` counts. Errors likewise.
  Result<const io::Asset*> load(const std::string& path, bool with_meshes = false);
  /// What was loaded, in the order of the paths.
  std::vector<const io::Asset*> all() const;

  /// The bytes of those of StageType::raw_files_of, which live as long as this. Errors: those of
  /// readFile().
  Result<std::vector<stages::RawFile>> rawOf(const RecipeStage& stage);
  /// What was read for that, in the order of the paths.
  std::vector<stages::RawFile> allRaw() const;

 private:
  io::Limits limits_;
  io::ArraySettings arrays_;
  std::map<std::string, io::Asset> loaded_;
  std::map<std::string, Bytes> raw_;
};

/// A recipe whose open settings are filled with detected values.
struct ResolvedRecipe {
  Recipe recipe;
  std::vector<std::vector<std::string>> notes;  ///< One list a stage: what was found.
};

/// Calls StageType::resolve of every stage that has it, in their order. All of them see the clips
/// as sampled, before any stage runs. Errors: those of StageType::resolve.
Result<ResolvedRecipe> resolveStages(const Scene& scene, std::span<const Motion> motions,
                                     const Recipe& recipe);

/// The stage that makes several outputs, and its variants.
struct Family {
  std::size_t stage = 0;                       ///< Index in Recipe::stages.
  std::vector<stages::StageVariant> variants;  ///< Empty where one output is asked for.
};

/// Error: kRecipe where two stages ask for several outputs.
Result<Family> familyOf(const Recipe& recipe);

/// The common input of the stages of a run.
struct StageContext {
  const ResolvedRecipe& resolved;
  AuxiliaryFiles& files;
  int threads = 1;
  double max_motion_bytes = 0.0;                   ///< See StageInput.
  std::function<Status(std::size_t stage)> start;  ///< Called before each one; its error ends all.
  const std::vector<retarget::ClipContacts>* contacts = nullptr;  ///< See StageInput.
};

/// The state of a run between stages.
struct StageState {
  std::shared_ptr<const Scene> scene;  ///< The input, with what stages added.
  std::vector<Motion> motions;         ///< Of the selected clips.
  std::vector<ClipReport> clips;       ///< One a motion.
  Additions additions;                 ///< Of all stages.
};

/// Runs the stages [first, last) over the motions of `state`. `settings` (if given) replace those
/// of stage `first`.
Status runStages(const StageContext& context, std::size_t first, std::size_t last,
                 const std::shared_ptr<void>& settings, StageState& state);

}  // namespace clipmill::pipeline
