// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// A geometry in the layout of FBX 7: control points, polygons whose last index is stored as its
// complement, and layer elements that belong to the corners of the polygons.
#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <span>
#include <string>

#include "core/math.h"
#include "core/portable_math.h"
#include "io/fbx/write_meshes.h"

namespace clipmill::io::fbx {
namespace {

constexpr std::int32_t kGeometryVersion = 124, kLayerElementVersion = 101, kSmoothingVersion = 102;
constexpr std::int32_t kTangentVersion = 102;  // with signs

std::string nameOf(const char* text) { return text; }

NewElement layerElement(const char* type, std::int32_t version, const std::string& name,
                        const char* mapping, const char* reference, std::vector<NewElement> values,
                        std::size_t number = 0) {
  NewElement element{type, {static_cast<std::int32_t>(number)}, {}, true};
  element.children = {leaf("Version", version), leaf("Name", name),
                      leaf("MappingInformationType", nameOf(mapping)),
                      leaf("ReferenceInformationType", nameOf(reference))};
  std::ranges::move(values, std::back_inserter(element.children));
  return element;
}

std::size_t cornerCount(const NodeMesh& mesh) {
  std::size_t count = 0;
  for (const SkinnedMesh* part : mesh.parts) count += part->triangles.size();
  return count;
}

// -- Points and polygons

NewElement verticesElement(const NodeMesh& mesh) {
  std::vector<double> numbers;
  for (const SkinnedMesh* part : mesh.parts) {
    for (const Vec3& position : part->positions) {
      const Vec3 p = transformPoint(mesh.control_from_mesh, position);
      numbers.insert(numbers.end(), {p.x, p.y, p.z});
    }
  }
  return leaf("Vertices", std::move(numbers));
}

NewElement polygonsElement(const NodeMesh& mesh) {
  std::vector<std::int32_t> indices;
  std::size_t base = 0;
  for (const SkinnedMesh* part : mesh.parts) {
    for (std::size_t c = 0; c < part->triangles.size(); ++c) {
      const auto vertex = static_cast<std::int32_t>(base + part->triangles[c]);
      indices.push_back(c % 3 == 2 ? -1 - vertex : vertex);
    }
    base += part->vertexCount();
  }
  return leaf("PolygonVertexIndex", std::move(indices));
}

// -- Normals

Vec3 flatNormal(const SkinnedMesh& part, std::size_t corner) {
  const std::size_t first = corner - corner % 3;
  const Vec3& a = part.positions[part.triangles[first]];
  const Vec3& b = part.positions[part.triangles[first + 1]];
  const Vec3& c = part.positions[part.triangles[first + 2]];
  return glm::cross(b - a, c - a);
}

Vec3 normalAt(const SkinnedMesh& part, std::size_t corner) {
  if (!part.corners.normals.empty()) return part.corners.normals[corner];
  if (!part.normals.empty()) return part.normals[part.triangles[corner]];
  return flatNormal(part, corner);
}

bool hasNormals(const SkinnedMesh& part) {
  return !part.corners.normals.empty() || !part.normals.empty();
}

Mat3 normalMapOf(const NodeMesh& mesh) {
  return glm::transpose(glm::inverse(mesh.control_from_mesh.linear));
}

// Of length 1, or `fallback` where it has no direction.
Vec3 mappedNormal(const Mat3& map, const SkinnedMesh& part, std::size_t corner) {
  return unitOr(map * normalAt(part, corner), Vec3(0.0, 1.0, 0.0));
}

// Where some parts have normals and others none, those get flat normals, as in glTF.
void addNormals(const NodeMesh& mesh, std::vector<NewElement>& elements) {
  const auto has = [](const SkinnedMesh* part) { return hasNormals(*part); };
  if (std::ranges::none_of(mesh.parts, has)) return;
  const Mat3 map = normalMapOf(mesh);
  std::vector<double> numbers;
  for (const SkinnedMesh* part : mesh.parts) {
    for (std::size_t c = 0; c < part->triangles.size(); ++c) {
      const Vec3 n = mappedNormal(map, *part, c);
      numbers.insert(numbers.end(), {n.x, n.y, n.z});
    }
  }
  elements.push_back(layerElement("LayerElementNormal", kLayerElementVersion, "", "ByPolygonVertex",
                                  "Direct", {leaf("Normals", std::move(numbers))}));
  // One smoothing group: some readers take its absence for hard edges.
  std::vector<std::int32_t> groups(cornerCount(mesh) / 3, 1);
  elements.push_back(layerElement("LayerElementSmoothing", kSmoothingVersion, "", "ByPolygon",
                                  "Direct", {leaf("Smoothing", std::move(groups))}));
}

// -- Tangents

bool hasTangents(const SkinnedMesh& part) {
  return hasNormals(part) && (!part.tangents.empty() || !part.corners.tangents.empty());
}

// The layer has to cover all corners: where only some parts have tangents, it is not written, and
// programs compute them for all.
bool allHaveTangents(const NodeMesh& mesh) {
  return std::ranges::all_of(mesh.parts, [](const SkinnedMesh* p) { return hasTangents(*p); });
}

// Bitangents keep their direction under a transform that mirrors, the cross product of normal and
// tangent is reversed: the sign changes.
Vec4 mappedTangent(const Mat3& linear, const SkinnedMesh& part, std::size_t corner) {
  const Vec4& tangent = part.corners.tangents.empty() ? part.tangents[part.triangles[corner]]
                                                      : part.corners.tangents[corner];
  const double mirror = glm::determinant(linear) < 0.0 ? -1.0 : 1.0;
  return Vec4(unitOrZero(linear * Vec3(tangent)), mirror * tangent.w);
}

// Some readers take the sign of the tangents, others the binormals.
void addTangents(const NodeMesh& mesh, std::vector<NewElement>& elements) {
  if (!allHaveTangents(mesh)) return;
  const Mat3 map = normalMapOf(mesh);
  std::vector<double> tangents, signs, binormals;
  for (const SkinnedMesh* part : mesh.parts) {
    for (std::size_t c = 0; c < part->triangles.size(); ++c) {
      const Vec4 t = mappedTangent(mesh.control_from_mesh.linear, *part, c);
      const Vec3 b = t.w * glm::cross(mappedNormal(map, *part, c), Vec3(t));
      tangents.insert(tangents.end(), {t.x, t.y, t.z});
      signs.push_back(t.w);
      binormals.insert(binormals.end(), {b.x, b.y, b.z});
    }
  }
  elements.push_back(layerElement("LayerElementBinormal", kLayerElementVersion, "UVMap",
                                  "ByPolygonVertex", "Direct",
                                  {leaf("Binormals", std::move(binormals))}));
  elements.push_back(
      layerElement("LayerElementTangent", kTangentVersion, "UVMap", "ByPolygonVertex", "Direct",
                   {leaf("Tangents", std::move(tangents)), leaf("TangentsW", std::move(signs))}));
}

// -- Texture coordinates and colours: a list of values, and which of them every corner has

template <std::size_t kWidth>
struct IndexedValues {
  std::vector<double> values;
  std::vector<std::int32_t> indices;

  std::int32_t add(const std::array<double, kWidth>& value) {
    values.insert(values.end(), value.begin(), value.end());
    return static_cast<std::int32_t>(values.size() / kWidth) - 1;
  }
};

// Values of vertices stay one a vertex; those of corners are stored once each; `none` is for
// parts that have neither.
template <std::size_t kWidth, class Vector, class Stored>
void addIndexed(const SkinnedMesh& part, const std::vector<Vector>& of_vertices,
                const std::vector<Vector>& of_corners, const Vector& none, Stored stored,
                IndexedValues<kWidth>& to) {
  if (!of_corners.empty()) {
    std::map<std::array<double, kWidth>, std::int32_t> known;
    for (const Vector& value : of_corners) {
      const std::array<double, kWidth> numbers = stored(value);
      const auto [entry, is_new] = known.emplace(numbers, 0);
      if (is_new) entry->second = to.add(numbers);
      to.indices.push_back(entry->second);
    }
    return;
  }
  const auto base = static_cast<std::int32_t>(to.values.size() / kWidth);
  if (of_vertices.empty()) {
    to.add(stored(none));
    to.indices.insert(to.indices.end(), part.triangles.size(), base);
    return;
  }
  for (const Vector& value : of_vertices) to.add(stored(value));
  for (const std::uint32_t vertex : part.triangles) {
    to.indices.push_back(base + static_cast<std::int32_t>(vertex));
  }
}

// Set `number` of a kind: of the first ones or of those behind.
template <class Vector>
const std::vector<Vector>& setOf(const std::vector<Vector>& first,
                                 const std::vector<std::vector<Vector>>& more, std::size_t number) {
  static const std::vector<Vector> none;
  if (number == 0) return first;
  return number <= more.size() ? more[number - 1] : none;
}

// "UVMap", "UVMap2", ..
std::string setName(const char* first, std::size_t number) {
  return number == 0 ? first : first + std::to_string(number + 1);
}

bool addUvs(const NodeMesh& mesh, std::size_t number, std::vector<NewElement>& elements) {
  const auto ofVertices = [&](const SkinnedMesh* p) -> const std::vector<Vec2>& {
    return setOf(p->uvs, p->more_uvs, number);
  };
  const auto ofCorners = [&](const SkinnedMesh* p) -> const std::vector<Vec2>& {
    return setOf(p->corners.uvs, p->corners.more_uvs, number);
  };
  const auto has = [&](const SkinnedMesh* p) {
    return !ofVertices(p).empty() || !ofCorners(p).empty();
  };
  if (std::ranges::none_of(mesh.parts, has)) return false;
  IndexedValues<2> uvs;
  // Counted from the bottom in FBX.
  const auto stored = [](const Vec2& uv) { return std::array<double, 2>{uv.x, 1.0 - uv.y}; };
  for (const SkinnedMesh* part : mesh.parts) {
    addIndexed(*part, ofVertices(part), ofCorners(part), Vec2(0.0), stored, uvs);
  }
  elements.push_back(layerElement(
      "LayerElementUV", kLayerElementVersion, setName("UVMap", number), "ByPolygonVertex",
      "IndexToDirect", {leaf("UV", std::move(uvs.values)), leaf("UVIndex", std::move(uvs.indices))},
      number));
  return true;
}

// IEC 61966-2-1, as the reader takes colours of vertices.
double srgbFromLinear(double c) {
  c = std::clamp(c, 0.0, 1.0);
  return c <= 0.0031308 ? c * 12.92 : 1.055 * portable::pow(c, 1.0 / 2.4) - 0.055;
}

bool addColors(const NodeMesh& mesh, std::size_t number, std::vector<NewElement>& elements) {
  const auto ofVertices = [&](const SkinnedMesh* p) -> const std::vector<Vec4>& {
    return setOf(p->colors, p->more_colors, number);
  };
  const auto ofCorners = [&](const SkinnedMesh* p) -> const std::vector<Vec4>& {
    return setOf(p->corners.colors, p->corners.more_colors, number);
  };
  const auto has = [&](const SkinnedMesh* p) {
    return !ofVertices(p).empty() || !ofCorners(p).empty();
  };
  if (std::ranges::none_of(mesh.parts, has)) return false;
  IndexedValues<4> colors;
  const auto stored = [](const Vec4& c) {
    return std::array<double, 4>{srgbFromLinear(c.x), srgbFromLinear(c.y), srgbFromLinear(c.z),
                                 std::clamp(c.w, 0.0, 1.0)};
  };
  for (const SkinnedMesh* part : mesh.parts) {
    addIndexed(*part, ofVertices(part), ofCorners(part), Vec4(1.0), stored, colors);
  }
  elements.push_back(layerElement(
      "LayerElementColor", kLayerElementVersion, setName("Color", number), "ByPolygonVertex",
      "IndexToDirect",
      {leaf("Colors", std::move(colors.values)), leaf("ColorIndex", std::move(colors.indices))},
      number));
  return true;
}

// -- Materials

void addMaterials(const NodeMesh& mesh, std::vector<int>& slots,
                  std::vector<NewElement>& elements) {
  std::map<int, std::int32_t> slot_of_material;
  std::vector<std::int32_t> slot_of_triangle;
  for (const SkinnedMesh* part : mesh.parts) {
    for (std::size_t t = 0; t < part->triangles.size() / 3; ++t) {
      const int material =
          part->triangle_materials.empty() ? part->material : part->triangle_materials[t];
      const auto [entry, is_new] =
          slot_of_material.emplace(material, static_cast<std::int32_t>(slots.size()));
      if (is_new) slots.push_back(material);
      slot_of_triangle.push_back(entry->second);
    }
  }
  if (slots.size() == 1) {
    if (slots.front() < 0) {
      slots.clear();
      return;
    }
    slot_of_triangle.assign(1, 0);
  }
  elements.push_back(layerElement("LayerElementMaterial", kLayerElementVersion, "",
                                  slots.size() == 1 ? "AllSame" : "ByPolygon", "IndexToDirect",
                                  {leaf("Materials", std::move(slot_of_triangle))}));
}

NewElement layerList(std::size_t number, std::span<const NewElement> elements) {
  const auto index = static_cast<std::int32_t>(number);
  NewElement layer{"Layer", {index}, {leaf("Version", std::int32_t{100})}, true};
  for (const NewElement& element : elements) {
    layer.children.push_back(
        block("LayerElement", {leaf("Type", element.name), leaf("TypedIndex", index)}));
  }
  return layer;
}

}  // namespace

bool leavesOutTangents(const NodeMesh& mesh) {
  return std::ranges::any_of(mesh.parts, [](const SkinnedMesh* p) { return hasTangents(*p); }) &&
         !allHaveTangents(mesh);
}

std::vector<NewElement> geometryElements(const NodeMesh& mesh, std::vector<int>& slots) {
  std::vector<NewElement> layers, lists;
  addNormals(mesh, layers);
  addTangents(mesh, layers);
  addUvs(mesh, 0, layers);
  addColors(mesh, 0, layers);
  addMaterials(mesh, slots, layers);
  lists.push_back(layerList(0, layers));
  for (std::size_t number = 1;; ++number) {
    const std::size_t known = layers.size();
    const bool has_uvs = addUvs(mesh, number, layers);
    const bool has_colors = addColors(mesh, number, layers);
    if (!has_uvs && !has_colors) break;
    lists.push_back(layerList(number, std::span(layers).subspan(known)));
  }
  std::vector<NewElement> elements = {block("Properties70", {}),
                                      leaf("GeometryVersion", kGeometryVersion),
                                      verticesElement(mesh), polygonsElement(mesh)};
  std::ranges::move(layers, std::back_inserter(elements));
  std::ranges::move(lists, std::back_inserter(elements));
  return elements;
}

}  // namespace clipmill::io::fbx
