// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/gltf/json_text.h"

#include <random>

#include <nlohmann/json.hpp>

#include "checks.h"

TEST_SUITE_BEGIN("gltf.json_text");

namespace {

using namespace clipmill::io::gltf::json_text;
using Json = nlohmann::ordered_json;
using Changes = std::vector<Edits::Change>;

std::string changed(const std::string& text, const Changes& changes) {
  Edits edits(text);
  edits.changeObject(rootOf(text), changes);
  return edits.apply();
}

std::string appended(const std::string& text, const std::vector<std::string>& elements) {
  Edits edits(text);
  edits.appendElements(rootOf(text), elements);
  return edits.apply();
}

std::string cut(const std::string& text, Span span) {
  return text.substr(span.start, span.end - span.start);
}

// A random value of few kinds, nested a little.
Json randomValue(std::mt19937& random, int depth) {
  switch (random() % (depth > 0 ? 6 : 4)) {
    case 0:
      return static_cast<int>(random() % 100) - 50;
    case 1:
      return "a\\b\"c,]}" + std::to_string(random() % 10);
    case 2:
      return random() % 2 == 0;
    case 3:
      return nullptr;
    case 4: {
      Json array = Json::array();
      for (unsigned i = random() % 4; i > 0; --i) array.push_back(randomValue(random, depth - 1));
      return array;
    }
    default: {
      Json object = Json::object();
      for (unsigned i = random() % 4; i > 0; --i) {
        object["k" + std::to_string(random() % 6)] = randomValue(random, depth - 1);
      }
      return object;
    }
  }
}

Json randomObject(std::mt19937& random) {
  Json object = Json::object();
  for (unsigned i = random() % 7; i > 0; --i) {
    object["k" + std::to_string(random() % 8)] = randomValue(random, 2);
  }
  return object;
}

std::string textOf(const Json& json, unsigned style) {
  return style == 0   ? json.dump()
         : style == 1 ? json.dump(2)
                      : " \n" + json.dump(1, '\t') + "\r\n ";
}

}  // namespace

TEST_CASE("Spans cover exactly their value") {
  const std::string text = " \n{ \"a\" : [1, {\"b\":\"]\\\"}\"} ,-2.5e3] , \"c\":true }\t";
  const Span root = rootOf(text);
  CHECK(cut(text, root) == "{ \"a\" : [1, {\"b\":\"]\\\"}\"} ,-2.5e3] , \"c\":true }");
  const auto members = membersOf(text, root);
  REQUIRE(members.size() == 2);
  CHECK(members[0].key == "a");
  CHECK(cut(text, members[0].key_span) == "\"a\"");
  CHECK(cut(text, members[1].value) == "true");
  const auto elements = elementsOf(text, members[0].value);
  REQUIRE(elements.size() == 3);
  CHECK(cut(text, elements[0]) == "1");
  CHECK(cut(text, elements[1]) == "{\"b\":\"]\\\"}\"}");
  CHECK(cut(text, elements[2]) == "-2.5e3");
}

TEST_CASE("A byte order mark before the root is skipped") {
  const std::string text = "\xEF\xBB\xBF{\"a\":1}";
  CHECK(cut(text, rootOf(text)) == "{\"a\":1}");
}

TEST_CASE("Keys are compared after unescaping") {
  const std::string text = R"({"\u006eodes":1,"a\"b":2,"\ud83d\ude00":3})";
  const auto members = membersOf(text, rootOf(text));
  REQUIRE(members.size() == 3);
  CHECK(members[0].key == "nodes");
  CHECK(members[1].key == "a\"b");
  CHECK(members[2].key == "\xF0\x9F\x98\x80");
}

TEST_CASE("Of two members with one key the last is found, changed, and both are removed") {
  const std::string text = R"({"a":1,"b":2,"a":3})";
  const auto members = membersOf(text, rootOf(text));
  CHECK(cut(text, *findMember(members, "a")) == "3");
  CHECK(!findMember(members, "c"));
  CHECK(changed(text, {{"a", "9"}}) == R"({"a":1,"b":2,"a":9})");
  CHECK(Json::parse(changed(text, {{"a", std::nullopt}})) == Json::parse(R"({"b":2})"));
}

TEST_CASE("A member can be removed from every position") {
  CHECK(changed(R"({"a":1})", {{"a", std::nullopt}}) == "{}");
  CHECK(changed(R"({ "a":1, "b":2, "c":3 })", {{"a", std::nullopt}}) == R"({ "b":2, "c":3 })");
  CHECK(changed(R"({ "a":1, "b":2, "c":3 })", {{"b", std::nullopt}}) == R"({ "a":1, "c":3 })");
  CHECK(changed(R"({ "a":1, "b":2, "c":3 })", {{"c", std::nullopt}}) == R"({ "a":1, "b":2 })");
  CHECK(changed(R"({"a":1,"b":2,"c":3})", {{"b", std::nullopt}, {"c", std::nullopt}}) ==
        R"({"a":1})");
  CHECK(changed(R"({"a":1,"b":2})", {{"a", std::nullopt}, {"b", std::nullopt}}) == "{}");
  CHECK(changed(R"({"a":1})", {{"x", std::nullopt}}) == R"({"a":1})");
}

TEST_CASE("A member can be added to an empty object, and to one that loses its others") {
  CHECK(changed("{}", {{"a", "1"}}) == R"({"a":1})");
  CHECK(changed("{ }", {{"a", "1"}, {"b", "2"}}) == R"({"a":1,"b":2 })");
  CHECK(changed(R"({"a":1})", {{"a", std::nullopt}, {"b", "2"}}) == R"({"b":2})");
  CHECK(changed(R"({"a":1,"c":3})", {{"c", std::nullopt}, {"b", "2"}}) == R"({"a":1,"b":2})");
}

TEST_CASE("Appended elements use the spacing of existing ones") {
  CHECK(appended("[]", {"1", "2"}) == "[1,2]");
  CHECK(appended("[1,2]", {"3"}) == "[1,2,3]");
  CHECK(appended("[1, 2]", {"3", "4"}) == "[1, 2, 3, 4]");
  CHECK(appended("[\n    1\n]", {"2"}) == "[\n    1,\n    2\n]");
  CHECK(appended("[\n  1,\n  2\n]", {"3"}) == "[\n  1,\n  2,\n  3\n]");
  CHECK(appended("[1]", {}) == "[1]");
}

TEST_CASE("White space of absurd length is not repeated") {
  const std::string text = "[" + std::string(100000, ' ') + "1]";
  CHECK(appended(text, std::vector<std::string>(1000, "2")).size() < text.size() + 10000);
}

TEST_CASE("Every edit of an object has the same result on the text as on the parsed tree") {
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    Json tree = randomObject(random);
    const std::string text = textOf(tree, random() % 3);
    Changes changes;
    for (unsigned key = 0; key < 8; ++key) {
      const unsigned choice = random() % 4;
      const std::string name = "k" + std::to_string(key);
      if (choice == 0) {
        changes.emplace_back(name, std::nullopt);
        tree.erase(name);
      } else if (choice == 1) {
        const Json value = randomValue(random, 1);
        changes.emplace_back(name, value.dump());
        tree[name] = value;
      }
    }
    CAPTURE(text);
    CHECK(Json::parse(changed(text, changes)) == tree);
  }
}

TEST_CASE("Edits of several members and their elements do not disturb one another") {
  std::mt19937 random(11);
  for (int round = 0; round < 1000; ++round) {
    Json tree = {{"head", randomValue(random, 2)}, {"list", Json::array()}, {"tail", 1}};
    for (unsigned i = random() % 5; i > 0; --i) tree["list"].push_back(randomObject(random));
    const std::string text = textOf(tree, random() % 3);
    const auto members = membersOf(text, rootOf(text));
    const Span list = *findMember(members, "list");
    const auto elements = elementsOf(text, list);
    REQUIRE(elements.size() == tree["list"].size());

    Edits edits(text);
    for (std::size_t i = 0; i < elements.size(); ++i) {
      if (random() % 2) continue;
      const Changes changes = {{"k1", std::nullopt}, {"k2", "[5]"}};
      edits.changeObject(elements[i], changes);
      tree["list"][i].erase("k1");
      tree["list"][i]["k2"] = {5};
    }
    const std::vector<std::string> more = {"{\"new\":1}", "2"};
    edits.appendElements(list, more);
    tree["list"].push_back({{"new", 1}});
    tree["list"].push_back(2);
    const Changes changes = {{"added", "null"}};
    edits.changeObject(rootOf(text), changes);
    tree["added"] = nullptr;
    CAPTURE(text);
    CHECK(Json::parse(edits.apply()) == tree);
  }
}
