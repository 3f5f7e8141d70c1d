// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/settings.h"
#include "locomotion/clip_cycle.h"

namespace clipmill::stages::dynamic_bones {

/// Simulation method. In `kRod` every chain is an elastic rod. In `kSpring` every bone is a
/// damped spring of its own, as in game engines. `kReference` is the published method, one step per
/// frame of the clip (docs/methods.md, dynamic bones). `kVrm1` and `kVrm0` simulate the springs of
/// a VRM file as VRM specifies.
enum class DynamicBonesMethod { kRod, kSpring, kReference, kVrm1, kVrm0 };

/// Time step of the fixed grid: 1/240 s (slow rods: 1/120 s, see grid_step.h) or 1/1200 s.
enum class GridQuality { kStandard, kHigh };

/// The pose that springs pull a chain toward: that of the clip, or the file's rest pose.
enum class TargetPose { kAnim, kBind };

/// Roll of a joint about its bone: that of the clip, that of the rest pose, or none.
enum class TwistPolicy { kAnim, kBind, kZero };

enum class LimitShape { kNone, kCone, kHinge, kSpherical, kPlanar };

/// Distance constraints between the branches of a chain: a closed ring (skirt), an open sheet
/// (cape), or the one of the two that fits their rest positions.
enum class CrossShape { kNone, kAuto, kRing, kSheet };

/// What a chain does where its attachment joint jumps between two frames.
enum class TeleportPolicy { kOff, kKeep, kReset };

using locomotion::LoopPolicy;

/// What a chain is made like: values of other settings, by name.
enum class ChainPreset {
  kNone,
  kHair,
  kLongHair,
  kPonytail,
  kSkirt,
  kCape,
  kTail,
  kEars,
  kAntenna,
  kRope,
  kBelly,
};

/// Colliders besides those of the settings: none, solids fitted to the skin of the character, or
/// the skin itself.
enum class ColliderSource { kGiven, kAuto, kSkin };

/// What `auto` does with chains in clips that animate them.
enum class AnimatedChains { kSkip, kSimulate };

enum class ColliderShape { kSphere, kCapsule, kBox, kPlane };

/// Simulated joints: every topmost node that matches `root`, with all nodes below it; or those of
/// `joints`. Values may vary over depth, 0 at the root and 1 at the tip; a bone uses the value at
/// the depth of its far end. Members marked with a method are read by that method alone.
struct ChainSettings {
  std::string root;
  std::vector<std::string> joints;  ///< From first to tip; nodes between them follow rigidly.
  std::vector<std::string> stop;    ///< They end the chain and keep their rotation.
  std::vector<std::string> skip;    ///< They and all nodes below them follow rigidly.
  bool keep_root = false;
  bool skip_animated = false;  ///< Left as it is in clips that animate it.
  double tip_length = 1.0;
  ChainPreset preset = ChainPreset::kNone;
  TargetPose target_pose = TargetPose::kAnim;  ///< spring
  std::optional<double> droop_deg;             ///< rod; in place of frequency_hz
  Curve frequency_hz = 2.0;                    ///< rod, spring; 0 = no spring
  Curve damping_ratio = 0.5;                   ///< spring
  Curve air_drag_per_s = 0.0;                  ///< spring
  bool rest_includes_gravity = true;           ///< spring
  Curve stiffness = 1.0;                       ///< rod: relative, along the chain
  Curve thickness = 1.0;                       ///< rod: relative, along the chain
  Curve drag = 0.1;                            ///< reference
  Curve gravity_mps2 = -9.81;
  Curve mass = 1.0;         ///< of the joint at a bone's far end, between branches
  Curve max_stretch = 0.0;  ///< spring
  Curve max_squish = 0.0;   ///< spring
  TwistPolicy twist = TwistPolicy::kAnim;
  Curve weight = 1.0;            ///< Over depth; 0 = clip, 1 = simulation.
  Curve weight_over_clip = 1.0;  ///< Over the clip; 0 = its start, 1 = its end.
  // Limits
  LimitShape limit = LimitShape::kNone;
  Curve limit_deg = 45.0;
  Curve limit_yaw_deg = 45.0;                                ///< spherical
  std::vector<double> limit_rotation_deg = {0.0, 0.0, 0.0};  ///< x, then y, then z
  double limit_softness = 0.0;
  // Inertia
  std::optional<std::string> inertia_node;  ///< Unset: the attachment joint.
  double inertia_translation = 1.0;
  double inertia_rotation = 1.0;
  double max_inertia_speed_mps = 0.0;
  double max_inertia_rotation_degps = 0.0;
  // Contacts
  Curve radius_m = 0.0;
  std::vector<std::string> colliders = {"*"};  ///< Empty or {"none"}: none.
  std::vector<std::string> avoid_chains;       ///< Globs of the roots of chains.
  Curve friction = 0.0;
  Curve restitution = 0.0;
  // Branches
  CrossShape cross = CrossShape::kNone;
  Curve cross_compliance = 0.0;
  Curve shear_compliance = 1e-6;
  Curve bend_compliance = 1e-4;
  Curve slack_compliance = 0.01;
  Curve slack_share = 0.0;
};

/// A solid that moves with a node. Lengths are in metres along the axes of the node.
struct ColliderSettings {
  std::string node;  ///< Empty: fixed in the world.
  std::string name;  ///< Empty: the node's name, or "world".
  ColliderShape shape = ColliderShape::kSphere;
  bool inside = false;
  std::vector<double> offset_m = {0.0, 0.0, 0.0};
  std::vector<double> tail_m = {0.0, 0.0, 0.0};  ///< Capsules only.
  double radius_m = 0.1;
  std::optional<double> tail_radius_m;  ///< Unset: the same as radius_m.
  std::vector<double> half_size_m = {0.1, 0.1, 0.1};
  std::vector<double> rotation_deg = {0.0, 0.0, 0.0};  ///< x, then y, then z
  std::vector<double> normal = {0.0, 1.0, 0.0};
};

/// Values of single joints, in place of those of their chains; they hold for the bones that start
/// there. Unset: those of the chain. Of several settings for a joint, the last one counts.
struct JointSettings {
  std::string node;                            ///< Name or glob.
  std::optional<double> stiffness;             ///< rod
  std::optional<double> thickness;             ///< rod
  std::optional<double> frequency_hz;          ///< spring
  std::optional<double> damping_ratio;         ///< rod, spring
  std::optional<double> air_drag_per_s;        ///< rod, spring
  std::optional<double> drag;                  ///< reference
  std::optional<double> gravity_mps2;          ///< all
  std::optional<double> radius_m;              ///< all
  std::optional<double> friction;              ///< rod, spring
  std::vector<std::string> colliders = {"*"};  ///< Of those of the chain.
};

struct DynamicBonesSettings {
  DynamicBonesMethod method = DynamicBonesMethod::kRod;
  GridQuality quality = GridQuality::kStandard;
  bool find_chains = false;  ///< "auto" in recipes.
  AnimatedChains animated = AnimatedChains::kSkip;
  ColliderSource colliders = ColliderSource::kGiven;
  double smoothing = 1.0;
  std::optional<double> drag_fps;  ///< reference; unset: drag counts per frame.
  std::vector<double> wind_mps2 = {0.0, 0.0, 0.0};
  double wind_mean = 1.0;
  double wind_noise = 0.5;
  double wind_period_s = 1.0;
  double wind_gust_m = 2.0;
  double wind_ripple = 0.0;
  std::int64_t seed = 1;
  LoopPolicy loop = LoopPolicy::kAuto;
  double loop_tolerance_deg = 0.05;
  std::int64_t max_loop_cycles = 200;
  double preroll_s = 0.0;
  std::optional<std::string> continue_from;
  TeleportPolicy teleport = TeleportPolicy::kKeep;
  double teleport_distance_ratio = 0.6;
  double teleport_rotation_deg = 120.0;
  std::vector<ChainSettings> chain;
  std::vector<JointSettings> joint;
  std::vector<ColliderSettings> collider;
  std::optional<double> ground_m;
  bool move_first_joints = true;  ///< Contact with the skin: by translation keys.
  /// What `auto` found, once it is resolved, for messages. No setting.
  std::vector<std::string> found_notes;
  /// Colliders were fitted to the skin, so that the skin measures them. No setting.
  bool measures_skin = false;
};

/// Names, units, bounds and meaning of all settings.
const SettingsTable& dynamicBonesTable();

}  // namespace clipmill::stages::dynamic_bones
