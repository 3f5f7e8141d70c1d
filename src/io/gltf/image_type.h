// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace clipmill::io::gltf {

/// MIME type from the first bytes of an encoded image: PNG, JPEG, WebP or KTX 2. Empty for
/// any other.
std::string_view mimeTypeOf(std::span<const std::byte> bytes);

/// An image that a glTF texture can refer to only in an extension with its own source.
struct TextureExtension {
  const char* name;
  const char* mime_type;
};
inline constexpr TextureExtension kTextureExtensions[] = {{"KHR_texture_basisu", "image/ktx2"},
                                                          {"EXT_texture_webp", "image/webp"},
                                                          {"EXT_texture_avif", "image/avif"},
                                                          {"MSFT_texture_dds", "image/vnd-ms.dds"}};

}  // namespace clipmill::io::gltf
