// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>

#include "core/result.h"
#include "io/document.h"
#include "io/imported/imported.h"

namespace clipmill::io::arrays {

/// The motion of an .npz or .npy file: joints as `clipmill export` writes them, poses of SMPL
/// bodies, or positions of joints. The clip is called `name` where the file does not name it.
/// Warnings: arrays_fps, arrays_up_axis, arrays_unit, positions_fitted, smpl_shape,
/// smpl_no_translation. Errors: those of ArrayFile; kMalformed; kUnsupported; kUsage for settings
/// that do not fit.
Result<imported::ImportedScene> readArrays(std::span<const std::byte> bytes,
                                           const std::string& name, const ArraySettings& settings,
                                           const Limits& limits);

/// NumPy arrays of joints. What is written is a new file in metres.
FormatType arraysFormat();

}  // namespace clipmill::io::arrays
