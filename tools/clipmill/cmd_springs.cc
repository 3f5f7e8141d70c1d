// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <memory>

#include "command.h"
#include "core/log.h"
#include "core/text.h"
#include "pipeline/springs.h"

namespace clipmill::cli {

void addSprings(CLI::App& app, Action& action) {
  struct Options {
    CommonOptions common;
    std::string input;
    bool comments = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "springs", "print a recipe with the springs of a VRM, glTF or Unity prefab file");
  command
      ->add_option("FILE", options->input,
                   "VRM file, glTF with extras.dynbone, or Unity prefab (YAML)")
      ->required();
  command->add_flag("--comments", options->comments, "add a comment to each key");
  addCommonOptions(*command, options->common);
  command->callback([options, &action] {
    action = interruptible([options] {
      options->common.applyLogLevel();
      const auto found = pipeline::findSprings(options->input, options->common.limits());
      if (!found) return report(found.error());
      for (const std::string& note : found->notes) log::note(printable(note));
      return printPayload(pipeline::recipeToml(found->recipe, options->comments));
    });
  });
}

}  // namespace clipmill::cli
