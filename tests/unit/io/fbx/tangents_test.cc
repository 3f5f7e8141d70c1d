// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <string>

#include "checks.h"
#include "io/fbx/loaded_fbx.h"

TEST_SUITE_BEGIN("fbx.tangents");

using namespace clipmill;
using test::FbxText;

namespace {

std::string layer(const std::string& type, const std::string& arrays,
                  const std::string& mapping = "ByPolygonVertex") {
  return "LayerElement" + type + ": 0 {\nMappingInformationType: \"" + mapping +
         "\"\nReferenceInformationType: \"Direct\"\n" + arrays + "}\n";
}

std::string array(const std::string& name, const std::vector<double>& numbers) {
  return name + ": " + FbxText::list(numbers) + "\n";
}

const std::string kNormals = layer("Normal", array("Normals", {0, 0, 1, 0, 0, 1, 0, 0, 1}));
const std::vector<double> kTangents = {1, 0, 0, 0, 2, 0, 0.6, 0.8, 0};

// Model 2 shows one triangle with those layers.
FbxText triangle(const std::string& layers, const std::string& model_properties = "") {
  return FbxText()
      .model(1, "Root", 0)
      .model(2, "Cloth", 1, model_properties)
      .object("Geometry", 9, "Geometry::Cloth", "Mesh", "",
              array("Vertices", {0, 0, 0, 1, 0, 0, 0, 1, 0}) +
                  array("PolygonVertexIndex", {0, 1, -3}) + layers)
      .connect(9, 2);
}

Scene read(const FbxText& file) {
  auto loaded = test::tryLoad(test::bytesOf(file.text()), true);
  CHECK_OK(loaded);
  REQUIRE(loaded->scene.meshes.size() == 1);
  return std::move(loaded->scene);
}

std::vector<double> sidesOf(const Scene& scene) {
  std::vector<double> sides;
  for (const Vec4& tangent : scene.meshes[0].corners.tangents) sides.push_back(tangent.w);
  return sides;
}

}  // namespace

TEST_CASE("tangents are read as unit vectors, their sides from binormals") {
  const std::string tangents =
      layer("Tangent", array("Tangents", kTangents) + array("TangentsW", {1, 1, 1}));
  const std::string binormals = layer("Binormal", array("Binormals", {0, 1, 0, 1, 0, 0, 0, 0, 5}));
  const Scene scene = read(triangle(kNormals + binormals + tangents));
  const std::vector<Vec4>& read_tangents = scene.meshes[0].corners.tangents;
  REQUIRE(read_tangents.size() == 3);
  CHECK(read_tangents[0] == Vec4(1, 0, 0, 1));
  CHECK(read_tangents[1] == Vec4(0, 1, 0, -1));
  // A binormal along the normal has no side: the sign of the tangent counts.
  CHECK(distance(Vec3(read_tangents[2]), Vec3(0.6, 0.8, 0)) < 1e-12);
  CHECK(read_tangents[2].w == 1);
  CHECK(scene.warnings.empty());
}

TEST_CASE("without binormals the signs of tangents count, without both the side is positive") {
  const std::string signs = array("TangentsW", {-1, 1, -1});
  CHECK(
      sidesOf(read(triangle(kNormals + layer("Tangent", array("Tangents", kTangents) + signs)))) ==
      std::vector<double>{-1, 1, -1});
  CHECK(sidesOf(read(triangle(kNormals + layer("Tangent", array("Tangents", kTangents))))) ==
        std::vector<double>{1, 1, 1});
}

TEST_CASE("geometric transforms carry bitangents with the surface, mirrored ones too") {
  const std::string layers =
      kNormals + layer("Tangent", array("Tangents", kTangents) + array("TangentsW", {1, -1, 1}));
  const Scene plain = read(triangle(layers));
  for (const std::string scale : {"3,1,1", "-3,1,1", "1,-1,2", "-1,-1,-1"}) {
    const Scene scene = read(triangle(layers, FbxText::property("GeometricScaling", scale)));
    for (std::size_t c = 0; c < 3; ++c) {
      const CornerAttributes &a = plain.meshes[0].corners, &b = scene.meshes[0].corners;
      const auto bitangent = [&](const CornerAttributes& of) {
        return of.tangents[c].w * glm::cross(of.normals[c], Vec3(of.tangents[c]));
      };
      const Vec3 factors(std::stod(scale), scale.find(",-1") == scale.npos ? 1 : -1,
                         scale.ends_with("-1")  ? -1
                         : scale.ends_with("2") ? 2
                                                : 1);
      CHECK(distance(Vec3(b.tangents[c]), glm::normalize(factors * Vec3(a.tangents[c]))) < 1e-12);
      // Of length 1 and at a right angle to the tangent, on the side of the carried bitangent.
      CHECK(glm::dot(bitangent(b), factors * bitangent(a)) > 0.1);
    }
  }
}

TEST_CASE("tangents that do not cover all corners, or have no direction, are a warning") {
  for (const std::string& arrays :
       {array("Tangents", {1, 0, 0}), array("Tangents", std::vector<double>(9, 0.0)),
        std::string()}) {
    const Scene scene = read(triangle(kNormals + layer("Tangent", arrays)));
    CHECK(scene.meshes[0].corners.tangents.empty());
    CHECK(scene.meshes[0].corners.normals.size() == 3);
    CHECK(scene.warnings.count("incomplete_layer") == 1);
  }
}

TEST_CASE("a tangent without direction stays as one among others") {
  const Scene scene =
      read(triangle(kNormals + layer("Tangent", array("Tangents", {1, 0, 0, 0, 0, 0, 0, 1, 0}))));
  CHECK(scene.meshes[0].corners.tangents[1] == Vec4(0, 0, 0, 1));
  CHECK(scene.warnings.empty());
}

TEST_CASE("tangents without normals are not read") {
  const Scene scene = read(triangle(layer("Tangent", array("Tangents", kTangents))));
  CHECK(scene.meshes[0].corners.tangents.empty());
  CHECK(scene.warnings.empty());
}

TEST_SUITE_END();
