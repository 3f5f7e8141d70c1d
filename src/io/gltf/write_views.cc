// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <nlohmann/json.hpp>

#include "core/to_size.h"
#include "io/gltf/extension_names.h"
#include "io/gltf/write_parts.h"

namespace clipmill::io::gltf {
namespace {

using GltfJson = nlohmann::ordered_json;

GltfJson cameraJson(const SceneCamera& camera) {
  GltfJson json = GltfJson::object();
  glb_writer::setName(json, camera.name);
  GltfJson lens = GltfJson::object();
  if (camera.orthographic) {
    lens["xmag"] = camera.orthographic->half_width;
    lens["ymag"] = camera.orthographic->half_height;
  } else {
    if (camera.perspective.aspect_ratio) lens["aspectRatio"] = *camera.perspective.aspect_ratio;
    lens["yfov"] = camera.perspective.vertical_fov_rad;
  }
  if (camera.far_distance) lens["zfar"] = *camera.far_distance;
  lens["znear"] = camera.near_distance;
  const char* type = camera.orthographic ? "orthographic" : "perspective";
  json["type"] = type;
  json[type] = std::move(lens);
  return json;
}

const char* typeOf(const SceneLight& light) {
  switch (light.type) {
    case LightType::kDirectional:
      return "directional";
    case LightType::kSpot:
      return "spot";
    case LightType::kPoint:
      break;
  }
  return "point";
}

GltfJson lightJson(const SceneLight& light) {
  GltfJson json = GltfJson::object();
  glb_writer::setName(json, light.name);
  json["type"] = typeOf(light);
  json["color"] = {light.color.x, light.color.y, light.color.z};
  json["intensity"] = light.intensity;
  if (light.range && light.type != LightType::kDirectional) json["range"] = *light.range;
  if (light.type == LightType::kSpot) {
    json["spot"] = {{"innerConeAngle", light.inner_cone_rad},
                    {"outerConeAngle", light.outer_cone_rad}};
  }
  return json;
}

}  // namespace

void glb_writer::writeViews(const Scene& scene, Extensions& extensions, GltfJson& root) {
  for (const SceneCamera& camera : scene.cameras) {
    root["nodes"][toSize(camera.node)]["camera"] = root["cameras"].size();
    root["cameras"].push_back(cameraJson(camera));
  }
  if (scene.lights.empty()) return;
  extensions.insert({gltf::kLightsExtension, false});
  GltfJson& lights = root["extensions"][gltf::kLightsExtension]["lights"];
  for (const SceneLight& light : scene.lights) {
    GltfJson& node = root["nodes"][toSize(light.node)];
    node["extensions"][gltf::kLightsExtension]["light"] = lights.size();
    lights.push_back(lightJson(light));
  }
}

}  // namespace clipmill::io::gltf
