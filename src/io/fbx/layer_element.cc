// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/fbx/layer_element.h"

#include "core/to_size.h"

namespace clipmill::io::fbx {

Result<LayerElement> LayerElement::read(const Element& element, std::string_view values_name,
                                        std::string_view index_name, std::size_t width) {
  LayerElement layer;
  layer.width_ = width;
  const auto mapping = element.child("MappingInformationType");
  layer.mapping_ = mapping ? mapping->text(0).value_or("") : "";
  const auto reference = element.child("ReferenceInformationType");
  if (const auto values = element.child(values_name)) {
    CLIPMILL_TRY(layer.values_, values->numbers());
  }
  const std::string how = reference ? reference->text(0).value_or("Direct") : "Direct";
  const auto indices = element.child(index_name);
  if (how != "Direct" && indices) {
    CLIPMILL_TRY(layer.indices_, indices->integers());
    layer.is_indexed_ = true;
  }
  return layer;
}

const double* LayerElement::at(const LayerCorner& corner) const {
  std::size_t i = 0;
  if (mapping_ == "ByPolygonVertex") {
    i = corner.corner;
  } else if (mapping_ == "ByVertice" || mapping_ == "ByVertex") {
    i = corner.vertex;
  } else if (mapping_ == "ByPolygon") {
    i = corner.polygon;
  } else if (mapping_ != "AllSame") {
    return nullptr;
  }
  if (is_indexed_) {
    if (i >= indices_.size() || indices_[i] < 0) return nullptr;
    i = toSize(indices_[i]);
  }
  return i < values_.size() / width_ ? &values_[i * width_] : nullptr;
}

Result<TangentLayers> TangentLayers::read(const Element& geometry) {
  TangentLayers layers;
  const Element tangents = *geometry.child("LayerElementTangent");
  CLIPMILL_TRY(layers.tangents_, LayerElement::read(tangents, "Tangents", "TangentsIndex", 3));
  CLIPMILL_TRY(layers.signs_, LayerElement::read(tangents, "TangentsW", "TangentsIndex", 1));
  if (const auto binormals = geometry.child("LayerElementBinormal")) {
    CLIPMILL_TRY(layers.binormals_,
                 LayerElement::read(*binormals, "Binormals", "BinormalsIndex", 3));
  }
  return layers;
}

std::optional<Vec4> TangentLayers::at(const LayerCorner& corner, const Vec3& normal) const {
  const double* t = tangents_.at(corner);
  if (!t) return std::nullopt;
  const Vec3 tangent(t[0], t[1], t[2]);
  const double* w = signs_.at(corner);
  double side = w ? *w : 1.0;
  if (const double* b = binormals_ ? binormals_->at(corner) : nullptr) {
    const double along = glm::dot(glm::cross(normal, tangent), Vec3(b[0], b[1], b[2]));
    if (along != 0.0) side = along;
  }
  return Vec4(tangent, side < 0.0 ? -1.0 : 1.0);
}

}  // namespace clipmill::io::fbx
