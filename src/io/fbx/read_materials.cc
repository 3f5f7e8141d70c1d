// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/fbx/read_materials.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "core/to_size.h"
#include "io/fbx/read_images.h"
#include "io/fbx/shading_names.h"

namespace clipmill::io::fbx {
namespace {

namespace names = shading_names;

double clamped(double x) { return std::isfinite(x) ? std::clamp(x, 0.0, 1.0) : 0.0; }

Vec3 clamped(const Vec3& v) { return Vec3(clamped(v.x), clamped(v.y), clamped(v.z)); }

// Colours of lights may be brighter than white, but are numbers and not negative.
double notNegative(double x) { return std::isfinite(x) ? std::max(x, 0.0) : 0.0; }

struct Connected {
  std::string property;
  int texture = -1;
};

class SurfaceReader {
 public:
  SurfaceReader(const Document& document, int object, ImageReader& images, Warnings& warnings)
      : properties_(document.properties(object)), images_(images), warnings_(warnings) {
    const Object& o = document.object(object);
    material_.name = o.name;
    const auto model = o.element.child("ShadingModel");
    is_lambert_ = model && (model->text(0) == "lambert" || model->text(0) == "Lambert");
    for (const int c : document.children[toSize(object)]) {
      const Connection& connection = document.connections[toSize(c)];
      const std::string_view type = document.object(connection.child).type;
      if (type == "Texture" || type == "LayeredTexture") {
        textures_.push_back({connection.property, connection.child});
      }
    }
  }

  Result<Material> read() {
    is_own_ = number(names::kRoughness).has_value();
    CLIPMILL_CHECK(readImages());
    readColor();
    readOpacity();
    readEmission();
    readGloss();
    material_.normal_scale = 1.0;
    if (const auto bump = number("BumpFactor")) material_.normal_scale = *bump;
    if (is_own_) readOwn();
    return std::move(material_);
  }

 private:
  // Infinite values count as missing.
  std::optional<double> number(const char* name) const {
    const auto value = properties_.number(name);
    return value && std::isfinite(*value) ? value : std::nullopt;
  }

  std::optional<double> firstNumber(std::initializer_list<const char*> names) const {
    for (const char* name : names) {
      if (const auto value = number(name)) return value;
    }
    return std::nullopt;
  }

  std::optional<Vec3> firstVector(std::initializer_list<const char*> names) const {
    for (const char* name : names) {
      if (const auto value = properties_.vector(name)) return value;
    }
    return std::nullopt;
  }

  // The image connected to the first of these properties.
  Result<int> image(std::initializer_list<const char*> names) {
    for (const char* name : names) {
      for (Connected& connected : textures_) {
        if (connected.property != name) continue;
        const int texture = std::exchange(connected.texture, -1);
        if (texture >= 0) return images_.imageOf(texture);
      }
    }
    return -1;
  }

  Status readImages() {
    CLIPMILL_TRY(material_.base_color_image,
                 image({"DiffuseColor", "Maya|TEX_color_map", "3dsMax|Parameters|base_color_map",
                        "3dsMax|maps|texmap_diffuse", "DiffuseFactor"}));
    CLIPMILL_TRY(material_.normal_image,
                 image({"NormalMap", "Maya|TEX_normal_map", "3dsMax|Parameters|bump_map",
                        "3dsMax|maps|texmap_bump", "Bump"}));
    CLIPMILL_TRY(material_.emissive_image,
                 image({"EmissiveColor", "Maya|TEX_emissive_map",
                        "3dsMax|Parameters|emit_color_map", "EmissiveFactor"}));
    CLIPMILL_TRY(material_.metallic_roughness_image, image({names::kMetallicRoughnessMap}));
    CLIPMILL_TRY(material_.occlusion_image, image({names::kOcclusionMap, "Maya|TEX_ao_map"}));
    for (const Connected& connected : textures_) {
      if (connected.texture < 0) continue;
      if (connected.property == "TransparentColor" || connected.property == "TransparencyFactor") {
        has_opacity_map_ = true;
        continue;
      }
      warnings_.add("texture_not_taken",
                    "a texture is used for a material property that is not supported",
                    material_.name + ": " + connected.property);
    }
    return {};
  }

  void readColor() {
    const auto physical = firstVector({"Maya|base_color", "3dsMax|Parameters|base_color"});
    Vec3 color(1.0);
    if (physical) {
      color = *physical;
    } else if (const auto diffuse = firstVector({"DiffuseColor", "Diffuse"})) {
      color = *diffuse * number("DiffuseFactor").value_or(1.0);
    }
    if (material_.base_color_image >= 0 && !is_own_) color = Vec3(1.0);
    material_.base_color = Vec4(clamped(color), 1.0);
  }

  void readOpacity() {
    double opacity = 1.0;
    if (properties_.own("Opacity")) {
      opacity = number("Opacity").value_or(1.0);
    } else {
      const Vec3 color = firstVector({"TransparentColor"}).value_or(Vec3(0.0));
      const double factor = number("TransparencyFactor").value_or(1.0);
      opacity = 1.0 - factor * (color.x + color.y + color.z) / 3.0;
    }
    material_.base_color.w = clamped(opacity);
    if (material_.base_color.w < 1.0 || has_opacity_map_) material_.alpha_mode = AlphaMode::kBlend;
  }

  void readEmission() {
    const auto physical = firstVector({"Maya|emissive", "3dsMax|Parameters|emit_color"});
    Vec3 color(0.0);
    if (physical) {
      color = *physical *
              firstNumber({"Maya|emissive_intensity", "3dsMax|Parameters|emission"}).value_or(0.0);
    } else if (const auto emissive = firstVector({"EmissiveColor", "Emissive"})) {
      color = *emissive;
      if (material_.emissive_image >= 0 && !is_own_) color = Vec3(1.0);
      color *= number("EmissiveFactor").value_or(1.0);
    } else if (material_.emissive_image >= 0) {
      color = Vec3(1.0);
    }
    material_.emissive = Vec3(notNegative(color.x), notNegative(color.y), notNegative(color.z));
  }

  // Phong materials count as non-metallic unless they have a reflection: a ReflectionFactor without
  // a colour is what programs write for all surfaces.
  void readGloss() {
    const double shininess = firstNumber({"Shininess", "ShininessExponent"}).value_or(20.0);
    material_.roughness =
        is_lambert_ ? 1.0 : clamped(1.0 - std::sqrt(notNegative(shininess)) / 10.0);
    material_.metallic = 0.0;
    const auto color = properties_.vector("ReflectionColor");
    if (color && *color != Vec3(0.0) && properties_.own("ReflectionFactor")) {
      material_.metallic = clamped(number("ReflectionFactor").value_or(0.0));
    }
    if (const auto physical = firstNumber({"Maya|roughness", "3dsMax|Parameters|roughness"})) {
      const bool is_gloss = properties_.integer("3dsMax|Parameters|inv_roughness").value_or(0) != 0;
      material_.roughness = clamped(is_gloss ? 1.0 - *physical : *physical);
    }
    if (const auto physical = firstNumber({"Maya|metallic", "3dsMax|Parameters|metalness"})) {
      material_.metallic = clamped(*physical);
    }
  }

  void readOwn() {
    material_.metallic = clamped(number(names::kMetallic).value_or(material_.metallic));
    material_.roughness = clamped(number(names::kRoughness).value_or(material_.roughness));
    const auto mode = properties_.integer(names::kAlphaMode);
    if (mode && *mode >= 0 && *mode <= 2) material_.alpha_mode = static_cast<AlphaMode>(*mode);
    material_.alpha_cutoff = notNegative(number(names::kAlphaCutoff).value_or(0.5));
    material_.double_sided = properties_.integer(names::kDoubleSided).value_or(0) != 0;
    material_.unlit = properties_.integer(names::kUnlit).value_or(0) != 0;
  }

  Properties properties_;
  ImageReader& images_;
  Warnings& warnings_;
  std::vector<Connected> textures_;  // -1 for those that have been taken
  bool is_own_ = false, is_lambert_ = false, has_opacity_map_ = false;
  Material material_;
};

}  // namespace

Result<std::vector<int>> readMaterials(const Document& document,
                                       const std::filesystem::path& folder,
                                       const io::Limits& limits, Scene& scene) {
  std::vector<int> material_of_object(document.objects.size(), -1);
  ImageReader images(document, folder, limits, scene);
  for (int o = 0; o < static_cast<int>(document.objects.size()); ++o) {
    if (document.object(o).type != "Material") continue;
    auto material = SurfaceReader(document, o, images, scene.warnings).read();
    if (!material) return within("Material " + document.object(o).name, material.error());
    material_of_object[toSize(o)] = static_cast<int>(scene.materials.size());
    scene.materials.push_back(std::move(*material));
  }
  return material_of_object;
}

}  // namespace clipmill::io::fbx
