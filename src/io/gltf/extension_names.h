// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

namespace clipmill::io::gltf {

/// The extension by which a node is hidden with all below it.
inline constexpr const char* kVisibilityExtension = "KHR_node_visibility";
/// The extension that lists lights, and by which nodes name them.
inline constexpr const char* kLightsExtension = "KHR_lights_punctual";

}  // namespace clipmill::io::gltf
