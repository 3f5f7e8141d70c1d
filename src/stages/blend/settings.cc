// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/blend/settings.h"

namespace clipmill::stages::blend {
namespace {

constexpr double kLong_s = 86400.0;

SettingsTable makeClipTable() {
  SettingsTableBuilder<BlendClip> t;
  t.text("clip", &BlendClip::clip,
         "other clip (name, index or glob); may be left out for a file with one clip")
      .text("file", &BlendClip::file,
            "file of the other clip, matched by names or humanoid roles; empty = the input file")
      .number(
          "weight", &BlendClip::weight,
          "weight of the other clip (mix, add); in a mix the clip itself has the remainder to 1",
          "", 0.0, 1.0);
  return t.build();
}

SettingsTable makeMaskTable() {
  SettingsTableBuilder<BlendMask> t;
  t.text("bone", &BlendMask::bone, "bones in the mask (name, glob or path)")
      .number("weight", &BlendMask::weight, "factor on the weights of the other clips", "", 0.0,
              1.0)
      .flag("below", &BlendMask::below, "include all descendants");
  return t.build();
}

SettingsTable makeTable(const SettingsTable& clip, const SettingsTable& mask) {
  using S = BlendSettings;
  SettingsTableBuilder<S> t;
  t.choice<BlendMethod>(
       "method", &S::method,
       "aligned: characters are aligned on the ground; several clips have one mean rotation. "
       "reference: two clips, blended by a linear factor of time, as published",
       {{"aligned", BlendMethod::kAligned}, {"reference", BlendMethod::kReference}})
      .choice<BlendMode>(
          "mode", &S::mode,
          "fade: the clip cross-fades into another one. mix: all clips play at once. add: the "
          "difference of another clip from a reference pose is added. difference: the clip becomes "
          "such a difference",
          {{"fade", BlendMode::kFade},
           {"mix", BlendMode::kMix},
           {"add", BlendMode::kAdd},
           {"difference", BlendMode::kDifference}})
      .number("window_s", &S::window_s, "overlap of the two clips (fade)", "s", 0.0, kLong_s)
      .integer("window_frames", &S::window_frames, "overlap in frames of the clip. Unset: window_s",
               1, 1e7)
      .number(
          "at_s", &S::at_s,
          "start of the overlap, from the start of the clip. Unset: the overlap ends with the clip",
          "s", 0.0, kLong_s)
      .number("enter_s", &S::enter_s, "time of the other clip at which it starts (fade)", "s", 0.0,
              kLong_s)
      .choice<BlendEase>(
          "ease", &S::ease,
          "weight over the window at its fraction s: smooth = 3 s^2 - 2 s^3, linear = s",
          {{"smooth", BlendEase::kSmooth}, {"linear", BlendEase::kLinear}})
      .flag("sync", &S::sync, "clips are cycles and play in phase")
      .choice<RootBlendMode>(
          "root_blend", &S::root_blend,
          "velocity: root velocities are blended and integrated. position: root positions are "
          "blended",
          {{"velocity", RootBlendMode::kVelocity}, {"position", RootBlendMode::kPosition}})
      .text("root_joint", &S::root_joint, "root-motion joint (name or glob). Unset: detected")
      .choice<BlendReference>("reference", &S::reference,
                              "pose that differences are relative to: rest = rest pose of the "
                              "file, start = first frame of "
                              "the other clip",
                              {{"rest", BlendReference::kRest}, {"start", BlendReference::kStart}});
  locomotion::addFootLockFields(t);
  t.list("with", &S::with, "other clips", "clip", clip)
      .list("mask", &S::mask, "bones that the other clips affect; none = all", "bone", mask);
  return t.build();
}

}  // namespace

const SettingsTable& blendClipTable() {
  static const SettingsTable clip = makeClipTable();
  return clip;
}

const SettingsTable& blendTable() {
  static const SettingsTable mask = makeMaskTable();
  static const SettingsTable stage = makeTable(blendClipTable(), mask);
  return stage;
}

}  // namespace clipmill::stages::blend
