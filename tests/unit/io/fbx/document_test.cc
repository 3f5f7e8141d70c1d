// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/fbx/document.h"

#include "checks.h"
#include "io/fbx/loaded_fbx.h"

TEST_SUITE_BEGIN("fbx.document");

using namespace clipmill;
using namespace clipmill::io::fbx;
using test::distance;
using test::FbxText;
using test::threeJoints;

namespace {

std::shared_ptr<const Document> documentOf(const std::string& text) {
  auto tree = parseTree(test::bytesOf(text), io::Limits{});
  CHECK_OK(tree);
  auto document = readDocument(std::move(*tree));
  CHECK_OK(document);
  return *document;
}

GlobalSettings settingsOf(const std::string& properties) {
  FbxText text;
  text.other = "GlobalSettings: {\nProperties70: {\n" + properties + "}\n}\n";
  return globalSettings(*documentOf(text.text()));
}

std::string axes(int up, int up_sign, int right, int right_sign) {
  return FbxText::property("UpAxis", std::to_string(up)) +
         FbxText::property("UpAxisSign", std::to_string(up_sign)) +
         FbxText::property("CoordAxis", std::to_string(right)) +
         FbxText::property("CoordAxisSign", std::to_string(right_sign));
}

}  // namespace

TEST_CASE("a name is separated from its class in both encodings") {
  CHECK(plainName("Model::Hip") == "Hip");
  CHECK(plainName(std::string_view("Hip\0\1Model", 10)) == "Hip");
  CHECK(plainName("Model::a::b") == "a::b");
  CHECK(plainName("plain") == "plain");
  CHECK(plainName("").empty());
}

TEST_CASE("objects have their type, name, subtype and children") {
  const auto document = documentOf(threeJoints().text());
  REQUIRE(document->objects.size() == 3);
  CHECK(document->object(1).type == "Model");
  CHECK(document->object(1).name == "Mid");
  CHECK(document->object(1).subtype == "LimbNode");
  CHECK(document->object(1).id == 2);
  CHECK(document->childrenOf(0, "Model", "") == std::vector<int>{1});
  CHECK(document->childrenOf(0, "Model", "Mesh").empty());
  CHECK(document->childrenOf(-1, "Model", "") == std::vector<int>{0});
  CHECK(document->parentOf(2, "Model") == 1);
  CHECK(document->parentOf(0, "Model") == -1);
}

TEST_CASE("a connection to a property is no connection to the object") {
  FbxText text = threeJoints();
  text.connect(3, 1, "LookAtProperty");
  const auto document = documentOf(text.text());
  CHECK(document->childrenOf(0, "Model", "") == std::vector<int>{1});
  CHECK(document->parentOf(2, "Model") == 1);
  CHECK(document->connections.back().property == "LookAtProperty");
}

TEST_CASE("unknown ends of connections add one warning, the scene is a known end") {
  FbxText text = threeJoints();
  text.connect(99, 0).connect(98, 1).connect(0, 1);
  const auto document = documentOf(text.text());
  CHECK(document->connections.size() == 3);
  CHECK_FALSE(document->warnings.empty());
}

TEST_CASE("properties are found by their full name") {
  FbxText text;
  text.model(1, "A", 0, FbxText::property("Size", "1,2,3") + FbxText::property("Text", "\"abc\""));
  const auto document = documentOf(text.text());
  const Properties properties = document->properties(0);
  CHECK(properties.vector("Size") == Vec3(1, 2, 3));
  CHECK(properties.number("Size") == 1.0);
  CHECK_FALSE(properties.number("Siz"));
  CHECK_FALSE(properties.vector("Text"));
  CHECK(properties.text("Text") == "abc");
  CHECK(properties.own("Size"));
  CHECK_FALSE(properties.own("Other"));
}

TEST_CASE("files before version 7 name objects by text") {
  const auto document = documentOf(
      "; FBX 6.1.0 project file\nFBXHeaderExtension: {\nFBXVersion: 6100\n}\nObjects: {\n"
      "Model: \"Model::A\", \"Limb\" {\nProperties60: {\n"
      "Property: \"Lcl Translation\", \"Lcl Translation\", \"A+\",1,2,3\n}\n}\n"
      "Model: \"Model::B\", \"Mesh\" {\n}\n}\nConnections: {\n"
      "Connect: \"OO\", \"Model::A\", \"Model::Scene\"\n"
      "Connect: \"OO\", \"Model::B\", \"Model::A\"\n}\n");
  REQUIRE(document->objects.size() == 2);
  CHECK_FALSE(document->isModern());
  CHECK(document->parentOf(1, "Model") == 0);
  CHECK(document->properties(0).vector("Lcl Translation") == Vec3(1, 2, 3));
  CHECK(document->warnings.empty());
}

TEST_CASE("a file without settings is in centimetres with y up") {
  const GlobalSettings settings = globalSettings(*documentOf(FbxText().text()));
  CHECK(distance(settings.metric_from_file.linear * Vec3(100, 200, 300), Vec3(1, 2, 3)) < 1e-12);
  CHECK(settings.fps == 0.0);
}

TEST_CASE("units and axes are converted to metres, y up, by a rotation and a scale") {
  const auto metre = settingsOf(FbxText::property("UnitScaleFactor", "100"));
  CHECK(distance(metre.metric_from_file.linear * Vec3(1, 2, 3), Vec3(1, 2, 3)) < 1e-12);
  const auto z_up = settingsOf(axes(2, 1, 0, 1));
  CHECK(distance(z_up.metric_from_file.linear * Vec3(0, 0, 100), Vec3(0, 1, 0)) < 1e-12);
  CHECK(distance(z_up.metric_from_file.linear * Vec3(100, 0, 0), Vec3(1, 0, 0)) < 1e-12);
  for (int up = -1; up < 4; ++up) {
    for (int right = -1; right < 4; ++right) {
      for (const int sign : {-1, 1}) {
        const Mat3 map = settingsOf(axes(up, sign, right, -sign)).metric_from_file.linear;
        CHECK(glm::determinant(map) == doctest::Approx(1e-6));
        CHECK(distance(map * glm::transpose(map) * Vec3(1, 2, 3), 1e-4 * Vec3(1, 2, 3)) < 1e-12);
      }
    }
  }
  for (const char* factor : {"0", "-3", "nan", "1e300"}) {
    const auto odd = settingsOf(FbxText::property("UnitScaleFactor", factor));
    CHECK(distance(odd.metric_from_file.linear * Vec3(100), Vec3(1)) < 1e-12);
  }
}

TEST_CASE("frame rates follow from the time mode") {
  CHECK(settingsOf(FbxText::property("TimeMode", "11")).fps == 24.0);
  CHECK(settingsOf(FbxText::property("TimeMode", "6")).fps == 30.0);
  CHECK(settingsOf(FbxText::property("TimeMode", "10")).fps == 25.0);
  CHECK(settingsOf(FbxText::property("TimeMode", "14") + FbxText::property("CustomFrameRate", "18"))
            .fps == 18.0);
  CHECK(settingsOf(FbxText::property("TimeMode", "14")).fps == 0.0);
  CHECK(settingsOf(FbxText::property("TimeMode", "99")).fps == 0.0);
  CHECK(settingsOf(FbxText::property("TimeMode", "-1")).fps == 0.0);
}
