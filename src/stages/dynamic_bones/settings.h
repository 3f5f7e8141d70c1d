// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/settings.h"

namespace clipmill {

/// How joints are moved. `kSpring` gives the same motion at any frame rate; `kReference` is the
/// published method, step by step at the frames of the clip (SOURCES S0).
enum class DynamicBonesMethod { kSpring, kReference };

enum class ColliderShape { kSphere, kCapsule };

/// Joints that swing: every topmost node that matches `root`, with all below it. Numbers may vary
/// over depth, 0 at the root and 1 at the tip; a bone takes them at the depth of its far end. Those
/// marked with a method are read by that method alone.
struct ChainSettings {
  std::string root;
  std::vector<std::string> stop;  ///< Last joints: they swing, keep their rotation, end the chain.
  std::vector<std::string> skip;  ///< Not simulated, nor what is below; carried rigidly.
  bool keep_root = false;
  double tip_length = 1.0;
  Curve frequency_hz = 2.0;    ///< spring; 0 for none
  Curve damping_ratio = 0.5;   ///< spring
  Curve air_drag_per_s = 0.0;  ///< spring
  bool rest_hangs = true;      ///< spring
  Curve drag = 0.1;            ///< reference
  Curve gravity_mps2 = -9.81;
  Curve radius_m = 0.0;
  std::vector<std::string> colliders = {"*"};  ///< Empty or {"none"} for none.
};

/// A sphere or capsule that moves with a node. Its numbers are metres along the axes of the node.
struct ColliderSettings {
  std::string node;
  std::string name;  ///< Empty: that of the node.
  ColliderShape shape = ColliderShape::kSphere;
  std::vector<double> offset_m = {0.0, 0.0, 0.0};
  std::vector<double> tail_m = {0.0, 0.0, 0.0};  ///< Capsules only.
  double radius_m = 0.1;
};

struct DynamicBonesSettings {
  DynamicBonesMethod method = DynamicBonesMethod::kSpring;
  double smoothing = 1.0;
  std::vector<double> wind_mps2 = {0.0, 0.0, 0.0};
  double wind_noise = 0.5;
  double wind_period_s = 1.0;
  double wind_gust_m = 2.0;
  std::int64_t seed = 1;
  std::vector<ChainSettings> chain;
  std::vector<ColliderSettings> collider;
};

/// Names, units, bounds and meaning of all settings.
const SettingsTable& dynamicBonesTable();

}  // namespace clipmill
