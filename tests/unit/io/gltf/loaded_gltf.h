// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "checks.h"
#include "io/gltf/read.h"

namespace clipmill::test {

/// A file with its scene.
struct Loaded {
  std::shared_ptr<const io::gltf::Document> document;
  Scene scene;
};

inline Loaded loadGltf(Bytes bytes) {
  const auto document = io::gltf::parseDocument(std::move(bytes), "no-such-folder", {});
  CHECK_OK(document);
  auto scene = io::gltf::readScene(**document, true, {});
  CHECK_OK(scene);
  return {*document, std::move(*scene)};
}

/// The first node of that name, or -1.
inline int nodeCalled(const Scene& scene, const std::string& name) {
  for (std::size_t n = 0; n < scene.skeleton.size(); ++n) {
    if (scene.skeleton.nodes[n].name == name) return static_cast<int>(n);
  }
  return -1;
}

inline const SkinnedMesh& meshOf(const Scene& scene, int node, int primitive = 0) {
  const auto found = std::ranges::find_if(scene.meshes, [&](const SkinnedMesh& mesh) {
    return mesh.node == node && mesh.primitive == primitive;
  });
  REQUIRE(found != scene.meshes.end());
  return *found;
}

inline bool isPrefix(std::span<const std::byte> part, std::span<const std::byte> whole) {
  return part.size() <= whole.size() && std::equal(part.begin(), part.end(), whole.begin());
}

}  // namespace clipmill::test
