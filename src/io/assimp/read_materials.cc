// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include <assimp/material.h>

#include "core/text.h"
#include "io/assimp/read_parts.h"

namespace clipmill::io::assimp {
namespace {

std::string_view mimeTypeOf(const Bytes& bytes) {
  const std::string_view text = asText(bytes);
  if (text.starts_with("\x89PNG\r\n")) return "image/png";
  if (text.starts_with("\xFF\xD8\xFF")) return "image/jpeg";
  return {};
}

class MaterialReader {
 public:
  MaterialReader(const aiScene& source, FilesRead& files, Scene& scene)
      : source_(source), files_(files), scene_(scene) {}

  Material read(const aiMaterial& source) {
    Material material;
    aiString name;
    if (source.Get(AI_MATKEY_NAME, name) == AI_SUCCESS) material.name = textOf(name);
    aiColor4D diffuse(0.8f, 0.8f, 0.8f, 1.0f);
    source.Get(AI_MATKEY_COLOR_DIFFUSE, diffuse);
    float opacity = 1.0f;
    source.Get(AI_MATKEY_OPACITY, opacity);
    material.base_color_image = imageOf(source, aiTextureType_DIFFUSE);
    // A texture replaces the colour in these formats; it is not multiplied by it.
    material.base_color = material.base_color_image >= 0
                              ? Vec4(1, 1, 1, opacity)
                              : Vec4(diffuse.r, diffuse.g, diffuse.b, opacity);
    if (opacity < 1.0f) material.alpha_mode = AlphaMode::kBlend;
    aiColor3D emissive(0.0f, 0.0f, 0.0f);
    source.Get(AI_MATKEY_COLOR_EMISSIVE, emissive);
    material.emissive = Vec3(emissive.r, emissive.g, emissive.b);
    material.emissive_image = imageOf(source, aiTextureType_EMISSIVE);
    if (material.emissive_image >= 0) material.emissive = Vec3(1.0);
    material.normal_image = imageOf(source, aiTextureType_NORMALS);
    int two_sided = 0;
    source.Get(AI_MATKEY_TWOSIDED, two_sided);
    material.double_sided = two_sided != 0;
    material.metallic = 0.0;
    material.roughness = roughnessOf(source);
    clampToRange(material);
    return material;
  }

 private:
  // The width of a Blinn-Phong highlight: alpha = sqrt(2 / (n + 2)), and alpha = roughness^2
  // (B. Walter et al., "Microfacet Models for Refraction", EGSR 2007, section 5.2).
  static double roughnessOf(const aiMaterial& source) {
    float shininess = 0.0f;
    source.Get(AI_MATKEY_SHININESS, shininess);
    const double exponent = std::isfinite(shininess) ? std::max(0.0, double(shininess)) : 0.0;
    return std::sqrt(std::sqrt(2.0 / (exponent + 2.0)));
  }

  static void clampToRange(Material& material) {
    const auto clamp = [](double& value) {
      value = std::isfinite(value) ? std::clamp(value, 0.0, 1.0) : 0.0;
    };
    for (int i = 0; i < 4; ++i) clamp(material.base_color[i]);
    for (int i = 0; i < 3; ++i) clamp(material.emissive[i]);
  }

  // Index in Scene::images, or -1.
  int imageOf(const aiMaterial& source, aiTextureType type) {
    aiString text;
    if (source.GetTexture(type, 0, &text) != AI_SUCCESS) return -1;
    const std::string path = textOf(text);
    const auto [known, is_new] = image_of_path_.try_emplace(path, -1);
    if (!is_new) return known->second;
    auto image = load(path);
    if (!image) return -1;
    known->second = static_cast<int>(scene_.images.size());
    scene_.images.push_back(std::move(*image));
    return known->second;
  }

  std::optional<Image> load(const std::string& path) {
    Image image;
    image.name = std::filesystem::path(path).stem().string();
    if (const aiTexture* embedded = source_.GetEmbeddedTexture(path.c_str())) {
      // Without a height the data are an encoded image of `width` bytes.
      if (embedded->mHeight == 0) {
        const auto* data = reinterpret_cast<const std::byte*>(embedded->pcData);
        image.bytes.assign(data, data + embedded->mWidth);
      }
    } else if (auto bytes = find(path)) {
      image.bytes = std::move(*bytes);
    } else {
      scene_.warnings.add("image_not_found", "an image file does not exist and is dropped", path);
      return std::nullopt;
    }
    image.mime_type = mimeTypeOf(image.bytes);
    if (image.mime_type.empty()) {
      scene_.warnings.add("image_format", "an image is neither PNG nor JPEG and is dropped", path);
      return std::nullopt;
    }
    return image;
  }

  // At the path, or, for paths of other machines, beside the input.
  std::unique_ptr<Bytes> find(std::string path) {
    std::replace(path.begin(), path.end(), '\\', '/');
    for (const std::string_view scheme : {"file:///", "file://"}) {
      if (path.starts_with(scheme)) path.erase(0, scheme.size());
    }
    const std::filesystem::path given(path);
    if (auto bytes = files_.read(files_.folder / given)) return bytes;
    return files_.read(files_.folder / given.filename());
  }

  const aiScene& source_;
  FilesRead& files_;
  Scene& scene_;
  std::map<std::string, int> image_of_path_;
};

}  // namespace

void readMaterials(const aiScene& source, FilesRead& files, Scene& scene) {
  MaterialReader reader(source, files, scene);
  for (unsigned m = 0; m < source.mNumMaterials; ++m) {
    scene.materials.push_back(reader.read(*source.mMaterials[m]));
  }
}

}  // namespace clipmill::io::assimp
