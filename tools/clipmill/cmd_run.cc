// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// `run` and one subcommand for every kind of stage. The flags of settings come from their
// descriptor tables, so that a new setting or a new stage needs no line here.
#include <filesystem>
#include <memory>

#include "command.h"
#include "core/log.h"
#include "core/text.h"
#include "pipeline/output_names.h"
#include "pipeline/recipe_rules.h"
#include "pipeline/run.h"
#include "preview_page.h"
#include "progress.h"
#include "setting_flags.h"
#include "side_files.h"
#include "stages/registry.h"

namespace clipmill::cli {
namespace {

struct RunCommand {
  CommonOptions common;
  std::string input, output, recipe, relative_name, report, depfile, preview;
  std::string progress = "auto";
  std::vector<std::string> clips, assignments;
  int threads = 0;
  bool dry_run = false, dump_config = false;
  SettingFlags input_flags, output_flags, stage_flags;
  const stages::StageType* stage = nullptr;  // for a stage's own subcommand
};

// What rules of the recipe call the input.
std::string ruleName(const RunCommand& options) {
  if (!options.relative_name.empty()) return options.relative_name;
  return std::filesystem::path(options.input).filename().string();
}

Result<pipeline::Recipe> buildRecipe(const RunCommand& options) {
  pipeline::Recipe recipe;
  if (options.stage) {
    CLIPMILL_TRY(pipeline::RecipeStage stage, pipeline::makeStage(options.stage->name, ""));
    CLIPMILL_CHECK(applyFlags(*options.stage->settings, stage.settings.get(), options.stage_flags));
    recipe.stages.push_back(std::move(stage));
  } else if (!options.recipe.empty()) {
    CLIPMILL_TRY(recipe, pipeline::loadRecipe(options.recipe));
    // Flags have the last word. Without a file, rules are shown as they are.
    if (!options.input.empty()) {
      CLIPMILL_TRY(recipe, pipeline::recipeFor(recipe, ruleName(options)));
    }
  }
  CLIPMILL_CHECK(applyFlags(pipeline::inputTable(), &recipe.input, options.input_flags));
  if (!options.stage && options.recipe.empty() && recipe.input.clip_from.empty()) {
    return Error{ErrorCode::kUsage, "", "no recipe is given",
                 "use --recipe FILE, or --clip-from FILE"};
  }
  CLIPMILL_CHECK(applyFlags(pipeline::outputTable(), &recipe.output, options.output_flags));
  for (const std::string& assignment : options.assignments) {
    CLIPMILL_CHECK(pipeline::setInRecipe(recipe, assignment));
  }
  return recipe;
}

Status writeDepfile(const RunCommand& options, const pipeline::RunReport& report) {
  std::vector<std::filesystem::path> inputs = {options.input};
  inputs.insert(inputs.end(), report.read_files.begin(), report.read_files.end());
  if (!options.recipe.empty()) inputs.emplace_back(options.recipe);
  return writeFileAtomically(options.depfile,
                             pipeline::dependencyRule(pipeline::outputsOf(report), inputs));
}

// The page of a run is started before it, while the input still is what it was: it may be written
// over. Nothing is read where no page was asked for.
class RunPreview {
 public:
  Status begin(const RunCommand& options, const pipeline::Recipe& recipe) {
    path_ = options.dry_run ? "" : options.preview;
    if (path_.empty()) return {};
    CLIPMILL_TRY(template_, pages::loadPreviewTemplate());
    // Clips of another file are not there before.
    const bool has_own = recipe.input.clip_from.empty();
    before_ =
        pages::loadPreviewModel(options.input, has_own ? options.clips : std::vector<std::string>(),
                                options.common.limits());
    return {};  // the run reports an unreadable input
  }

  Status finish(const RunCommand& options, const pipeline::RunReport& report) {
    if (path_.empty()) return {};
    if (!before_) return before_.error();
    if (report.variants.empty()) return writePage(options, report, path_);
    std::vector<std::string> labels;
    for (const pipeline::RunReport& variant : report.variants) labels.push_back(variant.label);
    const auto names = pipeline::distinctOutputNamesOf(path_, labels);
    for (std::size_t i = 0; i < names.size(); ++i) {
      CLIPMILL_CHECK(writePage(options, report.variants[i], names[i]));
    }
    return {};
  }

 private:
  Status writePage(const RunCommand& options, const pipeline::RunReport& report,
                   const std::filesystem::path& path) const {
    CLIPMILL_TRY(const pages::Preview preview,
                 pages::previewOfRun(*before_, report, options.common.limits()));
    return writePreviewPage(template_, preview, path);
  }

  std::string path_, template_;
  Result<pages::PreviewModel> before_ = pages::PreviewModel();
};

void printNotes(const pipeline::ResolvedRecipe& resolved) {
  for (std::size_t s = 0; s < resolved.notes.size(); ++s) {
    for (const std::string& note : resolved.notes[s]) {
      log::note(resolved.recipe.stages[s].type->name + ": " + printable(note));
    }
  }
}

pipeline::RunOptions runOptions(const RunCommand& options) {
  pipeline::RunOptions run;
  run.clips = options.clips;
  run.threads = options.threads;
  run.dry_run = options.dry_run;
  run.limits = options.common.limits();
  run.progress = progressOf(options.progress, options.common.quiet);
  return run;
}

// Without an input the recipe is printed as it is, else with what its stages find in that file.
int dumpConfig(const RunCommand& options, const pipeline::Recipe& recipe) {
  if (options.input.empty()) return printPayload(pipeline::recipeToml(recipe, true));
  const auto resolved = pipeline::resolveRecipe(options.input, recipe, runOptions(options));
  endProgress(options.progress, options.common.quiet);
  if (!resolved) return report(resolved.error());
  printNotes(*resolved);
  return printPayload(pipeline::recipeToml(resolved->recipe, true));
}

Status checkFiles(const RunCommand& options, const pipeline::Recipe& recipe) {
  const SideFile files[] = {
      {"--report", options.report},
      {"--preview", options.dry_run ? "" : options.preview},
      {"--depfile", options.dry_run ? "" : options.depfile},
  };
  return checkSideFiles(files, {options.input, options.output, options.recipe,
                                recipe.input.clip_from, recipe.input.clip_from_rest.value_or("")});
}

int runWith(const RunCommand& options, const pipeline::Recipe& recipe) {
  if (Status free = checkFiles(options, recipe); !free) return report(free.error());
  RunPreview preview;
  if (Status started = preview.begin(options, recipe); !started) return report(started.error());
  pipeline::RunOptions run = runOptions(options);
  run.resolved = [&](const pipeline::ResolvedRecipe& resolved) {
    endProgress(options.progress, options.common.quiet);
    printNotes(resolved);
  };
  pipeline::RunReport result;
  const Status done = pipeline::runFile(options.input, recipe, options.output, run, result);
  endProgress(options.progress, options.common.quiet);
  if (!options.report.empty()) {
    if (Status written = writeFileAtomically(options.report, pipeline::reportJson(result));
        !written) {
      return report(written.error());
    }
  }
  if (!done) return report(done.error());
  if (!options.depfile.empty() && !options.dry_run) {
    if (Status written = writeDepfile(options, result); !written) return report(written.error());
  }
  if (Status shown = preview.finish(options, result); !shown) return report(shown.error());
  const std::string text = pipeline::reportText(result, false);
  log::note((options.dry_run ? "dry run, nothing written: " : "") + text);
  return kOk;
}

int runCommand(const RunCommand& options) {
  options.common.applyLogLevel();
  const auto recipe = buildRecipe(options);
  if (!recipe) return report(recipe.error());
  if (options.dump_config) return dumpConfig(options, *recipe);
  if (options.input.empty() || options.output.empty()) {
    return report(
        {ErrorCode::kUsage, "", "IN and -o OUTPUT are required", "run with --help for the usage"});
  }
  return runWith(options, *recipe);
}

void addRunOptions(CLI::App& command, const std::shared_ptr<RunCommand>& options) {
  pipeline::InputSettings input_defaults;
  pipeline::OutputSettings defaults;
  command.add_option("IN", options->input, "file to read");
  command.add_option("-o,--output", options->output, "file to write");
  command.add_option("--clip", options->clips,
                     "clip to process: name, index or glob; repeatable; default: all clips");
  addSettingFlags(command, pipeline::inputTable(), &input_defaults, options->input_flags);
  addSettingFlags(command, pipeline::outputTable(), &defaults, options->output_flags);
  command.add_option("--report", options->report, "write a report, JSON");
  command.add_option("--preview", options->preview,
                     "write a page that plays the clips before and after, HTML");
  command.add_option("--depfile", options->depfile,
                     "write a make rule with the files that the output depends on");
  command.add_flag("--dry-run", options->dry_run, "process the file, but write no output");
  command.add_flag(
      "--dump-config", options->dump_config,
      "print the complete recipe, with the values that its stages detect in IN, and stop");
  command.add_option("-j,--threads", options->threads, "number of threads; 0 = one for each core")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  addProgressOption(command, options->progress);
  addCommonOptions(command, options->common);
}

}  // namespace

void addRun(CLI::App& app, Action& action) {
  auto options = std::make_shared<RunCommand>();
  CLI::App* command = app.add_subcommand("run", "run the stages of a recipe on a file");
  command->add_option("--recipe", options->recipe, "recipe file, TOML or JSON");
  command->add_option(
      "--relative-name", options->relative_name,
      "relative name of IN for the rules of the recipe, as in batch; default: its file name");
  command
      ->add_option("--set", options->assignments,
                   "value that replaces one of the recipe; repeatable")
      ->type_name(kSettingValueName);
  addRunOptions(*command, options);
  command->callback(
      [options, &action] { action = interruptible([options] { return runCommand(*options); }); });
}

void addStages(CLI::App& app, Action& action) {
  for (const stages::StageType& type : stages::stageTypes()) {
    auto options = std::make_shared<RunCommand>();
    options->stage = &type;
    CLI::App* command = app.add_subcommand(type.name, type.summary);
    addRunOptions(*command, options);
    const auto defaults = type.make_settings();
    addSettingFlags(*command, *type.settings, defaults.get(), options->stage_flags);
    command->callback(
        [options, &action] { action = interruptible([options] { return runCommand(*options); }); });
  }
}

}  // namespace clipmill::cli
