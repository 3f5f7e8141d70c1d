// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "anim/motion.h"
#include "scene/scene.h"

/// The scene on which other programs for the springs of VRM files are measured.
namespace clipmill {

struct SpringPeerScene {
  int chains = 100;
  int bones = 10;  ///< A chain; each has one joint more.
  int colliders = 8;
  int frames = 1000;
  double fps = 60.0;
};

/// Strands around a head, every bone 5 cm, hanging; alternating spheres and capsules below the
/// head.
Scene makeSpringPeerScene(const SpringPeerScene& settings);

/// The root sways, the head rotates; nothing else is animated.
Motion makeSpringPeerMotion(const SpringPeerScene& settings, Scene& scene);

}  // namespace clipmill
