// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/settings.h"

namespace clipmill::stages::self_collision {
namespace {

SettingsTable makeContactTable() {
  using S = ContactSettings;
  SettingsTableBuilder<S> t;
  t.text("clip", &S::clip, "clips that have this contact (name or glob)")
      .choice<ContactKind>(
          "kind", &S::kind,
          "grip: both hands hold one thing and keep their relative position and rotation. contact: "
          "two parts of the body are in contact. none: the clip has no contacts",
          {{"grip", ContactKind::kGrip},
           {"contact", ContactKind::kContact},
           {"none", ContactKind::kNone}})
      .text("parts", &S::parts,
            "the pair of parts in contact, as reports name it: left arm - trunk (contact)")
      .number("start_s", &S::start_s, "start of the contact", "s", 0.0, 1e6)
      .number("end_s", &S::end_s, "end of the contact. Unset: the end of the clip", "s", 0.0, 1e6);
  return t.build();
}

SettingsTable makeTable(const SettingsTable& contact) {
  using S = SelfCollisionSettings;
  SettingsTableBuilder<S> t;
  t.choice<SelfCollisionMethod>(
       "method", &S::method,
       "exact: resolves penetration at all frames and midpoints, measured on the skin. reference: "
       "the published method, with boxes and spheres at every third frame and slerp between",
       {{"exact", SelfCollisionMethod::kExact}, {"reference", SelfCollisionMethod::kReference}})
      .texts("humanoid_map", &S::humanoid_map,
             "joints of humanoid roles, as role=joint pairs, for roles that detection misses or "
             "gets wrong. Example: leftUpperArm=arm_1. No joint after = : the character has none")
      .number("min_confidence", &S::min_confidence,
              "least confidence of the humanoid detection. Below it the stage stops with an error",
              "", 0.0, 1.0)
      .number("tolerance_percent", &S::tolerance_percent,
              "penetration depth up to which a pose is left unchanged, in percent of the "
              "character's height",
              "%", 0.05, 20.0)
      .number("ease_s", &S::ease_s,
              "least time over which a correction eases in and out (exact). 0 = no easing", "s",
              0.0, 5.0)
      .number("max_ease_s", &S::max_ease_s,
              "largest time over which a correction eases in and out where max_jerk_ratio requires "
              "it (exact). Values below ease_s have no effect",
              "s", 0.0, 5.0)
      .number(
          "max_jerk_ratio", &S::max_jerk_ratio,
          "limit of the RMS jerk of each clavicle, shoulder, elbow, hip and knee, relative to the "
          "source clip; of each wrist, relative to the larger one of wrist and elbow, but not "
          "where it compensates for the arm in a grip. Corrections ease more slowly to stay below "
          "it; what exceeds it is left and "
          "reported (exact)",
          "", 1.0, 1e6)
      .number("merge_gap_s", &S::merge_gap_s,
              "penetrating time spans with a shorter gap between them are resolved as one (exact)",
              "s", 0.0, 60.0)
      .number(
          "max_rotation_deg", &S::max_rotation_deg,
          "largest rotation of a joint relative to the source clip, at every frame and midpoint. "
          "What cannot be resolved within it is left and reported (exact)",
          "deg", 1.0, 120.0)
      .flag("anatomical_ranges", &S::anatomical_ranges,
            "no correction brings shoulder, elbow, forearm, wrist or knee beyond the range of a "
            "human joint, or farther out than it is in the source. What cannot be resolved within "
            "it is left and reported (exact)")
      .flag("upper_arms", &S::upper_arms,
            "also moves upper arms out of trunk and head, apart from what is near the shoulder, "
            "where "
            "nothing else becomes worse for it (exact); measures and reports them")
      .list(
          "contact", &S::contact,
          "contacts of parts of the body, in place of those that are found in the clips that they "
          "name; the report has the found ones in this form",
          "clip", contact);
  return t.build();
}

}  // namespace

const SettingsTable& selfCollisionTable() {
  static const SettingsTable contact = makeContactTable();
  static const SettingsTable table = makeTable(contact);
  return table;
}

}  // namespace clipmill::stages::self_collision
