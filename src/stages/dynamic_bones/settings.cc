// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/settings.h"

namespace clipmill {
namespace {

// Far beyond anything on a character, and small enough that no square of it overflows.
constexpr double kFar_m = 1e6;
constexpr double kStrong_mps2 = 1e6;

void addPullOf(SettingsTableBuilder<ChainSettings>& t) {
  using S = ChainSettings;
  t.choice<RestTarget>("rest", &S::rest,
                       "the pose that the chain is drawn to: the clip's, or the file's own",
                       {{"anim", RestTarget::kAnim}, {"bind", RestTarget::kBind}})
      .curve("frequency_hz", &S::frequency_hz,
             "how fast the whole chain swings about its rest; 0 for no pull (spring, rope)", "Hz",
             0.0, 1000.0)
      .curve("damping_ratio", &S::damping_ratio,
             "how soon the swing dies out: 0 never, 1 without overshoot (spring, rope)", "", 0.0,
             100.0)
      .curve("air_drag_per_s", &S::air_drag_per_s, "loss of speed against still air (spring, rope)",
             "1/s", 0.0, 1e4)
      .flag("rest_hangs", &S::rest_hangs,
            "the rest pose already hangs under gravity, so that only a turn away from it sags "
            "(spring, rope)")
      .curve("drag", &S::drag, "part of the speed lost in every frame (reference)", "", 0.0, 1.0)
      .curve("gravity_mps2", &S::gravity_mps2, "acceleration along the up axis", "m/s^2",
             -kStrong_mps2, kStrong_mps2)
      .curve("mass", &S::mass, "of the joint at a bone's far end, relative to others (rope)", "",
             1e-3, 1e3)
      .curve("stretch", &S::stretch, "how much longer a bone may become, as a share (spring)", "",
             0.0, 10.0)
      .curve("squish", &S::squish, "how much shorter a bone may become, as a share (spring)", "",
             0.0, 0.99)
      .choice<TwistPolicy>("twist", &S::twist,
                           "roll of a joint about its bone: the clip's, the file's rest, or none",
                           {{"anim", TwistPolicy::kAnim},
                            {"bind", TwistPolicy::kBind},
                            {"zero", TwistPolicy::kZero}})
      .curve("weight", &S::weight, "share of the simulation over depth; the rest is the clip's", "",
             0.0, 1.0)
      .curve("weight_over_clip", &S::weight_over_clip,
             "the same over the clip: 0 is its begin and 1 its end", "", 0.0, 1.0);
}

void addLimitOf(SettingsTableBuilder<ChainSettings>& t) {
  using S = ChainSettings;
  t.choice<LimitShape>("limit", &S::limit, "how bones may turn away from their rest",
                       {{"none", LimitShape::kNone},
                        {"cone", LimitShape::kCone},
                        {"hinge", LimitShape::kHinge},
                        {"spherical", LimitShape::kSpherical},
                        {"planar", LimitShape::kPlanar}})
      .curve("limit_deg", &S::limit_deg, "largest angle: of a cone or hinge, or the pitch", "deg",
             0.0, 180.0)
      .curve("limit_yaw_deg", &S::limit_yaw_deg, "largest yaw of a spherical limit", "deg", 0.0,
             90.0)
      .numbers("limit_rotation_deg", &S::limit_rotation_deg,
               "turn of the limit's axes, of which y is the bone: about x, then y, then z", "deg",
               3)
      .number("limit_softness", &S::limit_softness,
              "share of the limit in which bones are slowed before they reach it", "", 0.0, 1.0);
}

void addCarrierOf(SettingsTableBuilder<ChainSettings>& t) {
  using S = ChainSettings;
  t.text("inertia_node", &S::inertia_node,
         "node whose motion the chain may be spared; that which carries it where empty")
      .number("inertia_move", &S::inertia_move,
              "share of that node's travel that the chain feels: 0 none, 1 all", "", 0.0, 1.0)
      .number("inertia_turn", &S::inertia_turn, "the same for its turns", "", 0.0, 1.0)
      .number("speed_limit_mps", &S::speed_limit_mps,
              "travel above this speed is not felt; 0 for no limit", "m/s", 0.0, kFar_m)
      .number("turn_limit_degps", &S::turn_limit_degps,
              "turns above this speed are not felt; 0 for no limit", "deg/s", 0.0, 1e6);
}

void addContactsOf(SettingsTableBuilder<ChainSettings>& t) {
  using S = ChainSettings;
  t.curve("radius_m", &S::radius_m, "radius of a joint towards colliders", "m", 0.0, kFar_m)
      .texts("colliders", &S::colliders,
             "globs of the names of colliders to avoid; \"none\" or an empty list for none")
      .texts("avoid_chains", &S::avoid_chains,
             "globs of the roots of chains whose bones to avoid (spring, rope)")
      .curve("friction", &S::friction, "of bones on colliders (spring, rope)", "", 0.0, 10.0)
      .curve("restitution", &S::restitution,
             "share of the speed with which bones bounce off colliders (spring, rope)", "", 0.0,
             1.0)
      .choice<CrossShape>("cross", &S::cross,
                          "branches hold each other, as in a closed skirt or an open cape",
                          {{"none", CrossShape::kNone},
                           {"auto", CrossShape::kAuto},
                           {"ring", CrossShape::kRing},
                           {"sheet", CrossShape::kSheet}})
      .curve("cross_compliance", &S::cross_compliance,
             "how much neighbours at one depth give way; 0 is stiff", "m/N", 0.0, 1e3)
      .curve("shear_compliance", &S::shear_compliance, "the same across the diagonals", "m/N", 0.0,
             1e3)
      .curve("bend_compliance", &S::bend_compliance, "the same between every second", "m/N", 0.0,
             1e3);
}

SettingsTable makeChainTable() {
  using S = ChainSettings;
  SettingsTableBuilder<S> t;
  t.text("root", &S::root, "glob of the first joint; of nested matches the topmost counts")
      .texts("joints", &S::joints,
             "names or paths of the joints from first to tip, instead of root; nodes between them "
             "are carried")
      .texts("stop", &S::stop, "globs of last joints: they swing but keep their own rotation")
      .texts("skip", &S::skip, "globs of nodes that are carried rigidly, with all below them")
      .flag("keep_root", &S::keep_root, "the first joint keeps its own rotation")
      .number(
          "tip_length", &S::tip_length,
          "length of the bone added beyond each last joint, in lengths of the bone before it; 0 "
          "adds none",
          "", 0.0, 1000.0);
  addPullOf(t);
  addLimitOf(t);
  addCarrierOf(t);
  addContactsOf(t);
  return t.build();
}

SettingsTable makeColliderTable() {
  using S = ColliderSettings;
  SettingsTableBuilder<S> t;
  t.text("node", &S::node, "name or glob of the one node that carries it")
      .text("name", &S::name, "name for the lists of chains; that of the node where empty")
      .choice<ColliderShape>("shape", &S::shape, "form",
                             {{"sphere", ColliderShape::kSphere},
                              {"capsule", ColliderShape::kCapsule},
                              {"box", ColliderShape::kBox},
                              {"plane", ColliderShape::kPlane}})
      .flag("inside", &S::inside, "chains are kept inside a sphere or capsule")
      .numbers("offset_m", &S::offset_m,
               "centre, a point of the plane, or first end of a capsule, along the node's axes",
               "m", 3)
      .numbers("tail_m", &S::tail_m, "second end of a capsule, along the node's axes", "m", 3)
      .number("radius_m", &S::radius_m, "radius; of a capsule, at its first end", "m", 0.0, kFar_m)
      .number("tail_radius_m", &S::tail_radius_m,
              "radius of a capsule at its second end; below 0 the same", "m", -1.0, kFar_m)
      .numbers("half_size_m", &S::half_size_m, "half the edges of a box", "m", 3)
      .numbers("rotation_deg", &S::rotation_deg, "turn of a box: about x, then y, then z", "deg", 3)
      .numbers("normal", &S::normal, "the side of a plane on which chains stay", "", 3);
  return t.build();
}

SettingsTable makeStageTable(const SettingsTable& chain, const SettingsTable& collider) {
  using S = DynamicBonesSettings;
  SettingsTableBuilder<S> t;
  t.choice<DynamicBonesMethod>(
       "method", &S::method,
       "spring and rope are free of the frame rate; reference is the published step at every "
       "frame; vrm1 and vrm0 are what the file's own springs do",
       {{"spring", DynamicBonesMethod::kSpring},
        {"rope", DynamicBonesMethod::kRope},
        {"reference", DynamicBonesMethod::kReference},
        {"vrm1", DynamicBonesMethod::kVrm1},
        {"vrm0", DynamicBonesMethod::kVrm0}})
      .choice<GridQuality>("quality", &S::quality, "steps of 1/240 s or of 1/1200 s (spring, rope)",
                           {{"standard", GridQuality::kStandard}, {"high", GridQuality::kHigh}})
      .flag("auto", &S::find_chains, "look for hair, skirts, tails and the like among the nodes")
      .choice<ColliderSource>("colliders", &S::colliders,
                              "those named here, or also solids fitted to the skin of the figure",
                              {{"given", ColliderSource::kGiven}, {"auto", ColliderSource::kAuto}})
      .number("smoothing", &S::smoothing,
              "part of each rotation applied, per frame (reference) or per 1/60 s (spring, rope); "
              "1 for no smoothing",
              "", 0.001, 1.0)
      .number("reference_hz", &S::reference_hz,
              "rate for which drag is meant, so that it costs the same at every frame rate; 0 for "
              "a share per frame, as published (reference)",
              "Hz", 0.0, 1e4)
      .numbers("wind_mps2", &S::wind_mps2, "mean acceleration by wind", "m/s^2", 3)
      .number("wind_noise", &S::wind_noise, "strength of gusts relative to the mean wind", "", 0.0,
              1.0)
      .number("wind_period_s", &S::wind_period_s, "duration of a gust", "s", 0.001, 1e6)
      .number("wind_gust_m", &S::wind_gust_m, "length of a gust along the wind", "m", 0.001, kFar_m)
      .number("wind_ripple", &S::wind_ripple,
              "strength of waves that run down the chains, relative to the mean wind", "", 0.0, 1.0)
      .integer("seed", &S::seed, "another number gives other gusts", 0, 9e15)
      .choice<LoopPolicy>(
          "loop", &S::loop,
          "whether the clip is a cycle whose end must meet its begin; auto: where its pose and its "
          "speed do (spring, rope)",
          {{"auto", LoopPolicy::kAuto}, {"on", LoopPolicy::kOn}, {"off", LoopPolicy::kOff}})
      .number("loop_tolerance_deg", &S::loop_tolerance_deg,
              "seam at which a cycle counts as closed", "deg", 1e-6, 180.0)
      .integer("loop_max_cycles", &S::loop_max_cycles, "cycles after which a seam is spread out", 1,
               10000)
      .number("preroll_s", &S::preroll_s,
              "time for which the first pose is held before the clip, so that chains settle "
              "(spring, rope)",
              "s", 0.0, 600.0)
      .text("continue_from", &S::continue_from,
            "baked file whose end the chains go on from (spring, rope)")
      .choice<TeleportPolicy>("teleport", &S::teleport,
                              "what chains do where their carrier jumps between two frames of the "
                              "clip: feel it, go along, or start anew (spring, rope)",
                              {{"off", TeleportPolicy::kOff},
                               {"keep", TeleportPolicy::kKeep},
                               {"reset", TeleportPolicy::kReset}})
      .number("teleport_m", &S::teleport_m, "a longer move between two frames is a jump", "m", 0.0,
              kFar_m)
      .number("teleport_deg", &S::teleport_deg, "a wider turn between two frames is a jump", "deg",
              0.0, 180.0)
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
