// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/settings.h"

namespace clipmill {
namespace {

SettingsTable makeTable() {
  using S = SelfCollisionSettings;
  SettingsTableBuilder<S> t;
  t.choice<SelfCollisionMethod>(
       "method", &S::method,
       "exact frees every frame and what is between, measured on the skin, and changes nothing "
       "else; reference is the published method: boxes and spheres, every third frame, slerp "
       "between",
       {{"exact", SelfCollisionMethod::kExact}, {"reference", SelfCollisionMethod::kReference}})
      .texts("map", &S::map,
             "which node plays which role, where that is not found: \"leftUpperArm=arm_1\"; "
             "\"leftHand=\" for none")
      .number("min_confidence", &S::min_confidence,
              "a human figure that was found with less confidence is not touched", "", 0.0, 1.0);
  addExactFields(t);
  return t.build();
}

}  // namespace

const SettingsTable& selfCollisionTable() {
  static const SettingsTable table = makeTable();
  return table;
}

}  // namespace clipmill
