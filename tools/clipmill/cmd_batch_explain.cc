// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// `batch explain`: which rules of a recipe apply to which files.
#include <memory>

#include "batch/inputs.h"
#include "batch_commands.h"
#include "pipeline/recipe_rules.h"

namespace clipmill::cli {
namespace {

struct ExplainCommand {
  CommonOptions common;
  std::vector<std::string> inputs, assignments;
  std::string recipe;
  bool recursive = false;
};

Result<std::string> explain(const ExplainCommand& options) {
  CLIPMILL_TRY(pipeline::Recipe recipe, pipeline::loadRecipe(options.recipe));
  for (const std::string& assignment : options.assignments) {
    CLIPMILL_CHECK(pipeline::setInRecipe(recipe, assignment));
  }
  CLIPMILL_TRY(const auto inputs, batch::findInputs(options.inputs, options.recursive));
  std::string text;
  for (const batch::BatchInput& input : inputs) {
    text += pipeline::explainRules(recipe, input.relative.generic_string());
  }
  return text;
}

int explainCommand(const ExplainCommand& options) {
  options.common.applyLogLevel();
  const auto text = explain(options);
  return text ? printPayload(*text) : report(text.error());
}

}  // namespace

void addBatchExplain(CLI::App& batch, Action& action) {
  auto options = std::make_shared<ExplainCommand>();
  CLI::App* command =
      batch.add_subcommand("explain", "print which rules of the recipe apply to which files");
  command
      ->add_option("INPUT", options->inputs, "files, folders, quoted globs or @FILE, as for batch")
      ->required();
  command->add_option("--recipe", options->recipe, "recipe file, TOML or JSON")->required();
  command->add_flag("--recursive", options->recursive, "search subfolders too");
  command
      ->add_option("--set", options->assignments,
                   "value that replaces one of the recipe; repeatable")
      ->type_name(kSettingValueName);
  addCommonOptions(*command, options->common);
  command->callback(
      [options, &action] { action = [options] { return explainCommand(*options); }; });
}

}  // namespace clipmill::cli
