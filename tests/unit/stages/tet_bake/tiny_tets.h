// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

/// Small files of tetrahedra, as TetGen and Gmsh write them.
namespace clipmill::test {

inline constexpr const char* kTinyNodes =
    "# made by hand\n"
    "5 3 0 1\n"
    "1 0 0 0 1\n"
    "2 1 0 0 1\n"
    "3 0 1 0 1  # a corner\n"
    "4 0 0 1 1\n"
    "5 1 1 1e0 1\n";
inline constexpr const char* kTinyTets =
    "2 4 0\n"
    "1 1 2 3 4\n"
    "2 2 5 3 4\n";
inline constexpr const char* kTinyGmsh2 =
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
    "$Nodes\n4\n7 0 0 0\n8 1 0 0\n9 0 1 0\n20 0 0 1\n$EndNodes\n"
    "$Elements\n3\n1 15 2 0 1 7\n2 2 2 0 1 7 8 9\n3 4 2 0 1 7 8 9 20\n$EndElements\n";
inline constexpr const char* kTinyGmsh4 =
    "$MeshFormat\r\n4.1 0 8\r\n$EndMeshFormat\r\n"
    "$Entities\r\n0 0 0 1\r\n1 0 0 0 1 1 1 0 0\r\n$EndEntities\r\n"
    "$Nodes\r\n2 4 1 4\r\n0 1 0 1\r\n1\r\n0 0 0\r\n3 1 0 3\r\n2\r\n3\r\n4\r\n"
    "1 0 0\r\n0 1 0\r\n0 0 1\r\n$EndNodes\r\n"
    "$Elements\r\n2 2 1 2\r\n2 1 2 1\r\n1 1 2 3\r\n3 1 4 1\r\n2 1 3 2 4\r\n$EndElements\r\n";

/// Points and tetrahedra of TetGen, parted by a line "=".
inline std::string tinyTetGen() { return std::string(kTinyNodes) + "=\n" + kTinyTets; }

}  // namespace clipmill::test
