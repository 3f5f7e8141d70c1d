// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <memory>

#include "command.h"
#include "core/log.h"
#include "core/text.h"
#include "pipeline/joint_arrays.h"
#include "setting_flags.h"

namespace clipmill::cli {
namespace {

struct ExportCommand {
  CommonOptions common;
  std::string input, joints;
  pipeline::ExportOptions options;
  ArrayFlags arrays;
};

int exportFile(ExportCommand& command) {
  command.common.applyLogLevel();
  command.options.limits = command.common.limits();
  const auto arrays = command.arrays.settings();
  if (!arrays) return report(arrays.error());
  command.options.arrays = *arrays;
  pipeline::ExportReport result;
  const Status done =
      pipeline::exportJoints(command.input, command.joints, command.options, result);
  for (const auto& path : result.written) log::note(printable(path.string()) + ": written");
  for (const Warning& warning : result.warnings.all()) {
    log::note(warning.text + " (" + printable(warning.first) + ")");
  }
  return done ? static_cast<int>(kOk) : report(done.error());
}

}  // namespace

void addExport(CLI::App& app, Action& action) {
  auto options = std::make_shared<ExportCommand>();
  CLI::App* command =
      app.add_subcommand("export", "write the joints of clips as NumPy arrays (.npz)");
  command->add_option("IN", options->input, "file to read")->required();
  command
      ->add_option("--joints", options->joints,
                   "file to write, .npz: positions, rotations, translations, rest pose, names, "
                   "parents, fps; {} in the name is replaced by the name of the clip")
      ->required();
  command->add_option("--clip", options->options.clips,
                      "clip to write: name, index or glob; repeatable; default: all clips");
  command
      ->add_option("--fps", options->options.fps,
                   "sampling rate [Hz]; default: the frame rate of the clip")
      ->check(CLI::Range(0.001, 1000.0));
  options->arrays.add(*command);
  addCommonOptions(*command, options->common);
  command->callback(
      [options, &action] { action = interruptible([options] { return exportFile(*options); }); });
}

}  // namespace clipmill::cli
