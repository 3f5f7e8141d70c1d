// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/to_size.h"
#include "io/gltf/json_fields.h"
#include "io/gltf/read_parts.h"

namespace clipmill::io::gltf {
namespace {

constexpr int kTriangles = 4, kTriangleStrip = 5, kTriangleFan = 6;

Error malformedMesh(const std::string& location, std::string message) {
  return {ErrorCode::kMalformed, location, std::move(message), ""};
}

std::vector<Vec3> vectorsOf(const Accessor& accessor) {
  std::vector<Vec3> vectors(accessor.count);
  for (std::size_t i = 0; i < accessor.count; ++i) {
    const double* v = &accessor.values[i * 3];
    vectors[i] = Vec3(v[0], v[1], v[2]);
  }
  return vectors;
}

// Strips and fans as separate triangles; other modes have none.
std::vector<std::uint32_t> trianglesOf(const std::vector<std::uint32_t>& indices, int mode) {
  if (mode == kTriangles) {
    return {indices.begin(), indices.begin() + static_cast<std::ptrdiff_t>(indices.size() / 3 * 3)};
  }
  std::vector<std::uint32_t> triangles;
  if (mode != kTriangleStrip && mode != kTriangleFan) return triangles;
  for (std::size_t i = 0; i + 2 < indices.size(); ++i) {
    const bool odd = mode == kTriangleStrip && i % 2 == 1;
    const std::uint32_t first = mode == kTriangleFan ? indices[0] : indices[i];
    triangles.insert(triangles.end(),
                     {first, indices[i + (odd ? 2 : 1)], indices[i + (odd ? 1 : 2)]});
  }
  return triangles;
}

class MeshReader {
 public:
  MeshReader(const Document& document, AccessorReader& accessors, Scene& scene)
      : json_(*document.json), accessors_(accessors), scene_(scene) {}

  Status readNode(std::size_t source, int node) {
    Fields root(json_, "");
    Fields node_fields(root.array("nodes")[source], elementLocation("nodes", source));
    const Json& meshes = root.array("meshes");
    const int mesh = node_fields.index("mesh", meshes.size());
    const int skin = node_fields.index("skin", scene_.skins.size());
    CLIPMILL_CHECK(node_fields.status());
    if (mesh < 0) return {};
    const std::string mesh_location = elementLocation("meshes", toSize(mesh));
    Fields fields(meshes[toSize(mesh)], mesh_location);
    const Json& primitives = fields.array("primitives");
    target_names_ = targetNames(fields);
    CLIPMILL_CHECK(
        accessors_.charge(static_cast<double>(target_names_.size() * sizeof(std::string))));
    SkinnedMesh shared;
    shared.name = fields.text("name", "");
    shared.node = node;
    shared.skin = skin;
    CLIPMILL_CHECK(fields.status());
    for (std::size_t i = 0; i < primitives.size(); ++i) {
      // Any number of nodes may show any number of primitives that hold next to nothing.
      CLIPMILL_CHECK(
          accessors_.charge(static_cast<double>(sizeof(SkinnedMesh) + shared.name.size())));
      SkinnedMesh result = shared;
      result.primitive = static_cast<int>(i);
      CLIPMILL_TRY(const bool readable,
                   readPrimitive(primitives[i],
                                 mesh_location + "." + elementLocation("primitives", i), result));
      if (readable) scene_.meshes.push_back(std::move(result));
    }
    return {};
  }

 private:
  // False for a primitive whose vertices cannot be read; adds a warning.
  Result<bool> readPrimitive(const Json& primitive, const std::string& location,
                             SkinnedMesh& mesh) {
    Fields fields(primitive, location);
    if (fields.object("extensions").contains("KHR_draco_mesh_compression")) {
      scene_.warnings.add("draco_geometry",
                          "Draco-compressed geometry is kept but its vertices are not decoded",
                          location);
      return false;
    }
    Fields attributes(fields.object("attributes"), location + ".attributes");
    const std::size_t count = accessors_.count();
    const int positions = attributes.index("POSITION", count);
    const int mode = static_cast<int>(fields.integer("mode", kTriangles, 0, 6));
    const int indices = fields.index("indices", count);
    CLIPMILL_CHECK(fields.status());
    CLIPMILL_CHECK(attributes.status());
    if (positions < 0) return false;
    CLIPMILL_TRY(mesh.positions, readVectors(positions, location, std::nullopt));
    CLIPMILL_CHECK(readSurface(attributes, location, mesh));
    CLIPMILL_CHECK(readTangents(attributes, mesh));
    CLIPMILL_CHECK(readTriangles(indices, mode, location, mesh));
    CLIPMILL_CHECK(readTargets(fields, mesh));
    if (mesh.skin >= 0) CLIPMILL_CHECK(readInfluences(attributes, mesh));
    CLIPMILL_CHECK(readColors(attributes, mesh));
    readMaterial(primitive, location, mesh);
    return true;
  }

  // A material that does not exist has no effect on poses, and does not keep the mesh from being
  // read.
  void readMaterial(const Json& primitive, const std::string& location, SkinnedMesh& mesh) {
    Fields fields(primitive, location);
    mesh.material = fields.index("material", scene_.materials.size());
    if (fields.status()) return;
    scene_.warnings.add("missing_material", "a mesh refers to a material that does not exist",
                        location);
  }

  // The values of an attribute that concerns no pose, one row a vertex; none where they cannot be
  // read. Only a limit is an error.
  Result<std::optional<Accessor>> readSpare(Fields& attributes, const std::string& name,
                                            const SkinnedMesh& mesh) {
    const int accessor = attributes.index(name.c_str(), accessors_.count());
    if (accessor < 0) return std::optional<Accessor>();
    Result<Accessor> values = accessors_.read(accessor);
    if (!values && values.error().code == ErrorCode::kLimit) {
      return within(attributes.location(), values.error());
    }
    if (!values || values->count != mesh.vertexCount()) return std::optional<Accessor>();
    return std::optional(std::move(*values));
  }

  // Likewise for colours that are no colours.
  Status readColors(Fields& attributes, SkinnedMesh& mesh) {
    for (std::size_t set = 0;; ++set) {
      const std::string name = "COLOR_" + std::to_string(set);
      if (!attributes.has(name.c_str())) return {};
      std::vector<Vec4> colors;
      CLIPMILL_TRY(const bool is_readable, readColorSet(attributes, name, mesh, colors));
      if (!is_readable) return {};
      if (set == 0) {
        mesh.colors = std::move(colors);
      } else {
        mesh.more_colors.push_back(std::move(colors));
      }
    }
  }

  Result<bool> readColorSet(Fields& attributes, const std::string& name, const SkinnedMesh& mesh,
                            std::vector<Vec4>& result) {
    CLIPMILL_TRY(const auto values, readSpare(attributes, name, mesh));
    const bool fits = values && (values->width == 3 || values->width == 4) &&
                      (values->normalized || values->component_type == kFloatComponent);
    if (!fits) {
      scene_.warnings.add("malformed_colors", "vertex colours cannot be read and are dropped",
                          attributes.location());
      return false;
    }
    const auto width = toSize(values->width);
    for (std::size_t i = 0; i < values->count; ++i) {
      const double* v = &values->values[i * width];
      result.emplace_back(v[0], v[1], v[2], width == 4 ? v[3] : 1.0);
    }
    return true;
  }

  // Readers ignore tangents without normals (glTF 2.0, 3.7.2.1). They have no effect on poses
  // either.
  Status readTangents(Fields& attributes, SkinnedMesh& mesh) {
    if (!attributes.has("TANGENT") || mesh.normals.empty()) return {};
    CLIPMILL_TRY(const auto values, readSpare(attributes, "TANGENT", mesh));
    if (!values || values->width != 4) {
      scene_.warnings.add("malformed_tangents", "tangents cannot be read and are dropped",
                          attributes.location() + ".TANGENT");
      return {};
    }
    for (std::size_t i = 0; i < values->count; ++i) {
      const double* t = &values->values[4 * i];
      mesh.tangents.emplace_back(t[0], t[1], t[2], t[3] < 0.0 ? -1.0 : 1.0);
    }
    return {};
  }

  // The sets behind the first; those that cannot be read concern no pose.
  Status readMoreUvs(Fields& attributes, SkinnedMesh& mesh) {
    for (std::size_t set = 1;; ++set) {
      const std::string name = "TEXCOORD_" + std::to_string(set);
      if (!attributes.has(name.c_str())) return {};
      CLIPMILL_TRY(const auto values, readSpare(attributes, name, mesh));
      if (!values || values->width != 2) {
        scene_.warnings.add("malformed_uvs",
                            "a further set of texture coordinates cannot be read and is dropped",
                            attributes.location() + "." + name);
        return {};
      }
      std::vector<Vec2>& uvs = mesh.more_uvs.emplace_back();
      for (std::size_t i = 0; i < values->count; ++i) {
        uvs.emplace_back(values->values[2 * i], values->values[2 * i + 1]);
      }
    }
  }

  // Names that exporters agree to keep in the extras of a mesh; what is no text stays empty.
  static std::vector<std::string> targetNames(Fields& mesh) {
    std::vector<std::string> names;
    if (!mesh.has("extras")) return names;
    const Json& extras = mesh.anything("extras");
    if (!extras.is_object() || !extras.contains("targetNames")) return names;
    const Json& list = extras["targetNames"];
    if (!list.is_array()) return names;
    for (const Json& name : list) {
      names.push_back(name.is_string() ? name.get<std::string>() : std::string());
    }
    return names;
  }

  Result<std::vector<Vec3>> readVectors(int accessor, const std::string& location,
                                        std::optional<std::size_t> count) {
    auto values = accessors_.read(accessor, 3);
    if (!values) return within(location, values.error());
    if (count && values->count != *count) {
      return malformedMesh(location, "has attributes of different lengths");
    }
    return vectorsOf(*values);
  }

  Status readSurface(Fields& attributes, const std::string& location, SkinnedMesh& mesh) {
    const int normals = attributes.index("NORMAL", accessors_.count());
    const int uvs = attributes.index("TEXCOORD_0", accessors_.count());
    CLIPMILL_CHECK(attributes.status());
    if (normals >= 0) {
      CLIPMILL_TRY(mesh.normals, readVectors(normals, location, mesh.vertexCount()));
    }
    if (uvs < 0) return {};
    auto values = accessors_.read(uvs, 2);
    if (!values) return within(location, values.error());
    if (values->count != mesh.vertexCount()) {
      return malformedMesh(location, "has attributes of different lengths");
    }
    for (std::size_t i = 0; i < values->count; ++i) {
      mesh.uvs.emplace_back(values->values[2 * i], values->values[2 * i + 1]);
    }
    return readMoreUvs(attributes, mesh);
  }

  Status readTriangles(int accessor, int mode, const std::string& location, SkinnedMesh& mesh) {
    std::vector<std::uint32_t> indices;
    if (accessor < 0) {
      for (std::uint32_t i = 0; i < mesh.vertexCount(); ++i) indices.push_back(i);
    } else {
      auto values = accessors_.read(accessor, 1);
      if (!values) return within(location, values.error());
      for (double value : values->values) {
        if (!(value >= 0.0 && value < static_cast<double>(mesh.vertexCount()))) {
          return malformedMesh(location, "has an index of a vertex that does not exist");
        }
        indices.push_back(static_cast<std::uint32_t>(value));
      }
    }
    mesh.triangles = trianglesOf(indices, mode);
    return {};
  }

  Status readTargets(Fields& primitive, SkinnedMesh& mesh) {
    const Json& targets = primitive.array("targets");
    CLIPMILL_CHECK(primitive.status());
    CLIPMILL_CHECK(accessors_.charge(static_cast<double>(targets.size()) * sizeof(MorphTarget)));
    for (std::size_t i = 0; i < targets.size(); ++i) {
      Fields target(targets[i], primitive.location() + "." + elementLocation("targets", i));
      const int positions = target.index("POSITION", accessors_.count());
      const int normals = target.index("NORMAL", accessors_.count());
      CLIPMILL_CHECK(target.status());
      MorphTarget morph;
      if (i < target_names_.size()) morph.name = target_names_[i];
      CLIPMILL_CHECK(accessors_.charge(static_cast<double>(morph.name.size())));
      if (positions >= 0) {
        CLIPMILL_TRY(morph.position_deltas,
                     readVectors(positions, target.location(), mesh.vertexCount()));
      }
      if (normals >= 0) {
        CLIPMILL_TRY(morph.normal_deltas,
                     readVectors(normals, target.location(), mesh.vertexCount()));
      }
      mesh.morphs.push_back(std::move(morph));
    }
    return {};
  }

  // All sets JOINTS_n, WEIGHTS_n; zero weights are dropped and the rest made to sum to 1.
  Status readInfluences(Fields& attributes, SkinnedMesh& mesh) {
    std::vector<Accessor> joints, weights;
    for (int set = 0;; ++set) {
      const std::string suffix = std::to_string(set);
      const int j = attributes.index(("JOINTS_" + suffix).c_str(), accessors_.count());
      const int w = attributes.index(("WEIGHTS_" + suffix).c_str(), accessors_.count());
      CLIPMILL_CHECK(attributes.status());
      if (j < 0 || w < 0) break;
      auto joint_values = accessors_.read(j, 4);
      if (!joint_values) return within(attributes.location(), joint_values.error());
      auto weight_values = accessors_.read(w, 4);
      if (!weight_values) return within(attributes.location(), weight_values.error());
      if (joint_values->count != mesh.vertexCount() || weight_values->count != mesh.vertexCount()) {
        return malformedMesh(attributes.location(), "has attributes of different lengths");
      }
      joints.push_back(std::move(*joint_values));
      weights.push_back(std::move(*weight_values));
    }
    if (joints.empty()) {
      mesh.skin = -1;  // a skin without weights: the mesh follows its node
      return {};
    }
    for (std::size_t v = 0; v < mesh.vertexCount(); ++v) {
      CLIPMILL_CHECK(addVertex(joints, weights, v, attributes.location(), mesh));
    }
    mesh.influence_start.push_back(mesh.influences.size());
    return {};
  }

  Status addVertex(const std::vector<Accessor>& joints, const std::vector<Accessor>& weights,
                   std::size_t vertex, const std::string& location, SkinnedMesh& mesh) {
    const std::size_t joint_count = scene_.skins[toSize(mesh.skin)].joints.size();
    const std::size_t start = mesh.influences.size();
    mesh.influence_start.push_back(start);
    double total = 0.0;
    for (std::size_t set = 0; set < joints.size(); ++set) {
      for (std::size_t i = 4 * vertex; i < 4 * vertex + 4; ++i) {
        const double weight = weights[set].values[i];
        if (weight == 0.0) continue;
        if (weight < 0.0) return malformedMesh(location, "has a negative weight");
        const double joint = joints[set].values[i];
        if (!(joint >= 0.0 && joint < static_cast<double>(joint_count))) {
          return malformedMesh(location, "binds vertex " + std::to_string(vertex) +
                                             " to a joint that its skin does not have");
        }
        mesh.influences.push_back({static_cast<std::uint32_t>(joint), weight});
        total += weight;
      }
    }
    if (total == 0.0) {
      scene_.warnings.add("vertex_without_weight",
                          "a vertex has no weights; it is bound to the skin's first joint",
                          location);
      if (joint_count == 0) return malformedMesh(location, "uses a skin without joints");
      mesh.influences.push_back({0, 1.0});
      return {};
    }
    for (std::size_t i = start; i < mesh.influences.size(); ++i) mesh.influences[i].weight /= total;
    return {};
  }

  const Json& json_;
  AccessorReader& accessors_;
  Scene& scene_;
  std::vector<std::string> target_names_;  // of the mesh that is being read
};

}  // namespace

Status readMeshes(const Document& document, const std::vector<int>& node_of_source,
                  AccessorReader& accessors, Scene& scene) {
  MeshReader reader(document, accessors, scene);
  for (std::size_t source = 0; source < node_of_source.size(); ++source) {
    CLIPMILL_CHECK(reader.readNode(source, node_of_source[source]));
  }
  return {};
}

}  // namespace clipmill::io::gltf
