// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// Chapters 3.8 (images and textures) and 3.9 (materials) of the glTF 2.0 specification.
#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/to_size.h"
#include "io/gltf/data_uri.h"
#include "io/gltf/image_type.h"
#include "io/gltf/write_parts.h"

namespace clipmill::io::gltf::glb_writer {
namespace {

using Json = nlohmann::ordered_json;

template <class Vector>
Json components(const Vector& vector) {
  Json array = Json::array();
  for (int i = 0; i < Vector::length(); ++i) array.push_back(vector[i] + 0.0);
  return array;
}

// -- Images

bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// A file may refer to an image by a path of the machine where it was made. A URI of glTF is
// relative and knows no backslash: of an absolute path the file's own name stays.
std::string relativePath(std::string path) {
  std::replace(path.begin(), path.end(), '\\', '/');
  const std::size_t colon = path.find(':');
  const bool has_scheme =
      colon != std::string::npos && colon > 0 &&
      std::all_of(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(colon), isLetter);
  if (path.starts_with('/') || has_scheme) path.erase(0, path.find_last_of("/:") + 1);
  return path;
}

Json imageJson(const Image& image, const std::string& path, BufferBuilder& buffer) {
  Json json = Json::object();
  setName(json, image.name);
  if (image.bytes.empty()) {
    json["uri"] = gltf::uriOfFile(path);
    if (!image.mime_type.empty()) json["mimeType"] = image.mime_type;
    return json;
  }
  json["bufferView"] = buffer.addBytes(image.bytes);
  const std::string_view detected_type = gltf::mimeTypeOf(image.bytes);
  if (!image.mime_type.empty()) {
    json["mimeType"] = image.mime_type;
  } else {
    // Bytes in a buffer must have a type, and whoever knows no better should not guess.
    json["mimeType"] = detected_type.empty() ? "application/octet-stream" : detected_type;
  }
  return json;
}

// Types that a plain texture may not have are named in an extension that a reader has to know.
Json textureJson(const std::string& mime_type, std::size_t source, Extensions& extensions) {
  for (const gltf::TextureExtension& extension : gltf::kTextureExtensions) {
    if (mime_type != extension.mime_type) continue;
    extensions.emplace(extension.name, true);
    return {{"extensions", {{extension.name, {{"source", source}}}}}};
  }
  return {{"source", source}};
}

// One texture an image, with the same index; one of which the scene knows neither bytes nor a file
// is left out. texture_of_image[i] is -1 for that.
std::vector<int> writeImages(const Scene& scene, BufferBuilder& buffer, Extensions& extensions,
                             Json& root) {
  std::vector<int> texture_of_image;
  for (const Image& image : scene.images) {
    const std::string path = relativePath(image.path);
    if (image.bytes.empty() && path.empty()) {
      texture_of_image.push_back(-1);
      continue;
    }
    Json json = imageJson(image, path, buffer);
    const std::size_t index = root["images"].size();
    root["textures"].push_back(textureJson(json.value("mimeType", ""), index, extensions));
    root["images"].push_back(std::move(json));
    texture_of_image.push_back(static_cast<int>(index));
  }
  return texture_of_image;
}

// -- Materials

class MaterialWriter {
 public:
  MaterialWriter(const std::vector<int>& texture_of_image, Extensions& extensions)
      : texture_of_image_(texture_of_image), extensions_(extensions) {}

  Json write(const Material& material) {
    Json json = Json::object();
    setName(json, material.name);
    Json& surface = json["pbrMetallicRoughness"] = Json::object();
    surface["baseColorFactor"] = components(material.base_color);
    setTexture(surface, "baseColorTexture", material.base_color_image);
    surface["metallicFactor"] = material.metallic;
    surface["roughnessFactor"] = material.roughness;
    setTexture(surface, "metallicRoughnessTexture", material.metallic_roughness_image);
    setTexture(json, "normalTexture", material.normal_image);
    if (material.normal_scale != 1.0 && json.contains("normalTexture")) {
      json["normalTexture"]["scale"] = material.normal_scale;
    }
    setTexture(json, "occlusionTexture", material.occlusion_image);
    setTexture(json, "emissiveTexture", material.emissive_image);
    writeEmission(material.emissive, json);
    writeAlpha(material, json);
    if (material.double_sided) json["doubleSided"] = true;
    if (material.unlit) addExtension(json, "KHR_materials_unlit", Json::object());
    return json;
  }

 private:
  void setTexture(Json& json, const char* key, int image) const {
    if (image < 0) return;
    const int texture = texture_of_image_[toSize(image)];
    if (texture >= 0) json[key] = {{"index", texture}};
  }

  void addExtension(Json& json, const char* name, Json content) {
    json["extensions"][name] = std::move(content);
    extensions_.emplace(name, false);
  }

  // Factors end at 1; what shines brighter has a strength besides.
  void writeEmission(const Vec3& emissive, Json& json) {
    if (emissive == Vec3(0.0)) return;
    const double strongest = std::max({emissive.x, emissive.y, emissive.z, 1.0});
    json["emissiveFactor"] = components(emissive / strongest);
    if (strongest > 1.0) {
      addExtension(json, "KHR_materials_emissive_strength", {{"emissiveStrength", strongest}});
    }
  }

  static void writeAlpha(const Material& material, Json& json) {
    if (material.alpha_mode == AlphaMode::kBlend) json["alphaMode"] = "BLEND";
    if (material.alpha_mode != AlphaMode::kMask) return;
    json["alphaMode"] = "MASK";
    json["alphaCutoff"] = material.alpha_cutoff;
  }

  const std::vector<int>& texture_of_image_;
  Extensions& extensions_;
};

}  // namespace

void writeMaterials(const Scene& scene, BufferBuilder& buffer, Extensions& extensions, Json& root) {
  if (!scene.materials.empty()) root["materials"] = Json::array();  // comes before the images
  const std::vector<int> texture_of_image = writeImages(scene, buffer, extensions, root);
  MaterialWriter writer(texture_of_image, extensions);
  for (const Material& material : scene.materials) {
    root["materials"].push_back(writer.write(material));
  }
}

}  // namespace clipmill::io::gltf::glb_writer
