// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "anim/pose.h"
#include "core/to_size.h"
#include "locomotion/stretched_travel.h"
#include "make_samples/gait.h"
#include "make_samples/leap.h"
#include "scene/character_scene.h"

namespace clipmill::test {

/// The body of the samples with a clip, and the clip at `fps`.
struct SampledCharacter {
  explicit SampledCharacter(const KeyframeClip& clip, const FileSpace& space = {},
                            double fps = 30.0)
      : scene(characterScene(samples::makeBodyRig(), clip, space)),
        map(characterMap(scene)),
        root(nodeOf(scene, "Root")),
        source(sampled(scene, fps)) {}

  /// The source with its root motion extended along its net direction.
  Motion stretchedBy(double factor) const { return stretchedTravel(source, root, factor); }

  Vec3 positionOf(const Motion& motion, const char* joint, std::size_t frame) const {
    return worldsAt(scene, motion, frame)[toSize(nodeOf(scene, joint))].translation;
  }

  Scene scene;
  humanoid::HumanoidMap map;
  int root;
  Motion source;
};

inline const samples::Rig& bodyRig() {
  static const samples::Rig rig = samples::makeBodyRig();
  return rig;
}

}  // namespace clipmill::test
