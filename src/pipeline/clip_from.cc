// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "pipeline/clip_from.h"

#include <map>
#include <set>

#include "core/text.h"
#include "core/to_size.h"
#include "locomotion/foot_lock.h"
#include "locomotion/hand_lock.h"
#include "pipeline/clip_choice.h"
#include "retarget/clip_transfer.h"

namespace clipmill::pipeline {
namespace {

// The names in use; makes new names unique.
class ClipNames {
 public:
  explicit ClipNames(const Scene& scene) {
    for (const Clip& clip : scene.clips) taken_.insert(clip.name);
  }

  std::string unique(const std::string& wanted) {
    std::string name = wanted;
    for (int n = 2; !taken_.insert(name).second; ++n) name = wanted + "_" + std::to_string(n);
    return name;
  }

 private:
  std::set<std::string> taken_;
};

// Lists a note of several clips once.
class NotesOfClips {
 public:
  void add(const std::string& clip, const std::string& note) {
    for (Note& known : notes_) {
      if (known.text != note) continue;
      ++known.clips;
      return;
    }
    notes_.push_back({note, clip, 1});
  }

  std::vector<std::string> lines(const std::string& file) const {
    std::vector<std::string> lines;
    for (const Note& note : notes_) {
      const std::string more =
          note.clips > 1 ? " and " + std::to_string(note.clips - 1) + " more" : "";
      lines.push_back(note.first + more + " from " + file + ": " + note.text);
    }
    return lines;
  }

 private:
  struct Note {
    std::string text, first;
    std::size_t clips = 0;
  };
  std::vector<Note> notes_;
};

// The node of the rest file for each node of the source: the same path, else the only namesake;
// -1 for none.
std::vector<int> namesakesIn(const Scene& rest, const Scene& source) {
  std::map<std::string, std::vector<int>> by_name;
  std::map<std::string, int> by_path;
  for (std::size_t n = 0; n < rest.skeleton.size(); ++n) {
    by_name[rest.skeleton.nodes[n].name].push_back(static_cast<int>(n));
    by_path.emplace(pathOf(rest.skeleton, static_cast<int>(n)), static_cast<int>(n));
  }
  std::vector<int> found;
  for (std::size_t n = 0; n < source.skeleton.size(); ++n) {
    const auto path = by_path.find(pathOf(source.skeleton, static_cast<int>(n)));
    const auto name = by_name.find(source.skeleton.nodes[n].name);
    const bool is_only = name != by_name.end() && name->second.size() == 1;
    found.push_back(path != by_path.end() ? path->second : is_only ? name->second.front() : -1);
  }
  return found;
}

// The pose that settings name in a file, of its own nodes.
Result<std::vector<Transform>> poseOf(const io::Asset& file, const TransferSettings& settings) {
  if (settings.rest_clip.empty()) return retarget::bindLocals(file.scene);
  CLIPMILL_TRY(const std::vector<int> clips,
               selectClips(file.scene, {settings.rest_clip}, "clip_from_rest_clip"));
  const Clip& clip = file.scene.clips[toSize(clips.front())];
  const double time_s = clip.start_s + settings.rest_s;
  if (time_s > clip.end_s) {
    return Error{ErrorCode::kRecipe, "clip_from_rest_s", "is after the end of the clip",
                 "give a time up to " + fixedText(clip.end_s - clip.start_s, 3) + " s"};
  }
  return sampleClip(file.scene.skeleton, clip, clips.front(), makeGrid(time_s, time_s, clip.fps))
      .locals;
}

Result<retarget::RestChoice> restChoiceOf(const Scene& source, const humanoid::HumanoidMap& map,
                                          const TransferSettings& settings) {
  retarget::RestChoice choice;
  if (settings.facing_deg) choice.facing_rad = *settings.facing_deg * kDegree;
  if (!settings.rest) return choice;
  const std::string file = settings.rest->path.string();
  const Scene& rest = settings.rest->scene;
  if (!(rest.metric_from_file.linear == source.metric_from_file.linear)) {
    return Error{ErrorCode::kUnsupported, file,
                 "has other units or axes than the file of the clips", "convert one of them first"};
  }
  auto pose = poseOf(*settings.rest, settings);
  if (!pose) return within(file, pose.error());
  const std::vector<int> namesake = namesakesIn(rest, source);
  for (const int node : map.nodes) {
    if (node < 0 || namesake[toSize(node)] >= 0) continue;
    return Error{ErrorCode::kUnsupported, file,
                 "has no joint '" + source.skeleton.nodes[toSize(node)].name + "' of the clips",
                 "use a file with the skeleton of the clips"};
  }
  choice.locals = retarget::bindLocals(source);
  for (std::size_t n = 0; n < choice.locals.size(); ++n) {
    if (namesake[n] >= 0) choice.locals[n] = (*pose)[toSize(namesake[n])];
  }
  choice.is_frame = !settings.rest_clip.empty();
  return choice;
}

struct Characters {
  const Scene& source;
  const Scene& target;
  humanoid::HumanoidMap source_map, target_map;
  std::vector<retarget::NodePair> given;
  const TransferSettings& settings;
  retarget::RestChoice rest;
};

// Planted feet of the clip stay planted on the character, for any leg length.
Status keepFeet(const Characters& characters, retarget::TransferredClip& clip) {
  const Motion carried = clip.motion;
  locomotion::FootLockSettings settings;
  settings.feet = locomotion::FeetPolicy::kLock;
  const locomotion::FootLockReport report = locomotion::lockFeet(
      characters.target, characters.target_map, carried, clip.motion, settings);
  clip.warnings.merge(report.warnings);
  if (report.found_limbs) return {};
  return Error{ErrorCode::kUnsupported, "keep_feet", "no legs were found on the character",
               "clipmill info lists the humanoid roles that were found"};
}

Status keepHandsOf(const Characters& characters, const Motion& motion,
                   retarget::TransferredClip& clip) {
  constexpr double kReached_m = 0.005;
  constexpr double kMillimetres = 1e3;
  const locomotion::HandKeepReport report =
      locomotion::keepHands(characters.source, characters.source_map, motion, characters.target,
                            characters.target_map, clip.motion);
  if (!report.found_arms) {
    return Error{ErrorCode::kUnsupported, "keep_hands",
                 "two arms were not found on both characters",
                 "clipmill info lists the humanoid roles that were found"};
  }
  if (report.short_m > kReached_m) {
    clip.warnings.add(
        "hand_out_of_reach", "an arm is too short for the hand position of the source character",
        motion.clip_name + ", by " + fixedText(report.short_m * kMillimetres, 0) + " mm");
  }
  return {};
}

Result<retarget::TransferredClip> transferred(const Characters& characters, int clip, double fps,
                                              const io::Limits& limits) {
  CLIPMILL_TRY(
      const retarget::NodeMatch match,
      retarget::matchNodes(characters.source, characters.source.clips[toSize(clip)].animated,
                           characters.source_map, characters.target, characters.target_map,
                           characters.given));
  CLIPMILL_TRY(const std::vector<Motion> motions,
               sampleClips(characters.source, {clip}, fps, 1, limits));
  const double bytes = motionBytes(characters.target.skeleton, motions[0].grid);
  if (bytes > static_cast<double>(limits.max_decoded_bytes)) {
    return Error{ErrorCode::kLimit, "", "needs more memory than --max-decoded-mb allows",
                 "lower --fps, or raise --max-decoded-mb"};
  }
  CLIPMILL_TRY(retarget::TransferredClip result,
               retarget::transferClip(characters.source, motions[0], characters.target, match,
                                      characters.rest));
  if (characters.settings.keep_feet) CLIPMILL_CHECK(keepFeet(characters, result));
  if (characters.settings.keep_hands) CLIPMILL_CHECK(keepHandsOf(characters, motions[0], result));
  return result;
}

std::string nameOf(const io::Asset& source, const std::string& name, ClipNaming naming) {
  const std::string stem = source.path.stem().string();
  if (name.empty()) return stem;
  if (naming == ClipNaming::kAsInFile) return name;
  return source.scene.clips.size() == 1 ? stem : stem + "_" + name;
}

}  // namespace

std::string freeClipName(const Scene& scene, const std::string& wanted) {
  return ClipNames(scene).unique(wanted);
}

Result<ClipsFrom> clipsFrom(const io::Asset& source, const std::string& selector, double fps,
                            const io::Limits& limits, const Scene& target,
                            const TransferSettings& settings, ClipNaming naming) {
  const std::string file = source.path.string();
  std::vector<std::string> selectors;
  if (!selector.empty()) selectors.push_back(selector);
  const auto chosen = selectClips(source.scene, selectors, "clip_from_clip");
  if (!chosen) return within(file, chosen.error());
  if (chosen->empty()) {
    return Error{ErrorCode::kNotFound, file, "has no clips", "use a file with animation"};
  }
  auto given = retarget::parsePairs(source.scene, target, settings.map);
  if (!given) return within(file, given.error());
  const humanoid::HumanoidMap source_map = humanoid::findHumanoid(source.scene);
  CLIPMILL_TRY(const retarget::RestChoice rest, restChoiceOf(source.scene, source_map, settings));
  const Characters characters{source.scene, target,   source_map, humanoid::findHumanoid(target),
                              *given,       settings, rest};
  ClipNames names(target);
  ClipsFrom result;
  NotesOfClips notes;
  for (const int c : *chosen) {
    const std::string& name = source.scene.clips[toSize(c)].name;
    auto taken = transferred(characters, c, fps, limits);
    if (!taken)
      return within(file + ": clip " + (name.empty() ? std::to_string(c) : name), taken.error());
    taken->motion.clip_name = names.unique(nameOf(source, name, naming));
    result.clips.push_back(retarget::clipOf(target.skeleton, taken->motion));
    notes.add(result.clips.back().name, taken->note);
    result.warnings.merge(taken->warnings);
  }
  result.notes = notes.lines(file);
  return result;
}

}  // namespace clipmill::pipeline
