// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "io/io.h"

/// Writing a scene in another format than it came in.
namespace clipmill::io {

/// A new file with all of `scene` (plain_scene.h is what it is brought into) and all its clips; the
/// tracks of `edits` stand before those of the clips. Clips begin at time 0. Keys are as
/// fitTracks() finds them, close enough that errors which all add up stay within the tolerance of
/// `keys` and within 2e-5 of the extent of the scene, and axes within 3e-5; or linear, one a frame;
/// Output::lost says what the new format has no place for, to which `lost_before` is what the scene
/// itself lacks of its file.
///
/// `additions` become part of the file; edits are of withAdditions(scene, additions), `scene` is
/// without them.
///
/// Errors: kLimit where sampling needs more memory than `limits` allow; those of the writers.
Result<Output> convertScene(const Scene& scene, std::span<const ClipTracks> edits,
                            const ConversionKeys& keys, Warnings lost_before,
                            const std::filesystem::path& output_path, const Limits& limits,
                            const Additions& additions = {});

}  // namespace clipmill::io
