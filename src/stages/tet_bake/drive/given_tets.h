// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/math.h"
#include "core/result.h"
#include "core/warnings.h"
#include "stages/stage.h"
#include "stages/tet_bake/surface/bake_surface.h"
#include "stages/tet_bake/tets/embedding.h"
#include "stages/tet_bake/tets/lattice.h"

namespace clipmill::tet_bake {

/// The files that the setting `tets` stands for: a .msh file, or the .node file and the .ele file
/// of the same name where either is given. None for an empty setting.
std::vector<std::string> tetFilesOf(const std::string& tets);

/// Tetrahedra of `files` (those of tetFilesOf()) in place of a lattice of our own. Points of the
/// surface that they hold follow them, and so do those outside, by `outside`; by the offset only
/// near them: `surface.share` fades to 0 between one and two mean edges from them. Twice the same
/// tetrahedron counts once. `metric_from_tets` takes places of the files to metric world.
///
/// Errors, with the file for a place: those of parseGmsh() and parseTetGen(); kLimit for too many;
/// kUnsupported where they do not fit the skin, by how much: more than twice its size, or most of
/// their own surface farther than two mean edges from it, or where they hold none of it.
Result<Lattice> givenLattice(std::span<const RawFile> files, const Affine& metric_from_tets,
                             OutsideRule outside, BakeSurface& surface, Warnings& warnings);

}  // namespace clipmill::tet_bake
