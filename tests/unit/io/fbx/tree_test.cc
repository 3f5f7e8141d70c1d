// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/fbx/tree.h"

#include <cmath>
#include <limits>

#include <doctest/doctest.h>

#include "io/fbx/tiny_fbx.h"

using namespace clipmill;
using namespace clipmill::io::fbx;
using namespace clipmill::test;

TEST_SUITE_BEGIN("fbx.tree");

namespace {

std::shared_ptr<const Tree> parsed(const Bytes& bytes) {
  auto tree = parseTree(bytes, {});
  REQUIRE_MESSAGE(tree.ok(), (tree ? "" : describe(tree.error())));
  return *tree;
}

std::shared_ptr<const Tree> parsed(const std::string& text) { return parsed(bytesOf(text)); }

ErrorCode fault(const Bytes& bytes, const io::Limits& limits = {}) {
  const auto tree = parseTree(bytes, limits);
  REQUIRE_FALSE(tree.ok());
  return tree.error().code;
}

ErrorCode fault(const std::string& text, const io::Limits& limits = {}) {
  return fault(bytesOf(text), limits);
}

Element at(const std::shared_ptr<const Tree>& tree, std::initializer_list<const char*> path) {
  std::optional<Element> element;
  for (const char* name : path) {
    element = element ? element->child(name) : tree->root(name);
    REQUIRE_MESSAGE(element, name);
  }
  return *element;
}

// A file of one element around what `fill` adds.
template <class Fill>
Bytes fileWith(Fill&& fill, int version = 7400, bool big_endian = false) {
  TinyFbx fbx(version, big_endian);
  fbx.open("E");
  fill(fbx);
  return fbx.endValues().close(false).nullRecord().footer().bytes;
}

std::string textWith(const std::string& body) {
  return "; FBX 7.4.0 project file\nFBXHeaderExtension: {\n}\n" + body;
}

}  // namespace

TEST_CASE("A scene reads the same in every version and byte order") {
  for (const int version : {5800, 6100, 7100, 7400, 7500, 7700}) {
    for (const bool big_endian : {false, true}) {
      CAPTURE(version);
      CAPTURE(big_endian);
      const auto tree = parsed(tinyScene(version, big_endian).bytes);
      CHECK(tree->version == version);
      CHECK(tree->is_big_endian == big_endian);
      CHECK(tree->encoding == Encoding::kBinary);
      const Element model = at(tree, {"Objects", "Model"});
      CHECK(model.integer(0) == 7);
      CHECK(model.text(1) == std::string("Hip\0\1Model", 10));
      CHECK(model.text(2) == "LimbNode");
      CHECK(model.child("Version")->integer(0) == 232);
      CHECK(model.child("Shading")->text(0) == "T");
      CHECK(model.child("Times")->integers()->back() == 46186158000);
      CHECK(at(tree, {"Connections", "C"}).integer(1) == 7);
      std::vector<std::string_view> names;
      for (const Element child : model.children()) names.push_back(child.name());
      CHECK(names == std::vector<std::string_view>{"Version", "Shading", "Empty", "Bare", "Times"});
      CHECK(tree->records[model.child("Empty")->index()].has_block);
      CHECK_FALSE(tree->records[model.child("Bare")->index()].has_block);
    }
  }
}

TEST_CASE("Every kind of single value is read in both byte orders with its type") {
  for (const bool big : {false, true}) {
    const auto tree = parsed(fileWith(
        [](TinyFbx& fbx) {
          fbx.scalar('C', std::uint8_t{1}).scalar('B', std::uint8_t{0});
          fbx.scalar('Z', std::int8_t{-3}).scalar('Y', std::int16_t{-300});
          fbx.scalar('I', std::int32_t{-70000}).scalar('L', std::int64_t{-5000000000});
          fbx.scalar('F', 0.5f).scalar('D', -2.75).text('S', "text").text('R', "raw");
        },
        7400, big));
    const Element e = at(tree, {"E"});
    const std::vector<ValueType> types{ValueType::kBool,  ValueType::kBool,   ValueType::kInt8,
                                       ValueType::kInt16, ValueType::kInt32,  ValueType::kInt64,
                                       ValueType::kFloat, ValueType::kDouble, ValueType::kString,
                                       ValueType::kRaw};
    REQUIRE(e.values().size() == types.size());
    for (std::size_t i = 0; i < types.size(); ++i) CHECK(e.values()[i].type == types[i]);
    CHECK(e.integer(0) == 1);
    CHECK(e.integer(1) == 0);
    CHECK(e.integer(2) == -3);
    CHECK(e.integer(3) == -300);
    CHECK(e.integer(4) == -70000);
    CHECK(e.integer(5) == -5000000000);
    CHECK(e.number(6) == 0.5);
    CHECK(e.integer(7) == -2);
    CHECK(e.text(8) == "text");
    CHECK(asText(e.bytes(8)) == "text");
    CHECK(asText(e.bytes(9)) == "raw");
    CHECK_FALSE(e.text(9));
    CHECK_FALSE(e.number(8));
    CHECK_FALSE(e.integer(10));
    CHECK_FALSE(e.text(0));
    CHECK(e.bytes(10).empty());
    CHECK(e.numbers().error().code == ErrorCode::kMalformed);
  }
}

TEST_CASE("Every kind of array is read in both byte orders, compressed or not") {
  for (const bool big : {false, true}) {
    for (const bool packed : {false, true}) {
      CAPTURE(big);
      CAPTURE(packed);
      const auto numbersOf = [&](char letter, const auto& numbers) {
        const auto tree =
            parsed(fileWith([&](TinyFbx& fbx) { fbx.array(letter, numbers, packed); }, 7500, big));
        CHECK(at(tree, {"E"}).numberCount() == numbers.size());
        return *at(tree, {"E"}).numbers();
      };
      CHECK(numbersOf('b', std::vector<std::uint8_t>{0, 1}) == std::vector<double>{0, 1});
      CHECK(numbersOf('c', std::vector<std::int8_t>{-1, 2}) == std::vector<double>{-1, 2});
      CHECK(numbersOf('i', std::vector<std::int32_t>{-70000, 3}) == std::vector<double>{-70000, 3});
      CHECK(numbersOf('l', std::vector<std::int64_t>{-5000000000}) ==
            std::vector<double>{-5000000000});
      CHECK(numbersOf('f', std::vector<float>{0.5f, -1.25f}) == std::vector<double>{0.5, -1.25});
      CHECK(numbersOf('d', std::vector<double>{1e300, -0.1}) == std::vector<double>{1e300, -0.1});
      CHECK(numbersOf('d', std::vector<double>{}).empty());
    }
  }
}

TEST_CASE(
    "Integers beyond the precision of doubles stay exact; too large numbers are no integers") {
  constexpr std::int64_t kOdd = (std::int64_t{1} << 62) + 1;
  const auto tree = parsed(fileWith([](TinyFbx& fbx) { fbx.array('l', std::vector{kOdd}); }));
  CHECK(at(tree, {"E"}).integers()->front() == kOdd);
  const auto list = parsed(fileWith(
      [](TinyFbx& fbx) { fbx.scalar('L', kOdd).scalar('D', 1e19).scalar('D', std::nan("")); }));
  CHECK(at(list, {"E"}).integer(0) == kOdd);
  CHECK_FALSE(at(list, {"E"}).integer(1));
  CHECK_FALSE(at(list, {"E"}).integer(2));
  CHECK(at(list, {"E"}).numberCount() == 3);
  CHECK(at(list, {"E"}).integers().error().code == ErrorCode::kMalformed);
  CHECK(at(list, {"E"}).numbers()->at(1) == 1e19);
}

TEST_CASE("Text files can have names, multi-line lists, identifiers, strings and unusual numbers") {
  for (const int version : {5800, 6100, 7300, 7500}) {
    for (const char* line_end : {"\n", "\r\n"}) {
      CAPTURE(version);
      const auto tree = parsed(tinyText(version, line_end));
      CHECK(tree->encoding == Encoding::kText);
      CHECK(tree->version == version);
      const Element model = at(tree, {"Objects", "Model"});
      CHECK(model.text(1) == "Model::Hip");
      CHECK(model.child("Shading")->text(0) == "T");
      CHECK_FALSE(model.child("Shading")->integer(0));
      CHECK(model.child("Path")->text(0) == "C:\\dir\\n;x");
      CHECK(model.child("Path")->text(1) == "text \"hi\"");
      CHECK(model.child("Bare")->values().empty());
      CHECK(model.child("Content")->text(0) == "");
      CHECK(model.child("Content")->text(1) == "AAAA");
      const Element key = *model.child("Key");
      REQUIRE(key.values().size() == 10);
      CHECK(key.text(2) == "C");
      CHECK(key.text(3) == "s");
      CHECK(key.integer(4) == 46186158000);
      CHECK(std::isnan(*key.number(5)));
      CHECK(key.number(8) == -std::numeric_limits<double>::infinity());
      CHECK(model.child("Times")->numbers()->size() == 4);
      CHECK(*model.child("Times")->numbers() == std::vector<double>{1, 2.5, 3, -400});
      CHECK(model.child("Times")->numberCount() == 4);
      if (version >= 7000) {
        CHECK(model.child("Nothing")->numberCount() == 0);
        CHECK(model.child("Nothing")->numbers()->empty());
      }
      const auto odd = *model.child("Numbers")->numbers();
      REQUIRE(odd.size() == 9);
      CHECK(odd[2] == 3);
      CHECK(odd[3] == 0.0025);
      CHECK(odd[4] == std::numeric_limits<double>::infinity());
      CHECK(odd[5] == 1e20);
      CHECK(std::isnan(odd[6]));
      CHECK(odd[7] == std::numeric_limits<double>::infinity());
      CHECK(std::isnan(odd[8]));
    }
  }
}

TEST_CASE("A number too small for a double is zero, with its sign") {
  const auto tree = parsed(textWith("E: 1e-999,-1E-999,-1e999\n"));
  const auto numbers = *at(tree, {"E"}).numbers();
  CHECK(numbers[0] == 0.0);
  CHECK(numbers[1] == 0.0);
  CHECK(std::signbit(numbers[1]));
  CHECK(numbers[2] == -std::numeric_limits<double>::infinity());
}

TEST_CASE("Text without FBXVersion has the version of its first comment") {
  CHECK(parsed(textWith("E: 1"))->version == 7400);
  CHECK(fault("FBXHeaderExtension: {\n}\n") == ErrorCode::kUnsupported);
  CHECK(fault("; FBX 3.0.0 project file\n") == ErrorCode::kUnsupported);
}

TEST_CASE("A binary file with version 3000 in its header has the version of FBXHeaderExtension") {
  TinyFbx fbx(5800, false, 3000);
  fbx.open("FBXHeaderExtension").endValues().number("FBXVersion", 5800).close(true).nullRecord();
  CHECK(parsed(fbx.bytes)->version == 5800);
  CHECK(fault(tinyScene(8000).bytes) == ErrorCode::kUnsupported);
}

TEST_CASE("A file older than 5800 is refused with its version and what to do") {
  const auto refusal = [](Bytes bytes) {
    const auto tree = parseTree(std::move(bytes), {});
    REQUIRE(!tree.ok());
    CHECK(tree.error().code == ErrorCode::kUnsupported);
    CHECK(tree.error().remedy.find("FBX 7 (2014 or later)") != std::string::npos);
    return tree.error().message;
  };
  for (const int version : {4050, 5000, 5799}) {
    const std::string named = "FBX version " + std::to_string(version) + " is too old to be read";
    CHECK(refusal(tinyScene(version).bytes) == named);
    CHECK(refusal(bytesOf("FBXHeaderExtension: {\n\tFBXVersion: " + std::to_string(version) +
                          "\n}\nTakes: {\n}\n")) == named);
  }
  CHECK(refusal(bytesOf("; FBX 5.0.0 project file\nTakes: {\n}\n")) ==
        "FBX version 5000 is too old to be read");
  // The header alone names the version.
  TinyFbx old(5800, false, 3000);
  old.number("E", 1).nullRecord();
  CHECK(refusal(old.bytes) == "FBX version 3000 is too old to be read");
  TinyFbx stated(5800, false, 3000);
  stated.open("FBXHeaderExtension").endValues().number("FBXVersion", 5000).close(true).nullRecord();
  CHECK(refusal(stated.bytes) == "FBX version 5000 is too old to be read");
}

TEST_CASE("FBX is identified by its first bytes") {
  CHECK(looksLikeFbx(tinyScene(7400).bytes));
  CHECK(looksLikeFbx(tinyScene(7400, true).bytes));
  CHECK(looksLikeFbx(asBytes(tinyText(6100))));
  CHECK(looksLikeFbx(asBytes("\xEF\xBB\xBF; FBX 7.4.0 project file\n")));
  CHECK_FALSE(looksLikeFbx({}));
  CHECK_FALSE(looksLikeFbx(asBytes("Kaydara FBX")));
  CHECK_FALSE(looksLikeFbx(asBytes("{\"asset\":{\"version\":\"2.0\"}}")));
  CHECK_FALSE(looksLikeFbx(asBytes(std::string_view("glTF\0\0FBXHeaderExtension:", 25))));
  CHECK(fault(std::string("glTF")) == ErrorCode::kMalformed);
}

TEST_CASE("A file truncated anywhere gives an error or a tree") {
  for (const Bytes& whole :
       {tinyScene(7400).bytes, tinyScene(7700, true).bytes, tinyScene(6100).bytes,
        bytesOf(tinyText(7400)), bytesOf(tinyText(6100, "\r\n"))}) {
    std::size_t trees = 0;
    for (std::size_t size = 0; size < whole.size(); ++size) {
      const auto tree = parseTree(Bytes(whole.begin(), whole.begin() + size), {});
      if (!tree) continue;
      ++trees;
      for (std::uint32_t i = 0; i < (*tree)->records.size(); ++i) {
        const Element element(**tree, i);
        if (const auto numbers = element.numbers()) CHECK(numbers->size() == element.numberCount());
      }
    }
    CHECK(trees < whole.size());
  }
}

TEST_CASE("Any one byte changed gives an error or a tree") {
  for (const Bytes& whole : {tinyScene(7400).bytes, tinyScene(7500, true).bytes,
                             bytesOf(tinyText(7400)), bytesOf(tinyText(6100))}) {
    for (std::size_t i = 0; i < whole.size(); ++i) {
      for (const int change : {1, 0x80, 0xff}) {
        Bytes bytes = whole;
        bytes[i] ^= static_cast<std::byte>(change);
        const auto tree = parseTree(bytes, {});
        if (!tree) continue;
        for (std::uint32_t k = 0; k < (*tree)->records.size(); ++k)
          (void)Element(**tree, k).numbers().ok();
      }
    }
  }
}

TEST_CASE("Invalid offsets and counts are malformed") {
  // Offset of the number in the header of the first element, and its new value.
  struct Lie {
    std::size_t word;
    std::uint64_t value;
  };
  for (const int version : {7400, 7500}) {
    for (const Lie lie : {Lie{0, 1}, Lie{0, 27}, Lie{0, 30}, Lie{0, 0xfffffff0}, Lie{1, 2},
                          Lie{1, 0xffffffff}, Lie{2, 1}, Lie{2, 0xffffffff}, Lie{2, 4}}) {
      CAPTURE(lie.word);
      CAPTURE(lie.value);
      TinyFbx fbx(version);
      fbx.number("Name", 3).number("Other", 4).nullRecord();
      fbx.setWord(27 + lie.word * fbx.wordBytes(), lie.value);
      CHECK(fault(fbx.bytes) == ErrorCode::kMalformed);
    }
  }
  TinyFbx wide(7500);
  wide.number("Name", 3).nullRecord();
  wide.setWord(27, ~std::uint64_t{0});
  CHECK(fault(wide.bytes) == ErrorCode::kMalformed);
}

TEST_CASE("A child must end within its parent, and a parent right after its null record") {
  TinyFbx beyond(7400);
  beyond.open("Parent").endValues();
  const std::size_t child = beyond.bytes.size();
  beyond.number("Child", 1).close(true).number("Next", 1).nullRecord();
  beyond.setWord(child, beyond.bytes.size() - 13);
  CHECK(fault(beyond.bytes) == ErrorCode::kMalformed);
  TinyFbx early(7400);
  early.open("Parent").endValues().nullRecord().number("Child", 1).close(true).nullRecord();
  CHECK(fault(early.bytes) == ErrorCode::kMalformed);
}

TEST_CASE("A value of an unknown type or of an invalid length is malformed") {
  CHECK(fault(fileWith([](TinyFbx& fbx) { fbx.scalar('?', 1); })) == ErrorCode::kMalformed);
  CHECK(fault(fileWith([](TinyFbx& fbx) { fbx.scalar('S', 0xffffffffu); })) ==
        ErrorCode::kMalformed);
  CHECK(fault(fileWith([](TinyFbx& fbx) {
          fbx.scalar('I', 1);
          fbx.count = 2;
        })) == ErrorCode::kMalformed);
}

TEST_CASE("An array that declares more values than its bytes can have is malformed") {
  const Bytes eight(8);
  const auto claiming = [](std::uint32_t numbers, std::uint32_t encoding, const Bytes& content) {
    return fileWith([&](TinyFbx& fbx) { fbx.array('d', numbers, encoding, content); });
  };
  CHECK(fault(claiming(2, 0, eight)) == ErrorCode::kMalformed);
  CHECK(fault(claiming(0, 0, eight)) == ErrorCode::kMalformed);
  CHECK(fault(claiming(0xffffffff, 1, zlibOf(eight))) == ErrorCode::kMalformed);
  CHECK(fault(claiming(1, 2, eight)) == ErrorCode::kUnsupported);
  // Within what deflate can do, yet not what it holds.
  for (const std::uint32_t numbers : {0, 2, 100}) {
    const auto tree = parsed(claiming(numbers, 1, zlibOf(eight)));
    CHECK(at(tree, {"E"}).numbers().error().code == ErrorCode::kMalformed);
  }
  CHECK(parsed(claiming(1, 1, zlibOf(eight)))->root("E")->numbers()->size() == 1);
  const auto damaged = parsed(claiming(1, 1, eight));
  CHECK(at(damaged, {"E"}).numbers().error().location.starts_with("E at byte 27"));
}

TEST_CASE("Arrays that declare more in total than the limit are refused before decompression") {
  const Bytes zeros = zlibOf(Bytes(800000));
  const Bytes bomb = fileWith([&](TinyFbx& fbx) {
    for (int i = 0; i < 20; ++i) fbx.array('d', 100000, 1, zeros);
  });
  io::Limits limits;
  CHECK(parseTree(bomb, limits).ok());
  limits.max_decoded_bytes = 8000000;
  CHECK(fault(bomb, limits) == ErrorCode::kLimit);
  // Elements and values count too.
  limits.max_decoded_bytes = 200;
  CHECK(fault(tinyScene(7400).bytes, limits) == ErrorCode::kLimit);
  CHECK(fault(tinyText(7400), limits) == ErrorCode::kLimit);
}

TEST_CASE("The depth limit holds in both encodings") {
  io::Limits limits;
  limits.max_depth = 50;
  for (const int depth : {50, 51}) {
    TinyFbx fbx(7400);
    std::string text = textWith("");
    for (int i = 0; i < depth; ++i) {
      fbx.open("N").endValues();
      text += "N: {";
    }
    for (int i = 0; i < depth; ++i) {
      fbx.close(true);
      text += "}";
    }
    fbx.nullRecord();
    if (depth == 50) {
      CHECK(parseTree(fbx.bytes, limits).ok());
      CHECK(parseTree(bytesOf(text), limits).ok());
    } else {
      CHECK(fault(fbx.bytes, limits) == ErrorCode::kLimit);
      CHECK(fault(text, limits) == ErrorCode::kLimit);
    }
  }
}

TEST_CASE("Invalid text is malformed, with its line") {
  for (const char* body : {"E: {\n", "}\n", "E: \"open\n", "E: 1 2\n", "1,2\n", "E: *2 a: 1,2 }\n",
                           "E: *2 {\na: 1,2\n", "E: *2 {\nb: 1,2\n}\n", "E: *2 {\na: {}\n}\n",
                           "E: *{\na: 1\n}\n", ": 1\n", "E 1\n"}) {
    CAPTURE(body);
    CHECK(fault(textWith(body)) == ErrorCode::kMalformed);
  }
  const auto tree = parseTree(bytesOf(textWith("A: 1\nB: 1 1\n")), {});
  CHECK(tree.error().location == "line 5");
}

TEST_CASE("A number list must have as many numbers as it declares, and nothing else") {
  for (const char* list : {"*3 {\na: 1,2\n}", "*1 {\na: 1,2\n}", "*2 {\na: 1,x\n}",
                           "*2 {\na: 1,,2\n}", "*2 {\na: 1 2\n}", "*-2 {\na: 1,2\n}"}) {
    CAPTURE(list);
    const auto tree = parsed(textWith(std::string("E: ") + list));
    CHECK(at(tree, {"E"}).numbers().error().code == ErrorCode::kMalformed);
  }
  const auto commented = parsed(textWith("E: *2 { ; here }\na: 1, ;2,\n 3,\n}\nF: 4"));
  CHECK(at(commented, {"E"}).numberCount() == 2);
  CHECK(*at(commented, {"E"}).numbers() == std::vector<double>{1, 3});
  CHECK(at(commented, {"F"}).integer(0) == 4);
}

TEST_CASE("Elements may have the name of another, or none") {
  TinyFbx fbx(7400);
  fbx.number("A", 1).number("A", 2).number("", 3).nullRecord();
  const auto tree = parsed(fbx.bytes);
  CHECK(tree->root("A")->integer(0) == 1);
  CHECK(tree->root("")->integer(0) == 3);
  CHECK_FALSE(tree->root("B"));
  CHECK(tree->records.size() == 3);
}

TEST_SUITE_END();
