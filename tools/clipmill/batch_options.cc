// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "batch/inputs.h"
#include "batch_commands.h"
#include "core/system.h"

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
  command.add_option("--set", source.assignments, "over what the recipe says; repeatable")
      ->type_name(kSettingValueName);
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

void addEffortOptions(CLI::App& command, BatchEffort& effort) {
  command.add_option("-j,--jobs", effort.jobs, "files at a time; 0 for one a core")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  command.add_flag("--isolate", effort.isolate, "do each file in a process of its own");
  command
      .add_option("--timeout", effort.timeout_s,
                  "give a file up after so many seconds, in a process of its own")
      ->check(CLI::Range(1e-3, 1e9));
  command
      .add_option("--max-memory", effort.max_memory_mb,
                  "megabytes of memory that a file may take, in a process of its own")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 30));
  command.add_flag("--reports", effort.beside.reports,
                   "write the report of each file beside its output");
  command.add_flag("--previews", effort.beside.previews,
                   "write a page beside each output that shows it before and after");
  command.add_option("--progress", effort.progress, "auto, bar, plain, json or off")
      ->check(CLI::IsMember({"auto", "bar", "plain", "json", "off"}))
      ->capture_default_str();
}

std::optional<batch::Isolation> isolationOf(const BatchEffort& effort) {
  if (!effort.isolate && effort.timeout_s <= 0.0 && effort.max_memory_mb == 0) return {};
  batch::Isolation isolation;
  isolation.program = system::executablePath();
  if (effort.timeout_s > 0.0) isolation.longest_s = effort.timeout_s;
  if (effort.max_memory_mb > 0) isolation.most_memory_bytes = effort.max_memory_mb << 20;
  return isolation;
}

}  // namespace clipmill::cli
