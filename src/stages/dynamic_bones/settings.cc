// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/settings.h"

namespace clipmill {
namespace {

// Far beyond anything on a character, and small enough that no square of it overflows.
constexpr double kFar_m = 1e6;
constexpr double kStrong_mps2 = 1e6;

SettingsTable makeChainTable() {
  using S = ChainSettings;
  SettingsTableBuilder<S> t;
  t.text("root", &S::root, "glob of the first joint; of nested matches the topmost counts")
      .texts("stop", &S::stop, "globs of last joints: they swing but keep their own rotation")
      .texts("skip", &S::skip, "globs of nodes that are carried rigidly, with all below them")
      .flag("keep_root", &S::keep_root, "the first joint keeps its own rotation")
      .number(
          "tip_length", &S::tip_length,
          "length of the bone added beyond each last joint, in lengths of the bone before it; 0 "
          "adds none",
          "", 0.0, 1000.0)
      .curve("frequency_hz", &S::frequency_hz,
             "how fast the whole chain swings about its animated pose; 0 for no pull (spring)",
             "Hz", 0.0, 1000.0)
      .curve("damping_ratio", &S::damping_ratio,
             "how soon the swing dies out: 0 never, 1 without overshoot (spring)", "", 0.0, 100.0)
      .curve("air_drag_per_s", &S::air_drag_per_s, "loss of speed against still air (spring)",
             "1/s", 0.0, 1e4)
      .flag("rest_hangs", &S::rest_hangs,
            "the rest pose already hangs under gravity, so that only a turn away from it sags "
            "(spring)")
      .curve("drag", &S::drag, "part of the speed lost in every frame (reference)", "", 0.0, 1.0)
      .curve("gravity_mps2", &S::gravity_mps2, "acceleration along the up axis", "m/s^2",
             -kStrong_mps2, kStrong_mps2)
      .curve("radius_m", &S::radius_m, "radius of a joint towards colliders", "m", 0.0, kFar_m)
      .texts("colliders", &S::colliders,
             "globs of the names of colliders to avoid; \"none\" or an empty list for none");
  return t.build();
}

SettingsTable makeColliderTable() {
  using S = ColliderSettings;
  SettingsTableBuilder<S> t;
  t.text("node", &S::node, "name or glob of the one node that carries it")
      .text("name", &S::name, "name for the lists of chains; that of the node where empty")
      .choice<ColliderShape>(
          "shape", &S::shape, "form",
          {{"sphere", ColliderShape::kSphere}, {"capsule", ColliderShape::kCapsule}})
      .numbers("offset_m", &S::offset_m, "centre, or first end of a capsule, along the node's axes",
               "m", 3)
      .numbers("tail_m", &S::tail_m, "second end of a capsule, along the node's axes", "m", 3)
      .number("radius_m", &S::radius_m, "radius", "m", 0.0, kFar_m);
  return t.build();
}

SettingsTable makeStageTable(const SettingsTable& chain, const SettingsTable& collider) {
  using S = DynamicBonesSettings;
  SettingsTableBuilder<S> t;
  t.choice<DynamicBonesMethod>(
       "method", &S::method,
       "spring is free of the frame rate; reference is the published step at every frame",
       {{"spring", DynamicBonesMethod::kSpring}, {"reference", DynamicBonesMethod::kReference}})
      .number("smoothing", &S::smoothing,
              "part of each rotation applied, per frame (reference) or per 1/60 s (spring); 1 for "
              "no smoothing",
              "", 0.001, 1.0)
      .numbers("wind_mps2", &S::wind_mps2, "mean acceleration by wind", "m/s^2", 3)
      .number("wind_noise", &S::wind_noise, "strength of gusts relative to the mean wind", "", 0.0,
              1.0)
      .number("wind_period_s", &S::wind_period_s, "duration of a gust", "s", 0.001, 1e6)
      .number("wind_gust_m", &S::wind_gust_m, "length of a gust along the wind", "m", 0.001, kFar_m)
      .integer("seed", &S::seed, "another number gives other gusts", 0, 9e15)
      .list("chain", &S::chain, "joints that swing", "root", chain)
      .list("collider", &S::collider, "shapes that chains avoid", "node", collider);
  return t.build();
}

}  // namespace

const SettingsTable& dynamicBonesTable() {
  static const SettingsTable chain = makeChainTable();
  static const SettingsTable collider = makeColliderTable();
  static const SettingsTable stage = makeStageTable(chain, collider);
  return stage;
}

}  // namespace clipmill
