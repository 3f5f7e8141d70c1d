// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/settings.h"

namespace clipmill::stages::dynamic_bones {
namespace {

// Far beyond anything on a character, and small enough that no square of it overflows.
constexpr double kFar_m = 1e6;
constexpr double kStrong_mps2 = 1e6;

void addForces(SettingsTableBuilder<ChainSettings>& t) {
  using S = ChainSettings;
  t.choice<ChainPreset>("preset", &S::preset,
                        "Values that suit a material: droop, damping and air drag. Settings that "
                        "differ from their default override it. Method: rod",
                        {{"none", ChainPreset::kNone},
                         {"hair", ChainPreset::kHair},
                         {"long-hair", ChainPreset::kLongHair},
                         {"ponytail", ChainPreset::kPonytail},
                         {"skirt", ChainPreset::kSkirt},
                         {"cape", ChainPreset::kCape},
                         {"tail", ChainPreset::kTail},
                         {"ears", ChainPreset::kEars},
                         {"antenna", ChainPreset::kAntenna},
                         {"rope", ChainPreset::kRope},
                         {"belly", ChainPreset::kBelly}})
      .choice<TargetPose>("target_pose", &S::target_pose,
                          "Pose that the springs pull toward: anim (the clip's pose) or bind (the "
                          "file's rest pose). Methods: rod, spring",
                          {{"anim", TargetPose::kAnim}, {"bind", TargetPose::kBind}})
      .number("droop_deg", &S::droop_deg,
              "Angle by which the chain hangs down, from root to tip, when its straight rod is "
              "clamped level. 5 suits an antenna, 30 a tail, 80 hair. It replaces `frequency_hz`. "
              "Method: rod",
              "deg", 0.1, 89.5)
      .curve("frequency_hz", &S::frequency_hz,
             "Swing frequency of the whole chain about its target pose, without gravity. 1 to 4 "
             "suits hair, skirts and tails. 0 = no spring. Methods: rod, spring",
             "Hz", 0.0, 1000.0)
      .curve("damping_ratio", &S::damping_ratio,
             "Damping of the swing. 0 = none, 1 = critical (no overshoot). 0.3 to 1 is usual. "
             "Methods: rod, spring",
             "", 0.0, 100.0)
      .curve("air_drag_per_s", &S::air_drag_per_s,
             "Rate at which a chain loses speed relative to still air. 0 = off. Methods: rod, "
             "spring",
             "1/s", 0.0, 1e4)
      .flag("rest_includes_gravity", &S::rest_includes_gravity,
            "The rest pose already includes the sag under gravity. Only a rotation away from it "
            "adds sag. Methods: rod, spring")
      .curve("stiffness", &S::stiffness,
             "Bending stiffness along the chain, relative to its other parts. Method: rod", "",
             1e-3, 1e3)
      .curve("thickness", &S::thickness,
             "Thickness along the chain, relative to its other parts. Mass grows with its square, "
             "stiffness with its fourth power. Method: rod",
             "", 0.01, 100.0)
      .curve("drag", &S::drag, "Share of the speed that each frame removes. Method: reference", "",
             0.0, 1.0)
      .curve("gravity_mps2", &S::gravity_mps2,
             "Acceleration along the up axis. Negative values pull down", "m/s^2", -kStrong_mps2,
             kStrong_mps2)
      .curve(
          "mass", &S::mass,
          "Mass of the joint at the end of a bone in the constraints between branches, relative to "
          "the other joints. Methods: rod, spring",
          "", 1e-3, 1e3)
      .curve("max_stretch", &S::max_stretch,
             "Largest extension of a bone, as a share of its length. 0 = off. Method: spring", "",
             0.0, 10.0)
      .curve("max_squish", &S::max_squish,
             "Largest shortening of a bone, as a share of its length. 0 = off. Method: spring", "",
             0.0, 0.99)
      .choice<TwistPolicy>("twist", &S::twist,
                           "Roll of a joint about its bone: anim (the clip's), bind (the rest "
                           "pose's) or zero (none)",
                           {{"anim", TwistPolicy::kAnim},
                            {"bind", TwistPolicy::kBind},
                            {"zero", TwistPolicy::kZero}})
      .curve("weight", &S::weight,
             "Blend weight over the depth of the chain. 0 = clip, 1 = simulation", "", 0.0, 1.0)
      .curve("weight_over_clip", &S::weight_over_clip,
             "Factor of `weight` over the clip, where 0 is the clip's start and 1 its end", "", 0.0,
             1.0);
}

void addLimits(SettingsTableBuilder<ChainSettings>& t) {
  using S = ChainSettings;
  t.choice<LimitShape>("limit", &S::limit,
                       "Shape of the angle limit of each bone about its target pose",
                       {{"none", LimitShape::kNone},
                        {"cone", LimitShape::kCone},
                        {"hinge", LimitShape::kHinge},
                        {"spherical", LimitShape::kSpherical},
                        {"planar", LimitShape::kPlanar}})
      .curve("limit_deg", &S::limit_deg,
             "Largest angle of a cone or hinge limit, and largest pitch of a spherical limit",
             "deg", 0.0, 180.0)
      .curve("limit_yaw_deg", &S::limit_yaw_deg, "Largest yaw of a spherical limit", "deg", 0.0,
             90.0)
      .numbers("limit_rotation_deg", &S::limit_rotation_deg,
               "Rotation of the limit's axes about x, then y, then z. The bone is the y axis",
               "deg", 3)
      .number("limit_softness", &S::limit_softness,
              "Share of the limit over which a bone slows down before it reaches the limit. 0 = "
              "hard limit",
              "", 0.0, 1.0);
}

void addInertia(SettingsTableBuilder<ChainSettings>& t) {
  using S = ChainSettings;
  t.text("inertia_node", &S::inertia_node,
         "Node whose motion the inertia settings scale (name or glob). Unset: the attachment joint "
         "that the chain hangs on")
      .number("inertia_translation", &S::inertia_translation,
              "Share of that node's translation that the chain reacts to. 0 = none, 1 = all", "",
              0.0, 1.0)
      .number("inertia_rotation", &S::inertia_rotation,
              "Share of that node's rotation that the chain reacts to. 0 = none, 1 = all", "", 0.0,
              1.0)
      .number("max_inertia_speed_mps", &S::max_inertia_speed_mps,
              "The chain does not react to the part of that node's speed above this value. 0 = no "
              "limit",
              "m/s", 0.0, kFar_m)
      .number("max_inertia_rotation_degps", &S::max_inertia_rotation_degps,
              "The chain does not react to the part of that node's angular speed above this value. "
              "0 = no limit",
              "deg/s", 0.0, 1e6);
}

void addContacts(SettingsTableBuilder<ChainSettings>& t) {
  using S = ChainSettings;
  t.curve("radius_m", &S::radius_m, "Collision radius of the joints", "m", 0.0, kFar_m)
      .texts("colliders", &S::colliders,
             "Names or globs of the colliders that the chain avoids. \"none\" or an empty list = "
             "no colliders")
      .texts("avoid_chains", &S::avoid_chains,
             "Roots (names or globs) of other chains whose bones the chain avoids. Methods: rod, "
             "spring")
      .curve("friction", &S::friction,
             "Friction coefficient of bones on colliders. 0 = none. Methods: rod, spring", "", 0.0,
             10.0)
      .curve("restitution", &S::restitution,
             "Share of the impact speed with which bones bounce off colliders. 0 = no bounce. "
             "Methods: rod, spring",
             "", 0.0, 1.0)
      .choice<CrossShape>("cross", &S::cross,
                          "Distance constraints between neighboring branches: none, ring (closed, "
                          "as in a skirt), sheet (open, as in a cape) or auto (ring or sheet, from "
                          "the rest pose)",
                          {{"none", CrossShape::kNone},
                           {"auto", CrossShape::kAuto},
                           {"ring", CrossShape::kRing},
                           {"sheet", CrossShape::kSheet}})
      .curve("cross_compliance", &S::cross_compliance,
             "Compliance of the constraints between neighboring branches at equal depth. 0 = "
             "rigid",
             "m/N", 0.0, 1e3)
      .curve("shear_compliance", &S::shear_compliance,
             "Compliance of the constraints along the diagonals between neighboring branches. 0 = "
             "rigid",
             "m/N", 0.0, 1e3)
      .curve("bend_compliance", &S::bend_compliance,
             "Compliance of the constraints between every second branch. 0 = rigid", "m/N", 0.0,
             1e3)
      .curve("slack_compliance", &S::slack_compliance,
             "Least compliance of all constraints between branches while these are closer than in "
             "the rest pose: cloth resists being pulled apart, and folds when it is pushed "
             "together. 0 = as stiff as when they are pulled apart",
             "m/N", 0.0, 1e3)
      .curve(
          "slack_share", &S::slack_share,
          "Share of their distance in the rest pose by which branches come apart as softly as "
          "slack_compliance, before the other compliances count: a wide skirt widens in a stride. "
          "0 = not at all",
          "", 0.0, 10.0);
}

SettingsTable makeChainTable() {
  using S = ChainSettings;
  SettingsTableBuilder<S> t;
  t.text("root", &S::root,
         "First joint of the chain (name or glob). All joints below it belong to the chain. Each "
         "match is a root, except one below another match")
      .texts("joints", &S::joints,
             "Names or paths of the joints from first to tip, in place of `root`. Nodes between "
             "them follow rigidly")
      .texts("stop", &S::stop,
             "Joints that end the chain (names or globs). They move with it and keep their own "
             "rotation")
      .texts("skip", &S::skip,
             "Nodes that are not simulated (names or globs). They and all nodes below them follow "
             "rigidly")
      .flag("keep_root", &S::keep_root, "Keep the first joint's own rotation")
      .flag("skip_animated", &S::skip_animated,
            "Leave the chain as it is in clips that animate it: whose keys on its joints change")
      .number("tip_length", &S::tip_length,
              "Length of the virtual bone behind each last joint, relative to the bone before it. "
              "0 = no virtual bone",
              "", 0.0, 1000.0);
  addForces(t);
  addLimits(t);
  addInertia(t);
  addContacts(t);
  return t.build();
}

SettingsTable makeColliderTable() {
  using S = ColliderSettings;
  SettingsTableBuilder<S> t;
  t.text("node", &S::node,
         "Node that the collider moves with (name or glob with exactly one match). Unset: the "
         "collider is fixed in the world; its axes are those of the world in metres, +Y up")
      .text("name", &S::name,
            "Name for the `colliders` lists of chains. Unset: the node's name, or \"world\"")
      .choice<ColliderShape>("shape", &S::shape, "Shape of the collider",
                             {{"sphere", ColliderShape::kSphere},
                              {"capsule", ColliderShape::kCapsule},
                              {"box", ColliderShape::kBox},
                              {"plane", ColliderShape::kPlane}})
      .flag("inside", &S::inside, "Keep chains inside the sphere or capsule")
      .numbers("offset_m", &S::offset_m,
               "Center of a sphere or box, point on a plane, or first end of a capsule, in the "
               "node's axes",
               "m", 3)
      .numbers("tail_m", &S::tail_m, "Second end of a capsule, in the node's axes", "m", 3)
      .number("radius_m", &S::radius_m, "Radius of a sphere, or of a capsule at its first end", "m",
              0.0, kFar_m)
      .number("tail_radius_m", &S::tail_radius_m,
              "Radius of a capsule at its second end. Unset: the same as `radius_m`", "m", 0.0,
              kFar_m)
      .numbers("half_size_m", &S::half_size_m, "Half of the edge lengths of a box", "m", 3)
      .numbers("rotation_deg", &S::rotation_deg, "Rotation of a box about x, then y, then z", "deg",
               3)
      .numbers("normal", &S::normal,
               "Normal of a plane, in the node's axes. It points to the side on which chains stay",
               "", 3);
  return t.build();
}

SettingsTable makeJointTable() {
  using S = JointSettings;
  SettingsTableBuilder<S> t;
  t.text("node", &S::node, "Joint (name or glob). The values hold for the bones that start there")
      .number("stiffness", &S::stiffness,
              "Bending stiffness, relative to the other parts of the chain. Method: rod", "", 1e-3,
              1e3)
      .number("thickness", &S::thickness,
              "Thickness, relative to the other parts of the chain. Method: rod", "", 0.01, 100.0)
      .number("frequency_hz", &S::frequency_hz, "Swing frequency. Method: spring", "Hz", 0.0,
              1000.0)
      .number("damping_ratio", &S::damping_ratio, "Damping of the swing. Methods: rod, spring", "",
              0.0, 100.0)
      .number("air_drag_per_s", &S::air_drag_per_s,
              "Rate at which the bone loses speed relative to still air. Methods: rod, "
              "spring",
              "1/s", 0.0, 1e4)
      .number("drag", &S::drag, "Share of the speed that each frame removes. Method: reference", "",
              0.0, 1.0)
      .number("gravity_mps2", &S::gravity_mps2,
              "Acceleration along the up axis. Negative values pull down", "m/s^2", -kStrong_mps2,
              kStrong_mps2)
      .number("radius_m", &S::radius_m, "Collision radius", "m", 0.0, kFar_m)
      .number("friction", &S::friction, "Friction coefficient on colliders. Methods: rod, spring",
              "", 0.0, 10.0)
      .texts("colliders", &S::colliders,
             "Names or globs of the colliders that the joint avoids, of those that its chain "
             "avoids. \"none\" or an empty list = no colliders");
  return t.build();
}

void addWind(SettingsTableBuilder<DynamicBonesSettings>& t) {
  using S = DynamicBonesSettings;
  t.numbers("wind_mps2", &S::wind_mps2,
            "Mean acceleration by wind along x, y (up) and z of the world", "m/s^2", 3)
      .number("wind_mean", &S::wind_mean,
              "Share of the mean wind that blows all the time. 0 = gusts and ripples alone, whose "
              "mean is zero",
              "", 0.0, 1.0)
      .number("wind_noise", &S::wind_noise,
              "Strength of gusts, relative to the mean wind. 0 = steady wind", "", 0.0, 1.0)
      .number("wind_period_s", &S::wind_period_s, "Duration of a gust", "s", 0.001, 1e6)
      .number("wind_gust_m", &S::wind_gust_m, "Length of a gust along the wind", "m", 0.001, kFar_m)
      .number("wind_ripple", &S::wind_ripple,
              "Strength of waves that travel down the chains, relative to the mean wind. 0 = off",
              "", 0.0, 1.0)
      .integer("seed", &S::seed, "Random seed of the gusts", 0, 9e15);
}

void addTimeline(SettingsTableBuilder<DynamicBonesSettings>& t) {
  using S = DynamicBonesSettings;
  t.choice<LoopPolicy>(
       "loop", &S::loop,
       "Treat the clip as a cycle whose end meets its start: on, off, or auto (on where both ends "
       "differ by less than an ordinary frame step in pose and in speed, apart from root motion, "
       "or where the name is that of a cycle and the pose agrees). The report states the decision "
       "and the reason. Methods: rod, spring",
       {{"auto", LoopPolicy::kAuto}, {"on", LoopPolicy::kOn}, {"off", LoopPolicy::kOff}})
      .number("loop_tolerance_deg", &S::loop_tolerance_deg,
              "Largest seam with which a cycle counts as closed", "deg", 1e-6, 180.0)
      .integer("max_loop_cycles", &S::max_loop_cycles,
               "Largest number of cycles to simulate. A cycle that does not close by then is "
               "blended with the one after it",
               1, 10000)
      .number("preroll_s", &S::preroll_s,
              "Time for which the first pose is held before the clip, so that chains settle. The "
              "character moves at the clip's first velocity. 0 = off. Methods: all but reference",
              "s", 0.0, 600.0)
      .text("continue_from", &S::continue_from,
            "Baked file whose last frame the chains continue from. Unset: they start in the clip's "
            "first pose. Methods: rod, spring")
      .choice<TeleportPolicy>(
          "teleport", &S::teleport,
          "What a chain does where its attachment joint jumps between two frames: off (react to "
          "the jump), keep (move along without reaction) or reset (restart in the clip's pose). "
          "Methods: rod, spring",
          {{"off", TeleportPolicy::kOff},
           {"keep", TeleportPolicy::kKeep},
           {"reset", TeleportPolicy::kReset}})
      .number(
          "teleport_distance_ratio", &S::teleport_distance_ratio,
          "A move of the attachment joint between two frames, longer than this share of the "
          "character's size, counts as a teleport. The size is the largest extent of its joints "
          "in the rest pose",
          "", 0.0, kFar_m)
      .number("teleport_rotation_deg", &S::teleport_rotation_deg,
              "A rotation of the attachment joint larger than this between two frames counts as a "
              "teleport",
              "deg", 0.0, 180.0);
}

SettingsTable makeStageTable(const SettingsTable& chain, const SettingsTable& joint,
                             const SettingsTable& collider) {
  using S = DynamicBonesSettings;
  SettingsTableBuilder<S> t;
  t.choice<DynamicBonesMethod>(
       "method", &S::method,
       "Simulation method. rod and spring do not depend on the frame rate. In rod every "
       "chain is an elastic rod whose bones pull on each other. reference is the published method, "
       "one step per frame. vrm1 and vrm0 simulate the springs of a VRM file as "
       "VRM 1.0 and 0.x specify",
       {{"rod", DynamicBonesMethod::kRod},
        {"spring", DynamicBonesMethod::kSpring},
        {"reference", DynamicBonesMethod::kReference},
        {"vrm1", DynamicBonesMethod::kVrm1},
        {"vrm0", DynamicBonesMethod::kVrm0}})
      .choice<GridQuality>(
          "quality", &S::quality,
          "Simulation time step: standard (1/240 s; 1/120 s for rods whose first mode is at most 3 "
          "Hz, "
          "without neighbors, skin and thin colliders) or high (1/1200 s). Methods: rod, spring",
          {{"standard", GridQuality::kStandard}, {"high", GridQuality::kHigh}})
      .flag("auto", &S::find_chains,
            "Find hair, skirts, tails and similar chains by joint names and layout")
      .choice<AnimatedChains>(
          "animated", &S::animated,
          "What `auto` does with a chain in clips that animate it: skip (leave it as it is) or "
          "simulate (swing about the animated pose). Keys that never change are no animation",
          {{"skip", AnimatedChains::kSkip}, {"simulate", AnimatedChains::kSimulate}})
      .choice<ColliderSource>(
          "colliders", &S::colliders,
          "Colliders to use: given (those of the recipe), auto (also capsules and a sphere fitted "
          "to the skin of the character) or skin (also the skin itself: slower, and exact; "
          "method: rod)",
          {{"given", ColliderSource::kGiven},
           {"auto", ColliderSource::kAuto},
           {"skin", ColliderSource::kSkin}})
      .flag(
          "move_first_joints", &S::move_first_joints,
          "Where skin at the first joint of a chain is in the body, which no rotation mends, move "
          "the joint by translation keys. Needs colliders = skin")
      .number("ground_m", &S::ground_m,
              "Height of the ground, a plane that chains avoid; its name is \"ground\". Unset: no "
              "ground",
              "m", -kFar_m, kFar_m)
      .number("smoothing", &S::smoothing,
              "Share of each rotation that is applied, per frame (reference) or per 1/60 s "
              "(rod, spring). 1 = no smoothing",
              "", 0.001, 1.0)
      .number("drag_fps", &S::drag_fps,
              "Frame rate at which `drag` was tuned. The motion is then the same at every frame "
              "rate. Unset: `drag` counts per frame, as published. Method: reference",
              "Hz", 1e-3, 1e4);
  addWind(t);
  addTimeline(t);
  t.list("chain", &S::chain, "Chains of joints to simulate", "root", chain)
      .list("joint", &S::joint, "Values of single joints, in place of those of their chains",
            "node", joint)
      .list("collider", &S::collider, "Solids that chains avoid", "node", collider);
  return t.build();
}

}  // namespace

const SettingsTable& dynamicBonesTable() {
  static const SettingsTable chain = makeChainTable();
  static const SettingsTable collider = makeColliderTable();
  static const SettingsTable joint = makeJointTable();
  static const SettingsTable stage = makeStageTable(chain, joint, collider);
  return stage;
}

}  // namespace clipmill::stages::dynamic_bones
