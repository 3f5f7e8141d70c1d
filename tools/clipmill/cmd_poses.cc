// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <memory>

#include "command.h"
#include "io/io.h"
#include "pipeline/poses.h"
#include "pipeline/run.h"
#include "setting_flags.h"

namespace clipmill::cli {
namespace {

// Text and binary glTF are one format to those who compare poses.
std::string familyOf(const io::Document& document) {
  const std::string name = document.formatName();
  return name == "GLB" || name == "glTF" ? "gltf" : name;
}

}  // namespace

void addPoses(CLI::App& app, Action& action) {
  struct Options {
    CommonOptions common;
    std::string input;
    std::vector<std::string> clips;
    pipeline::PosesOptions poses;
    std::string space = "file";
    ArrayFlags arrays;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "poses", "print world transforms and skinned vertices at given times, JSON");
  command->add_option("FILE", options->input, "file to read")->required();
  command->add_option("--clip", options->clips,
                      "clip to print: name, index or glob; repeatable; default: all clips");
  auto* times =
      command->add_option("--times", options->poses.times_s, "times [s], separated by commas")
          ->delimiter(',');
  auto* fractions =
      command
          ->add_option("--fractions", options->poses.fractions,
                       "fractions of each clip, separated by commas; 0 = start, 1 = end")
          ->delimiter(',')
          ->excludes(times);
  command
      ->add_option("--fps", options->poses.fps,
                   "sampling rate [Hz]; default: the frame rate of the clip")
      ->check(CLI::Range(0.001, 1000.0))
      ->excludes(times)
      ->excludes(fractions);
  command->add_flag("--vertices", options->poses.vertices,
                    "print skinned and morphed vertices too");
  command
      ->add_option("--max-vertices", options->poses.max_vertices, "omit meshes with more vertices")
      ->capture_default_str();
  command
      ->add_option("--space", options->space,
                   "file: units and axes of the file; metric: metres, y up")
      ->check(CLI::IsMember({"file", "metric"}))
      ->capture_default_str();
  command->add_flag("--json", options->json, "print JSON (always on)");
  options->arrays.add(*command);
  addCommonOptions(*command, options->common);
  command->callback([options, &action] {
    action = interruptible([options] {
      options->common.applyLogLevel();
      const auto arrays = options->arrays.settings();
      if (!arrays) return report(arrays.error());
      const auto asset =
          io::load(options->input, {options->poses.vertices, options->common.limits(), *arrays});
      if (!asset) return report(asset.error());
      auto clips = pipeline::selectClips(asset->scene, options->clips);
      if (!clips) return report(within(options->input, clips.error()));
      options->poses.clips = *clips;
      options->poses.space =
          options->space == "metric" ? pipeline::PoseSpace::kMetric : pipeline::PoseSpace::kFile;
      const auto text =
          pipeline::posesJson(asset->scene, familyOf(*asset->document), options->poses);
      if (!text) return report(within(options->input, text.error()));
      return printPayload(*text);
    });
  });
}

}  // namespace clipmill::cli
