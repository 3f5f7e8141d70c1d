// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/settings.h"

namespace clipmill {

/// Settings of SelfCollisionMethod::kExact. Depths are in percent of the figure's height.
struct ExactSettings {
  double tolerance_percent = 1.0;  ///< What is deeper is freed.
  double ease_s = 0.2;             ///< Shortest time in which a change sets in and fades.
  double jerk_ratio = 1.1;         ///< Longer, up to longest_ease_s, where a limb gets rougher.
  double longest_ease_s = 1.0;
  double gap_s = 0.2;           ///< Windows that are nearer to each other are one.
  double most_turn_deg = 60.0;  ///< Of one joint; a limb that needs more stays inside.
};

/// Adds the rows of ExactSettings to the table of a struct that is derived from it.
template <class Settings>
void addExactFields(SettingsTableBuilder<Settings>& table) {
  table.number("tolerance_percent", &Settings::tolerance_percent,
               "what is less deep inside, in percent of the figure's height, is left as it is", "%",
               0.05, 20.0);
  table.number("ease_s", &Settings::ease_s,
               "shortest time in which a change sets in and fades (exact)", "s", 0.0, 5.0);
  table.number("longest_ease_s", &Settings::longest_ease_s,
               "longest such time, where jerk_ratio asks for it (exact)", "s", 0.0, 5.0);
  table.number("jerk_ratio", &Settings::jerk_ratio,
               "changes set in more slowly where the rms jerk of a shoulder or hip would exceed "
               "that of the clip by this factor (exact)",
               "", 1.0, 1e6);
  table.number("gap_s", &Settings::gap_s,
               "windows of depth with a shorter gap between them are freed as one (exact)", "s",
               0.0, 60.0);
  table.number(
      "most_turn_deg", &Settings::most_turn_deg,
      "largest turn of a shoulder, hip, elbow or knee; what needs more is reported (exact)", "deg",
      1.0, 120.0);
}

}  // namespace clipmill
