// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// Chapter 3.9 of the glTF 2.0 specification. Nothing here concerns poses: a fault in a surface or a
// image is a warning, and the invalid value keeps its default.
#include <algorithm>
#include <limits>

#include <nlohmann/json.hpp>

#include "core/to_size.h"
#include "io/gltf/data_uri.h"
#include "io/gltf/image_type.h"
#include "io/gltf/json_fields.h"
#include "io/gltf/read_parts.h"

namespace clipmill::io::gltf {
namespace {

std::string typeOfDataUri(const std::string& uri) {
  const std::size_t start = std::string_view("data:").size();
  const std::size_t end = std::min(uri.find(';'), uri.find(','));
  return end == std::string::npos ? "" : uri.substr(start, end - start);
}

class ImageReader {
 public:
  ImageReader(const Document& document, AccessorReader& accessors, std::uint64_t max_file_bytes)
      : document_(document), accessors_(accessors), max_file_bytes_(max_file_bytes) {}

  // The fields that were read stay where the image data could not be read; `fault` is the reason.
  // Error: kLimit.
  Result<Image> read(const Json& json, const std::string& location, Status& fault) {
    Fields fields(json, location);
    Fields root(*document_.json, "");
    Image image;
    image.name = fields.text("name", "");
    image.mime_type = fields.text("mimeType", "");
    const std::string uri = fields.text("uri", "");
    const int view = fields.index("bufferView", root.array("bufferViews").size());
    fault = fields.status();
    if (fault) fault = uri.empty() ? fromView(view, image) : fromUri(uri, image);
    if (!fault) {
      fault = within(location, fault.error());
      if (fault.error().code == ErrorCode::kLimit) return fault.error();
    }
    if (image.mime_type.empty()) image.mime_type = mimeTypeOf(image.bytes);
    CLIPMILL_CHECK(accessors_.charge(
        static_cast<double>(sizeof(Image) + image.bytes.size() + image.name.size() + uri.size())));
    return image;
  }

 private:
  Status fromView(int view, Image& image) {
    if (view < 0) {
      return Error{ErrorCode::kMalformed, "", "has neither data nor a file path", ""};
    }
    CLIPMILL_TRY(const auto bytes, accessors_.viewBytes(view));
    CLIPMILL_CHECK(checkSize(bytes.size()));
    image.bytes.assign(bytes.begin(), bytes.end());
    return {};
  }

  Status fromUri(const std::string& uri, Image& image) {
    if (isDataUri(uri)) {
      if (image.mime_type.empty()) image.mime_type = typeOfDataUri(uri);
      CLIPMILL_TRY(image.bytes, decodeDataUri(uri));
      return checkSize(image.bytes.size());
    }
    image.path = uri;
    CLIPMILL_TRY(const std::filesystem::path relative, fileOfUri(uri, {}));
    image.path = relative.generic_string();
    CLIPMILL_TRY(image.bytes, readFile(document_.folder / relative, max_file_bytes_));
    return {};
  }

  Status checkSize(std::size_t bytes) const {
    if (bytes <= max_file_bytes_) return {};
    return Error{ErrorCode::kLimit, "", "is an image larger than the limit for a file",
                 "raise --max-file-mb if it is meant to be that large"};
  }

  const Document& document_;
  AccessorReader& accessors_;
  std::uint64_t max_file_bytes_;
};

class MaterialReader {
 public:
  MaterialReader(const Document& document, AccessorReader& accessors, Scene& scene)
      : json_(*document.json), accessors_(accessors), scene_(scene) {}

  Status readAll() {
    readTextures();
    Fields root(json_, "");
    const Json& materials = root.array("materials");
    warnOf(root.status());
    for (std::size_t i = 0; i < materials.size(); ++i) {
      Material material = read(materials[i], elementLocation("materials", i));
      CLIPMILL_CHECK(
          accessors_.charge(static_cast<double>(sizeof(Material) + material.name.size())));
      scene_.materials.push_back(std::move(material));
    }
    return {};
  }

 private:
  void warnOf(const Status& status) {
    if (status) return;
    scene_.warnings.add("malformed_material",
                        "a material is invalid; defaults replace the values that cannot be read",
                        describe(status.error()));
  }

  // The image of each texture; where it has no plain one, that of an extension.
  void readTextures() {
    Fields root(json_, "");
    const Json& textures = root.array("textures");
    warnOf(root.status());
    for (std::size_t i = 0; i < textures.size(); ++i) {
      Fields texture(textures[i], elementLocation("textures", i));
      int image = texture.index("source", scene_.images.size());
      const Json& extensions = texture.object("extensions");
      for (const TextureExtension& extension : kTextureExtensions) {
        if (image >= 0 || !extensions.contains(extension.name)) continue;
        Fields fields(extensions[extension.name], texture.location() + "." + extension.name);
        image = fields.index("source", scene_.images.size());
        warnOf(fields.status());
      }
      warnOf(texture.status());
      image_of_texture_.push_back(image);
    }
  }

  Material read(const Json& json, const std::string& location) {
    Material material;
    Fields fields(json, location);
    material.name = fields.text("name", "");
    readMetallicRoughness(fields, material);
    const Json& normal = fields.object("normalTexture");
    material.normal_image = imageOf(fields, "normalTexture");
    Fields normal_fields(normal, location + ".normalTexture");
    material.normal_scale = normal_fields.number("scale", 1.0);
    warnOf(normal_fields.status());
    material.occlusion_image = imageOf(fields, "occlusionTexture");
    material.emissive_image = imageOf(fields, "emissiveTexture");
    readAlpha(fields, material);
    material.double_sided = fields.boolean("doubleSided", false);
    readEmission(fields, material);
    material.unlit = fields.object("extensions").contains("KHR_materials_unlit");
    warnOf(fields.status());
    return material;
  }

  void readMetallicRoughness(Fields& material_fields, Material& material) {
    Fields fields(material_fields.object("pbrMetallicRoughness"),
                  material_fields.location() + ".pbrMetallicRoughness");
    if (const auto color = fields.numbers("baseColorFactor", 4)) {
      for (int i = 0; i < 4; ++i) {
        material.base_color[i] = clamped(fields, (*color)[toSize(i)], 1.0);
      }
    }
    material.metallic = clamped(fields, fields.number("metallicFactor", 1.0), 1.0);
    material.roughness = clamped(fields, fields.number("roughnessFactor", 1.0), 1.0);
    material.base_color_image = imageOf(fields, "baseColorTexture");
    material.metallic_roughness_image = imageOf(fields, "metallicRoughnessTexture");
    warnOf(fields.status());
  }

  void readAlpha(Fields& fields, Material& material) {
    const std::string mode = fields.text("alphaMode", "OPAQUE");
    if (mode == "MASK") {
      material.alpha_mode = AlphaMode::kMask;
    } else if (mode == "BLEND") {
      material.alpha_mode = AlphaMode::kBlend;
    } else if (mode != "OPAQUE") {
      fields.fail("'alphaMode' is not a glTF value");
    }
    material.alpha_cutoff =
        clamped(fields, fields.number("alphaCutoff", 0.5), std::numeric_limits<double>::max());
  }

  // The factor times the strength of KHR_materials_emissive_strength.
  void readEmission(Fields& fields, Material& material) {
    const Json& extensions = fields.object("extensions");
    double strength = 1.0;
    if (extensions.contains("KHR_materials_emissive_strength")) {
      Fields extension(extensions["KHR_materials_emissive_strength"],
                       fields.location() + ".extensions.KHR_materials_emissive_strength");
      strength = clamped(extension, extension.number("emissiveStrength", 1.0), kStrongest);
      warnOf(extension.status());
    }
    const auto factor = fields.numbers("emissiveFactor", 3);
    if (!factor) return;
    for (int i = 0; i < 3; ++i) {
      const double value = clamped(fields, (*factor)[toSize(i)], 1.0);
      material.emissive[i] = value * strength;
    }
  }

  int imageOf(Fields& fields, const char* key) {
    if (!fields.has(key)) return -1;
    Fields texture(fields.object(key), fields.location() + "." + key);
    const int index = texture.requiredIndex("index", image_of_texture_.size());
    warnOf(texture.status());
    return index < 0 ? -1 : image_of_texture_[toSize(index)];
  }

  static double clamped(Fields& fields, double value, double most) {
    if (value >= 0.0 && value <= most) return value;
    fields.fail("has a factor out of range");
    return std::clamp(value, 0.0, most);
  }

  static constexpr double kStrongest = 1e30;  // what a 32-bit number still holds

  const Json& json_;
  AccessorReader& accessors_;
  Scene& scene_;
  std::vector<int> image_of_texture_;
};

}  // namespace

Status readImages(const Document& document, std::uint64_t max_file_bytes, AccessorReader& accessors,
                  Scene& scene) {
  Fields root(*document.json, "");
  const Json& images = root.array("images");
  ImageReader reader(document, accessors, max_file_bytes);
  for (std::size_t i = 0; i < images.size(); ++i) {
    Status fault;
    CLIPMILL_TRY(Image image, reader.read(images[i], elementLocation("images", i), fault));
    if (!fault) {
      const bool is_absent = fault.error().code == ErrorCode::kNotFound;
      scene.warnings.add(is_absent ? "image_not_found" : "image_not_read",
                         is_absent ? "an image file does not exist; only its path is kept"
                                   : "an image cannot be read",
                         describe(fault.error()));
    }
    scene.images.push_back(std::move(image));
  }
  return {};
}

Status readMaterials(const Document& document, AccessorReader& accessors, Scene& scene) {
  return MaterialReader(document, accessors, scene).readAll();
}

}  // namespace clipmill::io::gltf
