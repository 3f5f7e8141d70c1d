// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/gltf/conversion_loss.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "core/to_size.h"
#include "io/gltf/custom_properties.h"
#include "io/gltf/extension_names.h"
#include "io/gltf/image_type.h"
#include "io/gltf/json_fields.h"

namespace clipmill::io::gltf {
namespace {

// Extensions that readScene() reads, or that only concern data encoding.
constexpr std::string_view kCarried[] = {
    kVisibilityExtension,      kLightsExtension,
    "KHR_materials_unlit",     "KHR_materials_emissive_strength",
    "EXT_meshopt_compression", "KHR_meshopt_compression",
    "KHR_mesh_quantization",   "KHR_draco_mesh_compression"};

constexpr int kRepeat = 10497;
constexpr int kNearest = 9728, kNearestMipmapNearest = 9984, kNearestMipmapLinear = 9986;
constexpr int kTriangleMode = 4;

bool isCarried(std::string_view name) {
  return std::find(std::begin(kCarried), std::end(kCarried), name) != std::end(kCarried);
}

// The member, or an empty object. Types are not trusted: nothing here has been read before.
const Json& memberOf(const Json& object, const char* key) {
  static const Json nothing = Json::object();
  if (!object.is_object()) return nothing;
  const auto member = object.find(key);
  return member == object.end() ? nothing : *member;
}

// Likewise an array, or an empty one.
const Json& arrayOf(const Json& object, const char* key) {
  static const Json nothing = Json::array();
  const Json& member = memberOf(object, key);
  return member.is_array() ? member : nothing;
}

// A whole number, or `fallback`.
std::int64_t wholeOf(const Json& object, const char* key, std::int64_t fallback) {
  Fields fields(object, "");
  const std::int64_t value = fields.integer(key, fallback);
  return fields.status() ? value : fallback;
}

bool isNumber(const Json& value, double number) {
  return value.is_number() && value.get<double>() == number;
}

bool isPair(const Json& value, double number) {
  return value.is_array() && value.size() == 2 && isNumber(value[0], number) &&
         isNumber(value[1], number);
}

class LossFinder {
 public:
  explicit LossFinder(const Document& document) : document_(document), json_(*document.json) {}

  Warnings find() {
    walk(json_, "");
    if (!memberOf(memberOf(json_, "asset"), "copyright").empty()) {
      add("copyright", "the copyright notice is dropped", "asset.copyright");
    }
    findUnusedViews();
    if (arrayOf(json_, "scenes").size() > 1) {
      add("scenes", "several scenes are merged into one", "scenes");
    }
    findInMeshes();
    findInMaterials();
    findInTextures();
    for (std::size_t i = 0; i < document_.extra_chunks.size(); ++i) {
      add("extra_chunk", "unknown GLB chunks are dropped", "chunk " + std::to_string(i));
    }
    return std::move(warnings_);
  }

 private:
  void add(const char* code, const char* text, const std::string& location) {
    warnings_.add(code, text, location);
  }

  // Extras and extensions anywhere, except within each other.
  void walk(const Json& value, const std::string& location) {
    if (value.is_array()) {
      for (std::size_t i = 0; i < value.size(); ++i) {
        if (value[i].is_structured()) walk(value[i], location + "[" + std::to_string(i) + "]");
      }
    }
    if (!value.is_object()) return;
    for (const auto& [key, member] : value.items()) {
      const std::string inner = location.empty() ? key : location + "." + key;
      if (key == "extras" && isNode(location)) {
        addNodeExtras(member, inner);
      } else if (key == "extras") {
        addExtras(member, inner);
      } else if (key == "extensions") {
        addExtensions(member, inner);
      } else if (member.is_structured()) {
        walk(member, inner);
      }
    }
  }

  // "nodes[3]"
  static bool isNode(std::string_view location) {
    return location.starts_with("nodes[") && location.find('.') == location.npos;
  }

  void addNodeExtras(const Json& extras, const std::string& location) {
    if (!extras.is_object()) {
      addExtras(extras, location);
      return;
    }
    for (const auto& [name, value] : extras.items()) {
      if (customPropertyOf(name, value)) continue;
      add("extras", "custom properties (extras) are dropped", location + "." + name);
    }
  }

  // The names of morph targets are carried; nothing else is.
  void addExtras(const Json& extras, const std::string& location) {
    const bool only_names =
        extras.is_object() && extras.size() == 1 && extras.contains("targetNames");
    if (only_names || (extras.is_structured() && extras.empty())) return;
    add("extras", "custom properties (extras) are dropped", location);
  }

  void addExtensions(const Json& extensions, const std::string& location) {
    if (!extensions.is_object()) return;
    for (const auto& [name, content] : extensions.items()) {
      const std::string inner = location + "." + name;
      if (isCarried(name) || isTextureSource(name)) continue;
      if (name == "KHR_texture_transform") {
        if (!isIdentityTransform(content)) {
          add("texture_transform", "texture transforms are dropped", inner);
        }
      } else if (name.starts_with("VRM")) {
        add("vrm_extension", "VRM data other than springs and humanoid bones is dropped", inner);
      } else if (name.starts_with("KHR_materials_")) {
        add("material_extension", "material extensions are dropped", inner);
      } else {
        add("other_extension", "extensions are dropped", inner);
      }
    }
  }

  // Cameras and lights are listed by the document, and shown by nodes.
  void findUnusedViews() {
    const auto lightsOf = [](const Json& object) -> const Json& {
      return memberOf(memberOf(object, "extensions"), kLightsExtension);
    };
    std::set<std::int64_t> cameras, lights;
    for (const Json& node : arrayOf(json_, "nodes")) {
      cameras.insert(wholeOf(node, "camera", -1));
      lights.insert(wholeOf(lightsOf(node), "light", -1));
    }
    countUnused(arrayOf(json_, "cameras"), cameras, "camera",
                "cameras that no node refers to are dropped", "cameras");
    countUnused(arrayOf(lightsOf(json_), "lights"), lights, "light",
                "lights that no node refers to are dropped", "lights");
  }

  void countUnused(const Json& elements, const std::set<std::int64_t>& used, const char* code,
                   const char* text, const char* array) {
    for (std::size_t i = 0; i < elements.size(); ++i) {
      if (used.contains(static_cast<std::int64_t>(i))) continue;
      add(code, text, elementLocation(array, i));
    }
  }

  static bool isTextureSource(std::string_view name) {
    return std::any_of(std::begin(kTextureExtensions), std::end(kTextureExtensions),
                       [&](const TextureExtension& t) { return name == t.name; });
  }

  // Its own set of texture coordinates is looked at with the texture.
  static bool isIdentityTransform(const Json& transform) {
    const auto is = [&](const char* key, bool same) { return !transform.contains(key) || same; };
    return transform.is_object() && is("offset", isPair(memberOf(transform, "offset"), 0.0)) &&
           is("scale", isPair(memberOf(transform, "scale"), 1.0)) &&
           is("rotation", isNumber(memberOf(transform, "rotation"), 0.0));
  }

  void findInMeshes() {
    std::set<std::int64_t> shown;
    const Json& nodes = arrayOf(json_, "nodes");
    for (const Json& node : nodes) shown.insert(wholeOf(node, "mesh", -1));
    const Json& meshes = arrayOf(json_, "meshes");
    for (std::size_t m = 0; m < meshes.size(); ++m) {
      const std::string location = elementLocation("meshes", m);
      if (!shown.contains(static_cast<std::int64_t>(m))) {
        add("mesh_without_node", "meshes that no node refers to are dropped", location);
      }
      const Json& primitives = arrayOf(meshes[m], "primitives");
      for (std::size_t p = 0; p < primitives.size(); ++p) {
        findInPrimitive(primitives[p], location + "." + elementLocation("primitives", p));
      }
    }
  }

  void findInPrimitive(const Json& primitive, const std::string& location) {
    if (wholeOf(primitive, "mode", kTriangleMode) < kTriangleMode) {
      add("lines_and_points", "lines and points are dropped", location);
    }
    const Json& attributes = memberOf(primitive, "attributes");
    if (attributes.is_object()) {
      for (const auto& member : attributes.items()) addAttribute(member.key(), location);
      if (attributes.contains("TANGENT") && !attributes.contains("NORMAL")) {
        add("tangents", "tangents without normals are dropped; programs ignore them",
            location + ".attributes.TANGENT");
      }
    }
    const Json& targets = arrayOf(primitive, "targets");
    for (std::size_t t = 0; t < targets.size(); ++t) {
      if (!targets[t].is_object()) continue;
      for (const auto& member : targets[t].items()) {
        if (member.key() == "POSITION" || member.key() == "NORMAL") continue;
        add("morph_attribute", "morph targets keep only positions and normals",
            location + "." + elementLocation("targets", t) + "." + member.key());
      }
    }
  }

  void addAttribute(const std::string& name, const std::string& primitive) {
    const std::string location = primitive + ".attributes." + name;
    if (name == "POSITION" || name == "NORMAL" || name == "TANGENT") return;
    if (name.starts_with("JOINTS_") || name.starts_with("WEIGHTS_")) return;
    if (name.starts_with("TEXCOORD_") || name.starts_with("COLOR_")) return;
    add("custom_attribute", "custom vertex attributes are dropped", location);
  }

  void findInMaterials() {
    const Json& materials = arrayOf(json_, "materials");
    for (std::size_t m = 0; m < materials.size(); ++m) {
      if (!materials[m].is_object()) continue;
      const std::string location = elementLocation("materials", m);
      const Json& surface = memberOf(materials[m], "pbrMetallicRoughness");
      for (const char* name : {"baseColorTexture", "metallicRoughnessTexture"}) {
        findInTexture(memberOf(surface, name), location + ".pbrMetallicRoughness." + name);
      }
      for (const char* name : {"normalTexture", "occlusionTexture", "emissiveTexture"}) {
        findInTexture(memberOf(materials[m], name), location + "." + name);
      }
      const Json& occlusion = memberOf(materials[m], "occlusionTexture");
      if (occlusion.contains("strength") && !isNumber(occlusion["strength"], 1.0)) {
        add("occlusion_strength", "the occlusion strength is set to 1",
            location + ".occlusionTexture.strength");
      }
    }
  }

  void findInTexture(const Json& texture, const std::string& location) {
    if (!texture.is_object()) return;
    const Json& transform = memberOf(memberOf(texture, "extensions"), "KHR_texture_transform");
    const std::int64_t set = wholeOf(transform, "texCoord", wholeOf(texture, "texCoord", 0));
    if (set == 0) return;
    add("texture_uv_set", "a texture that uses another UV set is shown with the first one",
        location + ".texCoord");
  }

  void findInTextures() {
    const Json& textures = arrayOf(json_, "textures");
    const Json& samplers = arrayOf(json_, "samplers");
    for (std::size_t t = 0; t < textures.size(); ++t) {
      const std::string location = elementLocation("textures", t);
      const std::int64_t sampler = wholeOf(textures[t], "sampler", -1);
      if (sampler >= 0 && sampler < static_cast<std::int64_t>(samplers.size()) &&
          !isUsual(samplers[toSize(sampler)])) {
        add("texture_sampler",
            "texture samplers are dropped; textures repeat and are filtered linearly", location);
      }
      if (wholeOf(textures[t], "source", -1) < 0) continue;
      const Json& extensions = memberOf(textures[t], "extensions");
      for (const TextureExtension& extension : kTextureExtensions) {
        if (!extensions.contains(extension.name)) continue;
        add("texture_alternative", "of an image in several encodings only PNG or JPEG is kept",
            location + ".extensions." + extension.name);
      }
    }
  }

  // Repeats in both directions and interpolates: the default for a texture without sampler.
  static bool isUsual(const Json& sampler) {
    const std::int64_t smaller = wholeOf(sampler, "minFilter", 0);
    return wholeOf(sampler, "wrapS", kRepeat) == kRepeat &&
           wholeOf(sampler, "wrapT", kRepeat) == kRepeat &&
           wholeOf(sampler, "magFilter", 0) != kNearest && smaller != kNearest &&
           smaller != kNearestMipmapNearest && smaller != kNearestMipmapLinear;
  }

  const Document& document_;
  const Json& json_;
  Warnings warnings_;
};

}  // namespace

Warnings conversionLossOf(const Document& document) { return LossFinder(document).find(); }

}  // namespace clipmill::io::gltf
