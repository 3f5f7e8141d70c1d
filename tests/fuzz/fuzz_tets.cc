// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// Any text as tetrahedra: a Gmsh file, or, where a line "=" parts it, TetGen's points and its
// tetrahedra. It is refused with one line, or gives finite tetrahedra of positive volume that can
// be laid out for the solvers.
#include <cmath>
#include <cstdint>
#include <string_view>

#include "fuzz_checks.h"
#include "stages/tet_bake/tets/tet_file.h"
#include "stages/tet_bake/tets/tet_shape.h"
#include "stages/tet_bake/tets/tet_system.h"

namespace {

using namespace clipmill;
using namespace clipmill::stages::tet_bake;
using fuzz::require;
using fuzz::requireOneLine;

Result<TetFile> parse(std::string_view text) {
  constexpr std::string_view kPart = "\n=\n";
  const std::size_t part = text.find(kPart);
  if (part == std::string_view::npos) return parseGmsh(text);
  return parseTetGen(text.substr(0, part), text.substr(part + kPart.size()));
}

void checkTets(const TetFile& file) {
  for (const Vec3& position : file.positions)
    require(isFinite(position), "a point that is not finite");
  for (const Tet& tet : file.tets) {
    for (const std::uint32_t corner : tet) {
      require(corner < file.positions.size(), "a corner that is not there");
    }
    require(signedVolume(cornersOf(file.positions, tet)) >= 0.0, "a tetrahedron inside out");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto file = parse({reinterpret_cast<const char*>(data), size});
  if (!file) {
    requireOneLine(file.error());
    return 0;
  }
  checkTets(*file);
  TetMesh mesh;
  mesh.positions = file->positions;
  mesh.tets = file->tets;
  mesh.hold.assign(mesh.vertexCount(), 0.0);
  const auto system = makeTetSystem(mesh);
  require(system.ok(),
          "tetrahedra that cannot be laid out:", system ? "" : describe(system.error()));
  require(system->reoriented == 0, "a tetrahedron that must be reoriented");
  require(std::isfinite(system->volume), "a volume that is not finite");
  return 0;
}
