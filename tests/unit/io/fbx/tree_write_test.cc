// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/fbx/tree_write.h"

#include <cmath>
#include <cstring>
#include <limits>

#include <doctest/doctest.h>

#include "core/to_size.h"
#include "io/fbx/tiny_fbx.h"
#include "io/fbx/write_parts.h"

using namespace clipmill;
using namespace clipmill::io::fbx;
using namespace clipmill::test;

TEST_SUITE_BEGIN("fbx.tree_writing");

namespace {

std::shared_ptr<const Tree> parsed(const Bytes& bytes) {
  auto tree = parseTree(bytes, {});
  REQUIRE_MESSAGE(tree.ok(), (tree ? "" : describe(tree.error())));
  return *tree;
}

std::shared_ptr<const Tree> edited(const Tree& tree, const TreeEdits& edits) {
  auto bytes = writeTree(tree, edits);
  REQUIRE(bytes.ok());
  return parsed(*bytes);
}

std::string_view textOf(const std::shared_ptr<const Tree>& tree) { return asText(tree->source); }

// All versions, byte orders and encodings.
std::vector<Bytes> allScenes() {
  std::vector<Bytes> scenes;
  for (const int version : {5800, 6100, 7400, 7500, 7700})
    for (const bool big_endian : {false, true})
      scenes.push_back(tinyScene(version, big_endian).bytes);
  for (const int version : {5800, 6100, 7400, 7700})
    for (const char* line_end : {"\n", "\r\n"})
      scenes.push_back(bytesOf(tinyText(version, line_end)));
  return scenes;
}

Element model(const std::shared_ptr<const Tree>& tree) {
  return *tree->root("Objects")->child("Model");
}

NewElement everything() {
  NewElement element;
  element.name = "Everything";
  element.values = {true,
                    std::int16_t{-3},
                    std::int32_t{70000},
                    std::int64_t{-5000000000},
                    0.1f,
                    -2.75,
                    std::string("a \"b\""),
                    Word{'Y'}};
  element.children.push_back({"Ints", {std::vector<std::int32_t>{1, -2, 3}}, {}, false});
  element.children.push_back({"Longs", {std::vector<std::int64_t>(3000, 46186158000)}, {}, false});
  element.children.push_back({"Floats", {std::vector<float>{0.1f, 1e-30f}}, {}, false});
  element.children.push_back({"Doubles", {std::vector<double>{0.1, 1e300, -0.0}}, {}, false});
  element.children.push_back({"None", {std::vector<double>{}}, {}, false});
  element.children.push_back({"Block", {}, {}, true});
  element.children.push_back({"Leaf", {}, {}, false});
  return element;
}

void checkEverything(const Element& e) {
  const bool is_text = e.tree().encoding == Encoding::kText;
  CHECK(e.integer(0) == 1);
  CHECK(e.integer(1) == -3);
  CHECK(e.integer(2) == 70000);
  CHECK(e.integer(3) == -5000000000);
  CHECK(static_cast<float>(*e.number(4)) == 0.1f);
  CHECK(e.number(5) == -2.75);
  CHECK(e.text(6) == "a \"b\"");
  CHECK(e.text(7) == "Y");
  CHECK(*e.child("Ints")->integers() == std::vector<std::int64_t>{1, -2, 3});
  CHECK(*e.child("Longs")->integers() == std::vector<std::int64_t>(3000, 46186158000));
  CHECK(static_cast<float>(e.child("Floats")->numbers()->at(0)) == 0.1f);
  CHECK(static_cast<float>(e.child("Floats")->numbers()->at(1)) == 1e-30f);
  CHECK(*e.child("Doubles")->numbers() == std::vector<double>{0.1, 1e300, -0.0});
  CHECK(e.child("None")->numbers()->empty());
  CHECK(e.tree().records[e.child("Block")->index()].has_block);
  CHECK_FALSE(e.tree().records[e.child("Leaf")->index()].has_block);
  if (is_text) return;
  CHECK(e.values()[0].type == ValueType::kBool);
  CHECK(e.values()[1].type == ValueType::kInt16);
  CHECK(e.values()[2].type == ValueType::kInt32);
  CHECK(e.values()[4].type == ValueType::kFloat);
  const bool has_arrays = e.tree().version >= 7000;
  CHECK(e.child("Ints")->values().size() == (has_arrays ? 1 : 3));
  CHECK(e.child("Doubles")->values()[0].type ==
        (has_arrays ? ValueType::kDoubleArray : ValueType::kDouble));
}

}  // namespace

TEST_CASE("A file rebuilt without edits equals the input") {
  for (const Bytes& scene : allScenes()) {
    const auto tree = parsed(scene);
    const auto bytes =
        tree->encoding == Encoding::kBinary ? writeBinaryTree(*tree, {}) : writeTextTree(*tree, {});
    CHECK(*bytes == scene);
    CHECK(*writeTree(*tree, {}) == scene);
  }
}

TEST_CASE("Elements appended and removed again leave the bytes unchanged") {
  for (const Bytes& scene : allScenes()) {
    for (int length = 0; length < 20; ++length) {  // All alignments of the footer.
      const auto tree = parsed(scene);
      TreeEdits edits;
      NewElement extra{"Extra", {std::string(toSize(length), 'x')}, {}, false};
      edits.appended[model(tree).index()].push_back(extra);
      const auto longer = edited(*tree, edits);
      CHECK(longer->source.size() > scene.size());
      TreeEdits undo;
      undo.removed.insert(model(longer).child("Extra")->index());
      CHECK(*writeTree(*longer, undo) == scene);
    }
  }
}

TEST_CASE("The footer keeps its alignment, and the summary of old files its offsets") {
  for (const int version : {6100, 7400, 7500}) {
    for (std::size_t length = 0; length < 20; ++length) {
      // The same file, made with the longer name from the start.
      const auto withName = [&](const std::string& name) {
        TinyFbx fbx(version);
        fbx.open("Objects").text('S', name).endValues().close(true).nullRecord().footer();
        const std::size_t summary = fbx.bytes.size();
        if (version < 7000)
          fbx.open("Summary").endValues().number("V", 1).close(true).nullRecord().footer(summary);
        return fbx.bytes;
      };
      const std::string name(length, 'n');
      const auto tree = parsed(withName("first"));
      TreeEdits edits;
      edits.values[0] = {name};
      CAPTURE(version);
      CAPTURE(length);
      CHECK(*writeTree(*tree, edits) == withName(name));
    }
  }
}

TEST_CASE("An unknown file end is copied unchanged") {
  TinyFbx fbx(7400);
  fbx.number("A", 1).nullRecord().put(std::string_view("something else"));
  const auto tree = parsed(fbx.bytes);
  TreeEdits edits;
  edits.removed.insert(0);
  const auto bytes = writeTree(*tree, edits);
  CHECK(asText(*bytes).ends_with(std::string(13, '\0') + "something else"));
  TinyFbx bare(7400);
  bare.number("A", 1);
  CHECK(*writeBinaryTree(*parsed(bare.bytes), {}) == bare.bytes);
}

TEST_CASE("New elements read back with all their values, in every version and encoding") {
  for (const Bytes& scene : allScenes()) {
    const auto tree = parsed(scene);
    CAPTURE(tree->version);
    TreeEdits edits;
    edits.appended[model(tree).index()] = {everything(), {"Second", {}, {}, false}};
    edits.appended_roots.push_back(everything());
    const auto after = edited(*tree, edits);
    checkEverything(*model(after).child("Everything"));
    checkEverything(*after->root("Everything"));
    CHECK(model(after).child("Second"));
    // What was there is there still.
    CHECK(model(after).child("Version")->integer(0) == 232);
    CHECK(after->root("Connections")->child("C")->integer(1) == 7);
    CHECK(after->records.size() == tree->records.size() + 17);
  }
}

TEST_CASE("Elements without a block get one when children are appended") {
  for (const Bytes& scene : allScenes()) {
    const auto tree = parsed(scene);
    TreeEdits edits;
    for (const char* name : {"Bare", "Empty", "Shading"})
      edits.appended[model(tree).child(name)->index()] = {{"In", {std::int32_t{5}}, {}, false}};
    const auto after = edited(*tree, edits);
    for (const char* name : {"Bare", "Empty", "Shading"})
      CHECK(model(after).child(name)->child("In")->integer(0) == 5);
    CHECK(model(after).child("Shading")->text(0) == "T");
    CHECK(after->records.size() == tree->records.size() + 3);
  }
}

TEST_CASE("Values change and children stay; a replaced element is another one") {
  for (const Bytes& scene : allScenes()) {
    const auto tree = parsed(scene);
    TreeEdits edits;
    edits.values[model(tree).index()] = {std::int64_t{9}, std::string("Other"), Word{'W'}};
    edits.values[model(tree).child("Times")->index()] = {
        std::vector<std::int64_t>{10, 20, 30, 40, 50}};
    edits.values[model(tree).child("Bare")->index()] = {1.5};
    edits.values[model(tree).child("Empty")->index()] = {std::int32_t{6}};
    edits.replaced[model(tree).child("Version")->index()] = everything();
    edits.removed.insert(tree->root("Connections")->child("C")->index());
    const auto after = edited(*tree, edits);
    CHECK(model(after).integer(0) == 9);
    CHECK(model(after).text(1) == "Other");
    CHECK(model(after).text(2) == "W");
    CHECK(model(after).values().size() == 3);
    CHECK(*model(after).child("Times")->integers() ==
          std::vector<std::int64_t>{10, 20, 30, 40, 50});
    CHECK(model(after).child("Bare")->number(0) == 1.5);
    CHECK(model(after).child("Empty")->integer(0) == 6);
    CHECK(after->records[model(after).child("Empty")->index()].has_block);
    CHECK_FALSE(model(after).child("Version"));
    checkEverything(*model(after).child("Everything"));
    CHECK((*model(after).children().begin()).name() == "Everything");
    const bool is_text = tree->encoding == Encoding::kText;
    CHECK(after->records.size() == tree->records.size() + 7 - 1);
    CHECK(after->root("Connections")->child("C").has_value() == is_text);
  }
}

TEST_CASE("Removing an element removes its children, also for a root, and ignores edits within") {
  for (const Bytes& scene : allScenes()) {
    const auto tree = parsed(scene);
    TreeEdits edits;
    edits.removed.insert(tree->root("Objects")->index());
    edits.values[model(tree).index()] = {std::int32_t{1}};
    edits.appended[model(tree).index()] = {{"In", {}, {}, false}};
    edits.removed.insert(model(tree).child("Version")->index());
    const auto after = edited(*tree, edits);
    CHECK_FALSE(after->root("Objects"));
    CHECK(after->root("Connections"));
    CHECK(after->records.size() ==
          tree->records.size() - (tree->records[tree->root("Objects")->index()].subtree_end -
                                  tree->root("Objects")->index()));
  }
}

TEST_CASE("Large arrays are compressed where that makes them smaller, others are not") {
  const auto tree = parsed(tinyScene(7400).bytes);
  std::vector<std::int32_t> noise(40);
  std::uint32_t state = 1;
  for (auto& n : noise) n = static_cast<std::int32_t>(state = state * 1664525u + 1013904223u);
  TreeEdits edits;
  edits.appended_roots = {{"Small", {std::vector<std::int32_t>(31, 0)}, {}, false},
                          {"Large", {std::vector<std::int32_t>(32, 0)}, {}, false},
                          {"Noise", {noise}, {}, false}};
  const auto after = edited(*tree, edits);
  const auto encodingOf = [&](const char* name) {
    return arrayHead(*after, after->root(name)->values()[0]).encoding;
  };
  CHECK(encodingOf("Small") == 0);
  CHECK(encodingOf("Large") == 1);
  CHECK(encodingOf("Noise") == 0);
  CHECK(after->root("Noise")->integers()->at(5) == noise[5]);
}

TEST_CASE("A removed connection removes its lines and its comment; the rest stays byte for byte") {
  for (const std::string line_end : {"\n", "\r\n"}) {
    const auto tree = parsed(bytesOf(tinyText(7400, line_end)));
    TreeEdits edits;
    edits.removed.insert(tree->root("Connections")->child("C")->index());
    std::string expected(textOf(tree));
    const std::string cut = "\t" + line_end + "\t;Model::Hip, Model::RootNode" + line_end +
                            "\tC: \"OO\",7,0" + line_end;
    expected.erase(expected.find(cut), cut.size());
    CHECK(textOf(edited(*tree, edits)) == expected);
  }
}

TEST_CASE("Comments stay, except on the line of a removed element") {
  const auto tree = parsed(bytesOf("; FBX 7.4.0 project file\nA: 1\n;note\nB: 2 ;mine\nC: 3\n"));
  TreeEdits edits;
  edits.removed.insert(tree->root("B")->index());
  CHECK(textOf(edited(*tree, edits)) == "; FBX 7.4.0 project file\nA: 1\n;note\nC: 3\n");
}

TEST_CASE("The last line of a string is no comment") {
  const auto tree =
      parsed(bytesOf("; FBX 7.4.0 project file\nConnections: {\n\tC: \"a\n;b\"\n\tC: 2\n}\n"));
  TreeEdits edits;
  edits.removed.insert(2);
  CHECK(textOf(edited(*tree, edits)) ==
        "; FBX 7.4.0 project file\nConnections: {\n\tC: \"a\n;b\"\n}\n");
}

TEST_CASE("New text is laid out as the file is") {
  const NewElement added{
      "P",
      {std::string("x\0\1Class", 8), std::string(""), std::int32_t{1}, std::vector<double>{0.5, 2}},
      {{"Q", {Word{'T'}}, {}, false}},
      false};
  {
    const auto tree =
        parsed(bytesOf("; FBX 7.4.0 project file\r\nA:  {\r\n    B:  {\r\n    }\r\n}\r\n"));
    TreeEdits edits;
    edits.appended[1].push_back(added);
    CHECK(textOf(edited(*tree, edits)) ==
          "; FBX 7.4.0 project file\r\nA:  {\r\n    B:  {\r\n"
          "        P: \"Class::x\", \"\",1,*2 {\r\n            a: 0.5,2\r\n        } {\r\n"
          "            Q: T\r\n        }\r\n    }\r\n}\r\n");
  }
  {
    const auto tree = parsed(bytesOf("; FBX 6.1.0 project file\nA: { B: 1 }"));
    TreeEdits edits;
    edits.appended[0].push_back(added);
    edits.appended_roots.push_back({"R", {}, {}, true});
    CHECK(
        textOf(edited(*tree, edits)) ==
        "; FBX 6.1.0 project file\nA: { B: 1 \n\tP: \"Class::x\", \"\",1,0.5,2 {\n\t\tQ: T\n\t}\n}"
        "\nR:  {\n}\n");
  }
}

TEST_CASE("Elements on one line are removed and changed without their neighbours") {
  const auto tree = parsed(bytesOf("; FBX 7.4.0 project file\nA: \"1\"B: \"2\"C: 3 ;end\n"));
  TreeEdits edits;
  edits.values[0] = {std::int32_t{5}};
  edits.replaced[1] = {"X", {std::int32_t{6}}, {}, false};
  const auto after = edited(*tree, edits);
  CHECK(after->root("A")->integer(0) == 5);
  CHECK(after->root("X")->integer(0) == 6);
  CHECK(after->root("C")->integer(0) == 3);
  TreeEdits cut;
  cut.removed = {0, 1};
  CHECK(textOf(edited(*tree, cut)) == "; FBX 7.4.0 project file\nC: 3 ;end\n");
}

TEST_CASE("A child and its parent may both grow where they end at the same offset") {
  const auto tree = parsed(bytesOf("; FBX 7.4.0 project file\nP: {\n\tC:}\n"));
  TreeEdits edits;
  edits.values[1] = {std::int32_t{1}};
  edits.appended[1] = {{"In", {}, {}, false}};
  edits.appended[0] = {{"D", {}, {}, false}};
  edits.appended_roots = {{"R", {}, {}, false}};
  CHECK(textOf(edited(*tree, edits)) ==
        "; FBX 7.4.0 project file\nP: {\n\tC: 1 {\n\t\tIn: \n\t}\n\tD: \n}\nR: \n");
}

TEST_CASE("Numbers survive text encoding bit for bit, infinity and NaN too") {
  const std::vector<double> numbers{0.1,
                                    -0.0,
                                    5e-324,
                                    1.7976931348623157e308,
                                    123456789.123456789,
                                    std::numeric_limits<double>::infinity(),
                                    -std::numeric_limits<double>::infinity(),
                                    1e22};
  for (const int version : {6100, 7400}) {
    const auto tree = parsed(bytesOf(tinyText(version)));
    TreeEdits edits;
    edits.appended_roots = {{"N", {numbers}, {}, false}, {"Nan", {std::nan("")}, {}, false}};
    const auto after = edited(*tree, edits);
    const auto read = *after->root("N")->numbers();
    REQUIRE(read.size() == numbers.size());
    for (std::size_t i = 0; i < read.size(); ++i) {
      CHECK(std::memcmp(&read[i], &numbers[i], sizeof(double)) == 0);
    }
    CHECK(std::isnan(*after->root("Nan")->number(0)));
  }
}

TEST_CASE("Raw data is bytes in binary files and base64 in text") {
  for (const bool is_text : {false, true}) {
    const auto tree = parsed(is_text ? bytesOf(tinyText(7400)) : tinyScene(7400).bytes);
    TreeEdits edits;
    for (const char* content : {"", "M", "Ma", "Man"})
      edits.appended_roots.push_back({"R", {RawData{bytesOf(content)}}, {}, false});
    const auto after = edited(*tree, edits);
    std::string all;
    for (const Element root : after->roots())
      if (root.name() == "R") all += std::string(asText(root.bytes(0))) + "|";
    CHECK(all == (is_text ? "|TQ==|TWE=|TWFu|" : "|M|Ma|Man|"));
  }
}

TEST_CASE("A new binary file reads back, and has a footer that writing keeps") {
  for (const int version : {7400, 7500}) {
    const std::vector<NewElement> roots{
        {"FBXHeaderExtension", {}, {{"FBXVersion", {std::int32_t{version}}, {}, false}}, false},
        {"FileId", {newFileId()}, {}, false},
        {"CreationTime", {std::string(kNewCreationTime)}, {}, false},
        everything()};
    const auto bytes = writeNewBinary(version, roots);
    REQUIRE(bytes.ok());
    const auto tree = parsed(*bytes);
    CHECK(tree->version == version);
    checkEverything(*tree->root("Everything"));
    CHECK(tree->root("FileId")->bytes(0).size() == 16);
    CHECK(*writeBinaryTree(*tree, {}) == *bytes);
    // The end as the layout of the tests has it.
    TinyFbx tail(version);
    tail.bytes.assign(bytes->begin(),
                      bytes->begin() + static_cast<std::ptrdiff_t>(tree->roots_end));
    tail.nullRecord().footer();
    CHECK(tail.bytes == *bytes);
  }
  CHECK(writeNewBinary(6100, {}).error().code == ErrorCode::kUnsupported);
}

TEST_CASE("A name of more than 255 bytes does not fit a binary file") {
  const auto tree = parsed(tinyScene(7400).bytes);
  TreeEdits edits;
  edits.appended_roots.push_back({std::string(256, 'n'), {}, {}, false});
  CHECK(writeTree(*tree, edits).error().code == ErrorCode::kLimit);
}

TEST_SUITE_END();
