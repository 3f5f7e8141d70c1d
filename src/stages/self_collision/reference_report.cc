// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/reference_report.h"

#include <string>

#include "core/units.h"

namespace clipmill::stages::self_collision {
namespace {

double percentOf(const std::vector<bool>& is_marked, bool of_key_frames) {
  std::size_t count = 0, marked = 0;
  for (std::size_t i = 0; i < is_marked.size(); ++i) {
    if (isKeyFrame(i, is_marked.size()) != of_key_frames) continue;
    ++count;
    marked += is_marked[i] ? 1 : 0;
  }
  return count ? kPercent * static_cast<double>(marked) / static_cast<double>(count) : 0.0;
}

void addShares(const std::string& suffix, const FrameMarks& marks, StageResult& report) {
  for (const bool of_key_frames : {true, false}) {
    report.metrics.push_back({std::string(of_key_frames ? "key" : "skipped") + "_frames_" + suffix,
                              percentOf(marks.before, of_key_frames),
                              percentOf(marks.after, of_key_frames)});
  }
}

}  // namespace

void addFrameShares(const FrameMarks& of_skin, const FrameMarks& of_boxes, StageResult& report) {
  addShares("penetrating_percent", of_skin, report);
  addShares("boxes_overlap_percent", of_boxes, report);
}

void addReferenceWarnings(const Proxies& proxies, const ReferenceCounts& counts,
                          StageResult& report) {
  const std::string& clip = report.motion.clip_name;
  if (!proxies.overlapsAtRest().empty()) {
    report.warnings.add(
        "overlap_at_rest", "boxes that overlap in the bind pose are not tested against each other",
        clip + ": " + proxies.overlapsAtRest().front(), proxies.overlapsAtRest().size());
  }
  if (counts.unresolved_key_frames > 0) {
    report.warnings.add("no_free_angle", "no rotation of a limb separates its boxes", clip,
                        counts.unresolved_key_frames);
  }
  if (counts.skipped_key_frames > 0) {
    report.warnings.add("pose_not_finite", "a degenerate, NaN or infinite pose is unchanged", clip,
                        counts.skipped_key_frames);
  }
}

}  // namespace clipmill::stages::self_collision
