// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <vector>

#include "core/math.h"
#include "core/warnings.h"
#include "render/image.h"
#include "scene/scene.h"

namespace clipmill::render {

/// The appearance of a material: its base colour and its response to light. Metalness, roughness
/// and emission are the factors of the material; of its images only the base colour is used.
struct Surface {
  Vec4 color{0.62, 0.64, 0.68, 1.0};  ///< Linear; the default is for meshes without material.
  std::shared_ptr<const Image> base;  ///< Times this image; may be null.
  Vec3 emissive{0.0};
  double gloss = 0.15;  ///< Strength of the highlight, 0..1.
  AlphaMode alpha_mode = AlphaMode::kOpaque;
  double alpha_cutoff = 0.5;
  bool unlit = false;

  /// Linear RGBA at `uv` (origin top left, repeating): the nearest texel, since every pixel of a
  /// sheet averages many samples.
  Vec4 at(const Vec2& uv) const;
};

/// One for each material of the scene. Images that are not PNG are left out and counted as
/// "texture_not_shown"; so are those that are broken, and those after the
/// first kMaxTexturePixels of all together.
std::vector<Surface> surfacesOf(const Scene& scene, Warnings& warnings);

inline constexpr std::uint64_t kMaxTexturePixels = std::uint64_t{1} << 26;

/// The lamps and the sky of the studio. All directions are unit vectors towards the light.
struct Lights {
  Vec3 to_key{0, 1, 0};
  Vec3 to_fill{0, 1, 0};
};

/// The light that a surface of colour `base` sends to the eye. `normal` and `to_eye` are unit
/// vectors; `lit` is the part of the key light that reaches it.
Vec3 shade(const Surface& surface, const Vec3& base, const Vec3& normal, const Vec3& to_eye,
           double lit, const Lights& lights);

}  // namespace clipmill::render
