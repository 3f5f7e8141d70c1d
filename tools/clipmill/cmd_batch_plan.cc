// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// `batch plan`: splits a batch into shards for many machines.
#include <memory>

#include "batch/plan.h"
#include "batch_commands.h"
#include "core/file.h"
#include "core/log.h"
#include "core/text.h"

namespace clipmill::cli {
namespace {

constexpr std::uint64_t kMaxRecipeBytes = std::uint64_t{16} << 20;

struct PlanCommand : BatchSource {
  CommonOptions common;
  std::string output;
  std::string root = ".";
  std::size_t shards = 1;
};

int planCommand(const PlanCommand& options) {
  options.common.applyLogLevel();
  if (Status complete = checkSource(options, "batch plan"); !complete) {
    return report(complete.error());
  }
  const auto jobs = jobsOf(options);
  if (!jobs) return report(jobs.error());
  // Checked here so that errors name the recipe file; the plan holds its text.
  if (const auto checked = pipeline::loadRecipe(options.recipe); !checked)
    return report(checked.error());
  const auto recipe = readFile(options.recipe, kMaxRecipeBytes);
  if (!recipe) return report(recipe.error());
  batch::PlanOptions planning;
  planning.shards = options.shards;
  planning.root = options.root;
  planning.out_dir = options.out_dir;
  planning.clips = options.clips;
  planning.assignments = options.assignments;
  const auto plan = batch::makePlan(*jobs, std::string(asText(*recipe)), planning);
  if (!plan) return report(plan.error());
  if (Status saved = batch::savePlan(*plan, options.output); !saved) return report(saved.error());
  log::note(counted(plan->jobs.size(), "file") + " in " + counted(plan->shards, "shard"));
  return kOk;
}

}  // namespace

void addBatchPlan(CLI::App& batch, Action& action) {
  auto options = std::make_shared<PlanCommand>();
  CLI::App* command = batch.add_subcommand("plan", "split a batch into shards for many machines");
  addSourceOptions(*command, *options);
  command->add_option("-o,--output", options->output, "folder to write the plan into")->required();
  command->add_option("--shards", options->shards, "number of shards")
      ->required()
      ->check(CLI::Range(std::size_t{1}, batch::kMaxShards));
  command
      ->add_option(
          "--root", options->root,
          "working folder of all shards; all inputs must be below it, and paths in the recipe are "
          "relative to it")
      ->capture_default_str();
  addCommonOptions(*command, options->common);
  command->callback([options, &action] { action = [options] { return planCommand(*options); }; });
}

}  // namespace clipmill::cli
