// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/fbx/conversion_loss.h"

#include <string>

#include "checks.h"
#include "io/fbx/loaded_fbx.h"

TEST_SUITE_BEGIN("fbx.conversion_loss");

using namespace clipmill;
using namespace clipmill::io::fbx;
using test::FbxText;

namespace {

Warnings lossesOf(const FbxText& text) {
  auto tree = parseTree(test::bytesOf(text.text()), io::Limits{});
  CHECK_OK(tree);
  const auto document = readDocument(std::move(*tree));
  CHECK_OK(document);
  return conversionLossOf(**document);
}

FbxText meshWith(const std::string& layers) {
  return test::threeJoints().object("Geometry", 9, "Geometry::Cloth", "Mesh", "", layers);
}

std::string layer(const std::string& name, int index) {
  return "LayerElement" + name + ": " + std::to_string(index) + " {\n}\n";
}

}  // namespace

TEST_CASE("a conversion names the layers of a mesh that it drops, and not those that it keeps") {
  CHECK(lossesOf(meshWith(layer("UV", 0) + layer("Color", 0) + layer("Normal", 0))).empty());
  const Warnings losses = lossesOf(meshWith(
      layer("UV", 0) + layer("UV", 1) + layer("UV", 2) + layer("Color", 0) + layer("Color", 1) +
      layer("Normal", 0) + layer("Tangent", 0) + layer("Binormal", 0)));
  CHECK(losses.empty());
}

TEST_CASE("a conversion names tangents of further sets, and those that lack normals or tangents") {
  const auto count = [](const std::string& layers) {
    return lossesOf(meshWith(layers)).count("tangents");
  };
  CHECK(count(layer("Normal", 0) + layer("Tangent", 0) + layer("Tangent", 1) +
              layer("Tangent", 2)) == 2);
  CHECK(count(layer("Tangent", 0)) == 1);
  CHECK(count(layer("Normal", 0) + layer("Binormal", 0)) == 1);
}

TEST_CASE("a conversion names nodes whose visibility differs from that of the nodes above") {
  const auto losses = [](const std::string& above, const std::string& below) {
    return lossesOf(test::threeJoints().model(7, "Prop", 1, above).model(8, "Part", 7, below))
        .count("visibility");
  };
  const std::string hidden = FbxText::property("Visibility", "0"),
                    not_shown = FbxText::property("Show", "0"),
                    on_its_own = FbxText::property("Visibility Inheritance", "0");
  CHECK(losses(hidden, "") == 0);
  CHECK(losses("", not_shown) == 0);
  CHECK(losses(not_shown, "") == 1);
  CHECK(losses(hidden, on_its_own) == 1);
  CHECK(losses("", on_its_own) == 0);
}

TEST_SUITE_END();
