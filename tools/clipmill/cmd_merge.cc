// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <memory>

#include "command.h"
#include "core/log.h"
#include "pipeline/run.h"
#include "progress.h"
#include "setting_flags.h"

namespace clipmill::cli {
namespace {

struct MergeCommand {
  CommonOptions common;
  std::string character, output, names = "clip", report;
  std::vector<std::string> files;
  SettingFlags output_flags;
  int threads = 0;
};

int mergeFiles(const MergeCommand& options) {
  options.common.applyLogLevel();
  Recipe recipe;
  if (Status set = applyFlags(outputTable(), &recipe.output, options.output_flags); !set) {
    return report(set.error());
  }
  RunOptions run;
  run.limits = options.common.limits();
  run.threads = options.threads;
  run.clip_files = options.files;
  run.name_by_file = options.names == "file";
  RunReport result;
  const Status done = runFile(options.character, recipe, options.output, run, result);
  if (!options.report.empty()) {
    if (Status written = writeFileAtomically(options.report, reportJson(result)); !written) {
      return report(written.error());
    }
  }
  if (!done) return report(done.error());
  log::note(reportText(result));
  return kOk;
}

}  // namespace

void addMerge(CLI::App& app, Action& action) {
  auto options = std::make_shared<MergeCommand>();
  CLI::App* command =
      app.add_subcommand("merge", "put the clips of many files on one character, as new clips");
  command->add_option("CHARACTER", options->character, "the file with the character")->required();
  command->add_option("CLIP", options->files, "files whose clips it gets")->required();
  command->add_option("-o,--output", options->output, "the file to write")->required();
  command
      ->add_option("--names", options->names, "clips are called as in their file, or as the file")
      ->check(CLI::IsMember({"clip", "file"}))
      ->capture_default_str();
  OutputSettings defaults;
  addSettingFlags(*command, outputTable(), &defaults, options->output_flags);
  command->add_option("--report", options->report, "write what was done as JSON");
  command->add_option("-j,--threads", options->threads, "threads; 0 for one a core")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  addCommonOptions(*command, options->common);
  command->callback([options, &action] { action = [options] { return mergeFiles(*options); }; });
}

}  // namespace clipmill::cli
