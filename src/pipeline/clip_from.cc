// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "pipeline/clip_from.h"

#include <set>

#include "core/text.h"
#include "pipeline/clip_choice.h"
#include "scene/clip_transfer.h"
#include "stages/feet/foot_lock.h"
#include "stages/feet/hand_keep.h"

namespace clipmill {
namespace {

// Names that are taken, and how the next one is told from them.
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

// What is said of several clips is said once.
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

struct Figures {
  const Scene& source;
  const Scene& target;
  HumanoidMap source_map, target_map;
  std::vector<NodePair> given;
  const TransferSettings& settings;
};

// Feet that stand in the clip stand on the figure too, whatever the lengths of its legs.
Status keepFeet(const Figures& figures, TransferredClip& clip) {
  const Motion carried = clip.motion;
  FootLockSettings settings;
  settings.feet = FeetPolicy::kLock;
  const FootLockReport report =
      lockFeet(figures.target, figures.target_map, carried, clip.motion, settings);
  clip.warnings.merge(report.warnings);
  if (report.found_limbs) return {};
  return Error{ErrorCode::kUnsupported, "keep_feet", "the figure has no legs that are known",
               "see clipmill info for the roles that were found"};
}

Status keepHandsOf(const Figures& figures, const Motion& motion, TransferredClip& clip) {
  constexpr double kReached_m = 0.005;
  constexpr double kMillimetres = 1e3;
  const HandKeepReport report = keepHands(figures.source, figures.source_map, motion,
                                          figures.target, figures.target_map, clip.motion);
  if (!report.found_arms) {
    return Error{ErrorCode::kUnsupported, "keep_hands",
                 "one of the two figures has no two arms that are known",
                 "see clipmill info for the roles that were found"};
  }
  if (report.short_m > kReached_m) {
    clip.warnings.add(
        "hand_out_of_reach",
        "an arm does not reach the place that its hand has in the other figure",
        motion.clip_name + ", by " + fixedText(report.short_m * kMillimetres, 0) + " mm");
  }
  return {};
}

Result<TransferredClip> transferred(const Figures& figures, int clip, double fps,
                                    const io::Limits& limits) {
  CLIPMILL_TRY(
      const NodeMatch match,
      matchNodes(figures.source, figures.source.clips[static_cast<std::size_t>(clip)].animated,
                 figures.source_map, figures.target, figures.target_map, figures.given));
  CLIPMILL_TRY(const std::vector<Motion> motions,
               sampleClips(figures.source, {clip}, fps, 1, limits));
  const double bytes = motionBytes(figures.target.skeleton, motions[0].grid);
  if (bytes > static_cast<double>(limits.max_decoded_bytes)) {
    return Error{ErrorCode::kLimit, "", "needs more memory than the limit allows",
                 "lower --fps, or raise --max-decoded-mb"};
  }
  CLIPMILL_TRY(TransferredClip result,
               transferClip(figures.source, motions[0], figures.target, match));
  if (figures.settings.keep_feet) CLIPMILL_CHECK(keepFeet(figures, result));
  if (figures.settings.keep_hands) CLIPMILL_CHECK(keepHandsOf(figures, motions[0], result));
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
    return Error{ErrorCode::kNotFound, file, "has no clip to take", "give a file with animation"};
  }
  auto given = parsePairs(source.scene, target, settings.map);
  if (!given) return within(file, given.error());
  const Figures figures{source.scene,         target, findHumanoid(source.scene),
                        findHumanoid(target), *given, settings};
  ClipNames names(target);
  ClipsFrom result;
  NotesOfClips notes;
  for (const int c : *chosen) {
    const std::string& name = source.scene.clips[static_cast<std::size_t>(c)].name;
    auto taken = transferred(figures, c, fps, limits);
    if (!taken)
      return within(file + ": clip " + (name.empty() ? std::to_string(c) : name), taken.error());
    taken->motion.clip_name = names.unique(nameOf(source, name, naming));
    result.clips.push_back(clipOf(target.skeleton, taken->motion));
    notes.add(result.clips.back().name, taken->note);
    result.warnings.merge(taken->warnings);
  }
  result.notes = notes.lines(file);
  return result;
}

}  // namespace clipmill
