// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// `batch`: one recipe over many files.
#include <memory>

#include "batch/batch.h"
#include "batch/leftovers.h"
#include "batch_commands.h"
#include "batch_page.h"
#include "batch_progress.h"
#include "command.h"
#include "core/file.h"
#include "core/system.h"
#include "core/text.h"
#include "side_files.h"

namespace clipmill::cli {
namespace {

struct BatchCommand : BatchSource {
  CommonOptions common;
  BatchEffort effort;
  std::string report, report_html, depfile;
  bool fail_fast = false, keep_going = false, force = false, dry_run = false;
};

Result<pipeline::Recipe> recipeOf(const BatchCommand& options) {
  CLIPMILL_TRY(pipeline::Recipe recipe, pipeline::loadRecipe(options.recipe));
  for (const std::string& assignment : options.assignments) {
    CLIPMILL_CHECK(pipeline::setInRecipe(recipe, assignment));
  }
  return recipe;
}

int printJobs(const std::vector<batch::BatchJob>& jobs) {
  std::string text;
  for (const batch::BatchJob& job : jobs) {
    text += printable(job.input.generic_string()) + " -> " +
            printable(job.output.generic_string()) + '\n';
  }
  return printPayload(text);
}

}  // namespace

int exitCodeOf(const std::vector<batch::JobResult>& results) {
  if (system::interrupted()) return kInterrupted;
  int code = kOk;
  for (const batch::JobResult& result : results) {
    if (!result.error) continue;
    // A full disk affects all files, not one.
    const bool is_environment = result.error->code == ErrorCode::kWrite;
    code = is_environment || code == kInput ? kInput : kSomeFailed;
  }
  return code;
}

namespace {

Status writeFiles(const BatchCommand& options, const BatchPage& page,
                  const std::vector<batch::JobResult>& results) {
  if (!options.depfile.empty()) {
    CLIPMILL_CHECK(writeFileAtomically(options.depfile,
                                       batch::batchDependencyRules(results, {options.recipe})));
  }
  if (options.report.empty() && options.report_html.empty()) return {};
  const std::string report_json = batch::batchReportJson(results, options.out_dir);
  if (!options.report.empty()) CLIPMILL_CHECK(writeFileAtomically(options.report, report_json));
  return page.finish(report_json, options.out_dir);
}

Status checkFiles(const BatchCommand& options, const std::vector<batch::BatchJob>& jobs) {
  std::vector<std::filesystem::path> others = {options.recipe};
  for (const batch::BatchJob& job : jobs) others.insert(others.end(), {job.input, job.output});
  const SideFile files[] = {{"--report", options.report},
                            {"--report-html", options.report_html},
                            {"--depfile", options.depfile}};
  return checkSideFiles(files, others);
}

int batchCommand(const BatchCommand& options) {
  options.common.applyLogLevel();
  if (Status complete = checkSource(options, "batch"); !complete) return report(complete.error());
  const auto recipe = recipeOf(options);
  if (!recipe) return report(recipe.error());
  const auto jobs = jobsOf(options);
  if (!jobs) return report(jobs.error());
  if (options.dry_run) return printJobs(*jobs);
  if (Status free = checkFiles(options, *jobs); !free) return report(free.error());
  BatchPage page;
  if (Status started = page.prepare(options.report_html); !started) {
    return report(started.error());
  }
  batch::BatchOptions run;
  run.clips = options.clips;
  run.jobs = options.effort.jobs;
  run.fail_fast = options.fail_fast;
  run.force = options.force;
  run.limits = options.common.limits();
  run.beside = options.effort.beside;
  run.isolation = isolationOf(options.effort);
  BatchProgress progress(options.effort.progress, options.common.quiet, options.common.verbose > 0);
  run.progress = [&](const batch::JobResult& result, std::size_t done, std::size_t total) {
    progress.fileDone(result, done, total);
  };
  std::vector<std::filesystem::path> side_files;
  for (const std::string* file : {&options.report, &options.report_html, &options.depfile}) {
    if (!file->empty()) side_files.emplace_back(*file);
  }
  batch::removeLeftovers(*jobs, options.out_dir, side_files);
  const auto results = batch::runBatch(*jobs, *recipe, options.out_dir, run);
  if (!results) return report(results.error());
  if (Status written = writeFiles(options, page, *results); !written) {
    return report(written.error());
  }
  progress.finish(*results);
  return exitCodeOf(*results);
}

}  // namespace

void addBatch(CLI::App& app, Action& action) {
  auto options = std::make_shared<BatchCommand>();
  CLI::App* command = app.add_subcommand("batch", "run a recipe on many files");
  command->require_subcommand(0, 1);
  addSourceOptions(*command, *options);
  addEffortOptions(*command, options->effort);
  CLI::Option* fail_fast = command->add_flag("--fail-fast", options->fail_fast,
                                             "start no more files after the first failure");
  command
      ->add_flag("--keep-going", options->keep_going,
                 "process the other files after a failure (default)")
      ->excludes(fail_fast);
  command->add_flag("--force", options->force, "process unchanged files again");
  command->add_flag("--dry-run", options->dry_run,
                    "print the inputs and outputs, and process nothing");
  command->add_option("--report", options->report, "write a report of all files, JSON");
  command->add_option("--report-html", options->report_html,
                      "write the report as an HTML page with a table to sort and search");
  command->add_option("--depfile", options->depfile,
                      "write make rules with the files that each output depends on");
  addCommonOptions(*command, options->common);
  addBatchPlan(*command, action);
  addBatchRun(*command, action);
  addBatchMerge(*command, action);
  addBatchShow(*command, action);
  addBatchExplain(*command, action);
  command->callback([command, options, &action] {
    if (command->get_subcommands().empty()) {
      action = [options] { return batchCommand(*options); };
    }
  });
}

}  // namespace clipmill::cli
