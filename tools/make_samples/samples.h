// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "anim/track.h"
#include "core/file.h"
#include "core/result.h"
#include "make_samples/body.h"
#include "scene/scene.h"

namespace clipmill::samples {

/// A character with or without hair strands, skirt, tail and whip.
enum class Accessories { kNone, kAll };
Scene makeHumanoid(const Rig& rig, const BodyShape& shape, Accessories accessories);
Rig makeRig(Accessories accessories);

/// A body with a big belly and thick limbs.
BodyShape fatShape();

/// One file under samples/.
struct Sample {
  std::string path;  ///< Relative to the output folder; .fbx for FBX, else GLB.
  Scene scene;
  std::vector<KeyframeClip> clips;
};

/// All samples. The same program gives the same samples on every machine.
std::vector<Sample> makeSamples();

/// The bytes of a sample's file.
Result<Bytes> fileOf(const Sample& sample);

}  // namespace clipmill::samples
