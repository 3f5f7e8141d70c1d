// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "pipeline/diff_report.h"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/text.h"
#include "core/to_size.h"
#include "core/units.h"

namespace clipmill::pipeline {
namespace {

using Json = nlohmann::ordered_json;

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

Json jsonOf(const ClipDiff& clip) {
  Json nodes = Json::array();
  for (const NodeDiff& node : clip.diff.nodes) {
    nodes.push_back({{"path", node.path},
                     {"max_mm", node.max_distance_m * kMillimetresInMetre},
                     {"mean_mm", node.mean_distance_m * kMillimetresInMetre},
                     {"max_file_units", node.max_distance_file},
                     {"worst_time_s", node.worst_time_s},
                     {"max_angle_deg", node.max_angle_rad / kDegree}});
  }
  return {{"clip", clip.name},
          {"max_mm", clip.worst_m() * kMillimetresInMetre},
          {"frames", clip.diff.frame_count},
          {"length_difference_s", clip.diff.length_difference_s},
          {"only_in_a", clip.diff.only_in_a},
          {"only_in_b", clip.diff.only_in_b},
          {"nodes", nodes}};
}

std::string textOf(const ClipDiff& clip) {
  const PoseDiff& diff = clip.diff;
  std::string text = (clip.name.empty() ? "(unnamed)" : clip.name) + ": largest distance " +
                     fixedText(clip.worst_m() * kMillimetresInMetre, 4) + " mm";
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
  return text;
}

}  // namespace

double ClipDiff::worst_m() const {
  return diff.worst < 0 ? 0.0 : diff.nodes[toSize(diff.worst)].max_distance_m;
}

bool FileDiff::isWithin(double tolerance_mm) const {
  return without_partner.empty() &&
         std::all_of(clips.begin(), clips.end(), [&](const ClipDiff& clip) {
           return clip.worst_m() * kMillimetresInMetre <= tolerance_mm &&
                  clip.diff.only_in_a.empty() && clip.diff.only_in_b.empty();
         });
}

Result<FileDiff> diffFiles(const Scene& a, const Scene& b, double fps) {
  FileDiff file;
  std::vector<bool> met(b.clips.size(), false);
  for (std::size_t i = 0; i < a.clips.size(); ++i) {
    const int partner = partnerOf(a, i, b);
    if (partner < 0 || met[toSize(partner)]) {
      file.without_partner.push_back("A: " + a.clips[i].name);
      continue;
    }
    met[toSize(partner)] = true;
    PoseDiffSettings settings;
    settings.fps = fps;
    CLIPMILL_TRY(PoseDiff diff, compareClips(a, a.clips[i], b, b.clips[toSize(partner)], settings));
    file.clips.push_back({a.clips[i].name, std::move(diff)});
  }
  for (std::size_t i = 0; i < met.size(); ++i) {
    if (!met[i]) file.without_partner.push_back("B: " + b.clips[i].name);
  }
  return file;
}

std::string diffText(const FileDiff& diff) {
  std::string text;
  for (const ClipDiff& clip : diff.clips) text += textOf(clip);
  for (const std::string& name : diff.without_partner) {
    text += "clip without a match: " + name + "\n";
  }
  return text;
}

std::string diffJson(const FileDiff& diff) {
  Json clips = Json::array();
  for (const ClipDiff& clip : diff.clips) clips.push_back(jsonOf(clip));
  return Json{{"clips", clips}, {"clips_without_partner", diff.without_partner}}.dump(2) + "\n";
}

}  // namespace clipmill::pipeline
