// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/unity/text.h"

#include "checks.h"
#include "core/to_size.h"
#include "stages/dynamic_bones/unity/curve.h"

TEST_SUITE_BEGIN("dynamic_bones.unity_text");

using namespace clipmill;
using namespace clipmill::stages::dynamic_bones::unity;

namespace {

constexpr std::uint64_t kPlenty = std::uint64_t{1} << 20;

Value fieldsOf(const std::string& lines) {
  const auto objects = readObjects("%YAML 1.1\n--- !u!114 &7\nMonoBehaviour:\n" + lines, kPlenty);
  CHECK_OK(objects);
  REQUIRE(objects->size() == 1);
  return objects->at(0).fields;
}

}  // namespace

TEST_CASE("Documents are separated by their marks") {
  const std::string text =
      "%YAML 1.1\n%TAG !u! tag:unity3d.com,2011:\n--- !u!1 &-12\nGameObject:\n  m_Name: A\n"
      "--- !u!4 &34 stripped\r\nTransform:\r\n  m_X: 1\r\n--- !u!33 &56\nMeshFilter:\n  m_Y: 2\n"
      "--- !u!x &78\nOdd:\n  a: b\n--- !u!114\nOdd:\n  a: b\n";
  CHECK(looksLikeUnityText(text));
  CHECK_FALSE(looksLikeUnityText("[output]\n"));
  const auto objects = readObjects(text, kPlenty);
  CHECK_OK(objects);
  REQUIRE(objects->size() == 2);
  CHECK(objects->at(0).class_id == kGameObject);
  CHECK(objects->at(0).id == "-12");
  CHECK_FALSE(objects->at(0).is_stripped);
  CHECK(objects->at(0).fields["m_Name"].text == "A");
  CHECK(objects->at(1).class_id == kTransform);
  CHECK(objects->at(1).is_stripped);
  CHECK(objects->at(1).fields["m_X"].number() == 1.0);
}

TEST_CASE("Lists may have the indentation of their key or more, members of items have more") {
  const Value fields = fieldsOf(
      "  m_Component:\n  - component: {fileID: 1}\n  - component: {fileID: 2}\n"
      "  m_Curve:\n    - time: 0.5\n      value: 1\n      more:\n        inner: x\n    - time: 1\n"
      "  m_Empty: []\n  m_Names:\n  - a\n  - b: c\n  - - n\n    - m\n  m_Last: 3\n");
  REQUIRE(fields["m_Component"].items.size() == 2);
  CHECK(fields["m_Component"].items[1]["component"].fileId() == "2");
  REQUIRE(fields["m_Curve"].items.size() == 2);
  CHECK(fields["m_Curve"].items[0]["time"].number() == 0.5);
  CHECK(fields["m_Curve"].items[0]["more"]["inner"].text == "x");
  CHECK(fields["m_Curve"].items[1]["time"].number() == 1.0);
  CHECK(fields["m_Empty"].items.empty());
  REQUIRE(fields["m_Names"].items.size() == 3);
  CHECK(fields["m_Names"].items[0].text == "a");
  CHECK(fields["m_Names"].items[1]["b"].text == "c");
  REQUIRE(fields["m_Names"].items[2].items.size() == 2);
  CHECK(fields["m_Names"].items[2].items[1].text == "m");
  CHECK(fields["m_Last"].number() == 3.0);
}

TEST_CASE("Long values go on in the next line") {
  const Value fields = fieldsOf(
      "  m_Script: {fileID: 11500000, guid: 0123,\n    type: 3}\n  m_Text: one, two\n    three\n"
      "  m_After: 1\n");
  CHECK(fields["m_Script"]["type"].number() == 3.0);
  CHECK(fields["m_Script"]["guid"].text == "0123");
  CHECK(fields["m_Text"].text == "one, two three");
  CHECK(fields["m_After"].number() == 1.0);
}

TEST_CASE("Quoted texts are unescaped, with letters beyond ASCII") {
  const Value fields = fieldsOf(
      "  a: \"\\u9AEA_\\u306E\"\n  b: 'it''s: {x}'\n  c: \"\\uD83D\\uDC31 \\\"q\\\"\\\\\"\n"
      "  d: \"\\xE9\\uD83D\"\n  e: {k: 'v, w', l: \"m}\"}\n  f: \"open\n  g: \"\\\n");
  CHECK(fields["a"].text == "\xE9\xAB\xAA_\xE3\x81\xAE");
  CHECK(fields["b"].text == "it's: {x}");
  CHECK(fields["c"].text == "\xF0\x9F\x90\xB1 \"q\"\\");
  CHECK(fields["d"].text == "\xC3\xA9");
  CHECK(fields["e"]["k"].text == "v, w");
  CHECK(fields["e"]["l"].text == "m}");
  CHECK(fields["f"].text == "open");
}

TEST_CASE("Vectors, numbers and ids are read, and have defaults") {
  const Value fields = fieldsOf(
      "  v: {x: 1, y: -2.5e-1, z: .inf}\n  q: {x: 0, y: 0, z: 1, w: 1}\n  n: .nan\n"
      "  own: {fileID: 5}\n  none: {fileID: 0}\n  other: {fileID: 6, guid: ab, type: 3}\n");
  CHECK(fields["v"].vector(Vec3(7)) == Vec3(1, -0.25, 7));
  CHECK(fields["absent"].vector(Vec3(1, 2, 3)) == Vec3(1, 2, 3));
  CHECK(test::distance(fields["q"].quaternion(), rotationAbout(Vec3(0, 0, 1), kPi / 2)) < 1e-12);
  CHECK(test::distance(fields["absent"].quaternion(), kIdentityRotation) == 0.0);
  CHECK(fields["n"].number(4.0) == 4.0);
  CHECK(fields["own"].fileId() == "5");
  CHECK(fields["none"].fileId() == "");
  CHECK(fields["other"].fileId() == "");
  CHECK_FALSE(fields.has("absent"));
}

TEST_CASE("Malformed texts are read to their end") {
  for (const char* lines :
       {"  a: {b: {c: [1,\n", "  a: }\n", "  a: {]}\n", "  a: [}, {]\n", "  a: {,,}\n",
        "      inner: 1\n  shallow: 2\n", "  - a\n- b\n", "  :\n", "  ---\n", "  a: [,]\n",
        "  ? x\n  a: b\n", "-\n-\n", "  a:\n\n\n  - \n"}) {
    CAPTURE(lines);
    fieldsOf(lines);
  }
  std::string nested;
  for (int i = 0; i < 100; ++i) nested += std::string(toSize(i) + 2, ' ') + "a:\n";
  const auto nested_object = readObjects("--- !u!114 &7\nM:\n" + nested, kPlenty);
  REQUIRE(!nested_object.ok());
  CHECK(nested_object.error().code == ErrorCode::kMalformed);
  CHECK(fieldsOf("  a: " + std::string(1000, '[') + "\n").has("a"));
  const auto large =
      readObjects("--- !u!114 &7\nM:\n  a: [" + std::string(1000, ',') + "]\n", 10000);
  REQUIRE(!large.ok());
  CHECK(large.error().code == ErrorCode::kLimit);
}

TEST_CASE("An animation curve is cubic between its keys") {
  const Value fields = fieldsOf(
      "  c:\n    m_Curve:\n    - serializedVersion: 3\n      time: 0\n      value: 1\n"
      "      inSlope: 0\n      outSlope: 2\n    - time: 1\n      value: 0.5\n      inSlope: -1\n"
      "      outSlope: Infinity\n    - time: 2\n      value: 3\n      inSlope: 0\n"
      "      outSlope: 0\n");
  const AnimationCurve curve(fields["c"]);
  CHECK(curve.at(-1.0) == 1.0);
  CHECK(curve.at(0.0) == 1.0);
  // Hermite at 1/2: (1 + 0.5)/2 + (2 - (-1))/8.
  CHECK(curve.at(0.5) == doctest::Approx(1.125));
  CHECK(curve.at(1.0) == 0.5);
  CHECK(curve.at(1.9) == 0.5);
  CHECK(curve.at(2.0) == 3.0);
  CHECK(AnimationCurve(fields["absent"]).at(0.3) == 1.0);
}

TEST_SUITE_END();
