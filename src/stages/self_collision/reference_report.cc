// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/reference_report.h"

#include <string>

namespace clipmill::collision {
namespace {

constexpr double kPercent = 100.0;

double percentOf(const std::vector<bool>& hits, bool of_key_frames) {
  std::size_t count = 0, hit = 0;
  for (std::size_t i = 0; i < hits.size(); ++i) {
    if (isKeyFrame(i, hits.size()) != of_key_frames) continue;
    ++count;
    hit += hits[i] ? 1 : 0;
  }
  return count ? kPercent * static_cast<double>(hit) / static_cast<double>(count) : 0.0;
}

void addHits(const std::string& infix, const FrameHits& hits, StageResult& report) {
  for (const bool of_key_frames : {true, false}) {
    report.metrics.push_back(
        {std::string(of_key_frames ? "key" : "skipped") + "_frames_" + infix + "hit_percent",
         percentOf(hits.before, of_key_frames), percentOf(hits.after, of_key_frames)});
  }
}

struct LimbRoles {
  const char* name;
  HumanoidRole upper, lower, end;
};

void warnOfMissing(const HumanoidMap& map, const std::string& clip, Warnings& warnings) {
  using enum HumanoidRole;
  const LimbRoles limbs[] = {{"left arm", kLeftUpperArm, kLeftLowerArm, kLeftHand},
                             {"right arm", kRightUpperArm, kRightLowerArm, kRightHand},
                             {"left leg", kLeftUpperLeg, kLeftLowerLeg, kLeftFoot},
                             {"right leg", kRightUpperLeg, kRightLowerLeg, kRightFoot}};
  for (const LimbRoles& limb : limbs) {
    const std::string place = clip + ": " + limb.name;
    if (map[limb.upper] < 0 || map[limb.lower] < 0) {
      warnings.add("limb_missing", "the figure lacks a limb, which is not looked at", place);
    } else if (map[limb.end] < 0) {
      warnings.add("hand_missing", "a limb without hand or foot is turned at its root alone",
                   place);
    }
  }
}

}  // namespace

void addFrameHits(const FrameHits& on_skin, const FrameHits& by_boxes, StageResult& report) {
  addHits("", on_skin, report);
  addHits("boxes_", by_boxes, report);
}

void addReferenceWarnings(const Proxies& proxies, const HumanoidMap& map,
                          const ReferenceCounts& counts, StageResult& report) {
  const std::string& clip = report.motion.clip_name;
  if (!proxies.touchingAtRest().empty()) {
    report.warnings.add("touches_at_rest",
                        "boxes that meet as bound to the skin already are not held against each "
                        "other",
                        clip + ": " + proxies.touchingAtRest().front(),
                        proxies.touchingAtRest().size());
  }
  if (counts.stuck_key_frames > 0) {
    report.warnings.add("no_free_angle", "a limb has no angle at which its boxes are free", clip,
                        counts.stuck_key_frames);
  }
  if (counts.broken_key_frames > 0) {
    report.warnings.add("pose_is_no_number", "a pose that is flat or no number was left as it is",
                        clip, counts.broken_key_frames);
  }
  warnOfMissing(map, clip, report.warnings);
}

}  // namespace clipmill::collision
