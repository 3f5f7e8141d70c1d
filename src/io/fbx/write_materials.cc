// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// Phong is the one material model that every FBX reader supports. Values that it lacks are in
// properties of our own (shading_names.h). Shininess and ReflectionFactor follow Blender, which
// takes roughness as 1 - sqrt(Shininess) / 10 and metalness as ReflectionFactor; colours are
// linear, as Blender and FBX2glTF take them.
#include "io/fbx/write_materials.h"

#include <algorithm>
#include <set>

#include "core/to_size.h"
#include "io/fbx/new_curve.h"
#include "io/fbx/shading_names.h"

namespace clipmill::io::fbx {
namespace {

// -- Images

std::string extensionOf(const std::string& mime_type) {
  constexpr std::pair<const char*, const char*> kExtensions[] = {
      {"image/png", ".png"},   {"image/jpeg", ".jpg"},  {"image/webp", ".webp"},
      {"image/ktx2", ".ktx2"}, {"image/avif", ".avif"}, {"image/vnd-ms.dds", ".dds"},
  };
  for (const auto& [mime, extension] : kExtensions) {
    if (mime_type == mime) return extension;
  }
  return ".bin";
}

// The last part of a path, or of a name that looks like one, without what file systems refuse.
std::string fileStem(const Image& image) {
  const std::string& text = image.name.empty() ? image.path : image.name;
  std::string stem = text.substr(text.find_last_of("/\\") + 1);  // npos + 1 is 0
  const std::size_t dot = stem.rfind('.');
  if (dot != std::string::npos && dot > 0 && stem.size() - dot <= 5) stem.resize(dot);
  for (char& c : stem) {
    const auto code = static_cast<unsigned char>(c);
    if (code < 0x20 || code == 0x7f || std::string("<>:\"|?*").find(c) != std::string::npos) {
      c = '_';
    }
  }
  const bool is_dots = stem.find_first_not_of(". ") == std::string::npos;
  return is_dots ? "image" : stem;
}

// Readers identify images by file name, so the names must be unique.
class FileNames {
 public:
  std::string nameFor(const Image& image) {
    const std::string stem = fileStem(image), extension = extensionOf(image.mime_type);
    std::string name = stem + extension;
    for (int n = 1; !used_.insert(name).second; ++n) {
      name = stem + "_" + std::to_string(n) + extension;
    }
    return name;
  }

 private:
  std::set<std::string> used_;
};

// Returns the Texture; 0 for an image without data and path.
std::int64_t writeImage(const Image& image, FileNames& names, FileBuilder& file) {
  if (image.bytes.empty() && image.path.empty()) {
    file.losses().add("image_without_data", "an image without data or path is dropped", image.name);
    return 0;
  }
  const std::string path = file.cleanName(image.bytes.empty() ? image.path : names.nameFor(image));
  const std::string name = file.cleanName(image.name.empty() ? fileStem(image) : image.name);
  std::vector<NewElement> video = {
      leaf("Type", std::string("Clip")),
      block("Properties70", {propertyElement("Path", "KString", "XRefUrl", "", {path})}),
      leaf("UseMipMap", std::int32_t{0}), leaf("Filename", path), leaf("RelativeFilename", path)};
  if (!image.bytes.empty()) video.push_back(leaf("Content", RawData{image.bytes}));
  const std::int64_t video_id = file.add("Video", name, "Video", "Clip", std::move(video));
  const std::int64_t texture_id = file.add(
      "Texture", name, "Texture", "",
      {leaf("Type", std::string("TextureVideoClip")), leaf("Version", std::int32_t{202}),
       leaf("TextureName", classedName(name, "Texture")),
       block("Properties70", {textProperty("UVSet", "UVMap"), boolProperty("UseMaterial", true)}),
       leaf("Media", classedName(name, "Video")), leaf("FileName", path),
       leaf("RelativeFilename", path)});
  file.connect(video_id, texture_id);
  return texture_id;
}

// -- Surfaces

NewElement ownNumber(const char* name, double value) {
  return propertyElement(name, "double", "Number", "U", {value});
}
NewElement ownInteger(const char* name, int value) {
  return propertyElement(name, "int", "Integer", "U", {std::int32_t{value}});
}

// Opacity in the three properties that readers use: Opacity, 1 - TransparencyFactor, and 1 -
// TransparentColor * TransparencyFactor. An opaque surface has no transparent colour, for those
// that take the colour alone.
void addTransparency(double opacity, std::vector<NewElement>& properties) {
  const bool is_opaque = opacity >= 1.0;
  properties.push_back(colorProperty("TransparentColor", Vec3(is_opaque ? 0.0 : 1.0)));
  properties.push_back(numberProperty("TransparencyFactor", is_opaque ? 0.0 : 1.0 - opacity));
  properties.push_back(propertyElement("Opacity", "double", "Number", "", {opacity}));
}

void addOwnProperties(const Material& material, std::vector<NewElement>& properties) {
  namespace names = shading_names;
  properties.push_back(propertyElement(names::kCompound, "Compound", "", "", {}));
  properties.push_back(ownNumber(names::kMetallic, material.metallic));
  properties.push_back(ownNumber(names::kRoughness, material.roughness));
  properties.push_back(ownInteger(names::kAlphaMode, static_cast<int>(material.alpha_mode)));
  properties.push_back(ownNumber(names::kAlphaCutoff, material.alpha_cutoff));
  properties.push_back(ownInteger(names::kDoubleSided, material.double_sided));
  properties.push_back(ownInteger(names::kUnlit, material.unlit));
  if (material.metallic_roughness_image >= 0) {
    properties.push_back(ownNumber(names::kMetallicRoughnessMap, 0.0));
  }
  if (material.occlusion_image >= 0) properties.push_back(ownNumber(names::kOcclusionMap, 0.0));
}

std::vector<NewElement> materialElements(const Material& material) {
  const Vec3 color(material.base_color.x, material.base_color.y, material.base_color.z);
  const double gloss = 10.0 * (1.0 - material.roughness), shininess = gloss * gloss;
  const double emission = material.emissive == Vec3(0.0) ? 0.0 : 1.0;
  std::vector<NewElement> properties = {
      textProperty("ShadingModel", "phong"),
      colorProperty("EmissiveColor", material.emissive),
      numberProperty("EmissiveFactor", emission),
      colorProperty("AmbientColor", Vec3(0.0)),
      colorProperty("DiffuseColor", color),
      numberProperty("DiffuseFactor", 1.0),
      propertyElement("NormalMap", "Vector3D", "Vector", "", {0.0, 0.0, 0.0}),
      propertyElement("BumpFactor", "double", "Number", "", {material.normal_scale}),
      colorProperty("SpecularColor", Vec3(1.0)),
      numberProperty("SpecularFactor", 0.25),
      numberProperty("Shininess", shininess),
      numberProperty("ShininessExponent", shininess),
      colorProperty("ReflectionColor", Vec3(1.0)),
      numberProperty("ReflectionFactor", material.metallic),
  };
  addTransparency(material.base_color.w, properties);
  addOwnProperties(material, properties);
  return {leaf("Version", std::int32_t{102}), leaf("ShadingModel", std::string("phong")),
          leaf("MultiLayer", std::int32_t{0}), block("Properties70", std::move(properties))};
}

void warnOfLosses(const Material& material, Warnings& losses) {
  if (material.metallic != 0.0 || material.roughness != 1.0) {
    losses.add("surface_as_phong",
               "metalness and roughness are converted to Phong terms, which programs interpret "
               "differently",
               material.name);
  }
  if (material.metallic_roughness_image >= 0 || material.occlusion_image >= 0) {
    losses.add(
        "own_texture_slot",
        "a metalness, roughness or occlusion texture is stored so that only clipmill reads it",
        material.name);
  }
  if (material.alpha_mode == AlphaMode::kMask || material.unlit || material.double_sided) {
    losses.add("own_surface_property",
               "alpha masks, two-sided and unlit materials are stored in properties that only "
               "clipmill reads",
               material.name);
  }
}

}  // namespace

std::vector<std::int64_t> writeMaterials(const Scene& scene, FileBuilder& file) {
  std::vector<std::int64_t> textures, materials;
  FileNames names;
  for (const Image& image : scene.images) textures.push_back(writeImage(image, names, file));
  for (const Material& material : scene.materials) {
    const std::int64_t id =
        file.add("Material", material.name, "Material", "", materialElements(material));
    materials.push_back(id);
    const auto connect = [&](int image, const char* property) {
      if (image < 0) return;
      const std::int64_t texture = textures[toSize(image)];
      if (texture != 0) file.connect(texture, id, property);
    };
    connect(material.base_color_image, "DiffuseColor");
    connect(material.normal_image, "NormalMap");
    connect(material.emissive_image, "EmissiveColor");
    connect(material.metallic_roughness_image, shading_names::kMetallicRoughnessMap);
    connect(material.occlusion_image, shading_names::kOcclusionMap);
    warnOfLosses(material, file.losses());
  }
  return materials;
}

}  // namespace clipmill::io::fbx
