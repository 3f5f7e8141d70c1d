// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/edit/rename.h"

#include <set>
#include <string>

#include "scene/find_clip.h"

namespace clipmill::stages::edit {
namespace {

// Names of the clips that the stage does not work on.
std::set<std::string> otherNames(const StageInput& input) {
  std::set<int> worked_on;
  for (const Motion& motion : input.motions) worked_on.insert(motion.clip_index);
  std::set<std::string> names;
  for (std::size_t c = 0; c < input.scene.clips.size(); ++c) {
    if (!worked_on.contains(static_cast<int>(c))) names.insert(input.scene.clips[c].name);
  }
  return names;
}

}  // namespace

Result<std::vector<StageResult>> runRename(const StageInput& input,
                                           const RenameSettings& settings) {
  if (settings.to.empty()) {
    return Error{ErrorCode::kRecipe, "to", "names no clip", "give a name, e.g. --to '{}_fast'"};
  }
  std::set<std::string> taken = otherNames(input);
  std::vector<StageResult> results(input.motions.size());
  for (std::size_t i = 0; i < results.size(); ++i) {
    results[i].motion = copyOf(input.motions[i]);
    std::string& name = results[i].motion.clip_name;
    name = patternedName(settings.to, input.motions[i].clip_name);
    if (taken.insert(name).second) continue;
    return Error{ErrorCode::kRecipe, "to", "two clips of the file would be called '" + name + "'",
                 "choose one with --clip, or use {} in the new name for the current one"};
  }
  return results;
}

StageType renameType() {
  return makeStageType<RenameSettings>("rename", "Rename a clip.", renameTable(), runRename);
}

}  // namespace clipmill::stages::edit
