// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/settings.h"

namespace clipmill {

/// How joints are moved. `kSpring` and `kRope` give the same motion at any frame rate: in a rope
/// the bones of a chain pull on each other. `kReference` is the published method, step by step at
/// the frames of the clip (SOURCES S0). `kVrm1` and `kVrm0` do what the springs of a VRM file ask
/// for.
enum class DynamicBonesMethod { kSpring, kRope, kReference, kVrm1, kVrm0 };

/// Steps a second of the fixed grid.
enum class GridQuality { kStandard, kHigh };

/// Which pose a chain is drawn to: that of the clip, or the file's rest pose.
enum class RestTarget { kAnim, kBind };

/// The roll of a joint about its bone: that of the clip, that of the rest pose, or none at all.
enum class TwistPolicy { kAnim, kBind, kZero };

enum class LimitShape { kNone, kCone, kHinge, kSpherical, kPlanar };

/// How branches of a chain hold each other: as a closed ring (skirt), an open sheet (cape), or
/// whichever of the two their places suggest.
enum class CrossShape { kNone, kAuto, kRing, kSheet };

/// What to do where the carrier of a chain jumps between two keys.
enum class TeleportPolicy { kOff, kKeep, kReset };

/// Whether a clip is taken for a cycle: kAuto where it ends in the moving pose in which it begins.
enum class LoopPolicy { kAuto, kOn, kOff };

/// Which colliders there are besides those that the settings name: none, or solids fitted to the
/// skin of the figure.
enum class ColliderSource { kGiven, kAuto };

enum class ColliderShape { kSphere, kCapsule, kBox, kPlane };

/// Joints that swing: every topmost node that matches `root`, with all below it; or those of
/// `joints`. Numbers may vary over depth, 0 at the root and 1 at the tip; a bone takes them at the
/// depth of its far end. Those marked with a method are read by that method alone.
struct ChainSettings {
  std::string root;
  std::vector<std::string> joints;  ///< From the first to the tip; nodes between them are carried.
  std::vector<std::string> stop;  ///< Last joints: they swing, keep their rotation, end the chain.
  std::vector<std::string> skip;  ///< Not simulated, nor what is below; carried rigidly.
  bool keep_root = false;
  double tip_length = 1.0;
  RestTarget rest = RestTarget::kAnim;  ///< spring, rope
  Curve frequency_hz = 2.0;             ///< spring, rope; 0 for none
  Curve damping_ratio = 0.5;            ///< spring, rope
  Curve air_drag_per_s = 0.0;           ///< spring, rope
  bool rest_hangs = true;               ///< spring, rope
  Curve drag = 0.1;                     ///< reference
  Curve gravity_mps2 = -9.81;
  Curve mass = 1.0;     ///< rope: of the joint at a bone's far end
  Curve stretch = 0.0;  ///< spring
  Curve squish = 0.0;   ///< spring
  TwistPolicy twist = TwistPolicy::kAnim;
  Curve weight = 1.0;            ///< Over depth: 0 the clip, 1 the simulation.
  Curve weight_over_clip = 1.0;  ///< Over the clip, 0 its begin and 1 its end.
  // Limits
  LimitShape limit = LimitShape::kNone;
  Curve limit_deg = 45.0;
  Curve limit_yaw_deg = 45.0;                                ///< spherical
  std::vector<double> limit_rotation_deg = {0.0, 0.0, 0.0};  ///< x, then y, then z
  double limit_softness = 0.0;
  // Motion of the carrier
  std::string inertia_node;  ///< Empty: the node that carries the chain.
  double inertia_move = 1.0;
  double inertia_turn = 1.0;
  double speed_limit_mps = 0.0;
  double turn_limit_degps = 0.0;
  // Contacts
  Curve radius_m = 0.0;
  std::vector<std::string> colliders = {"*"};  ///< Empty or {"none"} for none.
  std::vector<std::string> avoid_chains;       ///< Globs of the roots of chains.
  Curve friction = 0.0;
  Curve restitution = 0.0;
  // Branches
  CrossShape cross = CrossShape::kNone;
  Curve cross_compliance = 0.0;
  Curve shear_compliance = 1e-6;
  Curve bend_compliance = 1e-4;
};

/// A solid that moves with a node. Its numbers are metres along the axes of the node.
struct ColliderSettings {
  std::string node;
  std::string name;  ///< Empty: that of the node.
  ColliderShape shape = ColliderShape::kSphere;
  bool inside = false;
  std::vector<double> offset_m = {0.0, 0.0, 0.0};
  std::vector<double> tail_m = {0.0, 0.0, 0.0};  ///< Capsules only.
  double radius_m = 0.1;
  double tail_radius_m = -1.0;  ///< Below 0: as radius_m.
  std::vector<double> half_size_m = {0.1, 0.1, 0.1};
  std::vector<double> rotation_deg = {0.0, 0.0, 0.0};  ///< x, then y, then z
  std::vector<double> normal = {0.0, 1.0, 0.0};
};

struct DynamicBonesSettings {
  DynamicBonesMethod method = DynamicBonesMethod::kSpring;
  GridQuality quality = GridQuality::kStandard;
  bool find_chains = false;  ///< "auto" in recipes. Chains of the file count where none is named.
  ColliderSource colliders = ColliderSource::kGiven;
  double smoothing = 1.0;
  double reference_hz = 0.0;  ///< reference; 0: drag counts per frame.
  std::vector<double> wind_mps2 = {0.0, 0.0, 0.0};
  double wind_noise = 0.5;
  double wind_period_s = 1.0;
  double wind_gust_m = 2.0;
  double wind_ripple = 0.0;
  std::int64_t seed = 1;
  LoopPolicy loop = LoopPolicy::kAuto;
  double loop_tolerance_deg = 0.05;
  std::int64_t loop_max_cycles = 200;
  double preroll_s = 0.0;
  std::string continue_from;
  TeleportPolicy teleport = TeleportPolicy::kKeep;
  double teleport_m = 1.0;
  double teleport_deg = 120.0;
  std::vector<ChainSettings> chain;
  std::vector<ColliderSettings> collider;
};

/// Names, units, bounds and meaning of all settings.
const SettingsTable& dynamicBonesTable();

}  // namespace clipmill
