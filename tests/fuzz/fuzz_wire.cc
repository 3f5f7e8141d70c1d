// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// Any bytes as the answer of the helper program: refused with one line, or a scene that keeps its
// promises and comes over again as the same bytes.
#include <cstdint>
#include <string>

#include "anim/pose.h"
#include "fuzz_checks.h"
#include "fuzz_scene.h"
#include "io/import/scene_wire.h"

namespace {

using namespace clipmill;
using fuzz::require;
using fuzz::requireOneLine;

void pose(Scene scene, const std::vector<io::ImportedClip>& clips) {
  io::addClips(clips, scene);
  Pose now = restPose(scene.skeleton);
  for (const Clip& clip : scene.clips) clip.source->cursor()->sample(clip.end_s, now.view());
  fuzz::poseMeshes(scene, now, scene.metric_from_file);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
  const auto message = io::readWire(bytes);
  if (!message) {
    requireOneLine(message.error());
    return 0;
  }
  if (message->error) {
    requireOneLine(*message->error);
    return 0;
  }
  pose(message->imported.scene, message->imported.clips);
  const Bytes written = io::writeWire(message->imported);
  const auto again = io::readWire(written);
  require(again.ok() && io::writeWire(again->imported) == written, "does not come over again");
  return 0;
}
