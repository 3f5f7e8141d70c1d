// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/file.h"
#include "core/math.h"
#include "core/result.h"

/// The motion of tetrahedra in a clip, as a file for viewers (.tets).
namespace clipmill {

/// Tetrahedra at rest, and when their frames are.
struct TetMotion {
  std::string clip;
  double start_s = 0.0, end_s = 0.0;  ///< Of the clip: its first frame and its last.
  double fps = 0.0;                   ///< All frames but the last are 1 / fps apart.
  std::vector<Vec3> rest;             ///< Positions of the corners at rest, metric world.
  std::vector<std::array<std::uint32_t, 4>> tets;  ///< det(b-a, c-a, d-a) > 0 at rest.
  std::vector<char> is_held;  ///< One a tetrahedron: whether bones hold all its corners.
};

/// The file's extension.
inline constexpr const char* kTetMotionEnding = ".tets";

/// The motion as a file; `frames` have x, y and z of each corner in a row, metres, metric world.
/// Little-endian: "CLIPTETS"; 32-bit version (1), numbers of corners, tetrahedra and frames; start,
/// end and rate as 64-bit floats; low and step (three 32-bit floats each); length of the clip's
/// name in bytes; the name; four 32-bit corners a tetrahedron; one byte a tetrahedron, 1 where it
/// is held; then three 16-bit numbers a corner, at rest and in each frame: position = low + step *
/// number. Name and bytes are filled up with zeros to a multiple of four. Errors: kLimit for more
/// than 2 GB; kInternal for frames of another size or numbers that are not finite.
Result<Bytes> tetMotionFile(const TetMotion& motion, std::span<const std::vector<float>> frames);

/// The header of such a file.
struct TetMotionInfo {
  std::string clip;
  std::size_t corners = 0, tets = 0, frames = 0;
};

/// Checks an untrusted file: it must be as long as its header states, with corners that exist, and
/// finite numbers. Error: kMalformed.
Result<TetMotionInfo> checkTetMotion(std::span<const std::byte> file);

}  // namespace clipmill
