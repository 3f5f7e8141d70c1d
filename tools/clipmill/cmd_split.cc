// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <memory>

#include "command.h"
#include "core/log.h"
#include "core/text.h"
#include "pipeline/recipe.h"
#include "pipeline/split.h"
#include "setting_flags.h"

namespace clipmill::cli {
namespace {

struct SplitCommand {
  CommonOptions common;
  std::string input, output;
  std::vector<std::string> clips;
  SettingFlags output_flags;
  int threads = 0;
  bool skeleton_only = false;
};

int splitFile(const SplitCommand& options) {
  options.common.applyLogLevel();
  OutputSettings output;
  if (Status set = applyFlags(outputTable(), &output, options.output_flags); !set) {
    return report(set.error());
  }
  SplitOptions split;
  split.clips = options.clips;
  split.skeleton_only = options.skeleton_only;
  split.keys = {output.keys == KeysMode::kAll, output.key_tolerance_mm, output.fps,
                options.threads};
  split.limits = options.common.limits();
  SplitReport result;
  const Status done = splitClips(options.input, options.output, split, result);
  for (const auto& path : result.written) log::note(printable(path.string()) + ": written");
  for (const Warning& warning : result.warnings.all()) {
    log::note(warning.text + " (" + printable(warning.first) +
              (warning.count > 1 ? ", " + std::to_string(warning.count) + " in all)" : ")"));
  }
  return done ? static_cast<int>(kOk) : report(done.error());
}

}  // namespace

void addSplit(CLI::App& app, Action& action) {
  auto options = std::make_shared<SplitCommand>();
  CLI::App* command =
      app.add_subcommand("split", "write every clip of a file into a new file of its own");
  command->add_option("IN", options->input, "the file to read")->required();
  command
      ->add_option("-o,--output", options->output,
                   "the files to write; {} in the name stands for that of the clip")
      ->required();
  command->add_option("--clip", options->clips, "name, index or glob of a clip; repeatable");
  command->add_flag("--skeleton-only", options->skeleton_only,
                    "leave out meshes, and the morph weights that need them");
  OutputSettings defaults;
  addSettingFlags(*command, outputTable(), &defaults, options->output_flags);
  command->add_option("-j,--threads", options->threads, "threads; 0 for one a core")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  addCommonOptions(*command, options->common);
  command->callback([options, &action] { action = [options] { return splitFile(*options); }; });
}

}  // namespace clipmill::cli
