// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/edit/settings.h"

namespace clipmill {
namespace {

constexpr double kLong_s = 86400.0;
constexpr double kManyFrames = 1e7;

}  // namespace

const SettingsTable& trimTable() {
  using S = TrimSettings;
  static const SettingsTable table =
      SettingsTableBuilder<S>()
          .number("begin_s", &S::begin_s, "where the kept part begins, from the begin of the clip",
                  "s", 0.0, kLong_s)
          .number("end_s", &S::end_s, "where it ends; below 0: with the clip", "s", -1.0, kLong_s)
          .integer("begin_frame", &S::begin_frame,
                   "the same in frames of the clip; below 0: begin_s counts", -1, kManyFrames)
          .integer("end_frame", &S::end_frame, "likewise", -1, kManyFrames)
          .build();
  return table;
}

const SettingsTable& retimeTable() {
  using S = RetimeSettings;
  static const SettingsTable table =
      SettingsTableBuilder<S>()
          .number("time_scale", &S::time_scale, "the clip lasts so many times as long", "", 1e-3,
                  1e3)
          .number("duration_s", &S::duration_s, "the clip lasts so long; 0 for time_scale", "s",
                  0.0, kLong_s)
          .number("rate_hz", &S::rate_hz, "frames a second of the result; 0 for those of the clip",
                  "1/s", 0.0, 1000.0)
          .flag("reverse", &S::reverse, "from the end to the begin")
          .build();
  return table;
}

const SettingsTable& mirrorTable() {
  using S = MirrorSettings;
  static const SettingsTable table =
      SettingsTableBuilder<S>()
          .texts("humanoid", &S::humanoid,
                 "roles of nodes, each role=node, over those that are found")
          .texts("pair", &S::pair,
                 "nodes of the two sides that their names do not tell, each left=right")
          .build();
  return table;
}

const SettingsTable& loopTable() {
  using S = LoopSettings;
  static const SettingsTable table = [] {
    SettingsTableBuilder<S> builder;
    builder
        .number("window_s", &S::window_s,
                "so much at the begin and at the end is bent towards each other", "s", 0.0, kLong_s)
        .text("root", &S::root,
              "name or glob of the node that carries the way; empty: the topmost that does");
    addFootLockFields(builder);
    return builder.build();
  }();
  return table;
}

const SettingsTable& rootTable() {
  using S = RootSettings;
  static const SettingsTable table =
      SettingsTableBuilder<S>()
          .choice<RootForm>("form", &S::form,
                            "the way is handed from root_from to the root above it, or taken away",
                            {{"extract", RootForm::kExtract}, {"in-place", RootForm::kInPlace}})
          .text("root", &S::root,
                "name or glob of the root: of the node that gets the way, or loses it (in-place); "
                "empty: found")
          .text("root_from", &S::root_from,
                "name or glob of the hips whose way the root takes over; empty: the node that has "
                "it (extract)")
          .texts(
              "follow", &S::follow,
              "globs of nodes elsewhere that move along, such as IK targets and props (in-place)")
          .number("smooth_s", &S::smooth_s,
                  "the root takes a mean over so much time, the rest stays with the hips", "s", 0.0,
                  600.0)
          .flag("yaw", &S::yaw, "the root takes over turns about the vertical too (extract)")
          .build();
  return table;
}

const SettingsTable& renameTable() {
  using S = RenameSettings;
  static const SettingsTable table =
      SettingsTableBuilder<S>()
          .text("to", &S::to, "the new name; {} in it stands for the one that the clip has")
          .build();
  return table;
}

}  // namespace clipmill
