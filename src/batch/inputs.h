// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/result.h"

namespace clipmill::batch {

/// An input file, and its path relative to the argument that named it.
struct BatchInput {
  std::filesystem::path path;
  std::filesystem::path relative;  ///< Its name, with the folders below the argument it comes from.
};

/// Which files of folders and patterns count.
enum class InputKind {
  kWritten,  ///< Those of formats that are written: .fbx, .glb, .gltf, .vrm, .vrma.
  kClips,    ///< And those of formats with motion that are only read: .bvh, .npz, .csv, ..
};

/// The files that arguments name, each once, in the order of their relative names: files, folders
/// (their animation files; those of subfolders only if `recursive` is set), patterns
/// with *, ? and [..], where a part ** matches any folders, and @FILE, a list of such arguments,
/// one a line. Errors: kNotFound for an argument that names nothing, kUsage for a list in a list.
Result<std::vector<BatchInput>> findInputs(std::span<const std::string> arguments, bool recursive,
                                           InputKind kind = InputKind::kWritten);

}  // namespace clipmill::batch
