// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// `batch run`: one shard of a plan.
#include <memory>

#include "batch/shard.h"
#include "batch_commands.h"
#include "batch_progress.h"

namespace clipmill::cli {
namespace {

namespace fs = std::filesystem;

struct RunCommand {
  CommonOptions common;
  BatchEffort effort;
  std::string plan, shard, root, report;
};

int runCommand(const RunCommand& options) {
  options.common.applyLogLevel();
  const auto plan = batch::loadPlan(options.plan);
  if (!plan) return report(plan.error());
  const auto shard = batch::parseShard(options.shard, *plan);
  if (!shard) return report(shard.error());
  batch::ShardOptions run;
  run.jobs = options.effort.jobs;
  run.limits = options.common.limits();
  run.report = fs::absolute(options.report.empty()
                                ? batch::shardReportPath(options.plan, *shard, plan->shards)
                                : fs::path(options.report));
  run.beside = options.effort.beside;
  run.isolation = isolationOf(options.effort);
  BatchProgress progress(options.effort.progress, options.common.quiet, options.common.verbose > 0);
  run.progress = [&](const batch::JobResult& result, std::size_t done, std::size_t total) {
    progress.fileDone(result, done, total);
  };
  const fs::path root = options.root.empty() ? plan->root : fs::path(options.root);
  std::error_code fault;
  fs::current_path(root, fault);
  if (fault) {
    return report({ErrorCode::kNotFound, root.string(), "the root of the plan does not exist",
                   "set --root to its folder on this machine"});
  }
  const auto results = batch::runShard(*plan, *shard, run);
  if (!results) return report(results.error());
  progress.finish(*results);
  return exitCodeOf(*results);
}

}  // namespace

void addBatchRun(CLI::App& batch, Action& action) {
  auto options = std::make_shared<RunCommand>();
  CLI::App* command =
      batch.add_subcommand("run", "process one shard of a plan; files that are done are skipped");
  command->add_option("PLAN", options->plan, "folder of the plan")->required();
  command->add_option("--shard", options->shard, "shard k of n, written k/n; k starts at 1")
      ->required();
  command->add_option("--root", options->root,
                      "path of the plan's root on this machine; default: as planned");
  command->add_option("--report", options->report,
                      "shard report to write; default: PLAN/reports/k-of-n.json");
  options->effort.jobs = 1;
  addEffortOptions(*command, options->effort);
  addCommonOptions(*command, options->common);
  command->callback([options, &action] { action = [options] { return runCommand(*options); }; });
}

}  // namespace clipmill::cli
