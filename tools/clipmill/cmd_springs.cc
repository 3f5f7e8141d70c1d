// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <map>
#include <memory>

#include "command.h"
#include "core/file.h"
#include "core/log.h"
#include "core/text.h"
#include "pipeline/spring_fit.h"
#include "pipeline/springs.h"

namespace clipmill::cli {
namespace {

using stages::dynamic_bones::SpringTarget;

struct SpringsOptions {
  CommonOptions common;
  std::string input, target, recipe, output;
  std::string probes = "auto";
  std::vector<std::string> clips;
  int threads = 0;
  bool comments = false, json = false;
};

const std::map<std::string, SpringTarget> kTargets = {{"vrm1", SpringTarget::kVrm1},
                                                      {"kawaii", SpringTarget::kKawaii},
                                                      {"godot", SpringTarget::kGodot},
                                                      {"unity", SpringTarget::kUnity}};
const std::map<std::string, pipeline::ProbeMotions> kProbes = {
    {"auto", pipeline::ProbeMotions::kAuto},
    {"clips", pipeline::ProbeMotions::kClips},
    {"made", pipeline::ProbeMotions::kMade},
    {"both", pipeline::ProbeMotions::kBoth}};

int printRecipe(const SpringsOptions& options) {
  const auto found = pipeline::findSprings(options.input, options.common.limits());
  if (!found) return report(found.error());
  for (const std::string& note : found->notes) log::note(printable(note));
  return printPayload(pipeline::recipeToml(found->recipe, options.comments));
}

int fitToTarget(const SpringsOptions& options) {
  pipeline::SpringFitOptions fit;
  fit.target = kTargets.at(options.target);
  fit.probes = kProbes.at(options.probes);
  fit.recipe = options.recipe;
  fit.clips = options.clips;
  fit.threads = options.threads;
  fit.limits = options.common.limits();
  const auto fitted = pipeline::fitSpringsOfFile(options.input, fit);
  if (!fitted) return report(fitted.error());
  for (const std::string& note : fitted->notes) log::note(printable(note));
  if (!options.output.empty()) {
    const Status written =
        writeFileAtomically(options.output, pipeline::fittedSpringsJson(*fitted));
    if (!written) return report(written.error());
  }
  return printPayload(options.json ? pipeline::fittedSpringsJson(*fitted)
                                   : pipeline::fittedSpringsText(*fitted));
}

template <class Value>
std::vector<std::string> keysOf(const std::map<std::string, Value>& map) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : map) keys.push_back(key);
  return keys;
}

}  // namespace

void addSprings(CLI::App& app, Action& action) {
  auto options = std::make_shared<SpringsOptions>();
  CLI::App* command = app.add_subcommand(
      "springs",
      "print a recipe with the springs of a VRM, glTF or Unity prefab file; with --to, print the "
      "settings of an engine's springs that move most like the rods of a file");
  command
      ->add_option("FILE", options->input,
                   "VRM file, glTF with extras.dynbone, or Unity prefab (YAML); with --to, a model")
      ->required();
  command->add_flag("--comments", options->comments, "add a comment to each key");
  CLI::Option* to =
      command
          ->add_option("--to", options->target,
                       "fit the springs of VRM 1.0, KawaiiPhysics, Godot or DynamicBone (unity)")
          ->check(CLI::IsMember(keysOf(kTargets)));
  command
      ->add_option("--recipe", options->recipe,
                   "recipe with the chains; default: those that --auto finds")
      ->needs(to);
  command
      ->add_option("--clip", options->clips,
                   "clip to compare in: name, index or glob; repeatable; default: all clips")
      ->needs(to);
  command
      ->add_option("--probe", options->probes,
                   "motions to compare in; made: a push, a rotation, a bow; auto: clips, else made")
      ->check(CLI::IsMember(keysOf(kProbes)))
      ->needs(to);
  command->add_option("-o,--output", options->output, "file for the settings as JSON")->needs(to);
  command->add_flag("--json", options->json, "print JSON")->needs(to);
  command->add_option("-j,--threads", options->threads, "number of threads; 0 = one for each core")
      ->needs(to);
  addCommonOptions(*command, options->common);
  command->callback([options, &action] {
    action = interruptible([options] {
      options->common.applyLogLevel();
      return options->target.empty() ? printRecipe(*options) : fitToTarget(*options);
    });
  });
}

}  // namespace clipmill::cli
