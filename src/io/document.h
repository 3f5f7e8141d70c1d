// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "anim/track.h"
#include "core/file.h"
#include "core/limits.h"
#include "core/result.h"
#include "core/warnings.h"
#include "scene/additions.h"
#include "scene/scene.h"

/// What all file formats have in common. The formats depend on this header, io.h on the formats.
namespace clipmill::io {

/// New keys for some tracks of one clip. A document keeps everything that no edit replaces.
struct ClipEdit {
  /// Index in Scene::clips. Clips that were appended to the scene after loading are added to the
  /// file under their names, with these tracks only.
  int clip = 0;
  std::vector<Track> tracks;
  /// New start and end in seconds; unset: those of the clip.
  std::optional<std::pair<double, double>> span_s = std::nullopt;
  /// New name of the clip; unset: it keeps its name.
  std::optional<std::string> name = std::nullopt;
};

/// A file of an output that its main file refers to.
struct OutputFile {
  std::filesystem::path relative_path;  ///< Relative to the folder of the main file.
  Bytes bytes;
};

/// All bytes of an output, before any of it is on disk.
struct Output {
  Bytes main;
  std::vector<OutputFile> side_files;
  Warnings warnings = {};  ///< What the new file cannot store, or other programs do not show.
};

/// Formats that can be written.
enum class OutputFormat { kNone, kGltf, kFbx };

/// How motion becomes keys where a file is converted to another format.
struct ConversionKeys {
  bool every_frame = false;   ///< A key at every frame; else as few as the tolerance allows.
  double tolerance_mm = 0.1;  ///< At the tips of the hierarchy; small scenes get a smaller one.
  double fps = 0.0;           ///< Frame rate [Hz]; 0: that of each clip.
  int threads = 0;            ///< Clips converted in parallel; 0: one per core.
};

/// New clips for a document, one after the other: of each only what the file gets of it is in
/// memory.
class ClipAppender {
 public:
  virtual ~ClipAppender() = default;
  /// The tracks of `edit` become a clip behind those before it, under its name. Errors: as for
  /// Document::render().
  virtual Status add(const ClipEdit& edit) = 0;
  /// The document with these clips: what render() makes of the same edits. Called once.
  virtual Result<Output> finish(const std::filesystem::path& output_path, bool compact) = 0;
};

/// A loaded file in its own format. New keys are written into it.
class Document {
 public:
  virtual ~Document() = default;
  /// "glTF", "GLB": for users and reports.
  virtual std::string formatName() const = 0;
  /// Files that it refers to and that exist, for dependency files.
  virtual std::vector<std::filesystem::path> referencedFiles() const = 0;
  /// References of it to files that do not exist and that poses do not need, such as images.
  virtual std::vector<std::string> missingFiles() const { return {}; }
  /// The whole file as one GLB that refers to no other file. Empty where it is not glTF, or uses
  /// compression (Draco, Basis Universal) that common players do not decode. Errors: as for
  /// loading.
  virtual Result<std::optional<Bytes>> asGlb() const { return std::optional<Bytes>(); }
  /// The format that render() writes: the file's own, or for read-only formats the nearest one.
  /// Output in another format is a conversion of the scene.
  virtual OutputFormat nativeFormat() const = 0;
  /// True for formats that are not written: render() makes a new file.
  virtual bool isReadOnly() const { return false; }
  /// Whether render() can add joints, weights and morphs. Error: kUnsupported.
  virtual Status checkGrowth() const { return {}; }
  /// Bytes of its buffers that nothing refers to, such as keys that were replaced.
  virtual std::size_t unreferencedBytes() const { return 0; }
  /// What the file contains and a Scene cannot represent, so that a conversion drops it.
  virtual Warnings conversionLoss() const { return {}; }
  /// The document with new keys, in nativeFormat() and the container that the extension of
  /// `output_path` selects. With no edits and the same container this is the input, byte for byte.
  /// `additions` become part of the file (except their files); tracks are of
  /// withAdditions(scene, additions), while `scene` is without them. `compact`: without the bytes
  /// of buffers that nothing refers to.
  virtual Result<Output> render(const Scene& scene, std::span<const ClipEdit> edits,
                                const std::filesystem::path& output_path,
                                const Additions& additions = {}, bool compact = false) const = 0;
  /// For clips that follow on those of the file; null where its format has none. The document and
  /// `scene` outlive it.
  virtual std::unique_ptr<ClipAppender> appender(const Scene& /*scene*/) const { return nullptr; }
};

/// What files of arrays (.npz, .npy) do not state.
struct ArraySettings {
  std::optional<std::string> skeleton;  ///< Of joint positions: a name of bodyModelNames().
  std::optional<double> array_fps;      ///< Unset: that of the file, else 20 or 30 Hz.
  std::optional<std::string> array_up;  ///< "z", "-y"; unset: found.
};

struct LoadOptions {
  bool with_meshes = false;  ///< Decode vertices; poses need none.
  Limits limits;
  ArraySettings arrays = {};
};

/// An input: its Scene, and the document to write new keys into.
struct Asset {
  std::filesystem::path path;
  std::string content_hash;  ///< XXH3-128 of the file, hexadecimal.
  std::size_t file_bytes = 0;
  Scene scene;
  std::shared_ptr<const Document> document;
  Limits limits;  ///< It was loaded with them; writing keeps to them too.
};

/// A file format that can be read.
struct FormatType {
  std::string_view name;
  std::span<const std::string_view> extensions;  ///< Usual ones, with their dots.
  /// True where the content, or for formats without a signature the extension, is of this format.
  bool (*looksLike)(std::span<const std::byte> bytes, const std::filesystem::path& path) = nullptr;
  /// Fills `scene` and `document` of an asset whose `path` is set.
  Status (*load)(Bytes bytes, const LoadOptions& options, Asset& asset) = nullptr;
  /// Reads all that load() reads without meshes, with the same errors, and keeps nothing of it:
  /// neither a copy of the bytes nor the keys of more than one clip. `path` is that of the file.
  /// Null: load() serves.
  Status (*check)(std::span<const std::byte> bytes, const Limits& limits,
                  const std::filesystem::path& path) = nullptr;
};

}  // namespace clipmill::io
