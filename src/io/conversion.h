// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "io/document.h"

/// Conversion of a scene to another format.
namespace clipmill::io {

/// The scene with `additions`, and the tracks, spans and names of `edits` in its clips.
Scene editedScene(const Scene& scene, std::span<const ClipEdit> edits, const Additions& additions);

/// A new file with all of `scene` (simplified as in plain_scene.h) and all its clips; the
/// tracks of `edits` replace those of the clips. Clips start at time 0. Keys are as
/// fitTracks() finds them, so that accumulated errors stay within the tolerance of
/// `keys` and within 2e-5 of the extent of the scene, and axes within 3e-5; or linear, one a frame;
/// Output::warnings lists what the new format cannot store, after `loss_before`: what the scene
/// does not have of its file.
///
/// `additions` become part of the file; edits are of withAdditions(scene, additions), `scene` is
/// without them.
///
/// A .vrma file is written of the scene of a VRMA file only, and gets its roles and expressions.
///
/// Errors: kUnsupported for other scenes; kLimit where sampling needs more memory than `limits`
/// allow; those of the writers.
Result<Output> convertScene(const Scene& scene, std::span<const ClipEdit> edits,
                            const ConversionKeys& keys, Warnings loss_before,
                            const std::filesystem::path& output_path, const Limits& limits,
                            const Additions& additions = {});

/// The asset as if it had been read from a file of the format that `output_path` selects: converted
/// in memory, without edits. Its path and hash stay those of the file that was read; its warnings
/// are those of convertScene() too. Errors: those of convertScene() and of the reader.
Result<Asset> convertedAsset(const Asset& asset, const std::filesystem::path& output_path,
                             const ConversionKeys& keys, const LoadOptions& options);

}  // namespace clipmill::io
