// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// `man` and `completions`, which builds run to make what is installed; --help does not show them.
#include <memory>
#include <string>

#include "command.h"
#include "command_reference.h"
#include "completions.h"
#include "man_page.h"

namespace clipmill::cli {
namespace {

void addManPage(CLI::App& app, Action& action) {
  auto date = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("man", "print the manual page")->group("");
  command->add_option("--date", *date, "date of the release, for the footer");
  command->callback([&app, date, &action] {
    action = [&app, date] { return printPayload(manPage(referenceOf(app), *date)); };
  });
}

void addCompletions(CLI::App& app, Action& action) {
  auto shell = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("completions", "print completions for a shell")->group("");
  command->add_option("SHELL", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->callback([&app, shell, &action] {
    action = [&app, shell] {
      const Reference reference = referenceOf(app);
      return printPayload(*shell == "bash"  ? bashCompletions(reference)
                          : *shell == "zsh" ? zshCompletions(reference)
                                            : fishCompletions(reference));
    };
  });
}

}  // namespace

void addReference(CLI::App& app, Action& action) {
  addManPage(app, action);
  addCompletions(app, action);
}

}  // namespace clipmill::cli
