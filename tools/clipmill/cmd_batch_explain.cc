// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// `batch explain`: which rules of a recipe are meant for which files.
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
  CLIPMILL_TRY(Recipe recipe, loadRecipe(options.recipe));
  for (const std::string& assignment : options.assignments) {
    CLIPMILL_CHECK(setInRecipe(recipe, assignment));
  }
  CLIPMILL_TRY(const auto inputs, batch::findInputs(options.inputs, options.recursive));
  std::string text;
  for (const batch::BatchInput& input : inputs) {
    text += explainRules(recipe, input.relative.generic_string());
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
      batch.add_subcommand("explain", "say which rules of the recipe are meant for which files");
  command->add_option("INPUT", options->inputs, "as for batch")->required();
  command->add_option("--recipe", options->recipe, "the recipe, TOML or JSON")->required();
  command->add_flag("--recursive", options->recursive, "look into folders below folders");
  command->add_option("--set", options->assignments, "over what the recipe says; repeatable")
      ->type_name(kSettingValueName);
  addCommonOptions(*command, options->common);
  command->callback(
      [options, &action] { action = [options] { return explainCommand(*options); }; });
}

}  // namespace clipmill::cli
