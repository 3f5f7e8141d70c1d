// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// Any bytes as the answer of the helper program: refused with one line, or a scene that keeps its
// promises and comes over again as the same bytes.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "anim/pose.h"
#include "io/import/scene_wire.h"
#include "mesh/skinning.h"

namespace {

using namespace clipmill;

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "fuzz_wire: %s\n", what);
  std::abort();
}

void requireOneLine(const Error& error) {
  for (char c : describe(error)) {
    require(static_cast<unsigned char>(c) >= 0x20, "an error is not one line");
  }
}

void pose(Scene scene, const std::vector<io::ImportedClip>& clips) {
  io::addClips(clips, scene);
  Pose now = restPose(scene.skeleton);
  for (const Clip& clip : scene.clips) clip.source->cursor()->sample(clip.end_s, now.view());
  std::vector<Affine> worlds;
  computeWorlds(scene.skeleton, now.locals, scene.metric_from_file, worlds);
  PosedVertices posed;
  for (const SkinnedMesh& mesh : scene.meshes) {
    const Node& node = scene.skeleton.nodes[static_cast<std::size_t>(mesh.node)];
    const Skin* skin = mesh.skin < 0 ? nullptr : &scene.skins[static_cast<std::size_t>(mesh.skin)];
    poseMesh(mesh, skin, worlds,
             std::span(now.weights)
                 .subspan(static_cast<std::size_t>(node.weights_begin),
                          static_cast<std::size_t>(node.weights_count)),
             posed);
  }
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
