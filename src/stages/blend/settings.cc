// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/blend/settings.h"

namespace clipmill {
namespace {

constexpr double kLong_s = 86400.0;

SettingsTable makeClipTable() {
  SettingsTableBuilder<BlendClip> t;
  t.text("clip", &BlendClip::clip,
         "name, index or glob of the other clip; may be left out for a file with only one")
      .text("file", &BlendClip::file,
            "another file that has it, matched by names or by human roles; empty for the same file")
      .number("weight", &BlendClip::weight,
              "its part in a mix, of which the clip itself has the rest; how much of it is added",
              "", 0.0, 1.0);
  return t.build();
}

SettingsTable makeMaskTable() {
  SettingsTableBuilder<BlendMask> t;
  t.text("bone", &BlendMask::bone, "name, glob or path of bones")
      .number("weight", &BlendMask::weight, "how much of the other clips they take", "", 0.0, 1.0)
      .flag("below", &BlendMask::below, "all below them too");
  return t.build();
}

SettingsTable makeTable(const SettingsTable& clip, const SettingsTable& mask) {
  using S = BlendSettings;
  SettingsTableBuilder<S> t;
  t.choice<BlendMethod>(
       "method", &S::method,
       "figures are brought together on the ground, and many clips have one mean; or two clips "
       "by a factor of time, as published",
       {{"aligned", BlendMethod::kAligned}, {"reference", BlendMethod::kReference}})
      .choice<BlendMode>(
          "mode", &S::mode,
          "the clip goes over into another one; all play at once; another's difference from a "
          "reference pose comes on top; or the clip becomes such a difference",
          {{"fade", BlendMode::kFade},
           {"mix", BlendMode::kMix},
           {"add", BlendMode::kAdd},
           {"difference", BlendMode::kDifference}})
      .number("window_s", &S::window_s, "how long the two clips overlap (fade)", "s", 0.0, kLong_s)
      .integer("window_frames", &S::window_frames,
               "the same in frames of the clip; 0 where window_s counts", 0, 1e7)
      .number("at_s", &S::at_s,
              "where the overlap begins, from the begin of the clip; below 0: so that it ends with "
              "the clip",
              "s", -1.0, kLong_s)
      .number("enter_s", &S::enter_s, "where the other clip is entered, from its begin (fade)", "s",
              0.0, kLong_s)
      .choice<BlendEase>("ease", &S::ease, "the weight over the window: 3 s^2 - 2 s^3, or s",
                         {{"smooth", BlendEase::kSmooth}, {"linear", BlendEase::kLinear}})
      .flag("sync", &S::sync,
            "the clips are cycles that keep step: each is where the other is, as a part of it")
      .choice<BlendRoot>(
          "root_motion", &S::root_motion,
          "the way is blended as a velocity that the figure goes on with, or as places",
          {{"velocity", BlendRoot::kVelocity}, {"place", BlendRoot::kPlace}})
      .text("root", &S::root,
            "name or glob of the node that carries the way; empty: the topmost that does")
      .choice<BlendReference>(
          "reference", &S::reference,
          "the pose that differences are taken from: that of the file without animation, or "
          "the first of the clip",
          {{"rest", BlendReference::kRest}, {"begin", BlendReference::kBegin}})
      .list("with", &S::with, "other clips", "clip", clip)
      .list("mask", &S::mask, "parts of the figure that take the other clips", "bone", mask);
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

}  // namespace clipmill
