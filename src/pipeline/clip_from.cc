// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "pipeline/clip_from.h"

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

struct Characters {
  const Scene& source;
  const Scene& target;
  humanoid::HumanoidMap source_map, target_map;
  std::vector<retarget::NodePair> given;
  const TransferSettings& settings;
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
               retarget::transferClip(characters.source, motions[0], characters.target, match));
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
  const auto chosen = selectClips(source.scene, selectors);
  if (!chosen) return within(file, chosen.error());
  if (chosen->empty()) {
    return Error{ErrorCode::kNotFound, file, "has no clips", "use a file with animation"};
  }
  auto given = retarget::parsePairs(source.scene, target, settings.map);
  if (!given) return within(file, given.error());
  const Characters characters{
      source.scene, target,  humanoid::findHumanoid(source.scene), humanoid::findHumanoid(target),
      *given,       settings};
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
