// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "render/surface.h"

#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "core/to_size.h"
#include "render/png.h"

namespace clipmill::render {
namespace {

// Light per unit of surface colour. Together they leave a white surface that faces the key light
// just below white.
const Vec3 kKey(0.70, 0.67, 0.62), kFill(0.16, 0.18, 0.22);
const Vec3 kSky(0.38, 0.41, 0.46), kFloor(0.26, 0.25, 0.24);
const Vec3 kRim(0.10, 0.11, 0.13);

std::size_t texelOf(double at, int size) {
  const double inside = (at - std::floor(at)) * size;
  return std::min(toSize(inside), toSize(size - 1));
}

// Powers of two by squaring: the same bits everywhere, and quick.
double power32(double x) {
  for (int i = 0; i < 5; ++i) x *= x;
  return x;
}

// Decodes base colour images once each, and no more of them than the limit for all together.
class Textures {
 public:
  explicit Textures(const Scene& scene)
      : images_(scene.images), decoded_(images_.size()), tried_(images_.size(), false) {}

  std::shared_ptr<const Image> of(const Material& material, Warnings& warnings) {
    const auto i = toSize(material.base_color_image);
    if (material.base_color_image < 0 || i >= images_.size()) return nullptr;
    if (!tried_[i]) {
      tried_[i] = true;
      auto image = decodePng(images_[i].bytes, pixels_left_);
      if (image && image->width > 0 && image->height > 0) {
        pixels_left_ -= image->rgba.size() / 4;
        decoded_[i] = std::make_shared<const Image>(std::move(image).value());
      }
    }
    if (!decoded_[i]) {
      warnings.add("texture_not_shown", "an image is not a readable PNG",
                   printable(material.name, 100));
    }
    return decoded_[i];
  }

 private:
  const std::vector<clipmill::Image>& images_;
  std::vector<std::shared_ptr<const Image>> decoded_;
  std::vector<bool> tried_;
  std::uint64_t pixels_left_ = kMaxTexturePixels;
};

}  // namespace

Vec4 Surface::at(const Vec2& uv) const {
  constexpr double kFarthest = 1e9;
  if (!base || !(std::abs(uv.x) < kFarthest && std::abs(uv.y) < kFarthest)) return color;
  const std::size_t texel =
      texelOf(uv.y, base->height) * toSize(base->width) + texelOf(uv.x, base->width);
  const std::uint8_t* p = &base->rgba[4 * texel];
  return color *
         Vec4(linearFromSrgb(p[0]), linearFromSrgb(p[1]), linearFromSrgb(p[2]), p[3] / 255.0);
}

std::vector<Surface> surfacesOf(const Scene& scene, Warnings& warnings) {
  Textures textures(scene);
  std::vector<Surface> surfaces;
  for (const Material& material : scene.materials) {
    Surface surface;
    surface.color = glm::clamp(material.base_color, Vec4(0.0), Vec4(1.0));
    surface.emissive = glm::clamp(material.emissive, Vec3(0.0), Vec3(1.0));
    surface.gloss = 0.35 * (1.0 - std::clamp(material.roughness, 0.0, 1.0)) + 0.03;
    surface.alpha_mode = material.alpha_mode;
    surface.alpha_cutoff = material.alpha_cutoff;
    surface.unlit = material.unlit;
    // The emissive image is not looked at, and its factor alone would drown the surface.
    if (material.emissive_image >= 0) surface.emissive = Vec3(0.0);
    surface.base = textures.of(material, warnings);
    surfaces.push_back(std::move(surface));
  }
  return surfaces;
}

Vec3 shade(const Surface& surface, const Vec3& base, const Vec3& normal, const Vec3& to_eye,
           double lit, const Lights& lights) {
  if (surface.unlit) return base + surface.emissive;
  const double up = 0.5 + 0.5 * normal.y;
  const double key = std::max(glm::dot(normal, lights.to_key), 0.0) * lit;
  const double fill = std::max(glm::dot(normal, lights.to_fill), 0.0);
  const double facing = std::clamp(glm::dot(normal, to_eye), 0.0, 1.0);
  const double edge = (1.0 - facing) * (1.0 - facing) * (1.0 - facing);
  const Vec3 diffuse = kFloor + (kSky - kFloor) * up + kKey * key + kFill * fill;
  const Vec3 halfway = lights.to_key + to_eye;
  const double length = std::sqrt(glm::dot(halfway, halfway));
  const double aligned = length > 0.0 ? std::max(glm::dot(normal, halfway) / length, 0.0) : 0.0;
  const double highlight = key > 0.0 ? power32(aligned) * surface.gloss * lit : 0.0;
  return base * diffuse + kKey * highlight + kRim * (edge * up) + surface.emissive;
}

}  // namespace clipmill::render
