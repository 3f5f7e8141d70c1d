// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "baked_clip.h"

#include <memory>
#include <string>

#include "core/portable_math.h"
#include "core/to_size.h"
#include "io/fbx/write.h"

namespace clipmill::bench {
namespace {

constexpr double kFps = 30.0;
constexpr int kChainLength = 4;

Track trackOf(int node, TrackPath path, int width, const KeyTimes& times) {
  Track track{node, path, Interpolation::kLinear, width, times, {}};
  track.values.reserve(times->size() * toSize(width));
  return track;
}

void addJoint(int joint, const KeyTimes& times, KeyframeClip& clip) {
  const double phase = 0.37 * joint;
  Track move = trackOf(joint, TrackPath::kTranslation, 3, times);
  Track rotation = trackOf(joint, TrackPath::kRotation, 4, times);
  Track scale = trackOf(joint, TrackPath::kScale, 3, times);
  for (const double t : *times) {
    const double swing = portable::sin(3.0 * t + phase), nod = portable::sin(1.3 * t - phase);
    const Quat q =
        rotationAbout(Vec3(0, 0, 1), 0.4 * swing) * rotationAbout(Vec3(1, 0, 0), 0.3 * nod);
    move.values.insert(move.values.end(), {0.001 * swing, 0.1 + 0.001 * nod, 0.0});
    rotation.values.insert(rotation.values.end(), {q.x, q.y, q.z, q.w});
    scale.values.insert(scale.values.end(), {1.0, 1.0 + 0.01 * swing, 1.0});
  }
  clip.tracks.push_back(std::move(move));
  clip.tracks.push_back(std::move(rotation));
  clip.tracks.push_back(std::move(scale));
}

}  // namespace

Bytes bakedFbx() {
  Scene scene;
  KeyframeClip clip;
  clip.name = "Baked";
  auto times = std::make_shared<std::vector<double>>();
  for (int k = 0; k < kBakedFrames; ++k) times->push_back(static_cast<float>(k / kFps));
  for (int i = 0; i < kBakedJoints; ++i) {
    Node node;
    node.name = "Joint" + std::to_string(i);
    // The root has the chains' first joints as children.
    node.parent = i == 0 ? -1 : (i % kChainLength == 1 ? 0 : i - 1);
    node.source_id = i;
    node.rest.translation = Vec3(0.0, 0.1, 0.0);
    scene.skeleton.nodes.push_back(node);
    addJoint(i, times, clip);
  }
  Warnings warnings;
  return io::fbx::writeFbx(scene, std::span(&clip, 1), {}, warnings).value();
}

}  // namespace clipmill::bench
