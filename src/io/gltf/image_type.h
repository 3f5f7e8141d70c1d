// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace clipmill::gltf {

/// The type that the first bytes of an encoded picture tell: PNG, JPEG, WebP or KTX 2. Empty for
/// any other.
std::string_view mimeTypeOf(std::span<const std::byte> bytes);

/// A picture that a glTF texture may name only in an extension, with a source of its own.
struct TextureExtension {
  const char* name;
  const char* mime_type;
};
inline constexpr TextureExtension kTextureExtensions[] = {{"KHR_texture_basisu", "image/ktx2"},
                                                          {"EXT_texture_webp", "image/webp"},
                                                          {"EXT_texture_avif", "image/avif"},
                                                          {"MSFT_texture_dds", "image/vnd-ms.dds"}};

}  // namespace clipmill::gltf
