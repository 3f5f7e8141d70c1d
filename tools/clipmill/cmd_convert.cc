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
    SettingFlags keys;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("convert", "write a file in another container or format");
  command->add_option("IN", options->input, "the file to read")->required();
  command->add_option("-o,--output", options->output, "the file to write")->required();
  OutputSettings defaults;
  addSettingFlags(*command, outputTable(), &defaults, options->keys);
  addCommonOptions(*command, options->common);
  command->callback([options, &action] {
    action = [options] {
      options->common.applyLogLevel();
      RunOptions run;
      run.limits = options->common.limits();
      Recipe recipe;
      if (Status set = applyFlags(outputTable(), &recipe.output, options->keys); !set) {
        return report(set.error());
      }
      RunReport result;
      if (Status done = runFile(options->input, recipe, options->output, run, result); !done) {
        return report(done.error());
      }
      log::note(options->output + ": written" + warningsText(result));
      return static_cast<int>(kOk);
    };
  });
}

}  // namespace clipmill::cli
