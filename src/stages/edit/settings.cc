// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/edit/settings.h"

namespace clipmill::stages::edit {
namespace {

constexpr double kShort_s = 1e-3;
constexpr double kLong_s = 86400.0;
constexpr double kLow_Hz = 1e-3;
constexpr double kManyFrames = 1e7;

}  // namespace

const SettingsTable& trimTable() {
  using S = TrimSettings;
  static const SettingsTable table =
      SettingsTableBuilder<S>()
          .number("start_s", &S::start_s, "start of the part to keep, from the start of the clip",
                  "s", 0.0, kLong_s)
          .number("end_s", &S::end_s,
                  "end of the part to keep, from the start of the clip. Unset: end of the clip",
                  "s", 0.0, kLong_s)
          .integer("start_frame", &S::start_frame, "start as a frame of the clip. Unset: start_s",
                   0, kManyFrames)
          .integer("end_frame", &S::end_frame, "end as a frame of the clip. Unset: end_s", 0,
                   kManyFrames)
          .build();
  return table;
}

const SettingsTable& retimeTable() {
  using S = RetimeSettings;
  static const SettingsTable table =
      SettingsTableBuilder<S>()
          .number("time_scale", &S::time_scale, "factor on the duration of the clip", "", 1e-3, 1e3)
          .number("duration_s", &S::duration_s, "duration of the result. Unset: time_scale", "s",
                  kShort_s, kLong_s)
          .number("result_fps", &S::result_fps, "frame rate of the result. Unset: that of the clip",
                  "Hz", kLow_Hz, 1000.0)
          .flag("reverse", &S::reverse, "play the clip backwards")
          .build();
  return table;
}

const SettingsTable& mirrorTable() {
  using S = MirrorSettings;
  static const SettingsTable table =
      SettingsTableBuilder<S>()
          .texts("humanoid_map", &S::humanoid_map,
                 "humanoid roles, each role=joint, that override the detected ones")
          .texts("pair", &S::pair,
                 "pairs of nodes, each left=right, that their names do not identify")
          .build();
  return table;
}

const SettingsTable& loopTable() {
  using S = LoopSettings;
  static const SettingsTable table = [] {
    SettingsTableBuilder<S> builder;
    builder
        .number("window_s", &S::window_s,
                "length of the blend at each end of the clip, at most half of the clip", "s", 0.0,
                kLong_s)
        .text("root_joint", &S::root_joint, "root-motion joint (name or glob). Unset: detected");
    locomotion::addFootLockFields(builder);
    return builder.build();
  }();
  return table;
}

const SettingsTable& rootTable() {
  using S = RootSettings;
  static const SettingsTable table =
      SettingsTableBuilder<S>()
          .choice<RootMotionMode>(
              "root_motion", &S::root_motion,
              "extract: move root motion from hips_joint to the root joint above. in_place: remove "
              "it",
              {{"extract", RootMotionMode::kExtract}, {"in_place", RootMotionMode::kInPlace}})
          .flag("create", &S::create,
                "insert a root joint above the hips of a character that has none; root_joint is "
                "its name, \"root\" if unset. Weights and bind matrices stay")
          .text("root_joint", &S::root_joint,
                "joint (name or glob) that receives root motion (extract) or loses it (in_place). "
                "Unset: detected")
          .text("hips_joint", &S::hips_joint,
                "joint whose root motion is extracted (name or glob). Unset: detected (extract)")
          .texts(
              "follow", &S::follow,
              "globs of nodes outside the character that move with it, e.g. IK targets and props "
              "(in_place)")
          .number("smooth_s", &S::smooth_s,
                  "averaging window of the root motion; the remainder stays on the hips; 0 = off",
                  "s", 0.0, 600.0)
          .flag("yaw", &S::yaw, "extract rotation about the vertical too (extract)")
          .choice<IkBones>("ik_bones", &S::ik_bones,
                           "joints that follow hands and feet, inserted where they are missing. "
                           "unreal: ik_foot_root, ik_foot_l, ik_foot_r, ik_hand_root, "
                           "ik_hand_gun, ik_hand_l, ik_hand_r",
                           {{"none", IkBones::kNone}, {"unreal", IkBones::kUnreal}})
          .build();
  return table;
}

const SettingsTable& renameTable() {
  using S = RenameSettings;
  static const SettingsTable table =
      SettingsTableBuilder<S>()
          .text("to", &S::to, "new name of the clip; {} is replaced by the current name")
          .build();
  return table;
}

}  // namespace clipmill::stages::edit
