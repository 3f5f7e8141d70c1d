// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// Any bytes as the message of clipmill-import: refused with one line, or a valid scene that gives
// the same bytes when written again.
#include <cstdint>
#include <string>

#include "anim/pose.h"
#include "fuzz_checks.h"
#include "fuzz_scene.h"
#include "io/imported/import_message.h"

namespace {

using namespace clipmill;
using namespace clipmill::io::imported;
using fuzz::require;
using fuzz::requireOneLine;

void pose(Scene scene, const std::vector<io::imported::ImportedClip>& clips) {
  io::imported::addClips(clips, scene);
  Pose now = restPose(scene.skeleton);
  for (const Clip& clip : scene.clips) clip.source->cursor()->sample(clip.end_s, now.view());
  fuzz::poseMeshes(scene, now, scene.metric_from_file);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
  const auto message = io::imported::readImportMessage(bytes);
  if (!message) {
    requireOneLine(message.error());
    return 0;
  }
  if (message->error) {
    requireOneLine(*message->error);
    return 0;
  }
  pose(message->imported.scene, message->imported.clips);
  const Bytes written = io::imported::writeImportMessage(message->imported);
  const auto again = io::imported::readImportMessage(written);
  require(again.ok() && io::imported::writeImportMessage(again->imported) == written,
          "differs when written again");
  return 0;
}
