// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <memory>

#include "command.h"
#include "pipeline/info.h"

namespace clipmill::cli {

void addInfo(CLI::App& app, Action& action) {
  struct Options {
    CommonOptions common;
    std::string input;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("info", "say what is in a file");
  command->add_option("FILE", options->input, "the file to read")->required();
  command->add_flag("--json", options->json, "as JSON");
  addCommonOptions(*command, options->common);
  command->callback([options, &action] {
    action = [options] {
      options->common.applyLogLevel();
      const auto asset = io::load(options->input, {true, options->common.limits()});
      if (!asset) return report(asset.error());
      return printPayload(options->json ? infoJson(*asset) : infoText(*asset));
    };
  });
}

}  // namespace clipmill::cli
