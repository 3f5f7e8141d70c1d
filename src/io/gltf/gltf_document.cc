// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/gltf/gltf_document.h"

#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

#include "core/file_names.h"
#include "core/to_size.h"
#include "io/gltf/compact.h"
#include "io/gltf/conversion_loss.h"
#include "io/gltf/convert.h"
#include "io/gltf/data_uri.h"
#include "io/gltf/document.h"
#include "io/gltf/json_fields.h"
#include "io/gltf/patch.h"
#include "io/gltf/patch_joints.h"
#include "io/gltf/read.h"

namespace clipmill::io::gltf {
namespace {

bool isTextName(const std::filesystem::path& path) {
  return smallLetters(path.extension().string()) == ".gltf";
}

class GltfDocument : public io::Document {
 public:
  GltfDocument(std::shared_ptr<const gltf::Document> document, Limits limits)
      : document_(std::move(document)), limits_(limits) {}

  std::string formatName() const override {
    return document_->container == Container::kGlb ? "GLB" : "glTF";
  }

  std::vector<std::filesystem::path> referencedFiles() const override {
    std::vector<std::filesystem::path> files;
    for (const std::string& uri : document_->external_uris) {
      auto path = fileOfUri(uri, document_->folder);
      std::error_code fault;
      if (path && std::filesystem::exists(*path, fault)) files.push_back(std::move(*path));
    }
    return files;
  }

  std::vector<std::string> missingFiles() const override {
    std::vector<std::string> missing;
    for (const std::string& uri : document_->external_uris) {
      const auto path = fileOfUri(uri, document_->folder);
      std::error_code fault;
      if (path && !std::filesystem::exists(*path, fault)) missing.push_back(uri);
    }
    return missing;
  }

  OutputFormat nativeFormat() const override { return OutputFormat::kGltf; }

  Result<std::optional<Bytes>> asGlb() const override {
    if (needsUnpacking()) return std::optional<Bytes>();
    const bool is_whole =
        document_->container == Container::kGlb && document_->external_uris.empty();
    if (is_whole) return std::optional<Bytes>(document_->original);
    Warnings known;  // readScene() has them
    CLIPMILL_TRY(Bytes bytes, toGlb(*document_, limits_.max_file_bytes, &known));
    return std::optional<Bytes>(std::move(bytes));
  }

  std::size_t unreferencedBytes() const override { return gltf::unreferencedBytes(*document_); }

  Warnings conversionLoss() const override { return conversionLossOf(*document_); }

  Result<Output> render(const Scene& scene, std::span<const ClipEdit> edits,
                        const std::filesystem::path& output_path, const Additions& additions,
                        bool compact) const override {
    CLIPMILL_TRY(const auto base, withJoints(scene, additions));
    const Skeleton skeleton = withAdditions(scene.skeleton, {{}, {}, additions.joints});
    CLIPMILL_TRY(Bytes patched, patchDocument(*base, skeleton, edits, additions.morphs, limits_,
                                              additions.extras, scene.clips));
    return outputOf(std::move(patched), output_path, compact);
  }

  std::unique_ptr<ClipAppender> appender(const Scene& scene) const override;

  // A patched document in the container that the output asks for.
  Result<Output> outputOf(Bytes patched, const std::filesystem::path& output_path,
                          bool compact) const {
    const bool wants_text = isTextName(output_path);
    if (compact) return compactOutput(std::move(patched), output_path);
    if (wants_text == (document_->container == Container::kText)) {
      return sameContainer(std::move(patched), output_path);
    }
    CLIPMILL_TRY(const auto document,
                 parseDocument(std::move(patched), document_->folder, limits_));
    return wants_text ? textOutput(*document, output_path) : glbOf(*document);
  }

 private:
  // A file of text with its buffers becomes a GLB before it is compacted.
  Result<Output> compactOutput(Bytes patched, const std::filesystem::path& output_path) const {
    const bool wants_text = isTextName(output_path);
    CLIPMILL_TRY(auto document, parseDocument(std::move(patched), document_->folder, limits_));
    const bool is_text = document->container == Container::kText;
    Warnings warnings;
    if (is_text && !wants_text) {
      CLIPMILL_TRY(Bytes glb, toGlb(*document, limits_.max_file_bytes, &warnings));
      CLIPMILL_TRY(document, parseDocument(std::move(glb), document_->folder, limits_));
    }
    CLIPMILL_TRY(CompactedDocument compacted, compactDocument(*document));
    if (!is_text && wants_text) {
      CLIPMILL_TRY(document, parseDocument(std::move(compacted.main), document_->folder, limits_));
      return textOutput(*document, output_path);
    }
    if (!is_text || !wants_text) {
      return Output{std::move(compacted.main), {}, std::move(warnings)};
    }
    return textWithBuffers(std::move(compacted), output_path);
  }

  Result<Output> textWithBuffers(CompactedDocument compacted,
                                 const std::filesystem::path& output_path) const {
    CLIPMILL_TRY(Output output, sameContainer(std::move(compacted.main), output_path));
    for (auto& [uri, bytes] : compacted.buffer_files) {
      CLIPMILL_TRY(const std::filesystem::path path, fileOfUri(uri, {}));
      const std::filesystem::path relative = path.lexically_normal();
      std::erase_if(output.side_files,
                    [&](const OutputFile& file) { return file.relative_path == relative; });
      output.side_files.push_back({relative, std::move(bytes)});
    }
    return output;
  }

  // The document that gets the keys and morphs.
  Result<std::shared_ptr<const gltf::Document>> withJoints(const Scene& scene,
                                                           const Additions& additions) const {
    if (!additions.changesSkins()) return document_;
    CLIPMILL_TRY(Bytes bytes, patchJoints(*document_, scene, additions));
    return parseDocument(std::move(bytes), document_->folder, limits_);
  }

  bool needsUnpacking() const {
    Fields root(*document_->json, "");
    const auto lists = [&](const char* key, std::string_view extension) {
      const Json& names = root.array(key);
      return std::any_of(names.begin(), names.end(),
                         [&](const Json& name) { return name == extension; });
    };
    return lists("extensionsUsed", "KHR_draco_mesh_compression") ||
           lists("extensionsRequired", "KHR_texture_basisu");
  }

  // A .gltf file keeps its references; in another folder the files that it refers to are copied.
  Result<Output> sameContainer(Bytes bytes, const std::filesystem::path& output_path) const {
    Output output{std::move(bytes), {}};
    const std::filesystem::path folder = output_path.parent_path();
    std::error_code fault;
    const bool same_folder = std::filesystem::equivalent(
        folder.empty() ? "." : folder, document_->folder.empty() ? "." : document_->folder, fault);
    if (same_folder && !fault) return output;
    CLIPMILL_CHECK(addExternalFiles(*document_, output));
    return output;
  }

  Result<Output> glbOf(const gltf::Document& document) const {
    Output output;
    CLIPMILL_TRY(output.main, toGlb(document, limits_.max_file_bytes, &output.warnings));
    return output;
  }

  Result<Output> textOutput(const gltf::Document& document,
                            const std::filesystem::path& output_path) const {
    if (!document.extra_chunks.empty()) {
      return Error{ErrorCode::kUnsupported, "", "has GLB chunks that a .gltf file cannot store",
                   "write it as .glb"};
    }
    const std::string bin_name = output_path.stem().string() + ".bin";
    CLIPMILL_TRY(TextAndBin converted, toText(document, bin_name));
    Output output{std::move(converted.text), {}};
    if (!converted.bin.empty()) output.side_files.push_back({bin_name, std::move(converted.bin)});
    CLIPMILL_CHECK(addExternalFiles(document, output));
    return output;
  }

  Status addExternalFiles(const gltf::Document& document, Output& output) const {
    CLIPMILL_TRY(auto files, externalFiles(document, limits_.max_file_bytes, &output.warnings));
    for (OutputFile& file : files) output.side_files.push_back(std::move(file));
    return {};
  }

  std::shared_ptr<const gltf::Document> document_;
  Limits limits_;
};

class GltfAppender : public ClipAppender {
 public:
  GltfAppender(const GltfDocument& owner, const gltf::Document& document, const Scene& scene)
      : owner_(owner), scene_(scene), patch_(document, scene.skeleton, {}) {}

  Status add(const ClipEdit& edit) override {
    if (edit.name) return patch_.add(edit);
    ClipEdit named = edit;
    named.name = scene_.clips[toSize(edit.clip)].name;
    return patch_.add(named);
  }

  Result<Output> finish(const std::filesystem::path& output_path, bool compact) override {
    CLIPMILL_TRY(Bytes patched, patch_.finish());
    return owner_.outputOf(std::move(patched), output_path, compact);
  }

 private:
  const GltfDocument& owner_;
  const Scene& scene_;
  ClipPatch patch_;
};

std::unique_ptr<ClipAppender> GltfDocument::appender(const Scene& scene) const {
  return std::make_unique<GltfAppender>(*this, *document_, scene);
}

constexpr std::array<std::string_view, 4> kExtensions = {".gltf", ".glb", ".vrm", ".vrma"};

Status loadGltf(Bytes bytes, const LoadOptions& options, Asset& asset) {
  CLIPMILL_TRY(auto document,
               parseDocument(std::move(bytes), asset.path.parent_path(), options.limits));
  CLIPMILL_TRY(asset.scene, readScene(*document, options.with_meshes, options.limits));
  asset.document = std::make_shared<GltfDocument>(std::move(document), options.limits);
  return {};
}

Status checkGltf(std::span<const std::byte> bytes, const Limits& limits,
                 const std::filesystem::path& path) {
  CLIPMILL_TRY(const auto document, parseBorrowed(bytes, path.parent_path(), limits));
  return checkScene(*document, limits);
}

}  // namespace

FormatType gltfFormat() {
  return {"glTF", kExtensions,
          [](std::span<const std::byte> bytes, const std::filesystem::path&) {
            return looksLikeGltf(bytes);
          },
          loadGltf, checkGltf};
}

Result<Output> glbOutput(Bytes glb, const std::filesystem::path& output_path,
                         const Limits& limits) {
  if (!isTextName(output_path)) return Output{std::move(glb), {}};
  CLIPMILL_TRY(auto document, parseDocument(std::move(glb), output_path.parent_path(), limits));
  const Scene no_scene;  // not used where there are no edits
  return GltfDocument(std::move(document), limits).render(no_scene, {}, output_path, {}, false);
}

}  // namespace clipmill::io::gltf
