// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

/// clipmill's own material properties, for values without a common FBX property. The reader looks
/// at them first.
namespace clipmill::io::fbx::shading_names {

inline constexpr const char* kCompound = "clipmill";
inline constexpr const char* kMetallic = "clipmill|metallic";
inline constexpr const char* kRoughness = "clipmill|roughness";
inline constexpr const char* kAlphaMode = "clipmill|alpha_mode";  ///< 0 opaque, 1 mask, 2 blend
inline constexpr const char* kAlphaCutoff = "clipmill|alpha_cutoff";
inline constexpr const char* kDoubleSided = "clipmill|double_sided";
inline constexpr const char* kUnlit = "clipmill|unlit";
/// Textures are connected to these.
inline constexpr const char* kMetallicRoughnessMap = "clipmill|metallic_roughness_map";
inline constexpr const char* kOcclusionMap = "clipmill|occlusion_map";

}  // namespace clipmill::io::fbx::shading_names
