// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// Properties and their defaults as in the reference of the FBX SDK (FbxCamera, FbxLight).
#include "io/fbx/read_views.h"

#include <algorithm>
#include <cmath>

#include "core/math.h"
#include "core/portable_math.h"
#include "core/to_size.h"

namespace clipmill::io::fbx {
namespace {

constexpr double kMillimetresInInch = 25.4;
constexpr double kFullIntensity = 100.0;  // is 1 in glTF
constexpr double kSmallest_rad = 1e-3;

enum ApertureMode { kHorizontalAndVertical, kHorizontal, kVertical, kFocalLength };
enum LightKind { kPoint, kDirectional, kSpot };

// A property that is above 0, or `fallback`.
double positive(const Properties& properties, const char* name, double fallback) {
  const double value = properties.number(name).value_or(fallback);
  return std::isfinite(value) && value > 0.0 ? value : fallback;
}

double radians(double degrees) { return degrees * kDegree; }

// The vertical field of view from the settings that the aperture mode selects.
double verticalFov_rad(const Properties& properties, double film_aspect) {
  const double fov_rad = radians(positive(properties, "FieldOfView", 25.115));
  const auto mode = properties.integer("ApertureMode").value_or(kVertical);
  double vertical_rad = fov_rad;
  if (mode == kHorizontalAndVertical) {
    vertical_rad = radians(positive(properties, "FieldOfViewY", 40.0));
  } else if (mode == kHorizontal) {
    vertical_rad = 2.0 * portable::atan(portable::tan(0.5 * fov_rad) / film_aspect);
  } else if (mode == kFocalLength) {
    const double film_height_mm = positive(properties, "FilmHeight", 0.612) * kMillimetresInInch;
    const double focal_length_mm = positive(properties, "FocalLength", 34.893);
    vertical_rad = 2.0 * portable::atan(0.5 * film_height_mm / focal_length_mm);
  }
  return std::clamp(vertical_rad, kSmallest_rad, kPi - kSmallest_rad);
}

SceneCamera cameraOf(const Properties& properties) {
  SceneCamera camera;
  camera.node_from_view = fbxViewAxes().node_from_camera;
  const double film_aspect =
      positive(properties, "FilmWidth", 0.816) / positive(properties, "FilmHeight", 0.612);
  camera.near_distance = positive(properties, "NearPlane", 10.0);
  camera.far_distance = positive(properties, "FarPlane", 4000.0);
  if (*camera.far_distance <= camera.near_distance) camera.far_distance.reset();
  if (properties.integer("CameraProjectionType").value_or(0) == 1) {
    const double half_width = 0.5 * positive(properties, "OrthoZoom", 1.0);
    camera.orthographic = {half_width, half_width / film_aspect};
    if (!camera.far_distance) camera.far_distance = 2.0 * camera.near_distance;
  } else {
    camera.perspective = {verticalFov_rad(properties, film_aspect), film_aspect};
  }
  return camera;
}

SceneLight lightOf(const Properties& properties) {
  SceneLight light;
  light.node_from_view = fbxViewAxes().node_from_light;
  const auto kind = properties.integer("LightType").value_or(kPoint);
  if (kind == kDirectional) light.type = LightType::kDirectional;
  if (kind == kSpot) light.type = LightType::kSpot;
  const Vec3 color = properties.vector("Color").value_or(Vec3(1.0));
  if (isFinite(color)) light.color = glm::clamp(color, 0.0, 1.0);
  const double intensity = properties.number("Intensity").value_or(kFullIntensity);
  if (std::isfinite(intensity)) light.intensity = std::max(0.0, intensity) / kFullIntensity;
  if (properties.integer("EnableFarAttenuation").value_or(0) != 0) {
    const double range = positive(properties, "FarAttenuationEnd", 0.0);
    if (range > 0.0) light.range = range;
  }
  // The angles of FBX are those between the sides of the cones.
  const double outer_deg = std::min(positive(properties, "OuterAngle", 45.0), 180.0);
  const double inner_deg = properties.number("InnerAngle").value_or(0.0);
  light.outer_cone_rad = std::max(radians(0.5 * outer_deg), kSmallest_rad);
  light.inner_cone_rad =
      std::clamp(radians(0.5 * inner_deg), 0.0, light.outer_cone_rad - 0.5 * kSmallest_rad);
  return light;
}

}  // namespace

ViewAxes fbxViewAxes() {
  return {rotationAbout(Vec3(0, 1, 0), -0.5 * kPi), rotationAbout(Vec3(1, 0, 0), -0.5 * kPi)};
}

int viewAttributeOf(const Document& document, int model, std::string_view kind) {
  if (document.object(model).name.starts_with("Producer ")) return -1;
  const std::vector<int> attributes = document.childrenOf(model, "NodeAttribute", kind);
  if (!attributes.empty()) return attributes.front();
  const bool is_itself = !document.isModern() && document.object(model).subtype == kind;
  return is_itself ? model : -1;
}

bool isCarriedLight(const Document& document, int attribute) {
  const auto kind = document.properties(attribute).integer("LightType").value_or(kPoint);
  return kind >= kPoint && kind <= kSpot;
}

void readViews(const Document& document, const std::vector<int>& node_of_object, Scene& scene) {
  for (int o = 0; o < static_cast<int>(node_of_object.size()); ++o) {
    const int node = node_of_object[toSize(o)];
    if (node < 0) continue;
    if (const int attribute = viewAttributeOf(document, o, "Camera"); attribute >= 0) {
      SceneCamera camera = cameraOf(document.properties(attribute));
      camera.name = document.object(attribute).name;
      camera.node = node;
      scene.cameras.push_back(std::move(camera));
    }
    const int attribute = viewAttributeOf(document, o, "Light");
    if (attribute < 0 || !isCarriedLight(document, attribute)) continue;
    SceneLight light = lightOf(document.properties(attribute));
    light.name = document.object(attribute).name;
    light.node = node;
    scene.lights.push_back(std::move(light));
  }
}

}  // namespace clipmill::io::fbx
