// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// `batch`: one recipe over many files.
#include <algorithm>
#include <memory>

#include "batch/batch.h"
#include "batch_commands.h"
#include "command.h"
#include "core/file.h"
#include "core/log.h"
#include "core/system.h"
#include "core/text.h"

namespace clipmill::cli {
namespace {

struct BatchCommand : BatchSource {
  CommonOptions common;
  std::string report;
  int jobs = 0;
  bool fail_fast = false, keep_going = false, force = false, dry_run = false;
};

Result<Recipe> recipeOf(const BatchCommand& options) {
  CLIPMILL_TRY(Recipe recipe, loadRecipe(options.recipe));
  for (const std::string& assignment : options.assignments) {
    CLIPMILL_CHECK(setInRecipe(recipe, assignment));
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

// What failed stands last, where it is seen.
int tellResults(const std::vector<batch::JobResult>& results) {
  std::size_t done = 0, known = 0, skipped = 0, failed = 0;
  int code = kOk;
  for (const batch::JobResult& result : results) {
    done += result.status == batch::JobStatus::kDone;
    skipped += result.status == batch::JobStatus::kSkipped;
    known += result.from_record;
    if (!result.error) continue;
    ++failed;
    log::error(result.job.name + ": " + describe(*result.error));
    // A disk that is full is no matter of one file.
    const bool is_environment = result.error->code == ErrorCode::kWrite;
    code = is_environment || code == kInput ? kInput : kSomeFailed;
  }
  log::note(std::to_string(done) + " done, " + std::to_string(failed) + " failed, " +
            std::to_string(skipped) + " not begun; " + std::to_string(known) +
            " known from before");
  return system::interrupted() ? kInterrupted : code;
}

namespace {

int batchCommand(const BatchCommand& options) {
  options.common.applyLogLevel();
  if (Status complete = checkSource(options, "batch"); !complete) return report(complete.error());
  const auto recipe = recipeOf(options);
  if (!recipe) return report(recipe.error());
  const auto jobs = jobsOf(options);
  if (!jobs) return report(jobs.error());
  if (options.dry_run) return printJobs(*jobs);
  batch::BatchOptions run;
  run.clips = options.clips;
  run.jobs = options.jobs;
  run.fail_fast = options.fail_fast;
  run.force = options.force;
  run.limits = options.common.limits();
  if (options.common.verbose > 0) {
    run.progress = [](const batch::JobResult& result, std::size_t done, std::size_t total) {
      log::note(std::to_string(done) + " of " + std::to_string(total) + ": " +
                printable(result.job.name));
    };
  }
  const auto results = batch::runBatch(*jobs, *recipe, options.out_dir, run);
  if (!results) return report(results.error());
  if (!options.report.empty()) {
    const Status written = writeFileAtomically(options.report, batch::batchReportJson(*results));
    if (!written) return report(written.error());
  }
  return tellResults(*results);
}

}  // namespace

void addBatch(CLI::App& app, Action& action) {
  auto options = std::make_shared<BatchCommand>();
  CLI::App* command = app.add_subcommand("batch", "run a recipe over many files");
  command->require_subcommand(0, 1);
  addSourceOptions(*command, *options);
  command->add_option("-j,--jobs", options->jobs, "files at a time; 0 for one a core")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  CLI::Option* fail_fast =
      command->add_flag("--fail-fast", options->fail_fast, "begin nothing more once a file failed");
  command->add_flag("--keep-going", options->keep_going, "do all others too (the default)")
      ->excludes(fail_fast);
  command->add_flag("--force", options->force, "do again what did not change");
  command->add_flag("--dry-run", options->dry_run, "print what would be read and written");
  command->add_option("--report", options->report, "write what became of each file as JSON");
  addCommonOptions(*command, options->common);
  addBatchPlan(*command, action);
  addBatchRun(*command, action);
  addBatchMerge(*command, action);
  command->callback([command, options, &action] {
    if (!command->get_subcommands().empty()) return;
    action = [options] { return batchCommand(*options); };
  });
}

}  // namespace clipmill::cli
