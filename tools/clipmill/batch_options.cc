// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "batch/inputs.h"
#include "batch_commands.h"
#include "core/system.h"

namespace clipmill::cli {

void addSourceOptions(CLI::App& command, BatchSource& source) {
  command.add_option("INPUT", source.inputs,
                     "files, folders, quoted globs (*, ?, [..], **), or @FILE: a text file with "
                     "one of these on each line");
  command.add_option("--recipe", source.recipe, "recipe file, TOML or JSON");
  command.add_option("--out-dir", source.out_dir, "folder for the outputs");
  command
      .add_option("--name", source.name,
                  "pattern of output names, with the fields {dir}, {stem} and {ext} of the input")
      ->capture_default_str();
  command.add_flag("--recursive", source.recursive, "search subfolders too");
  command.add_option("--clip", source.clips,
                     "clip to process: name, index or glob; repeatable; default: all clips");
  command
      .add_option("--set", source.assignments, "value that replaces one of the recipe; repeatable")
      ->type_name(kSettingValueName);
}

Status checkSource(const BatchSource& source, const std::string& command) {
  const char* missing = source.inputs.empty()    ? "INPUT"
                        : source.recipe.empty()  ? "--recipe"
                        : source.out_dir.empty() ? "--out-dir"
                                                 : nullptr;
  if (!missing) return {};
  return Error{ErrorCode::kUsage, command, std::string(missing) + " is required",
               "run with --help for the usage"};
}

Result<std::vector<batch::BatchJob>> jobsOf(const BatchSource& source) {
  CLIPMILL_TRY(const auto inputs, batch::findInputs(source.inputs, source.recursive));
  return batch::planJobs(inputs, source.out_dir, source.name);
}

void addEffortOptions(CLI::App& command, BatchEffort& effort) {
  command
      .add_option("-j,--jobs", effort.jobs,
                  "number of files processed in parallel; 0 = one for each core")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  command.add_flag("--isolate", effort.isolate,
                   "process each file in a child process, so that a crash fails that file only");
  command
      .add_option("--timeout", effort.timeout_s, "time limit for each file [s]; implies --isolate")
      ->check(CLI::Range(1e-3, 1e9));
  command
      .add_option("--max-memory", effort.max_memory_mb,
                  "memory limit for each file [MB]; implies --isolate")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 30));
  command.add_flag("--reports", effort.beside.reports,
                   "write a JSON report beside each output (OUTPUT.report.json)");
  command.add_flag("--previews", effort.beside.previews,
                   "write an HTML preview beside each output (OUTPUT.preview.html)");
  command
      .add_option("--progress", effort.progress,
                  "progress on standard error; auto = bar on a terminal, else plain")
      ->check(CLI::IsMember({"auto", "bar", "plain", "json", "off"}))
      ->capture_default_str();
}

std::optional<batch::Isolation> isolationOf(const BatchEffort& effort) {
  if (!effort.isolate && effort.timeout_s <= 0.0 && effort.max_memory_mb == 0) return {};
  batch::Isolation isolation;
  isolation.program = system::executablePath();
  if (effort.timeout_s > 0.0) isolation.timeout_s = effort.timeout_s;
  if (effort.max_memory_mb > 0) isolation.max_memory_bytes = effort.max_memory_mb << 20;
  return isolation;
}

}  // namespace clipmill::cli
