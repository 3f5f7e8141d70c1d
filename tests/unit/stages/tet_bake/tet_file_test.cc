// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/tets/tet_file.h"

#include <string>

#include "checks.h"
#include "stages/tet_bake/tiny_tets.h"

TEST_SUITE_BEGIN("tet_bake.tet_file");

using namespace clipmill;
using namespace clipmill::stages::tet_bake;
using test::kTinyGmsh2;
using test::kTinyGmsh4;
using test::kTinyNodes;
using test::kTinyTets;

namespace {

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

}  // namespace

TEST_CASE("TetGen's two files give points and tetrahedra, numbered from 1") {
  const auto file = parseTetGen(kTinyNodes, kTinyTets);
  CHECK_OK(file);
  CHECK(file->positions.size() == 5);
  CHECK(file->positions[4] == Vec3(1, 1, 1));
  REQUIRE(file->tets.size() == 2);
  CHECK(file->tets[0] == Tet{0, 1, 2, 3});
  CHECK(file->inverted_count == 0);
}

TEST_CASE("numbers may start at 0") {
  const auto file =
      parseTetGen("4 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n", "1 4 0\n0 0 1 2 3\n");
  CHECK_OK(file);
  CHECK(file->tets[0] == Tet{0, 1, 2, 3});
}

TEST_CASE("an inverted tetrahedron is mirrored, a flat one left out, both are counted") {
  const auto file = parseTetGen(kTinyNodes, "3 4 0\n1 1 2 4 3\n2 1 2 3 3\n3 1 2 3 4\n");
  CHECK_OK(file);
  CHECK(file->inverted_count == 1);
  CHECK(file->flat_count == 1);
  CHECK(file->tets == std::vector<Tet>{{0, 1, 2, 3}, {0, 1, 2, 3}});
}

TEST_CASE("both versions of Gmsh files are read, other elements do not count") {
  const auto old_file = parseGmsh(kTinyGmsh2);
  CHECK_OK(old_file);
  CHECK(old_file->tets == std::vector<Tet>{{0, 1, 2, 3}});
  const auto file = parseGmsh(kTinyGmsh4);
  CHECK_OK(file);
  CHECK(file->tets == std::vector<Tet>{{0, 2, 3, 1}});
  CHECK(file->inverted_count == 1);
}

TEST_CASE("what is not read is refused with a remedy") {
  for (const std::string& text :
       {replaced(kTinyGmsh2, "2.2 0", "2.2 1"), replaced(kTinyGmsh2, "2.2 0", "3.0 0")}) {
    const auto file = parseGmsh(text);
    REQUIRE_FALSE(file.ok());
    CHECK(file.error().code == ErrorCode::kUnsupported);
    CHECK_FALSE(file.error().remedy.empty());
  }
  CHECK(parseTetGen("4 2 0 0\n", kTinyTets).error().code == ErrorCode::kUnsupported);
  CHECK(parseTetGen(kTinyNodes, "1 8 0\n").error().code == ErrorCode::kUnsupported);
}

TEST_CASE("broken files are refused and name the line") {
  const std::string nodes = kTinyNodes, tets = kTinyTets, old_gmsh = kTinyGmsh2, gmsh = kTinyGmsh4;
  const auto line = [](const Result<TetFile>& file) {
    REQUIRE_FALSE(file.ok());
    CHECK(file.error().code == ErrorCode::kMalformed);
    return file.error().location;
  };
  CHECK(line(parseTetGen(replaced(nodes, "3 0 1 0", "3 0 nan 0"), tets)) == ".node file: line 5");
  CHECK(line(parseTetGen(replaced(nodes, "3 0 1 0", "2 0 1 0"), tets)) == ".node file: line 5");
  CHECK(line(parseTetGen(nodes, replaced(tets, "2 5 3 4", "2 6 3 4"))) == ".ele file: line 3");
  CHECK(line(parseTetGen(nodes, replaced(tets, "2 5 3 4", "2 -5 3 4"))) == ".ele file: line 3");
  line(parseTetGen("", tets));
  line(parseTetGen(nodes, ""));
  line(parseTetGen(replaced(nodes, "5 3", "99999999999 3"), tets));
  line(parseTetGen(nodes, "1 4 0\n1 1 2 3 3\n"));
  line(parseGmsh(""));
  line(parseGmsh(replaced(old_gmsh, "20 0 0 1", "20 0 0")));
  line(parseGmsh(replaced(old_gmsh, "8 9 20", "8 9 21")));
  line(parseGmsh(replaced(old_gmsh, "3 4 2 0", "3 4 18446744073709551615 0")));
  line(parseGmsh(replaced(gmsh, "2 4 1 4", "4000000000 4 1 4")));
}

TEST_CASE("a file that ends anywhere is refused or read, never more") {
  for (const std::string& text : {std::string(kTinyGmsh2), std::string(kTinyGmsh4)}) {
    for (std::size_t end = 0; end < text.size(); ++end) {
      const auto file = parseGmsh(text.substr(0, end));
      if (file.ok()) CHECK(file->tets.size() == 1);
    }
  }
}

TEST_SUITE_END();
