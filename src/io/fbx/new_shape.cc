// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/fbx/new_shape.h"

#include "io/fbx/file_builder.h"
#include "io/fbx/new_curve.h"

namespace clipmill::io::fbx {

void MovedPoints::add(std::size_t point, const Vec3& delta, const Vec3& normal_delta) {
  indices.push_back(static_cast<std::int32_t>(point));
  deltas.insert(deltas.end(), {delta.x, delta.y, delta.z});
  normals.insert(normals.end(), {normal_delta.x, normal_delta.y, normal_delta.z});
}

NewElement blendShapeElement(std::int64_t id, const std::string& name) {
  return {"Deformer",
          {id, classedName(name, "Deformer"), std::string("BlendShape")},
          {leaf("Version", std::int32_t{100})},
          true};
}

NewElement shapeChannelElement(std::int64_t id, const std::string& name, double percent) {
  return {"Deformer",
          {id, classedName(name, "SubDeformer"), std::string("BlendShapeChannel")},
          {leaf("Version", std::int32_t{100}), leaf("DeformPercent", percent),
           block("Properties70", {numberProperty("DeformPercent", percent)}),
           leaf("FullWeights", std::vector<double>{kFullPercent})},
          true};
}

NewElement shapeElement(std::int64_t id, const std::string& name, MovedPoints points) {
  if (points.indices.empty()) points.add(0, Vec3(0.0), Vec3(0.0));
  return {"Geometry",
          {id, classedName(name, "Geometry"), std::string("Shape")},
          {block("Properties70", {}), leaf("Version", std::int32_t{100}),
           leaf("Indexes", std::move(points.indices)), leaf("Vertices", std::move(points.deltas)),
           leaf("Normals", std::move(points.normals))},
          true};
}

}  // namespace clipmill::io::fbx
