// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/tet_file.h"

#include <string>

#include "checks.h"

TEST_SUITE_BEGIN("tet_bake.tet_file");

using namespace clipmill;
using namespace clipmill::tet_bake;

namespace {

constexpr const char* kNodes =
    "# made by hand\n"
    "5 3 0 1\n"
    "1 0 0 0 1\n"
    "2 1 0 0 1\n"
    "3 0 1 0 1  # a corner\n"
    "4 0 0 1 1\n"
    "5 1 1 1e0 1\n";
constexpr const char* kTets =
    "2 4 0\n"
    "1 1 2 3 4\n"
    "2 2 5 3 4\n";
constexpr const char* kOldGmsh =
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
    "$Nodes\n4\n7 0 0 0\n8 1 0 0\n9 0 1 0\n20 0 0 1\n$EndNodes\n"
    "$Elements\n3\n1 15 2 0 1 7\n2 2 2 0 1 7 8 9\n3 4 2 0 1 7 8 9 20\n$EndElements\n";
constexpr const char* kGmsh =
    "$MeshFormat\r\n4.1 0 8\r\n$EndMeshFormat\r\n"
    "$Entities\r\n0 0 0 1\r\n1 0 0 0 1 1 1 0 0\r\n$EndEntities\r\n"
    "$Nodes\r\n2 4 1 4\r\n0 1 0 1\r\n1\r\n0 0 0\r\n3 1 0 3\r\n2\r\n3\r\n4\r\n"
    "1 0 0\r\n0 1 0\r\n0 0 1\r\n$EndNodes\r\n"
    "$Elements\r\n2 2 1 2\r\n2 1 2 1\r\n1 1 2 3\r\n3 1 4 1\r\n2 1 3 2 4\r\n$EndElements\r\n";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

}  // namespace

TEST_CASE("TetGen's two files give points and tetrahedra, numbered from 1") {
  const auto file = parseTetGen(kNodes, kTets);
  CHECK_OK(file);
  CHECK(file->positions.size() == 5);
  CHECK(file->positions[4] == Vec3(1, 1, 1));
  REQUIRE(file->tets.size() == 2);
  CHECK(file->tets[0] == Tet{0, 1, 2, 3});
  CHECK(file->inverted_count == 0);
}

TEST_CASE("numbers may begin at 0") {
  const auto file =
      parseTetGen("4 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n", "1 4 0\n0 0 1 2 3\n");
  CHECK_OK(file);
  CHECK(file->tets[0] == Tet{0, 1, 2, 3});
}

TEST_CASE("a tetrahedron that is inside out is turned, a flat one left out, both are counted") {
  const auto file = parseTetGen(kNodes, "3 4 0\n1 1 2 4 3\n2 1 2 3 3\n3 1 2 3 4\n");
  CHECK_OK(file);
  CHECK(file->inverted_count == 1);
  CHECK(file->flat_count == 1);
  CHECK(file->tets == std::vector<Tet>{{0, 1, 2, 3}, {0, 1, 2, 3}});
}

TEST_CASE("both versions of Gmsh files are read, other elements do not count") {
  const auto old_file = parseGmsh(kOldGmsh);
  CHECK_OK(old_file);
  CHECK(old_file->tets == std::vector<Tet>{{0, 1, 2, 3}});
  const auto file = parseGmsh(kGmsh);
  CHECK_OK(file);
  CHECK(file->tets == std::vector<Tet>{{0, 2, 3, 1}});
  CHECK(file->inverted_count == 1);
}

TEST_CASE("what is not read is refused with a remedy") {
  for (const std::string& text :
       {replaced(kOldGmsh, "2.2 0", "2.2 1"), replaced(kOldGmsh, "2.2 0", "3.0 0")}) {
    const auto file = parseGmsh(text);
    REQUIRE_FALSE(file.ok());
    CHECK(file.error().code == ErrorCode::kUnsupported);
    CHECK_FALSE(file.error().remedy.empty());
  }
  CHECK(parseTetGen("4 2 0 0\n", kTets).error().code == ErrorCode::kUnsupported);
  CHECK(parseTetGen(kNodes, "1 8 0\n").error().code == ErrorCode::kUnsupported);
}

TEST_CASE("broken files are refused and name the line") {
  const std::string nodes = kNodes, tets = kTets, old_gmsh = kOldGmsh, gmsh = kGmsh;
  const auto line = [](const Result<TetFile>& file) {
    REQUIRE_FALSE(file.ok());
    CHECK(file.error().code == ErrorCode::kMalformed);
    return file.error().place;
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
  for (const std::string& text : {std::string(kOldGmsh), std::string(kGmsh)}) {
    for (std::size_t end = 0; end < text.size(); ++end) {
      const auto file = parseGmsh(text.substr(0, end));
      if (file.ok()) CHECK(file->tets.size() == 1);
    }
  }
}

TEST_SUITE_END();
