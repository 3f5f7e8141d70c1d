// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/io.h"

#include <set>

#include "core/file_names.h"
#include "core/hash.h"
#include "io/conversion.h"
#include "io/formats.h"

namespace clipmill::io {
namespace {

Status checkSideFile(const std::filesystem::path& path, const Bytes& bytes, bool& is_there) {
  std::error_code fault;
  is_there = std::filesystem::exists(path, fault);
  if (!is_there) return {};
  auto present = readFile(path, bytes.size());
  if (present && *present == bytes) return {};
  return Error{ErrorCode::kWrite, path.string(), "exists with other content",
               "move it, or write the output to another folder"};
}

// No two files of an output may have one name.
Status checkNames(const Output& output, const std::filesystem::path& output_path) {
  std::set<std::filesystem::path> names = {output_path.filename()};
  for (const OutputFile& file : output.side_files) {
    if (names.insert(file.relative_path.lexically_normal()).second) continue;
    return Error{ErrorCode::kWrite, (output_path.parent_path() / file.relative_path).string(),
                 "would be written twice with different content", "choose another output name"};
  }
  return {};
}

// All are checked before the first is written, so that an error leaves the folder as it was.
// `made` receives the files that did not exist before.
Status writeSideFiles(const std::vector<OutputFile>& files, const std::filesystem::path& folder,
                      std::vector<std::filesystem::path>& made) {
  std::vector<bool> present(files.size());
  for (std::size_t i = 0; i < files.size(); ++i) {
    bool is_there = false;
    CLIPMILL_CHECK(checkSideFile(folder / files[i].relative_path, files[i].bytes, is_there));
    present[i] = is_there;
  }
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (present[i]) continue;
    const std::filesystem::path path = folder / files[i].relative_path;
    std::error_code fault;
    std::filesystem::create_directories(path.parent_path(), fault);
    CLIPMILL_CHECK(writeFileAtomically(path, files[i].bytes));
    made.push_back(path);
  }
  return {};
}

// Reads the bytes of a file, keys only.
Status checkBytes(const Bytes& bytes, const std::filesystem::path& path, const Limits& limits) {
  const FormatType* format = findFormat(bytes, path);
  if (!format) return Error{ErrorCode::kMalformed, "", "has an unknown format", ""};
  if (format->check) return format->check(bytes, limits, path);
  Asset asset;
  asset.path = path;
  return format->load(Bytes(bytes), {false, limits}, asset);
}

// Reads what is about to be written, keys only: a file that this program would refuse never
// gets its name. A file above a limit of this run is no wrong file.
Status prove(const Asset& asset, const Bytes& main, const std::filesystem::path& output_path) {
  if (main.size() == asset.file_bytes && hashHex(main) == asset.content_hash) return {};
  const Status loaded = checkBytes(main, output_path, asset.limits);
  if (loaded || loaded.error().code == ErrorCode::kLimit) return {};
  const std::string where =
      loaded.error().location.empty() ? "" : " (" + loaded.error().location + ")";
  return Error{
      ErrorCode::kUnsupported, output_path.string(),
      "is not written, because it could not be read again: it " + loaded.error().message + where,
      "check the input for extreme values"};
}

// The side files are written before the main file is read for proof: it refers to them.
Status writeAll(const Asset& asset, const Output& output,
                const std::filesystem::path& output_path) {
  std::vector<std::filesystem::path> made;
  Status written = writeSideFiles(output.side_files, output_path.parent_path(), made);
  if (written) written = prove(asset, output.main, output_path);
  if (written) written = writeFileAtomically(output_path, output.main);
  if (written) return written;
  for (const std::filesystem::path& path : made) {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
  }
  return written;
}

// All bytes of the output.
Result<Output> render(const Asset& asset, std::span<const ClipEdit> edits,
                      const std::filesystem::path& output_path, const ConversionKeys& keys,
                      const Additions& additions, bool compact) {
  const Document& document = *asset.document;
  return isConversion(asset, output_path)
             ? convertScene(asset.scene, edits, keys, document.conversionLoss(), output_path,
                            asset.limits, additions)
             : document.render(asset.scene, edits, output_path, additions, compact);
}

// Writes an output, with the files that stages add to it.
Result<Warnings> written(const Asset& asset, Result<Output> output,
                         const std::filesystem::path& output_path, const Additions& additions) {
  if (!output) return within(output_path.string(), output.error());
  for (const AddedFile& file : additions.files) {
    output->side_files.push_back({besidePath(output_path, file).filename().string(), file.bytes});
  }
  CLIPMILL_CHECK(checkNames(*output, output_path));
  CLIPMILL_CHECK(writeAll(asset, *output, output_path));
  return std::move(output->warnings);
}

Error unknownFormat(const std::filesystem::path& path, bool is_empty) {
  std::string known;
  for (const FormatType& type : formatTypes()) {
    for (const std::string_view extension : type.extensions) {
      known += (known.empty() ? "" : ", ") + std::string(extension);
    }
  }
  return {ErrorCode::kUnsupported, path.string(), is_empty ? "is empty" : "has an unknown format",
          "use one of these formats: " + known};
}

}  // namespace

Result<Asset> load(const std::filesystem::path& path, const LoadOptions& options) {
  CLIPMILL_TRY(Bytes bytes, readFile(path, options.limits.max_file_bytes));
  Asset asset;
  asset.path = path;
  asset.file_bytes = bytes.size();
  asset.content_hash = hashHex(bytes);
  asset.limits = options.limits;
  const FormatType* format = findFormat(bytes, path);
  if (!format) return unknownFormat(path, bytes.empty());
  if (Status loaded = format->load(std::move(bytes), options, asset); !loaded) {
    return within(path.string(), loaded.error());
  }
  return asset;
}

OutputFormat outputFormatOf(const std::filesystem::path& path) {
  const std::string extension = smallLetters(path.extension().string());
  if (extension == ".fbx") return OutputFormat::kFbx;
  const bool is_gltf =
      extension == ".glb" || extension == ".gltf" || extension == ".vrm" || extension == ".vrma";
  return is_gltf ? OutputFormat::kGltf : OutputFormat::kNone;
}

bool isVrmAnimationPath(const std::filesystem::path& path) {
  return smallLetters(path.extension().string()) == ".vrma";
}

bool isConversion(const Asset& asset, const std::filesystem::path& output_path) {
  if (isVrmAnimationPath(output_path) && !asset.scene.face.is_animation) return true;
  const OutputFormat native = asset.document->nativeFormat();
  return native == OutputFormat::kNone || outputFormatOf(output_path) != native;
}

Status checkOutput(const Asset& asset, const std::filesystem::path& output_path) {
  const OutputFormat format = outputFormatOf(output_path);
  if (format == OutputFormat::kNone) {
    return Error{ErrorCode::kUsage, output_path.string(), "has an extension that cannot be written",
                 "use .fbx, .glb, .gltf, .vrm or .vrma"};
  }
  // A Scene has less than VRM requires.
  const std::string extension = smallLetters(output_path.extension().string());
  const bool is_new = asset.document->isReadOnly() || isConversion(asset, output_path);
  if (is_new && extension == ".vrm") {
    return Error{ErrorCode::kUsage, output_path.string(),
                 "cannot be converted from " + asset.document->formatName(), "use .glb or .gltf"};
  }
  const std::filesystem::path folder = output_path.parent_path();
  std::error_code fault;  // a path that the system cannot look up is not a folder
  if (!folder.empty() && !std::filesystem::is_directory(folder, fault)) {
    return Error{ErrorCode::kWrite, output_path.string(), "is in a folder that does not exist",
                 "create the folder first"};
  }
  if (std::filesystem::is_directory(output_path, fault)) {
    return Error{ErrorCode::kWrite, output_path.string(), "is a folder",
                 "name a file in the folder"};
  }
  return {};
}

std::filesystem::path besidePath(const std::filesystem::path& output_path, const AddedFile& file) {
  return output_path.parent_path() / (output_path.stem().string() + file.suffix);
}

Result<Warnings> save(const Asset& asset, std::span<const ClipEdit> edits,
                      const std::filesystem::path& output_path, const ConversionKeys& keys,
                      const Additions& additions, bool compact) {
  return written(asset, render(asset, edits, output_path, keys, additions, compact), output_path,
                 additions);
}

ClipSaver::ClipSaver(const Asset& asset, std::filesystem::path output_path)
    : asset_(asset), output_path_(std::move(output_path)) {}

Status ClipSaver::add(ClipEdit edit) {
  if (count_++ == 0 && !isConversion(asset_, output_path_)) {
    appender_ = asset_.document->appender(asset_.scene);
  }
  if (!appender_) {
    edits_.push_back(std::move(edit));
    return {};
  }
  if (Status added = appender_->add(edit); !added) {
    return within(output_path_.string(), added.error());
  }
  return {};
}

Result<Warnings> ClipSaver::save(bool compact) {
  auto output = appender_ ? appender_->finish(output_path_, compact)
                          : render(asset_, edits_, output_path_, {}, {}, compact);
  appender_.reset();
  std::vector<ClipEdit>().swap(edits_);
  return written(asset_, std::move(output), output_path_, {});
}

}  // namespace clipmill::io
