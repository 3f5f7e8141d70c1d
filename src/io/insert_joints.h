// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/result.h"
#include "io/document.h"
#include "scene/joint_insertion.h"

namespace clipmill::io {

/// `asset`, a file that was just loaded, with more joints: it is read again, changed in memory, and
/// loaded with `options`. Weights, inverse bind matrices and keys stay. Its hash and size are those
/// of the file. Errors: those of readFile() and load(); kUnsupported for formats that are not
/// written in place, and for FBX before 7.
Result<Asset> insertJoints(const Asset& asset, const JointInsertion& insertion,
                           const LoadOptions& options);

}  // namespace clipmill::io
