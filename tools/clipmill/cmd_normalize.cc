// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <memory>

#include "command.h"
#include "core/log.h"
#include "core/text.h"
#include "pipeline/normalize.h"
#include "pipeline/recipe.h"
#include "setting_flags.h"

namespace clipmill::cli {
namespace {

struct NormalizeCommand {
  CommonOptions common;
  std::string input, output;
  SettingFlags flags, output_flags;
  int threads = 0;
};

void logAll(const Warnings& warnings, const char* start) {
  for (const Warning& warning : warnings.all()) {
    log::note(start + warning.text + " (" + printable(warning.first) +
              (warning.count > 1 ? ", " + std::to_string(warning.count) + " in all)" : ")"));
  }
}

int normalize(const NormalizeCommand& command) {
  command.common.applyLogLevel();
  pipeline::NormalizeOptions options;
  pipeline::OutputSettings output;
  for (const Status& set :
       {applyFlags(pipeline::normalizeTable(), &options.settings, command.flags),
        applyFlags(pipeline::outputTable(), &output, command.output_flags)}) {
    if (!set) return report(set.error());
  }
  options.keys = {output.keys == pipeline::KeysMode::kAll, output.key_tolerance_mm,
                  output.fps.value_or(0.0), command.threads};
  options.limits = command.common.limits();
  pipeline::NormalizeReport result;
  const Status done = pipeline::normalizeFile(command.input, command.output, options, result);
  if (!done) return report(done.error());
  logAll(result.found, "mended: ");
  logAll(result.warnings, "");
  log::note(command.output + ": written" +
            (result.found.empty() ? "; there was nothing to mend" : ""));
  return kOk;
}

}  // namespace

void addNormalize(CLI::App& app, Action& action) {
  auto options = std::make_shared<NormalizeCommand>();
  CLI::App* command = app.add_subcommand(
      "normalize",
      "mend what exporters leave: armature scale, axes, facing, constant scale tracks");
  command->add_option("IN", options->input, "file to read")->required();
  command
      ->add_option("-o,--output", options->output,
                   "file to write; its extension selects the format")
      ->required();
  retarget::NormalizeSettings defaults;
  addSettingFlags(*command, pipeline::normalizeTable(), &defaults, options->flags);
  pipeline::OutputSettings output_defaults;
  addSettingFlags(*command, pipeline::outputTable(), &output_defaults, options->output_flags);
  command->add_option("-j,--threads", options->threads, "number of threads; 0 = one for each core")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  addCommonOptions(*command, options->common);
  command->callback(
      [options, &action] { action = interruptible([options] { return normalize(*options); }); });
}

}  // namespace clipmill::cli
