// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "batch/inputs.h"
#include "batch_commands.h"

namespace clipmill::cli {

void addSourceOptions(CLI::App& command, BatchSource& source) {
  command.add_option("INPUT", source.inputs,
                     "files, folders, quoted patterns (*, ?, [..], **) or @FILE, a list of these");
  command.add_option("--recipe", source.recipe, "the recipe, TOML or JSON");
  command.add_option("--out-dir", source.out_dir, "the folder to write into");
  command.add_option("--name", source.name, "names of outputs: {dir}, {stem}, {ext}")
      ->capture_default_str();
  command.add_flag("--recursive", source.recursive, "look into folders below folders");
  command.add_option("--clip", source.clips, "name, index or glob of a clip; repeatable");
  command.add_option("--set", source.assignments,
                     "stage.key=value, over what the recipe says; repeatable");
}

Status checkSource(const BatchSource& source, const std::string& command) {
  const char* missing = source.inputs.empty()    ? "INPUT"
                        : source.recipe.empty()  ? "--recipe"
                        : source.out_dir.empty() ? "--out-dir"
                                                 : nullptr;
  if (!missing) return {};
  return Error{ErrorCode::kUsage, command, std::string(missing) + " is required",
               "run with --help for more"};
}

Result<std::vector<batch::BatchJob>> jobsOf(const BatchSource& source) {
  CLIPMILL_TRY(const auto inputs, batch::findInputs(source.inputs, source.recursive));
  return batch::planJobs(inputs, source.out_dir, source.name);
}

}  // namespace clipmill::cli
