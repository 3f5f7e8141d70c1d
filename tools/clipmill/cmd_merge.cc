// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <filesystem>
#include <memory>
#include <span>

#include "batch/inputs.h"
#include "command.h"
#include "core/log.h"
#include "pipeline/run.h"
#include "progress.h"
#include "setting_flags.h"
#include "side_files.h"

namespace clipmill::cli {
namespace {

struct MergeCommand {
  CommonOptions common;
  std::string character, output, names = "clip", report;
  std::vector<std::string> files;
  SettingFlags output_flags;
  ArrayFlags arrays;
  int threads = 0;
  bool recursive = false;
};

// The files that the arguments name, in the order of these, without the character and the output.
Result<std::vector<std::string>> clipFiles(const MergeCommand& options) {
  std::vector<std::string> files;
  const auto isTaken = [&](const std::filesystem::path& path) {
    std::error_code fault;
    return std::filesystem::equivalent(path, options.character, fault) ||
           std::filesystem::equivalent(path, options.output, fault) ||
           std::find(files.begin(), files.end(), path.string()) != files.end();
  };
  for (const std::string& argument : options.files) {
    std::error_code fault;
    const bool names_several = argument.starts_with('@') ||
                               argument.find_first_of("*?[") != std::string::npos ||
                               std::filesystem::is_directory(argument, fault);
    if (!names_several || std::filesystem::is_regular_file(argument, fault)) {
      files.push_back(argument);  // whatever it is: the error of its reader is the best
      continue;
    }
    CLIPMILL_TRY(const auto inputs, batch::findInputs(std::span(&argument, 1), options.recursive));
    for (const batch::BatchInput& input : inputs) {
      if (!isTaken(input.path)) files.push_back(input.path.string());
    }
  }
  if (!files.empty()) return files;
  return Error{ErrorCode::kNotFound, options.files.front(), "names no file with clips",
               "name files, folders or patterns of files"};
}

int mergeFiles(const MergeCommand& options) {
  options.common.applyLogLevel();
  pipeline::Recipe recipe;
  if (Status set = applyFlags(pipeline::outputTable(), &recipe.output, options.output_flags);
      !set) {
    return report(set.error());
  }
  const auto arrays = options.arrays.settings();
  if (!arrays) return report(arrays.error());
  static_cast<io::ArraySettings&>(recipe.input) = *arrays;
  const auto clip_files = clipFiles(options);
  if (!clip_files) return report(clip_files.error());
  std::vector<std::filesystem::path> files(clip_files->begin(), clip_files->end());
  files.insert(files.end(), {options.character, options.output});
  const SideFile side{"--report", options.report};
  if (Status free = checkSideFiles({&side, 1}, files); !free) return report(free.error());
  pipeline::RunOptions run;
  run.limits = options.common.limits();
  run.threads = options.threads;
  run.clip_files = *clip_files;
  run.name_by_file = options.names == "file";
  pipeline::RunReport result;
  const Status done = pipeline::runFile(options.character, recipe, options.output, run, result);
  if (!options.report.empty()) {
    if (Status written = writeFileAtomically(options.report, pipeline::reportJson(result));
        !written) {
      return report(written.error());
    }
  }
  if (!done) return report(done.error());
  log::note(pipeline::reportText(result));
  return kOk;
}

}  // namespace

void addMerge(CLI::App& app, Action& action) {
  auto options = std::make_shared<MergeCommand>();
  CLI::App* command = app.add_subcommand(
      "merge", "merge clips of many files into one file, retargeted onto its character");
  command->add_option("CHARACTER", options->character, "file with the character")->required();
  command
      ->add_option(
          "CLIP", options->files,
          "files with the clips to add; also folders, patterns, and @LIST, a file with one "
          "of these a line")
      ->required();
  command->add_flag("--recursive", options->recursive, "look into folders of folders too");
  command->add_option("-o,--output", options->output, "file to write")->required();
  command
      ->add_option("--names", options->names,
                   "names of the added clips: those of the clips, or those of their files")
      ->check(CLI::IsMember({"clip", "file"}))
      ->capture_default_str();
  pipeline::OutputSettings defaults;
  addSettingFlags(*command, pipeline::outputTable(), &defaults, options->output_flags);
  command->add_option("--report", options->report, "write a report, JSON");
  command->add_option("-j,--threads", options->threads, "number of threads; 0 = one for each core")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  options->arrays.add(*command);
  addCommonOptions(*command, options->common);
  command->callback(
      [options, &action] { action = interruptible([options] { return mergeFiles(*options); }); });
}

}  // namespace clipmill::cli
