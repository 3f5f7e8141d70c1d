// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// Any text as a BVH file: it is refused with one line, or it poses and is written as a GLB in
// metres, or refused for what floats cannot hold.
#include <cstdint>
#include <string>
#include <vector>

#include "anim/pose.h"
#include "core/file.h"
#include "fuzz_checks.h"
#include "io/bvh/read.h"
#include "io/gltf/write.h"
#include "scene/plain_scene.h"

namespace {

using namespace clipmill;
using namespace clipmill::io::gltf;
using namespace clipmill::io::imported;
using fuzz::require;
using fuzz::requireOneLine;

constexpr io::Limits kLimits{std::uint64_t{1} << 20, std::uint64_t{8} << 20, 64};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  io::bvh::looksLikeBvh(asBytes(text));
  auto imported = io::bvh::readBvh(text, "clip", kLimits);
  if (!imported) {
    requireOneLine(imported.error());
    return 0;
  }
  const Status checked = io::imported::checkImported(*imported);
  require(checked.ok(),
          "a scene that contradicts itself:", checked ? "" : describe(checked.error()));
  Scene& scene = imported->scene;
  io::imported::addClips(imported->clips, scene);
  Pose pose = restPose(scene.skeleton);
  std::vector<KeyframeClip> clips;
  for (std::size_t i = 0; i < scene.clips.size(); ++i) {
    scene.clips[i].source->cursor()->sample(0.6 * scene.clips[i].end_s, pose.view());
    clips.push_back(imported->clips[i].keys);
    clips.back().tracks = plainTracks(scene, std::move(clips.back().tracks));
  }
  const auto glb = writeGlb(plainScene(scene), clips);
  if (!glb) requireOneLine(glb.error());
  return 0;
}
