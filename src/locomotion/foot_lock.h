// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "anim/motion.h"
#include "core/metric.h"
#include "core/result.h"
#include "core/settings.h"
#include "core/warnings.h"
#include "humanoid/humanoid.h"
#include "locomotion/foot_contacts.h"
#include "locomotion/limb_contacts.h"
#include "scene/scene.h"

namespace clipmill::locomotion {

/// Whether feet are held: kAuto where a character with legs is found, kLock insists on one.
enum class FeetPolicy { kAuto, kLock, kOff };

/// How planted feet stay in position while root motion changes.
struct FootLockSettings {
  FeetPolicy feet = FeetPolicy::kAuto;
  double release_s = 0.15;
  double max_pelvis_drop = 0.08;
  std::optional<double> contact_height_m, contact_speed_mps;
  ContactLimbs contact_limbs = ContactLimbs::kFeet;
};

/// Adds the rows of FootLockSettings to the table of a struct that is derived from it.
template <class Settings>
void addFootLockFields(SettingsTableBuilder<Settings>& table) {
  table.choice(
      "feet", static_cast<FeetPolicy Settings::*>(&Settings::feet),
      "lock planted feet. auto: if the character has legs and contacts. lock: fail if it has none. "
      "off: never",
      {{"auto", FeetPolicy::kAuto}, {"lock", FeetPolicy::kLock}, {"off", FeetPolicy::kOff}});
  table.number("release_s", &Settings::release_s,
               "minimum time in which a locked foot returns to its animated path", "s", 0.0, 2.0);
  table.number(
      "max_pelvis_drop", &Settings::max_pelvis_drop,
      "maximum drop of the hips so that a foot reaches its position, as a fraction of the leg "
      "length",
      "", 0.0, 0.5);
  table.number(
      "contact_height_m", &Settings::contact_height_m,
      "a foot is planted below this height over its lowest level. Unset: fitted to the clip", "m",
      0.0, 1000.0);
  table.number(
      "contact_speed_mps", &Settings::contact_speed_mps,
      "a foot is planted below this speed relative to the ground. Unset: fitted to the clip", "m/s",
      0.0, 10000.0);
  table.choice(
      "contact_limbs", static_cast<ContactLimbs Settings::*>(&Settings::contact_limbs),
      "limbs that bear. feet_hands: lock hands too while they rest on the ground or have a "
      "hold (crawl, climb). feet_hands_knees: and knees on the ground",
      {std::begin(kContactLimbs), std::end(kContactLimbs)});
}

/// A limb that is planted in the source, and how well it is in the result.
struct Plant {
  std::string limb;      ///< "left foot", "right hand", "left knee", ..
  double start_s = 0.0;  ///< Times of the stretched motion.
  double end_s = 0.0;
  double short_m = 0.0;         ///< Largest distance from its target.
  double out_of_reach_s = 0.0;  ///< Time for which that distance exceeds 5 mm.
};

struct FootLockReport {
  bool found_limbs = false;     ///< False where the map has no leg (nor arm, with hands).
  bool found_contacts = false;  ///< False where no limb is planted anywhere in the source.
  bool changed = false;         ///< False where nothing was written.
  double pelvis_drop_m = 0.0;
  std::vector<Plant> plants;
  /// slideMetrics(): before of the source, after of the result with the contacts that it has.
  std::vector<Metric> metrics;
  /// And pelvis_drop_mm, 0 before.
  /// no_legs (of a humanoid), no_contacts, foot_out_of_reach, feet_lifted_early, feet_held_in_part,
  /// feet_slide, knees_accelerate
  Warnings warnings;
};

/// Transform from the start of a cycle to its end, metric world: positions are rotated about the
/// vertical through the origin, then shifted.
struct CycleStep {
  Quat rotation = kIdentityRotation;
  Vec3 shift_m{0.0};
};

/// How the source of lockFeet() is read.
struct FootLockSource {
  /// Source time of every frame of the other motion; empty: the same time.
  std::span<const double> times_s = {};
  /// Set where the other motion is a cycle, whether or not the source is one: a foot that is
  /// planted across the seam has one position. Unset: a cycle is detected where both motions are
  /// one.
  std::optional<CycleStep> cycle = std::nullopt;
  /// A foot that slides in the source is held; else it keeps its slide.
  bool holds_slides = true;
  /// Planted feet of the source may skate (ContactLimits).
  bool may_skate = false;
  /// The feet of the clip that the source is made of, on its own character: their contacts are
  /// those of the source (takeContacts()), whose own feet may slide where bodies differ. Unset:
  /// found.
  const FeetTrace* clip_feet = nullptr;
  /// From the world of that clip to that of the source, about the vertical.
  Quat clip_rotation = kIdentityRotation;
  /// Only contacts that overlap this time of the source are held. Unset: all.
  std::optional<TimeSpan> within = std::nullopt;
  /// Changes the result after its feet are locked and before it is measured. Empty: nothing.
  std::function<void(Motion&)> finish = {};
};

/// Locks the feet of `stretched`, whose root motion differs from that of `source`: each foot that
/// is planted in the source has one position. While planted it moves as in the source, rotated with
/// the root, so that it rolls over heel and toes; a source foot that slides by more than a few
/// millimetres is held (see FootLockSource). Between contacts legs follow `stretched`; position and
/// speed are continuous where a contact starts or ends. The hips drop where a leg is too short, but
/// not in the air and next to it, since that would change the flight. Where that does not suffice a
/// foot is put down later and lifted earlier, by at most 0.4 of its contact in all. A target that
/// is still out of reach is approached with a straight leg and reported. Where a knee would snap,
/// the foot leaves its target gradually, or returns to its path in longer time, or is held in part;
/// see pullFeet().
///
/// The ground under a source on the spot moves (FeetTrace::treadmill_mps); it moves likewise
/// under a result on the spot, and rests under one that travels.
///
/// Both motions are of `scene`. Writes rotations of upper and lower limbs and of feet and hands,
/// and the translation of the hips where they drop; marks these tracks as modified. A motion that
/// needs no change stays the same bit for bit.
///
/// With ContactLimbs hands are held likewise by their arms. A planted knee is held along the
/// ground by rotating the thigh; the hips stay, so that its height changes as the length of the
/// thigh asks for. The shin then points to where the foot is to be.
FootLockReport lockFeet(const Scene& scene, const humanoid::HumanoidMap& map, const Motion& source,
                        Motion& stretched, const FootLockSettings& settings,
                        const FootLockSource& view = {});

/// Error, kRecipe: FeetPolicy::kLock, and no legs or no contacts were found.
Status checkFound(const FootLockReport& report, const FootLockSettings& settings);

}  // namespace clipmill::locomotion
