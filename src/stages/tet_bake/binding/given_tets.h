// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/math.h"
#include "core/result.h"
#include "core/warnings.h"
#include "scene/skin_surface.h"
#include "stages/stage.h"
#include "stages/tet_bake/tets/embedding.h"
#include "stages/tet_bake/tets/lattice.h"

namespace clipmill::stages::tet_bake {

/// The files that the setting `tets` names: a .msh file, or the .node file and the .ele file of the
/// same name where either is given. None for an empty setting.
std::vector<std::string> tetFilesOf(const std::string& tets);

/// Tetrahedra of `files` (those of tetFilesOf()) instead of a lattice. Points of the surface inside
/// them follow them, and so do those outside, by `outside`; with the offset rule only near them:
/// `surface.share` fades to 0 between one and two mean edges from them. Duplicate tetrahedra count
/// once. `metric_from_tets` converts positions of the files to metric world.
///
/// Errors name the file: those of parseGmsh() and parseTetGen(); kLimit for too many;
/// kUnsupported where they do not fit the skin, by how much: more than twice its size, or most of
/// their own surface farther than two mean edges from it, or where they hold none of it.
Result<Lattice> givenLattice(std::span<const RawFile> files, const Affine& metric_from_tets,
                             OutsideRule outside, SkinSurface& surface, Warnings& warnings);

}  // namespace clipmill::stages::tet_bake
