// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "anim/motion.h"
#include "core/result.h"
#include "core/settings.h"
#include "core/warnings.h"
#include "scene/humanoid.h"
#include "scene/scene.h"
#include "stages/stage.h"

namespace clipmill {

/// Whether feet are held: kAuto where a figure with legs is found, kLock insists on one.
enum class FeetPolicy { kAuto, kLock, kOff };

/// How feet stay where they stand while the way of the figure changes.
struct FootLockSettings {
  FeetPolicy feet = FeetPolicy::kAuto;
  double release_s = 0.15;
  double pelvis_drop = 0.08;
  double contact_height_m = 0.05;
  double contact_speed_mps = 0.3;
  bool hands = false;
};

/// Adds the rows of FootLockSettings to the table of a struct that is derived from it.
template <class Settings>
void addFootLockFields(SettingsTableBuilder<Settings>& table) {
  table.choice(
      "feet", static_cast<FeetPolicy Settings::*>(&Settings::feet),
      "hold feet where they stand: auto where a figure with legs is found",
      {{"auto", FeetPolicy::kAuto}, {"lock", FeetPolicy::kLock}, {"off", FeetPolicy::kOff}});
  table.number("release_s", &Settings::release_s,
               "shortest time in which a foot that was held goes back to its way", "s", 0.0, 2.0);
  table.number("pelvis_drop", &Settings::pelvis_drop,
               "how far the hips may sink for a foot to reach its place, as a share of the leg", "",
               0.0, 0.5);
  table.number("contact_height_m", &Settings::contact_height_m,
               "a foot higher than this above its lowest does not stand", "m", 0.0, 1.0);
  table.number("contact_speed_mps", &Settings::contact_speed_mps,
               "a foot faster than this does not stand", "m/s", 0.0, 10.0);
  table.flag("hands", &Settings::hands, "hold hands that keep still in the world too");
}

/// A limb that stood still in the source, and how it stands now.
struct Plant {
  std::string limb;      ///< "left foot", ..
  double begin_s = 0.0;  ///< Times of the stretched motion.
  double end_s = 0.0;
  double short_m = 0.0;         ///< Farthest from its place where the limb did not reach it.
  double out_of_reach_s = 0.0;  ///< For how long it was farther from it than a planted foot may be.
};

struct FootLockReport {
  bool found_limbs = false;  ///< False where the map has no leg (nor arm, if hands were asked for).
  bool changed = false;      ///< False where nothing was written.
  double pelvis_drop_m = 0.0;
  std::vector<Plant> plants;
  /// foot_skate_cm (in a thirtieth of a second) and planted_drift_mm, while feet reach their
  /// places; before: of the source.
  std::vector<Metric> metrics;
  /// And pelvis_drop_mm, 0 before.
  Warnings warnings;  ///< foot_out_of_reach
};

/// What leads from the begin of a cycle to its end in metric world: places are turned about the
/// vertical through the origin, then shifted.
struct CycleStep {
  Quat turn = kIdentityRotation;
  Vec3 shift_m{0.0};
};

/// How the source of lockFeet() is read.
struct FootLockSource {
  /// For every frame of the other motion the time in the source that it shows; empty: the same.
  std::span<const double> times_s = {};
  /// Set where the other motion is a cycle, whether or not the source is one: where a foot stands
  /// over the seam it has one place. Else a cycle is seen where both motions are one.
  std::optional<CycleStep> cycle = std::nullopt;
  /// A foot that slides in the source is held; else it slides as its author wants.
  bool holds_slides = true;
};

/// Puts the feet of `stretched`, whose root goes another way than that of `source`, back on the
/// ground: each foot that stands in the source stands in one place. While it stands it moves as in
/// the source, turned with the root, so that it rolls over heel and toes as it did; a source foot
/// that slides by more than a few millimetres is held (see FootLockSource). Between, legs follow
/// `stretched`; they leave and reach their places without a jump in position or speed. Where a leg
/// is too short the hips sink, but not in the air and next to it, since that would change the
/// flight; what then is still out of reach is approached with a straight leg and reported.
///
/// Both motions are of `scene`. Writes rotations of upper and lower limbs and of feet and
/// hands, and the translation of the hips where they sink; marks them as touched. A motion that
/// needs nothing is left as it is, bit for bit.
FootLockReport lockFeet(const Scene& scene, const HumanoidMap& map, const Motion& source,
                        Motion& stretched, const FootLockSettings& settings,
                        const FootLockSource& view = {});

/// Error, kRecipe: the settings insist on feet, and none were found.
Status checkFound(const FootLockReport& report, const FootLockSettings& settings);

}  // namespace clipmill
