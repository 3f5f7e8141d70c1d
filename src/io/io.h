// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <vector>

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

/// Appends clips to a file and saves it, without additions, for thousands of clips: where the
/// format allows it, only what the output gets of a clip is in memory.
class ClipSaver {
 public:
  /// The asset outlives it.
  ClipSaver(const Asset& asset, std::filesystem::path output_path);

  /// As ClipAppender::add().
  Status add(ClipEdit edit);
  /// As save(). Called once.
  Result<Warnings> save(bool compact);

 private:
  const Asset& asset_;
  std::filesystem::path output_path_;
  std::unique_ptr<ClipAppender> appender_;
  std::vector<ClipEdit> edits_;  // where the format has no appender
  std::size_t count_ = 0;
};

}  // namespace clipmill::io
