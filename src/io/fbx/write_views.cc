// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/fbx/write_views.h"

#include "core/math.h"
#include "core/portable_math.h"
#include "core/to_size.h"
#include "io/fbx/new_curve.h"

namespace clipmill::io::fbx {
namespace {

constexpr double kFilmHeight_mm = 24.0;  // of 35 mm film; any height shows the same
constexpr double kMillimetresInInch = 25.4;
constexpr double kUsualAspect = 16.0 / 9.0;
constexpr double kFarByNear = 1e5;
constexpr double kFullIntensity = 100.0;
constexpr std::int32_t kVerticalAperture = 2, kOrthographicProjection = 1;

double degrees(double radians) { return radians / kDegree; }

double aspectOf(const SceneCamera& camera, FileBuilder& file) {
  if (camera.orthographic)
    return camera.orthographic->half_width / camera.orthographic->half_height;
  if (!camera.perspective.aspect_ratio) {
    file.losses().add("camera_aspect", "a camera without aspect ratio gets 16:9", camera.name);
  }
  return camera.perspective.aspect_ratio.value_or(kUsualAspect);
}

double farOf(const SceneCamera& camera, FileBuilder& file) {
  if (!camera.far_distance) {
    file.losses().add("camera_far", "an infinite far distance of a camera becomes a finite one",
                      camera.name);
  }
  return camera.far_distance.value_or(kFarByNear * camera.near_distance);
}

std::vector<NewElement> cameraElements(const SceneCamera& camera, FileBuilder& file) {
  const double aspect = aspectOf(camera, file);
  const double tangent = portable::tan(0.5 * camera.perspective.vertical_fov_rad);
  const double fov_deg = degrees(camera.perspective.vertical_fov_rad);
  const double fov_x_deg = degrees(2.0 * portable::atan(tangent * aspect));
  std::vector<NewElement> properties = {
      numberProperty("AspectWidth", 1000.0 * aspect),
      numberProperty("AspectHeight", 1000.0),
      numberProperty("FilmWidth", aspect * kFilmHeight_mm / kMillimetresInInch),
      numberProperty("FilmHeight", kFilmHeight_mm / kMillimetresInInch),
      numberProperty("FilmAspectRatio", aspect),
      enumProperty("ApertureMode", kVerticalAperture),
      numberProperty("FieldOfView", fov_deg),
      numberProperty("FieldOfViewX", fov_x_deg),
      numberProperty("FieldOfViewY", fov_deg),
      numberProperty("FocalLength", 0.5 * kFilmHeight_mm / tangent),
      numberProperty("NearPlane", camera.near_distance),
      numberProperty("FarPlane", farOf(camera, file)),
  };
  if (camera.orthographic) {
    properties.push_back(enumProperty("CameraProjectionType", kOrthographicProjection));
    properties.push_back(numberProperty("OrthoZoom", 2.0 * camera.orthographic->half_width));
  }
  return {block("Properties70", std::move(properties)), leaf("TypeFlags", std::string("Camera")),
          leaf("GeometryVersion", std::int32_t{124})};
}

std::vector<NewElement> lightElements(const SceneLight& light) {
  constexpr std::int32_t kPoint = 0, kDirectional = 1, kSpot = 2;
  const std::int32_t type = light.type == LightType::kDirectional ? kDirectional
                            : light.type == LightType::kSpot      ? kSpot
                                                                  : kPoint;
  constexpr std::int32_t kQuadraticDecay = 2;
  std::vector<NewElement> properties = {
      enumProperty("LightType", type),
      colorProperty("Color", light.color),
      numberProperty("Intensity", light.intensity * kFullIntensity),
      enumProperty("DecayType", type == kDirectional ? 0 : kQuadraticDecay),
  };
  if (type == kSpot) {
    properties.push_back(numberProperty("InnerAngle", degrees(2.0 * light.inner_cone_rad)));
    properties.push_back(numberProperty("OuterAngle", degrees(2.0 * light.outer_cone_rad)));
  }
  if (light.range) {
    properties.push_back(boolProperty("EnableFarAttenuation", true));
    properties.push_back(numberProperty("FarAttenuationEnd", *light.range));
  }
  return {block("Properties70", std::move(properties)), leaf("TypeFlags", std::string("Light")),
          leaf("GeometryVersion", std::int32_t{124})};
}

const std::string& nameOf(const std::string& name, const Scene& scene, int node) {
  return name.empty() ? scene.skeleton.nodes[toSize(node)].name : name;
}

}  // namespace

void writeViews(const Scene& scene, const WrittenIds& ids, FileBuilder& file) {
  for (const SceneCamera& camera : scene.cameras) {
    const auto id = file.add("NodeAttribute", nameOf(camera.name, scene, camera.node),
                             "NodeAttribute", "Camera", cameraElements(camera, file));
    file.connect(id, ids.models[toSize(camera.node)]);
  }
  for (const SceneLight& light : scene.lights) {
    const auto id = file.add("NodeAttribute", nameOf(light.name, scene, light.node),
                             "NodeAttribute", "Light", lightElements(light));
    file.connect(id, ids.models[toSize(light.node)]);
  }
}

}  // namespace clipmill::io::fbx
