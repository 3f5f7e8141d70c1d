// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <memory>

#include "command.h"
#include "core/log.h"
#include "pipeline/run.h"
#include "setting_flags.h"

namespace clipmill::cli {

void addConvert(CLI::App& app, Action& action) {
  struct Options {
    CommonOptions common;
    std::string input, output;
    std::vector<std::string> clips;
    SettingFlags keys;
    ArrayFlags arrays;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("convert", "convert a file to another format, without stages");
  command->add_option("IN", options->input, "file to read")->required();
  command
      ->add_option("-o,--output", options->output,
                   "file to write; its extension selects the format")
      ->required();
  command
      ->add_option("--clip", options->clips,
                   "clips that a .vrma file gets: names, indices or globs; default: all")
      ->allow_extra_args(false);
  pipeline::OutputSettings defaults;
  addSettingFlags(*command, pipeline::outputTable(), &defaults, options->keys);
  options->arrays.add(*command);
  addCommonOptions(*command, options->common);
  command->callback([options, &action] {
    action = interruptible([options] {
      options->common.applyLogLevel();
      pipeline::RunOptions run;
      run.limits = options->common.limits();
      run.clips = options->clips;
      if (!options->clips.empty() && !io::isVrmAnimationPath(options->output)) {
        return report(Error{ErrorCode::kUsage, "--clip", "is for .vrma files",
                            "use clipmill split for one file a clip"});
      }
      pipeline::Recipe recipe;
      if (Status set = applyFlags(pipeline::outputTable(), &recipe.output, options->keys); !set) {
        return report(set.error());
      }
      const auto arrays = options->arrays.settings();
      if (!arrays) return report(arrays.error());
      static_cast<io::ArraySettings&>(recipe.input) = *arrays;
      pipeline::RunReport result;
      if (Status done = pipeline::runFile(options->input, recipe, options->output, run, result);
          !done) {
        return report(done.error());
      }
      log::note(options->output + ": written" + pipeline::warningsText(result));
      return static_cast<int>(kOk);
    });
  });
}

}  // namespace clipmill::cli
