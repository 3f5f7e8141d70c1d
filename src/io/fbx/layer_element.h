// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/math.h"
#include "core/result.h"
#include "io/fbx/tree.h"

namespace clipmill::io::fbx {

/// A corner of a polygon.
struct LayerCorner {
  std::size_t corner = 0;   ///< Among the corners of all polygons.
  std::size_t vertex = 0;   ///< Its control point.
  std::size_t polygon = 0;  ///< Its polygon.
};

/// A layer element of a geometry: values that belong to corners, control points, polygons, or the
/// whole mesh.
class LayerElement {
 public:
  /// The values in the child `values_name`, `width` numbers each, and their indices in the child
  /// `index_name` where the element has them. Error: kMalformed or kLimit, of its arrays.
  static Result<LayerElement> read(const Element& element, std::string_view values_name,
                                   std::string_view index_name, std::size_t width);

  /// The numbers for one corner, or null where the layer has none for it.
  const double* at(const LayerCorner& corner) const;

 private:
  std::string mapping_;
  std::vector<double> values_;
  std::vector<std::int64_t> indices_;
  bool is_indexed_ = false;
  std::size_t width_ = 1;
};

/// The tangents of a geometry with what they have of bitangents: binormals, or signs, or nothing.
class TangentLayers {
 public:
  /// Of the first set. Precondition: the geometry has a LayerElementTangent. Error: kMalformed or
  /// kLimit, of its arrays.
  static Result<TangentLayers> read(const Element& geometry);

  /// The tangent as stored, in w the sign of the bitangent (SkinnedMesh::tangents): that of the
  /// binormal, where there is one beside the plane of normal and tangent, as Maya writes 1 for all
  /// signs; else the sign; else 1. `normal` need not be of length 1. Nothing where the corner has
  /// no tangent.
  std::optional<Vec4> at(const LayerCorner& corner, const Vec3& normal) const;

 private:
  LayerElement tangents_, signs_;
  std::optional<LayerElement> binormals_;
};

}  // namespace clipmill::io::fbx
