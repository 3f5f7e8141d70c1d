// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "pipeline/clip_from.h"

#include <set>

#include "pipeline/clip_choice.h"
#include "scene/clip_transfer.h"

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
};

Result<TransferredClip> transferred(const Figures& figures, int clip, double fps,
                                    const io::Limits& limits) {
  CLIPMILL_TRY(
      const NodeMatch match,
      matchNodes(figures.source, figures.source.clips[static_cast<std::size_t>(clip)].animated,
                 figures.source_map, figures.target, figures.target_map));
  CLIPMILL_TRY(const std::vector<Motion> motions,
               sampleClips(figures.source, {clip}, fps, 1, limits));
  const double bytes = motionBytes(figures.target.skeleton, motions[0].grid);
  if (bytes > static_cast<double>(limits.max_decoded_bytes)) {
    return Error{ErrorCode::kLimit, "", "needs more memory than the limit allows",
                 "lower --fps, or raise --max-decoded-mb"};
  }
  return transferClip(figures.source, motions[0], figures.target, match);
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
                            const io::Limits& limits, const Scene& target, ClipNaming naming) {
  const std::string file = source.path.string();
  std::vector<std::string> selectors;
  if (!selector.empty()) selectors.push_back(selector);
  const auto chosen = selectClips(source.scene, selectors);
  if (!chosen) return within(file, chosen.error());
  if (chosen->empty()) {
    return Error{ErrorCode::kNotFound, file, "has no clip to take", "give a file with animation"};
  }
  const Figures figures{source.scene, target, findHumanoid(source.scene), findHumanoid(target)};
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
