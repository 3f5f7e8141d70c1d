// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <span>

#include "core/result.h"
#include "core/warnings.h"
#include "io/document.h"
#include "scene/additions.h"

/// Reading and writing files: load() and save().
namespace clipmill::io {

/// The format that an extension selects: .glb, .gltf, .vrm, .vrma; .fbx, in letters of either
/// case. kNone for others.
OutputFormat outputFormatOf(const std::filesystem::path& path);

/// True for the extension .vrma, in letters of either case.
bool isVrmAnimationPath(const std::filesystem::path& path);

/// Reads a file; its content identifies its format. Errors name the file: kNotFound, kUnreadable,
/// kMalformed, kUnsupported, kLimit.
Result<Asset> load(const std::filesystem::path& path, const LoadOptions& options);

/// Checks an output name before any work. Error: kUsage for an extension that does not fit the
/// input's format, kWrite for a folder that does not exist.
Status checkOutput(const Asset& asset, const std::filesystem::path& output_path);

/// The path of a file that a stage adds: beside the output, with its stem and the file's suffix.
std::filesystem::path besidePath(const std::filesystem::path& output_path, const AddedFile& file);

/// True where `output_path` selects another format than the input's, or .vrma for a file that is no
/// VRM animation. A new file is then made of the scene, which must have its meshes.
bool isConversion(const Asset& asset, const std::filesystem::path& output_path);

/// Writes `asset` with new keys to `output_path`, completely or not at all: side files first, each
/// by rename, the main file last. A side file that exists with other content is an error (kWrite)
/// and is never overwritten. `output_path` may be the input's own path. `keys` is for conversions.
/// `additions` become part of the file, or side files. `compact`: see Document::render(). Returns
/// Output::warnings. Before the main file is renamed it is read again without its meshes; one that
/// cannot be read is an error (kUnsupported).
Result<Warnings> save(const Asset& asset, std::span<const ClipEdit> edits,
                      const std::filesystem::path& output_path, const ConversionKeys& keys = {},
                      const Additions& additions = {}, bool compact = false);

/// As save(), without additions; gives the memory of the keys back before the output is read again,
/// for thousands of clips.
Result<Warnings> saveOnce(const Asset& asset, std::vector<ClipEdit> edits,
                          const std::filesystem::path& output_path, bool compact);

}  // namespace clipmill::io
