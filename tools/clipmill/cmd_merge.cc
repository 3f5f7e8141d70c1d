// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <filesystem>
#include <memory>
#include <span>

#include "batch/inputs.h"
#include "command.h"
#include "core/log.h"
#include "merge_images.h"
#include "merge_summary.h"
#include "pipeline/merge.h"
#include "progress.h"
#include "setting_flags.h"
#include "side_files.h"

namespace clipmill::cli {
namespace {

using locomotion::FeetPolicy;
using pipeline::ContactsFrom;
using pipeline::MergedRootMotion;

const std::vector<std::pair<std::string, FeetPolicy>> kFeet = {
    {"auto", FeetPolicy::kAuto}, {"lock", FeetPolicy::kLock}, {"off", FeetPolicy::kOff}};
const std::vector<std::pair<std::string, MergedRootMotion>> kRootMotions = {
    {"keep", MergedRootMotion::kKeep},
    {"in_place", MergedRootMotion::kInPlace},
    {"extract", MergedRootMotion::kExtract}};
const std::vector<std::pair<std::string, ContactsFrom>> kContactsFrom = {
    {"clip", ContactsFrom::kClip}, {"source", ContactsFrom::kSource}};

struct MergeCommand {
  CommonOptions common;
  std::string character, output, report, progress = "auto";
  std::string feet = "auto", root_motion = "keep", contacts_from = "clip", rest, prefix;
  std::vector<std::string> files;
  pipeline::MergeSettings settings;
  MergeImages images;
  SettingFlags output_flags;
  ArrayFlags arrays;
  int threads = 0;
  bool recursive = false, in_place = false, no_penetration = false, dry_run = false;
};

template <class Value>
Value choiceOf(const std::vector<std::pair<std::string, Value>>& choices, const std::string& text) {
  for (const auto& [name, value] : choices) {
    if (name == text) return value;
  }
  return choices.front().second;
}

template <class Value>
std::vector<std::string> namesOf(const std::vector<std::pair<std::string, Value>>& choices) {
  std::vector<std::string> names;
  for (const auto& choice : choices) names.push_back(choice.first);
  return names;
}

// The files that the arguments name, in the order of these, without the character and the output.
Result<std::vector<std::string>> clipFiles(const MergeCommand& options) {
  std::vector<std::string> files;
  const auto isTaken = [&](const std::filesystem::path& path) {
    std::error_code fault;
    return std::filesystem::equivalent(path, options.character, fault) ||
           std::filesystem::equivalent(path, options.output, fault) ||
           std::find(files.begin(), files.end(), path.string()) != files.end();
  };
  for (const std::string& argument : options.files) {
    std::error_code fault;
    const bool names_several = argument.starts_with('@') ||
                               argument.find_first_of("*?[") != std::string::npos ||
                               std::filesystem::is_directory(argument, fault);
    if (!names_several || std::filesystem::is_regular_file(argument, fault)) {
      files.push_back(argument);  // whatever it is: the error of its reader is the best
      continue;
    }
    CLIPMILL_TRY(const auto inputs, batch::findInputs(std::span(&argument, 1), options.recursive,
                                                      batch::InputKind::kClips));
    for (const batch::BatchInput& input : inputs) {
      if (!isTaken(input.path)) files.push_back(input.path.string());
    }
  }
  if (!files.empty()) return files;
  return Error{ErrorCode::kNotFound, options.files.front(), "names no file with clips",
               "name files, folders or patterns of files"};
}

pipeline::MergeSettings mergeSettings(const MergeCommand& options) {
  pipeline::MergeSettings settings = options.settings;
  settings.feet = choiceOf(kFeet, options.feet);
  settings.contacts_from = choiceOf(kContactsFrom, options.contacts_from);
  settings.root_motion =
      options.in_place ? MergedRootMotion::kInPlace : choiceOf(kRootMotions, options.root_motion);
  if (!options.rest.empty()) settings.rest = options.rest;
  if (!options.prefix.empty()) settings.strip_prefix = options.prefix;
  settings.penetration = !options.no_penetration;
  return settings;
}

Status checkFiles(const MergeCommand& options, const std::vector<std::string>& clip_files) {
  std::vector<std::filesystem::path> files(clip_files.begin(), clip_files.end());
  files.insert(files.end(), {options.character, options.output, options.rest});
  const SideFile sides[] = {{"--report", options.report},
                            {"--sheet", options.dry_run ? "" : options.images.sheet},
                            {"--preview", options.dry_run ? "" : options.images.page}};
  CLIPMILL_CHECK(checkSideFiles(sides, files));
  return checkImages(options.images);
}

int runMerge(const MergeCommand& options, const std::vector<std::string>& files,
             const pipeline::OutputSettings& output, const io::ArraySettings& arrays) {
  pipeline::RunOptions run;
  run.limits = options.common.limits();
  run.threads = options.threads;
  run.dry_run = options.dry_run;
  run.progress = progressOf(options.progress, options.common.quiet);
  pipeline::RunReport result;
  const Status done = pipeline::mergeFiles(options.character, files, mergeSettings(options), output,
                                           arrays, options.output, run, result);
  endProgress(options.progress, options.common.quiet);
  if (!options.report.empty()) {
    if (Status written = writeFileAtomically(options.report, pipeline::reportJson(result));
        !written) {
      return report(written.error());
    }
  }
  if (!done) return report(done.error());
  log::note((options.dry_run ? "dry run, nothing written: " : "") + mergeSummary(result));
  if (!options.dry_run) {
    const Status drawn =
        drawMerged(options.images, result, run.limits, options.threads, run.progress);
    endProgress(options.progress, options.common.quiet);
    if (!drawn) return report(drawn.error());
  }
  return result.warnings.count("file_left_out") > 0 ? kSomeFailed : kOk;
}

int mergeCommand(const MergeCommand& options) {
  options.common.applyLogLevel();
  pipeline::OutputSettings output;
  if (Status set = applyFlags(pipeline::outputTable(), &output, options.output_flags); !set) {
    return report(set.error());
  }
  const auto arrays = options.arrays.settings();
  if (!arrays) return report(arrays.error());
  const auto files = clipFiles(options);
  if (!files) return report(files.error());
  if (Status free = checkFiles(options, *files); !free) return report(free.error());
  return runMerge(options, *files, output, *arrays);
}

void addTransferOptions(CLI::App& command, MergeCommand& options) {
  pipeline::MergeSettings& settings = options.settings;
  command
      .add_option("--names", settings.names,
                  "names of the added clips. file: as their files. clip: as in their files. Else a "
                  "text with {file} and {clip}")
      ->capture_default_str();
  command.add_option("--strip-prefix", options.prefix,
                     "leading part of names that is left out; a glob: '*@', 'hero_'");
  command
      .add_option("--map", settings.map,
                  "joint pair SOURCE_JOINT=JOINT that replaces the detected one, in all files; "
                  "repeatable")
      ->type_name("TEXT")
      ->expected(1)
      ->take_all();
  command.add_option("--rest", options.rest,
                     "file whose bind pose is the rest pose of the clips; default: found in their "
                     "files");
  command
      .add_option("--feet", options.feet,
                  "lock planted feet. auto: where the character has legs, except in clips of the "
                  "same skeleton. lock: in these too. off: never")
      ->check(CLI::IsMember(namesOf(kFeet)))
      ->capture_default_str();
  command.add_flag("--keep-hands", settings.keep_hands,
                   "keep hands at their positions relative to the shoulders, scaled by arm length");
  CLI::Option* root_motion =
      command
          .add_option("--root-motion", options.root_motion,
                      "keep: leave root motion on its joint. in_place: remove it. extract: move it "
                      "from the hips to the root joint")
          ->check(CLI::IsMember(namesOf(kRootMotions)))
          ->capture_default_str();
  command.add_flag("--in-place", options.in_place, "the same as --root-motion in_place")
      ->excludes(root_motion);
  CLI::Option* self_collision = command.add_flag(
      "--self-collision", settings.self_collision,
      "resolve self-penetration of the added clips, as the command self-collision");
  command
      .add_option("--contacts-from", options.contacts_from,
                  "clip: arms keep the contacts of the retargeted clips. source: they get those "
                  "that the clips have on their own characters")
      ->check(CLI::IsMember(namesOf(kContactsFrom)))
      ->needs(self_collision)
      ->capture_default_str();
  command.add_flag("--no-penetration", options.no_penetration,
                   "do not measure self-penetration of the added clips");
  command.add_flag("--keep-going", settings.keep_going,
                   "leave out files that cannot be read or matched, with a warning; the exit code "
                   "is then 1");
}

}  // namespace

void addMerge(CLI::App& app, Action& action) {
  auto options = std::make_shared<MergeCommand>();
  CLI::App* command = app.add_subcommand(
      "merge", "merge clips of many files into one file, retargeted onto its character");
  command->add_option("CHARACTER", options->character, "file with the character")->required();
  command
      ->add_option(
          "CLIP", options->files,
          "files with the clips to add; also folders, patterns, and @LIST, a file with one "
          "of these a line")
      ->required();
  command->add_flag("--recursive", options->recursive, "look into folders of folders too");
  command->add_option("-o,--output", options->output, "file to write")->required();
  addTransferOptions(*command, *options);
  pipeline::OutputSettings defaults;
  addSettingFlags(*command, pipeline::outputTable(), &defaults, options->output_flags);
  command->add_option("--report", options->report, "write a report, JSON");
  command->add_option("--sheet", options->images.sheet,
                      "write a contact sheet with a row for each added clip, PNG; more files with "
                      "numbers where one cannot hold all");
  command->add_option("--preview", options->images.page,
                      "write a page that plays the merged clips, HTML");
  command->add_flag("--dry-run", options->dry_run, "process the files, but write no output");
  command->add_option("-j,--threads", options->threads, "number of threads; 0 = one for each core")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  addProgressOption(*command, options->progress);
  options->arrays.add(*command);
  addCommonOptions(*command, options->common);
  command->callback(
      [options, &action] { action = interruptible([options] { return mergeCommand(*options); }); });
}

}  // namespace clipmill::cli
