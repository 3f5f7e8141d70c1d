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
  ArrayFlags arrays;
  int threads = 0;
  bool skeleton_only = false;
};

int splitFile(const SplitCommand& options) {
  options.common.applyLogLevel();
  pipeline::OutputSettings output;
  if (Status set = applyFlags(pipeline::outputTable(), &output, options.output_flags); !set) {
    return report(set.error());
  }
  const auto arrays = options.arrays.settings();
  if (!arrays) return report(arrays.error());
  pipeline::SplitOptions split;
  split.arrays = *arrays;
  split.clips = options.clips;
  split.skeleton_only = options.skeleton_only;
  split.keys = {output.keys == pipeline::KeysMode::kAll, output.key_tolerance_mm,
                output.fps.value_or(0.0), options.threads};
  split.limits = options.common.limits();
  pipeline::SplitReport result;
  const Status done = pipeline::splitClips(options.input, options.output, split, result);
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
  CLI::App* command = app.add_subcommand("split", "write each clip into a separate file");
  command->add_option("IN", options->input, "file to read")->required();
  command
      ->add_option("-o,--output", options->output,
                   "files to write; {} in the name is replaced by the name of the clip")
      ->required();
  command->add_option("--clip", options->clips,
                      "clip to write: name, index or glob; repeatable; default: all clips");
  command->add_flag("--skeleton-only", options->skeleton_only, "omit meshes and morph weights");
  pipeline::OutputSettings defaults;
  addSettingFlags(*command, pipeline::outputTable(), &defaults, options->output_flags);
  command->add_option("-j,--threads", options->threads, "number of threads; 0 = one for each core")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  options->arrays.add(*command);
  addCommonOptions(*command, options->common);
  command->callback(
      [options, &action] { action = interruptible([options] { return splitFile(*options); }); });
}

}  // namespace clipmill::cli
