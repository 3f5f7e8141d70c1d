// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// `batch merge`: merges the reports of all shards into one report.
#include <memory>

#include "batch/merge.h"
#include "batch/shard.h"
#include "batch_commands.h"
#include "batch_page.h"
#include "batch_progress.h"
#include "core/file.h"
#include "side_files.h"

namespace clipmill::cli {
namespace {

namespace fs = std::filesystem;

struct MergeReports {
  CommonOptions common;
  std::string plan, output, page;
  std::vector<std::string> reports;
};

// Where no reports are named: those of the plan's shards that are where `batch run` puts them.
std::vector<fs::path> reportsOf(const MergeReports& options, const batch::Plan& plan) {
  std::vector<fs::path> reports(options.reports.begin(), options.reports.end());
  if (!reports.empty()) return reports;
  for (std::size_t shard = 1; shard <= plan.shards; ++shard) {
    const fs::path report = batch::shardReportPath(options.plan, shard, plan.shards);
    std::error_code fault;
    if (fs::exists(report, fault)) reports.push_back(report);
  }
  return reports;
}

int mergeReportsCommand(const MergeReports& options) {
  options.common.applyLogLevel();
  const auto plan = batch::loadPlan(options.plan);
  if (!plan) return report(plan.error());
  const std::vector<fs::path> reports = reportsOf(options, *plan);
  const SideFile files[] = {{"--output", options.output}, {"--report-html", options.page}};
  if (Status free = checkSideFiles(files, reports); !free) return report(free.error());
  BatchPage page;
  if (Status started = page.prepare(options.page); !started) return report(started.error());
  const auto merged = batch::mergeReports(*plan, reports);
  if (!merged) return report(merged.error());
  if (Status written = writeFileAtomically(options.output, merged->json); !written) {
    return report(written.error());
  }
  const fs::path out_dir = plan->root / plan->out_dir;
  if (Status shown = page.finish(merged->json_with_run, out_dir); !shown) {
    return report(shown.error());
  }
  BatchProgress("off", options.common.quiet, false).finish(merged->results);
  return exitCodeOf(merged->results);
}

}  // namespace

void addBatchMerge(CLI::App& batch, Action& action) {
  auto options = std::make_shared<MergeReports>();
  CLI::App* command = batch.add_subcommand("merge", "merge the reports of all shards of a plan");
  command->add_option("PLAN", options->plan, "folder of the plan")->required();
  command->add_option("REPORT", options->reports, "shard reports; default: those in PLAN/reports");
  command->add_option("-o,--output", options->output, "merged report to write, JSON")->required();
  command->add_option("--report-html", options->page,
                      "write the report as an HTML page with a table to sort and search");
  addCommonOptions(*command, options->common);
  command->callback(
      [options, &action] { action = [options] { return mergeReportsCommand(*options); }; });
}

}  // namespace clipmill::cli
