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
  CLI::App* command =
      app.add_subcommand("springs", "print a recipe of the springs that a file carries");
  command
      ->add_option("FILE", options->input,
                   "a VRM file, a glTF with extras.dynbone, or the text of a Unity prefab")
      ->required();
  command->add_flag("--comments", options->comments, "say behind each key what it means");
  addCommonOptions(*command, options->common);
  command->callback([options, &action] {
    action = [options] {
      options->common.applyLogLevel();
      const auto found = findSprings(options->input, options->common.limits());
      if (!found) return report(found.error());
      for (const std::string& note : found->notes) log::note(printable(note));
      return printPayload(recipeToml(found->recipe, options->comments));
    };
  });
}

}  // namespace clipmill::cli
