// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "core/limits.h"
#include "io/fbx/document.h"
#include "scene/scene.h"

namespace clipmill::io::fbx {

/// The images of a file, read at first use; see readMaterials().
class ImageReader {
 public:
  ImageReader(const Document& document, std::filesystem::path folder, const io::Limits& limits,
              Scene& scene);

  /// Index in Scene::images of what the Texture (or LayeredTexture) shows, -1 for nothing.
  /// Error: kLimit.
  Result<int> imageOf(int texture);

 private:
  struct Source;
  Source sourceOf(int texture) const;
  Result<int> addImage(const Source& source);
  std::optional<Bytes> find(const std::string& path) const;
  Status charge(std::size_t bytes);

  const Document& document_;
  std::filesystem::path folder_;
  std::uint64_t max_file_bytes_;
  std::uint64_t bytes_left_;
  Scene& scene_;
  std::map<std::string, int> video_of_path_;  // those with image data
  std::map<std::string, int> image_of_key_;
};

}  // namespace clipmill::io::fbx
