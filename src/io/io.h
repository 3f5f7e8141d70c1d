// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "anim/track.h"
#include "core/file.h"
#include "core/result.h"
#include "core/warnings.h"
#include "io/limits.h"
#include "scene/additions.h"
#include "scene/scene.h"

/// The only two doors between files and the rest of the house: load() and save().
namespace clipmill::io {

/// New keys for some tracks of one clip; see gltf::ClipEdit for what is kept.
struct ClipTracks {
  /// Index in Scene::clips. Clips that were appended to the scene after loading are added to the
  /// file under their names, with these tracks only.
  int clip = 0;
  std::vector<Track> tracks;
  /// Begin and end in seconds, where they are no longer those of the clip.
  std::optional<std::pair<double, double>> span_s = std::nullopt;
  /// The name that the clip gets, where it is to have another.
  std::optional<std::string> name = std::nullopt;
};

/// A file of the output, apart from the main one: what the main one refers to.
struct SideFile {
  std::filesystem::path relative_path;
  Bytes bytes;
};

/// All bytes of an output, before any of it is on disk.
struct Output {
  Bytes main;
  std::vector<SideFile> side_files;
  Warnings lost = {};  ///< What the new file has no place for, or other programs will not show.
};

/// How motion becomes keys where a file is written in another format than it came in.
struct ConversionKeys {
  bool every_frame = false;   ///< A key at every frame; else as few as the tolerance allows.
  double tolerance_mm = 0.1;  ///< At the tips of the hierarchy; small scenes get a smaller one.
  double fps = 0.0;           ///< Of the frames; 0: those of each clip.
  int threads = 0;            ///< Clips at a time; 0 for one a core.
};

/// Kinds of files that can be written.
enum class OutputFormat { kNone, kGltf, kFbx };

/// What an extension asks for: .glb, .gltf, .vrm, .vrma; .fbx. kNone for others.
OutputFormat outputFormatOf(const std::filesystem::path& path);

/// A file as its format knows it; what is written back is written into it.
class Document {
 public:
  virtual ~Document() = default;
  /// "glTF", "GLB": for people and reports.
  virtual std::string formatName() const = 0;
  /// Files that it refers to, as they were found; for dependency files.
  virtual std::vector<std::filesystem::path> referencedFiles() const = 0;
  /// The whole file as one GLB that refers to no other; nothing where it is no glTF, or is packed
  /// in ways (Draco, Basis Universal) that common players do not unpack. Errors: as for loading.
  virtual Result<std::optional<Bytes>> asGlb() const { return std::optional<Bytes>(); }
  /// The format that takes the keys as they are: the file's own, or for files that are only read
  /// the one that is nearest. For another one the scene is converted.
  virtual OutputFormat nativeFormat() const = 0;
  /// True for files that are only read: what is written is a new file in any case.
  virtual bool isReadOnly() const { return false; }
  /// The document with new keys, in the format and container that the extension of `output_path`
  /// stands for. With no edits and the same container this is the input, byte for byte. Another
  /// format needs a scene with meshes; `keys` is for that. `additions` become part of the file (but
  /// for their files); tracks are of withAdditions(scene, additions), while `scene` is without.
  virtual Result<Output> render(const Scene& scene, std::span<const ClipTracks> edits,
                                const std::filesystem::path& output_path,
                                const ConversionKeys& keys,
                                const Additions& additions = {}) const = 0;
};

struct LoadOptions {
  bool with_meshes = false;  ///< Decode vertices; poses need none.
  Limits limits;
};

/// An input: its Scene, and its document for writing back.
struct Asset {
  std::filesystem::path path;
  std::string content_hash;  ///< XXH3-128 of the file, hexadecimal.
  std::size_t file_bytes = 0;
  Scene scene;
  std::shared_ptr<const Document> document;
};

/// Reads a file; its format is told by its content. Errors name the file: kNotFound, kUnreadable,
/// kMalformed, kUnsupported, kLimit.
Result<Asset> load(const std::filesystem::path& path, const LoadOptions& options);

/// Refuses an output name before any work: an extension that does not fit the input's format, a
/// folder that is not there. Error: kUsage or kWrite.
Status checkOutput(const Asset& asset, const std::filesystem::path& output_path);

/// Where a file that a stage adds lies: beside the output, under its stem and the file's suffix.
std::filesystem::path besidePath(const std::filesystem::path& output_path, const AddedFile& file);

/// True where `output_path` asks for another format than the input's, so that a new file is made of
/// the scene, which needs its meshes then.
bool isConversion(const Asset& asset, const std::filesystem::path& output_path);

/// Writes `asset` with new keys to `output_path`, whole or not at all: side files first, each by
/// rename, the main file last. A side file that is already there with other content is an error
/// (kWrite), never overwritten. May be the input's own path. `additions` become part of the file,
/// or side files. Answers Output::lost.
Result<Warnings> save(const Asset& asset, std::span<const ClipTracks> edits,
                      const std::filesystem::path& output_path, const ConversionKeys& keys = {},
                      const Additions& additions = {});

}  // namespace clipmill::io
