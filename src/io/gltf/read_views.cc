// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// Cameras (glTF 2.0, 3.10) and lights (KHR_lights_punctual). They concern no pose: a fault is a
// warning, and the camera or light is left out.
#include <nlohmann/json.hpp>

#include "core/math.h"
#include "core/to_size.h"
#include "io/gltf/extension_names.h"
#include "io/gltf/json_fields.h"
#include "io/gltf/read_parts.h"

namespace clipmill::io::gltf {
namespace {

constexpr double kDefaultOuterCone_rad = kPi / 4;

// A number above 0, or nothing where the member is absent.
std::optional<double> positive(Fields& fields, const char* key) {
  if (!fields.has(key)) return std::nullopt;
  const double value = fields.number(key, 0.0);
  if (!(value > 0.0)) fields.fail("'" + std::string(key) + "' is not above 0");
  return value;
}

double requiredPositive(Fields& fields, const char* key) {
  const auto value = positive(fields, key);
  if (!value) fields.fail("has no '" + std::string(key) + "'");
  return value.value_or(1.0);
}

Result<SceneCamera> readCamera(const Json& json, const std::string& location) {
  SceneCamera camera;
  Fields fields(json, location);
  camera.name = fields.text("name", "");
  const std::string type = fields.requiredText("type");
  CLIPMILL_CHECK(fields.status());
  if (type != "perspective" && type != "orthographic") {
    fields.fail("has an unknown type");
    return fields.status().error();
  }
  Fields lens(fields.object(type.c_str()), location + "." + type);
  CLIPMILL_CHECK(fields.status());
  if (type == "perspective") {
    camera.perspective.vertical_fov_rad = requiredPositive(lens, "yfov");
    camera.perspective.aspect_ratio = positive(lens, "aspectRatio");
    camera.near_distance = requiredPositive(lens, "znear");
    camera.far_distance = positive(lens, "zfar");
    if (!(camera.perspective.vertical_fov_rad < kPi)) lens.fail("'yfov' is not below pi");
  } else {
    camera.orthographic = {requiredPositive(lens, "xmag"), requiredPositive(lens, "ymag")};
    camera.near_distance = lens.number("znear", 0.0);
    camera.far_distance = requiredPositive(lens, "zfar");
  }
  CLIPMILL_CHECK(lens.status());
  return camera;
}

Result<SceneLight> readLight(const Json& json, const std::string& location) {
  SceneLight light;
  Fields fields(json, location);
  light.name = fields.text("name", "");
  const std::string type = fields.requiredText("type");
  if (const auto color = fields.numbers("color", 3)) {
    light.color = Vec3((*color)[0], (*color)[1], (*color)[2]);
  }
  light.intensity = fields.number("intensity", 1.0);
  light.range = positive(fields, "range");
  if (type == "directional") {
    light.type = LightType::kDirectional;
  } else if (type == "spot") {
    light.type = LightType::kSpot;
    Fields spot(fields.object("spot"), location + ".spot");
    light.inner_cone_rad = spot.number("innerConeAngle", 0.0);
    light.outer_cone_rad = spot.number("outerConeAngle", kDefaultOuterCone_rad);
    CLIPMILL_CHECK(spot.status());
  } else if (type != "point") {
    fields.fail("has an unknown type");
  }
  CLIPMILL_CHECK(fields.status());
  return light;
}

// The lights that the document lists, and the light that a node names.
const Json& extensionOf(const Json& object) {
  static const Json nothing = Json::object();
  if (!object.is_object()) return nothing;
  const auto extensions = object.find("extensions");
  if (extensions == object.end() || !extensions->is_object()) return nothing;
  const auto lights = extensions->find(kLightsExtension);
  return lights == extensions->end() ? nothing : *lights;
}

class ViewReader {
 public:
  ViewReader(const Document& document, AccessorReader& accessors, Scene& scene)
      : accessors_(accessors),
        scene_(scene),
        cameras_(Fields(*document.json, "").array("cameras")),
        lights_(Fields(extensionOf(*document.json), "").array("lights")) {}

  Status read(const Json& node, const std::string& location, int node_index) {
    Fields fields(node, location);
    const int camera = fields.index("camera", cameras_.size());
    CLIPMILL_CHECK(add("camera_left_out", "a camera is invalid and left out", fields, camera,
                       "cameras", cameras_, readCamera, node_index, scene_.cameras));
    Fields extension(extensionOf(node), location + ".extensions." + kLightsExtension);
    const int light = extension.index("light", lights_.size());
    return add("light_left_out", "a light is invalid and left out", extension, light, "lights",
               lights_, readLight, node_index, scene_.lights);
  }

 private:
  // The element `index` of `elements`, where the node names one.
  template <class View>
  Status add(const char* code, const char* text, const Fields& fields, int index, const char* array,
             const Json& elements, Result<View> (*readOne)(const Json&, const std::string&),
             int node, std::vector<View>& views) {
    if (!fields.status()) {
      scene_.warnings.add(code, text, fields.location());
      return {};
    }
    if (index < 0) return {};
    const std::string location = elementLocation(array, toSize(index));
    Result<View> view = readOne(elements[toSize(index)], location);
    if (!view.ok()) {
      scene_.warnings.add(code, text, location + ": " + view.error().message);
      return {};
    }
    view->node = node;
    CLIPMILL_CHECK(accessors_.charge(static_cast<double>(sizeof(View) + view->name.size())));
    views.push_back(std::move(*view));
    return {};
  }

  AccessorReader& accessors_;
  Scene& scene_;
  const Json& cameras_;
  const Json& lights_;
};

}  // namespace

Status readViews(const Document& document, const std::vector<int>& node_of_source,
                 AccessorReader& accessors, Scene& scene) {
  const Json& nodes = Fields(*document.json, "").array("nodes");
  ViewReader reader(document, accessors, scene);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    CLIPMILL_CHECK(reader.read(nodes[i], elementLocation("nodes", i), node_of_source[i]));
  }
  return {};
}

}  // namespace clipmill::io::gltf
