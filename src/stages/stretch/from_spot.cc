// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/stretch/from_spot.h"

#include "core/text.h"
#include "locomotion/foot_contacts.h"
#include "locomotion/ground.h"
#include "scene/partial_pose.h"

namespace clipmill::stages::stretch {
namespace {

bool followsPath(const StretchSettings& settings) {
  return settings.method == StretchMethod::kProportional ||
         settings.method == StretchMethod::kSimilarity;
}

}  // namespace

StretchSettings settingsFromSpot(const Scene& scene, const humanoid::HumanoidMap& map,
                                 const Motion& clip, int root, StretchSettings settings,
                                 Warnings& warnings) {
  const bool has_distance = settings.distance_m.size() == 1 && settings.window.empty();
  if (!has_distance || !followsPath(settings)) return settings;
  const Vec3 ground_mps = locomotion::traceFeet(scene, map, clip).treadmill_mps;
  const double speed_mps = locomotion::horizontalLength(ground_mps);
  if (!(speed_mps > 0.0)) return settings;
  if (settings.still == StillPolicy::kError) {
    warnings.add("on_the_spot",
                 "the clip walks on the spot, and the sway of its root is stretched; with still = "
                 "linear it travels evenly, in the direction of its steps",
                 clip.clip_name + ": the ground moves at " + fixedText(speed_mps, 2) + " m/s");
    return settings;
  }
  const Vec3 ahead = locomotion::rotated(-ground_mps / speed_mps, settings.heading_deg * kDegree);
  const std::vector<Vec3> path_m = positionsOf(scene, clip, root);
  const double distance_m = settings.distance_m.front();
  settings.method = settings.still == StillPolicy::kLinear ? StretchMethod::kUniform
                                                           : StretchMethod::kMinimumJerk;
  settings.to_m = {distance_m * ahead.x, settings.rise_m + path_m.back().y - path_m.front().y,
                   distance_m * ahead.z};
  settings.relative = true;
  settings.distance_m.clear();
  return settings;
}

}  // namespace clipmill::stages::stretch
