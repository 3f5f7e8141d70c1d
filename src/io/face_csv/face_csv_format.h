// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "core/result.h"
#include "io/document.h"
#include "io/imported/imported.h"

namespace clipmill::io::face_csv {

/// A table of weights of ARKit's blend shapes, one row a frame, as Live Link Face writes it: a line
/// with the names of columns, `Timecode` as HH:MM:SS:FF.FF or a time in seconds, and a column a
/// shape (see faceShapeOf()). Without times, frames follow at ArraySettings::array_fps, else at 60
/// Hz. The scene has a node for each shape, whose translation along x is the weight, as in a VRM
/// animation; the clip starts at 0. Warnings: face_fps, head_rotation_left_out. Errors: kMalformed
/// with the line; kLimit.
Result<imported::ImportedScene> readFaceCsv(std::string_view text, const std::string& name,
                                            const ArraySettings& settings, const Limits& limits);

/// Whether a text starts with a line that names at least ten shapes, separated by commas.
bool looksLikeFaceCsv(std::string_view text);

/// Tables of face weights. What is written is a new file.
FormatType faceCsvFormat();

}  // namespace clipmill::io::face_csv
