// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "anim/pose.h"
#include "checks.h"
#include "core/to_size.h"
#include "io/fbx/fbx_text.h"
#include "io/fbx/patch.h"
#include "io/fbx/read.h"
#include "io/fbx/tiny_fbx.h"

namespace clipmill::test {

/// A file with all that is made of it.
struct LoadedFbx {
  std::shared_ptr<const io::fbx::Document> document;
  io::fbx::ReadScene read;
  Scene scene;

  Pose pose(int clip, double time_s) const {
    Pose result = restPose(scene.skeleton);
    scene.clips.at(toSize(clip)).source->cursor()->sample(time_s, result.view());
    return result;
  }
  Transform local(int clip, double time_s, int node) const {
    return pose(clip, time_s).locals.at(toSize(node));
  }
  Result<Bytes> patched(std::vector<io::ClipEdit> edits,
                        std::vector<AddedMorph> morphs = {}) const {
    return io::fbx::patchDocument(*document, read, scene, edits, morphs);
  }
};

inline Result<LoadedFbx> tryLoad(Bytes bytes, bool with_meshes = false) {
  LoadedFbx loaded;
  CLIPMILL_TRY(auto tree, io::fbx::parseTree(std::move(bytes), io::Limits{}));
  CLIPMILL_TRY(loaded.document, io::fbx::readDocument(std::move(tree)));
  CLIPMILL_TRY(loaded.read, io::fbx::readScene(*loaded.document, with_meshes, io::Limits{}));
  loaded.scene = loaded.read.scene;
  return loaded;
}

inline LoadedFbx load(Bytes bytes, bool with_meshes = false) {
  auto loaded = tryLoad(std::move(bytes), with_meshes);
  CHECK_OK(loaded);
  return std::move(*loaded);
}
inline LoadedFbx load(const std::string& text) { return load(bytesOf(text)); }
inline LoadedFbx load(const FbxText& file) { return load(file.text()); }

/// The error of a file that must not be read.
inline Error faultOf(const FbxText& file, bool with_meshes = false) {
  auto loaded = tryLoad(bytesOf(file.text()), with_meshes);
  REQUIRE_FALSE(loaded.ok());
  return loaded.error();
}

}  // namespace clipmill::test
