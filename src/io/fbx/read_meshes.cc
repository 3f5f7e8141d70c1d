// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/fbx/read_meshes.h"

#include <cmath>

#include "core/portable_math.h"
#include "core/to_size.h"
#include "io/fbx/layer_element.h"
#include "mesh/triangulate.h"

namespace clipmill::io::fbx {
namespace {

Error malformed(std::string message) { return {ErrorCode::kMalformed, "", std::move(message), ""}; }

Result<std::vector<Vec3>> vectorsOf(const Element& element) {
  CLIPMILL_TRY(const std::vector<double> numbers, element.numbers());
  if (numbers.size() % 3 != 0)
    return malformed("has a number of coordinates that is not a multiple of three");
  std::vector<Vec3> vectors(numbers.size() / 3);
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    vectors[i] = Vec3(numbers[3 * i], numbers[3 * i + 1], numbers[3 * i + 2]);
    if (!isFinite(vectors[i])) return malformed("has a coordinate that is not a finite number");
  }
  return vectors;
}

// The polygons of a mesh, and where their corners went when they were cut into triangles.
struct Polygons {
  std::vector<std::uint32_t> vertices;  // of every corner, polygon after polygon
  std::vector<std::size_t> starts;      // of every polygon in `vertices`, and the end
  std::vector<std::size_t> corner_of;   // of every triangle corner: index in `vertices`
  std::vector<std::size_t> polygon_of;  // of every triangle
};

// The last index of each polygon is stored as its complement.
Result<Polygons> polygonsOf(const std::vector<std::int64_t>& indices, std::size_t vertex_count) {
  Polygons polygons;
  polygons.starts.push_back(0);
  for (const std::int64_t index : indices) {
    const std::int64_t vertex = index < 0 ? -(index + 1) : index;
    if (vertex >= static_cast<std::int64_t>(vertex_count)) {
      return malformed("has a polygon with a control point that does not exist");
    }
    polygons.vertices.push_back(static_cast<std::uint32_t>(vertex));
    if (index < 0) polygons.starts.push_back(polygons.vertices.size());
  }
  if (polygons.starts.back() != polygons.vertices.size()) {
    polygons.starts.push_back(polygons.vertices.size());
  }
  return polygons;
}

void cutPolygons(const std::vector<Vec3>& positions, Polygons& polygons) {
  std::vector<Vec3> points;
  std::vector<std::uint32_t> corners;
  for (std::size_t p = 0; p + 1 < polygons.starts.size(); ++p) {
    const std::size_t start = polygons.starts[p], end = polygons.starts[p + 1];
    points.clear();
    corners.clear();
    for (std::size_t c = start; c < end; ++c) points.push_back(positions[polygons.vertices[c]]);
    triangulate(points, corners);
    for (const std::uint32_t corner : corners) polygons.corner_of.push_back(start + corner);
    polygons.polygon_of.insert(polygons.polygon_of.end(), corners.size() / 3, p);
  }
}

// Of length 1, or 0 for no direction.
Vec3 directionOf(const Vec3& v) {
  const double length = std::sqrt(glm::dot(v, v));
  return length > 0.0 && std::isfinite(length) ? v / length : Vec3(0.0);
}

Vec3 unit(const Vec3& v) {
  const Vec3 direction = directionOf(v);
  return direction == Vec3(0.0) ? Vec3(0.0, 1.0, 0.0) : direction;
}

// Display colours are stored with the sRGB curve applied; inverse of IEC 61966-2-1.
double linearFromSrgb(double c) {
  c = std::isfinite(c) ? std::min(1.0, std::max(0.0, c)) : 0.0;
  return c <= 0.04045 ? c / 12.92 : portable::pow((c + 0.055) / 1.055, 2.4);
}

class MeshReader {
 public:
  MeshReader(const Document& document, const Nodes& nodes, const Shapes& shapes,
             const std::vector<int>& material_of_object, std::uint64_t max_bytes, Scene& scene)
      : document_(document),
        nodes_(nodes),
        shapes_(shapes),
        material_of_object_(material_of_object),
        bytes_left_(static_cast<double>(max_bytes)),
        scene_(scene) {}

  Status readNode(int node) {
    const int model = nodes_.object_of_node[toSize(node)];
    const int geometry = geometryOf(document_, model);
    if (geometry < 0) return {};
    const Element element = document_.object(geometry).element;
    const auto vertices = element.child("Vertices");
    if (!vertices) return {};
    CLIPMILL_CHECK(charge(*vertices, element));
    SkinnedMesh mesh;
    mesh.node = node;
    mesh.name = document_.object(geometry).name;
    if (mesh.name.empty()) mesh.name = document_.object(model).name;
    CLIPMILL_TRY(mesh.positions, vectorsOf(*vertices));
    const Affine node_from_geometry = geometricTransform(document_.properties(model));
    CLIPMILL_CHECK(readSurface(element, model, node_from_geometry, mesh));
    CLIPMILL_CHECK(readMorphs(node, node_from_geometry.linear, mesh));
    for (Vec3& position : mesh.positions) position = transformPoint(node_from_geometry, position);
    CLIPMILL_CHECK(readSkin(document_, nodes_, geometry, mesh, scene_));
    scene_.meshes.push_back(std::move(mesh));
    return {};
  }

 private:
  // Any number of nodes may show one geometry.
  Status charge(const Element& vertices, const Element& geometry) {
    double numbers = static_cast<double>(vertices.numberCount());
    if (const auto indices = geometry.child("PolygonVertexIndex")) {
      numbers += 8.0 * static_cast<double>(indices->numberCount());
    }
    return chargeNumbers(numbers);
  }

  Status chargeNumbers(double numbers) {
    constexpr double kBytesPerNumber = 16.0;
    bytes_left_ -= kBytesPerNumber * numbers;
    if (bytes_left_ >= 0.0) return {};
    return Error{ErrorCode::kLimit, "", "has meshes that need more memory than the limit allows",
                 "raise --max-decoded-mb"};
  }

  Status readSurface(const Element& geometry, int model, const Affine& node_from_geometry,
                     SkinnedMesh& mesh) {
    const auto indices_element = geometry.child("PolygonVertexIndex");
    if (!indices_element) return {};
    CLIPMILL_TRY(const auto indices, indices_element->integers());
    CLIPMILL_TRY(Polygons polygons, polygonsOf(indices, mesh.vertexCount()));
    cutPolygons(mesh.positions, polygons);
    for (const std::size_t corner : polygons.corner_of) {
      mesh.triangles.push_back(polygons.vertices[corner]);
    }
    CLIPMILL_CHECK(readNormals(geometry, polygons, node_from_geometry.linear, mesh));
    CLIPMILL_CHECK(readTangents(geometry, polygons, node_from_geometry.linear, mesh));
    CLIPMILL_CHECK(readUvs(geometry, polygons, mesh));
    CLIPMILL_CHECK(readColors(geometry, polygons, mesh));
    return readMaterials(geometry, model, polygons, mesh);
  }

  // Calls `take(numbers)` for every triangle corner; stops and returns false where one has none.
  template <class Take>
  static bool forCorners(const LayerElement& layer, const Polygons& polygons, Take take) {
    for (std::size_t t = 0; t < polygons.corner_of.size(); ++t) {
      const std::size_t corner = polygons.corner_of[t];
      const double* numbers =
          layer.at({corner, polygons.vertices[corner], polygons.polygon_of[t / 3]});
      if (!numbers) return false;
      take(numbers);
    }
    return true;
  }

  void warnOfLayer(const char* what, const SkinnedMesh& mesh) {
    scene_.warnings.add("incomplete_layer",
                        "a mesh layer does not cover all corners and is ignored",
                        mesh.name + ": " + what);
  }

  Status readNormals(const Element& geometry, const Polygons& polygons, const Mat3& linear,
                     SkinnedMesh& mesh) {
    const auto element = geometry.child("LayerElementNormal");
    if (!element) return {};
    CLIPMILL_TRY(const LayerElement layer,
                 LayerElement::read(*element, "Normals", "NormalsIndex", 3));
    const Mat3 normal_map = glm::transpose(glm::inverse(linear));
    const bool complete = forCorners(layer, polygons, [&](const double* n) {
      mesh.corners.normals.push_back(unit(normal_map * Vec3(n[0], n[1], n[2])));
    });
    if (complete) return {};
    mesh.corners.normals.clear();
    warnOfLayer("normals", mesh);
    return {};
  }

  // Of the first set; they need normals. They have no effect on poses, so that a mesh is read
  // without those that cannot be read.
  Status readTangents(const Element& geometry, const Polygons& polygons, const Mat3& linear,
                      SkinnedMesh& mesh) {
    if (!geometry.child("LayerElementTangent") || mesh.corners.normals.empty()) return {};
    CLIPMILL_CHECK(chargeNumbers(4.0 * static_cast<double>(polygons.corner_of.size())));
    const auto layers = TangentLayers::read(geometry);
    if (!layers && layers.error().code == ErrorCode::kLimit) return layers.error();
    if (layers && addTangents(*layers, polygons, linear, mesh)) return {};
    mesh.corners.tangents.clear();
    warnOfLayer("tangents", mesh);
    return {};
  }

  // False where a corner has none, or none has a direction. Bitangents keep their direction under a
  // transform that mirrors, the cross product of normal and tangent is reversed.
  static bool addTangents(const TangentLayers& layers, const Polygons& polygons, const Mat3& linear,
                          SkinnedMesh& mesh) {
    bool has_direction = false;
    const double mirror = glm::determinant(linear) < 0.0 ? -1.0 : 1.0;
    for (std::size_t t = 0; t < polygons.corner_of.size(); ++t) {
      const std::size_t corner = polygons.corner_of[t];
      const auto tangent =
          layers.at({corner, polygons.vertices[corner], polygons.polygon_of[t / 3]},
                    glm::transpose(linear) * mesh.corners.normals[t]);
      if (!tangent) return false;
      const Vec3 direction = directionOf(linear * Vec3(*tangent));
      has_direction = has_direction || direction != Vec3(0.0);
      mesh.corners.tangents.emplace_back(direction, mirror * tangent->w);
    }
    return has_direction;
  }

  Status readUvs(const Element& geometry, const Polygons& polygons, SkinnedMesh& mesh) {
    for (const Element element : geometry.children()) {
      if (element.name() != "LayerElementUV") continue;
      CLIPMILL_TRY(const LayerElement layer, LayerElement::read(element, "UV", "UVIndex", 2));
      std::vector<Vec2> uvs;
      const bool complete = forCorners(layer, polygons, [&](const double* uv) {
        uvs.emplace_back(uv[0], 1.0 - uv[1]);  // counted from the bottom in FBX
      });
      if (!complete) warnOfLayer("texture coordinates", mesh);
      if (complete) CLIPMILL_CHECK(addSet(std::move(uvs), mesh.corners.uvs, mesh.corners.more_uvs));
    }
    return {};
  }

  // The first set of its kind, or one more.
  template <class Vector>
  Status addSet(std::vector<Vector> set, std::vector<Vector>& first,
                std::vector<std::vector<Vector>>& more) {
    if (first.empty()) {
      first = std::move(set);
      return {};
    }
    CLIPMILL_CHECK(chargeNumbers(static_cast<double>(set.size()) * Vector::length()));
    more.push_back(std::move(set));
    return {};
  }

  Status readColors(const Element& geometry, const Polygons& polygons, SkinnedMesh& mesh) {
    for (const Element element : geometry.children()) {
      if (element.name() != "LayerElementColor") continue;
      CLIPMILL_TRY(const LayerElement layer,
                   LayerElement::read(element, "Colors", "ColorIndex", 4));
      std::vector<Vec4> colors;
      const bool complete = forCorners(layer, polygons, [&](const double* c) {
        colors.emplace_back(linearFromSrgb(c[0]), linearFromSrgb(c[1]), linearFromSrgb(c[2]),
                            std::min(1.0, std::max(0.0, c[3])));
      });
      if (!complete) warnOfLayer("colours", mesh);
      if (complete) {
        CLIPMILL_CHECK(addSet(std::move(colors), mesh.corners.colors, mesh.corners.more_colors));
      }
    }
    return {};
  }

  // Indices of the layer count the materials that are connected to the node.
  Status readMaterials(const Element& geometry, int model, const Polygons& polygons,
                       SkinnedMesh& mesh) {
    std::vector<int> materials;
    for (const int object : document_.childrenOf(model, "Material", "")) {
      materials.push_back(material_of_object_[toSize(object)]);
    }
    if (materials.empty()) return {};
    mesh.material = materials.front();
    const auto element = geometry.child("LayerElementMaterial");
    if (!element || materials.size() < 2) return {};
    const auto mapping = element->child("MappingInformationType");
    const auto indices_element = element->child("Materials");
    if (!mapping || !indices_element) return {};
    CLIPMILL_TRY(const auto indices, indices_element->integers());
    const auto materialAt = [&](std::size_t i) {
      const std::int64_t slot = i < indices.size() ? indices[i] : 0;
      return slot >= 0 && slot < static_cast<std::int64_t>(materials.size())
                 ? materials[toSize(slot)]
                 : materials.front();
    };
    if (mapping->text(0) != "ByPolygon") {
      mesh.material = materialAt(0);
      return {};
    }
    for (const std::size_t polygon : polygons.polygon_of) {
      mesh.triangle_materials.push_back(materialAt(polygon));
    }
    return {};
  }

  // Displacements of the control points that a shape lists.
  Status readMorphs(int node, const Mat3& linear, SkinnedMesh& mesh) {
    const Node& n = nodes_.skeleton.nodes[toSize(node)];
    for (int w = n.weights_start; w < n.weights_start + n.weights_count; ++w) {
      const ShapeSource& source = shapes_.of_weight[toSize(w)];
      const auto indices_element = source.element.child("Indexes");
      const auto vertices_element = source.element.child("Vertices");
      MorphTarget morph;
      morph.name = source.name;
      if (indices_element && vertices_element) {
        CLIPMILL_TRY(const auto indices, indices_element->integers());
        CLIPMILL_TRY(const auto deltas, vectorsOf(*vertices_element));
        bytes_left_ -= static_cast<double>(mesh.vertexCount() * sizeof(Vec3));
        if (bytes_left_ < 0.0) {
          return Error{ErrorCode::kLimit, "",
                       "has blend shapes that need more memory than the limit allows",
                       "raise --max-decoded-mb"};
        }
        if (indices.size() != deltas.size()) {
          return malformed(
              "has a blend shape with different numbers of control points and displacements");
        }
        morph.position_deltas.resize(mesh.vertexCount());
        for (std::size_t i = 0; i < indices.size(); ++i) {
          if (indices[i] < 0 || indices[i] >= static_cast<std::int64_t>(mesh.vertexCount())) {
            return malformed("has a blend shape with a control point that does not exist");
          }
          const double percent = i < source.point_percents.size() ? source.point_percents[i] : 100;
          morph.position_deltas[toSize(indices[i])] += linear * (deltas[i] * (percent / 100.0));
        }
      }
      mesh.morphs.push_back(std::move(morph));
    }
    return {};
  }

  const Document& document_;
  const Nodes& nodes_;
  const Shapes& shapes_;
  const std::vector<int>& material_of_object_;
  double bytes_left_;
  Scene& scene_;
};

}  // namespace

Affine geometricTransform(const Properties& properties) {
  Transform t;
  t.translation = properties.vector("GeometricTranslation").value_or(Vec3(0.0));
  t.rotation =
      fromEuler(properties.vector("GeometricRotation").value_or(Vec3(0.0)), EulerOrder::kXyz);
  t.scale = properties.vector("GeometricScaling").value_or(Vec3(1.0));
  return toAffine(t);
}

Status readMeshes(const Document& document, const Nodes& nodes, const Shapes& shapes,
                  const std::vector<int>& material_of_object, std::uint64_t max_decoded_bytes,
                  Scene& scene) {
  MeshReader reader(document, nodes, shapes, material_of_object, max_decoded_bytes, scene);
  for (int n = 0; n < static_cast<int>(nodes.skeleton.size()); ++n) {
    if (Status done = reader.readNode(n); !done) {
      return within(pathOf(nodes.skeleton, n), done.error());
    }
  }
  return {};
}

}  // namespace clipmill::io::fbx
