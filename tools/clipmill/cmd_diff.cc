// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <limits>
#include <memory>

#include <nlohmann/json.hpp>

#include "command.h"
#include "core/text.h"
#include "core/to_size.h"
#include "io/io.h"
#include "scene/pose_diff.h"

namespace clipmill::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kMillimetresInMetre = 1000.0;

struct DiffOptions {
  CommonOptions common;
  std::string a, b;
  double fps = 60.0;
  double tolerance_mm = std::numeric_limits<double>::infinity();
  bool json = false;
};

struct ClipDiff {
  std::string name;
  PoseDiff diff;
};

// Clips are paired by name where the name is unique in both files, else by position.
int partnerOf(const Scene& a, std::size_t index, const Scene& b) {
  const std::string& name = a.clips[index].name;
  const auto same = [&](const Clip& clip) { return clip.name == name; };
  if (std::count_if(a.clips.begin(), a.clips.end(), same) == 1 &&
      std::count_if(b.clips.begin(), b.clips.end(), same) == 1) {
    return static_cast<int>(std::find_if(b.clips.begin(), b.clips.end(), same) - b.clips.begin());
  }
  return index < b.clips.size() ? static_cast<int>(index) : -1;
}

double worstOf(const PoseDiff& diff) {
  return diff.worst < 0 ? 0.0 : diff.nodes[toSize(diff.worst)].max_distance_m;
}

Json diffJson(const std::vector<ClipDiff>& diffs, const std::vector<std::string>& unpaired) {
  Json clips = Json::array();
  for (const ClipDiff& clip : diffs) {
    Json nodes = Json::array();
    for (const NodeDiff& node : clip.diff.nodes) {
      nodes.push_back({{"path", node.path},
                       {"max_mm", node.max_distance_m * kMillimetresInMetre},
                       {"mean_mm", node.mean_distance_m * kMillimetresInMetre},
                       {"max_file_units", node.max_distance_file},
                       {"worst_time_s", node.worst_time_s},
                       {"max_angle_deg", node.max_angle_rad / kDegree}});
    }
    clips.push_back({{"clip", clip.name},
                     {"max_mm", worstOf(clip.diff) * kMillimetresInMetre},
                     {"frames", clip.diff.frame_count},
                     {"length_difference_s", clip.diff.length_difference_s},
                     {"only_in_a", clip.diff.only_in_a},
                     {"only_in_b", clip.diff.only_in_b},
                     {"nodes", nodes}});
  }
  return {{"clips", clips}, {"clips_without_partner", unpaired}};
}

std::string diffText(const std::vector<ClipDiff>& diffs, const std::vector<std::string>& unpaired) {
  std::string text;
  for (const ClipDiff& clip : diffs) {
    const PoseDiff& diff = clip.diff;
    text += (clip.name.empty() ? "(unnamed)" : clip.name) + ": largest distance " +
            fixedText(worstOf(diff) * kMillimetresInMetre, 4) + " mm";
    if (diff.worst >= 0) {
      const NodeDiff& node = diff.nodes[toSize(diff.worst)];
      text += " at " + node.path + ", " + fixedText(node.worst_time_s, 3) + " s";
    }
    text += ", " + counted(diff.frame_count, "pose") + " compared\n";
    if (diff.length_difference_s != 0.0) {
      text += "  lengths differ by " + fixedText(diff.length_difference_s, 3) + " s\n";
    }
    for (const std::string& path : diff.only_in_a) text += "  only in A: " + path + "\n";
    for (const std::string& path : diff.only_in_b) text += "  only in B: " + path + "\n";
  }
  for (const std::string& name : unpaired) text += "clip without a match: " + name + "\n";
  return text;
}

Result<std::vector<ClipDiff>> compareAll(const Scene& a, const Scene& b, double fps,
                                         std::vector<std::string>& unpaired) {
  std::vector<ClipDiff> diffs;
  std::vector<bool> met(b.clips.size(), false);
  for (std::size_t i = 0; i < a.clips.size(); ++i) {
    const int partner = partnerOf(a, i, b);
    if (partner < 0 || met[toSize(partner)]) {
      unpaired.push_back("A: " + a.clips[i].name);
      continue;
    }
    met[toSize(partner)] = true;
    PoseDiffSettings settings;
    settings.fps = fps;
    CLIPMILL_TRY(PoseDiff diff, compareClips(a, a.clips[i], b, b.clips[toSize(partner)], settings));
    diffs.push_back({a.clips[i].name, std::move(diff)});
  }
  for (std::size_t i = 0; i < met.size(); ++i) {
    if (!met[i]) unpaired.push_back("B: " + b.clips[i].name);
  }
  return diffs;
}

int runDiff(const DiffOptions& options) {
  options.common.applyLogLevel();
  const auto a = io::load(options.a, {false, options.common.limits()});
  if (!a) return report(a.error());
  const auto b = io::load(options.b, {false, options.common.limits()});
  if (!b) return report(b.error());
  std::vector<std::string> unpaired;
  const auto diffs = compareAll(a->scene, b->scene, options.fps, unpaired);
  if (!diffs) return report(diffs.error());
  const int printed = printPayload(options.json ? diffJson(*diffs, unpaired).dump(2) + "\n"
                                                : diffText(*diffs, unpaired));
  if (printed != kOk) return printed;
  bool differs = !unpaired.empty();
  for (const ClipDiff& clip : *diffs) {
    differs = differs || worstOf(clip.diff) * kMillimetresInMetre > options.tolerance_mm ||
              !clip.diff.only_in_a.empty() || !clip.diff.only_in_b.empty();
  }
  const bool judges = options.tolerance_mm < std::numeric_limits<double>::infinity();
  return judges && differs ? kDiffers : kOk;
}

}  // namespace

void addDiff(CLI::App& app, Action& action) {
  auto options = std::make_shared<DiffOptions>();
  CLI::App* command = app.add_subcommand("diff", "compare the poses of two files, clip by clip");
  command->add_option("A", options->a, "first file")->required();
  command->add_option("B", options->b, "second file")->required();
  command->add_option("--fps", options->fps, "sampling rate of the comparison [Hz]")
      ->check(CLI::Range(0.001, 1000.0))
      ->capture_default_str();
  command
      ->add_option(
          "--tolerance-mm", options->tolerance_mm,
          "exit with 4 if a node is farther off than this, or a clip or node is missing [mm]")
      ->check(CLI::NonNegativeNumber);
  command->add_flag("--json", options->json, "print JSON");
  addCommonOptions(*command, options->common);
  command->callback(
      [options, &action] { action = interruptible([options] { return runDiff(*options); }); });
}

}  // namespace clipmill::cli
