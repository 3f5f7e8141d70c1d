// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/settings.h"

namespace clipmill::stages::self_collision {

/// kExact measures the skin at every frame and midpoint; kReference is the published method
/// (docs/methods.md, self-collision): boxes and spheres, every third frame, slerp between.
enum class SelfCollisionMethod { kExact, kReference };

/// kGrip: both hands hold one thing and keep their relative transform. kContact: two parts are in
/// contact.
/// kNone: what is found in the clip does not count.
enum class ContactKind { kGrip, kContact, kNone };

/// Parts of the body that are in contact for a part of a clip.
struct ContactSettings {
  std::string clip = "*";  ///< Glob of clip names.
  ContactKind kind = ContactKind::kContact;
  std::string parts;  ///< kContact: a pair of the report, "left arm - trunk".
  double start_s = 0.0;
  std::optional<double> end_s;  ///< Unset: the end of the clip.
};

/// Depths are in percent of the character's height.
struct SelfCollisionSettings {
  SelfCollisionMethod method = SelfCollisionMethod::kExact;
  std::vector<std::string> humanoid_map;  ///< "role=joint" pairs; see humanoidFromPairs().
  double min_confidence = 0.6;
  double tolerance_percent = 1.0;
  // Of kExact:
  double ease_s = 0.2;
  double max_ease_s = 1.0;
  double max_jerk_ratio = 1.1;
  double merge_gap_s = 0.2;
  double max_rotation_deg = 60.0;
  bool anatomical_ranges = true;
  bool upper_arms = false;
  /// For the clips that they name, in place of the contacts that are found.
  std::vector<ContactSettings> contact;
};

/// Names, units, bounds and meaning of all settings.
const SettingsTable& selfCollisionTable();

}  // namespace clipmill::stages::self_collision
