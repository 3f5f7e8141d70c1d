// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <memory>

#include "command.h"
#include "pipeline/info.h"
#include "setting_flags.h"

namespace clipmill::cli {

void addInfo(CLI::App& app, Action& action) {
  struct Options {
    CommonOptions common;
    std::string input;
    ArrayFlags arrays;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("info", "print clips, meshes, nodes and the humanoid of a file");
  command->add_option("FILE", options->input, "file to read")->required();
  command->add_flag("--json", options->json, "print JSON");
  options->arrays.add(*command);
  addCommonOptions(*command, options->common);
  command->callback([options, &action] {
    action = interruptible([options] {
      options->common.applyLogLevel();
      const auto arrays = options->arrays.settings();
      if (!arrays) return report(arrays.error());
      const auto asset = io::load(options->input, {true, options->common.limits(), *arrays});
      if (!asset) return report(asset.error());
      return printPayload(options->json ? pipeline::infoJson(*asset) : pipeline::infoText(*asset));
    });
  });
}

}  // namespace clipmill::cli
