// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/gltf_document.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "io/conversion.h"
#include "io/gltf/convert.h"
#include "io/gltf/data_uri.h"
#include "io/gltf/json_fields.h"
#include "io/gltf/lost.h"
#include "io/gltf/patch.h"
#include "io/gltf/patch_joints.h"
#include "io/gltf/read.h"

namespace clipmill::io {
namespace {

class GltfDocument : public Document {
 public:
  GltfDocument(std::shared_ptr<const gltf::Document> document, Limits limits)
      : document_(std::move(document)), limits_(limits) {}

  std::string formatName() const override {
    return document_->container == gltf::Container::kGlb ? "GLB" : "glTF";
  }

  std::vector<std::filesystem::path> referencedFiles() const override {
    std::vector<std::filesystem::path> files;
    for (const std::string& uri : document_->external_uris) {
      if (auto path = gltf::fileOfUri(uri, document_->folder)) files.push_back(*path);
    }
    return files;
  }

  OutputFormat nativeFormat() const override { return OutputFormat::kGltf; }

  Result<std::optional<Bytes>> asGlb() const override {
    if (needsUnpacking()) return std::optional<Bytes>();
    const bool is_whole =
        document_->container == gltf::Container::kGlb && document_->external_uris.empty();
    if (is_whole) return std::optional<Bytes>(document_->original);
    CLIPMILL_TRY(Bytes bytes, gltf::toGlb(*document_, limits_.max_file_bytes));
    return std::optional<Bytes>(std::move(bytes));
  }

  Result<Output> render(const Scene& scene, std::span<const ClipTracks> edits,
                        const std::filesystem::path& output_path, const ConversionKeys& keys,
                        const Additions& additions) const override {
    if (outputFormatOf(output_path) != OutputFormat::kGltf) {
      return convertScene(scene, edits, keys, gltf::lostInScene(*document_), output_path, limits_,
                          additions);
    }
    std::vector<gltf::ClipEdit> clip_edits;
    for (const ClipTracks& edit : edits) {
      const std::string& name = scene.clips[static_cast<std::size_t>(edit.clip)].name;
      clip_edits.push_back(
          {edit.clip, edit.tracks, edit.name.value_or(name), edit.name.has_value()});
    }
    CLIPMILL_TRY(const auto base, withJoints(scene, additions));
    const Skeleton skeleton = withAdditions(scene.skeleton, {{}, {}, additions.joints});
    CLIPMILL_TRY(Bytes patched,
                 gltf::patchDocument(*base, skeleton, clip_edits, additions.morphs, limits_));
    const bool wants_text = output_path.extension() == ".gltf";
    if (wants_text == (document_->container == gltf::Container::kText)) {
      return sameContainer(std::move(patched), output_path);
    }
    CLIPMILL_TRY(const auto document,
                 gltf::parseDocument(std::move(patched), document_->folder, limits_));
    return wants_text ? asText(*document, output_path) : asGlb(*document);
  }

 private:
  // The document that gets the keys and morphs.
  Result<std::shared_ptr<const gltf::Document>> withJoints(const Scene& scene,
                                                           const Additions& additions) const {
    if (!additions.changesSkins()) return document_;
    CLIPMILL_TRY(Bytes bytes, gltf::patchJoints(*document_, scene, additions));
    return gltf::parseDocument(std::move(bytes), document_->folder, limits_);
  }

  bool needsUnpacking() const {
    gltf::Fields root(*document_->json, "");
    const auto lists = [&](const char* key, std::string_view extension) {
      const gltf::Json& names = root.array(key);
      return std::any_of(names.begin(), names.end(),
                         [&](const gltf::Json& name) { return name == extension; });
    };
    return lists("extensionsUsed", "KHR_draco_mesh_compression") ||
           lists("extensionsRequired", "KHR_texture_basisu");
  }

  // A text keeps its references; in another folder what they mean must come along.
  Result<Output> sameContainer(Bytes bytes, const std::filesystem::path& output_path) const {
    Output output{std::move(bytes), {}};
    const std::filesystem::path folder = output_path.parent_path();
    std::error_code fault;
    const bool same_folder = std::filesystem::equivalent(
        folder.empty() ? "." : folder, document_->folder.empty() ? "." : document_->folder, fault);
    if (same_folder && !fault) return output;
    CLIPMILL_CHECK(addResources(*document_, output));
    return output;
  }

  Result<Output> asGlb(const gltf::Document& document) const {
    CLIPMILL_TRY(Bytes bytes, gltf::toGlb(document, limits_.max_file_bytes));
    return Output{std::move(bytes), {}};
  }

  Result<Output> asText(const gltf::Document& document,
                        const std::filesystem::path& output_path) const {
    if (!document.extra_chunks.empty()) {
      return Error{ErrorCode::kUnsupported, "", "has chunks that glTF text has no place for",
                   "write it as .glb"};
    }
    const std::string bin_name = output_path.stem().string() + ".bin";
    CLIPMILL_TRY(gltf::TextAndBin converted, gltf::toText(document, bin_name));
    Output output{std::move(converted.text), {}};
    if (!converted.bin.empty()) output.side_files.push_back({bin_name, std::move(converted.bin)});
    CLIPMILL_CHECK(addResources(document, output));
    return output;
  }

  Status addResources(const gltf::Document& document, Output& output) const {
    CLIPMILL_TRY(auto resources, gltf::externalResources(document, limits_.max_file_bytes));
    for (gltf::Resource& resource : resources) {
      output.side_files.push_back({resource.relative_path, std::move(resource.bytes)});
    }
    return {};
  }

  std::shared_ptr<const gltf::Document> document_;
  Limits limits_;
};

}  // namespace

Status loadGltf(Bytes bytes, const LoadOptions& options, Asset& asset) {
  CLIPMILL_TRY(auto document,
               gltf::parseDocument(std::move(bytes), asset.path.parent_path(), options.limits));
  CLIPMILL_TRY(asset.scene, gltf::readScene(*document, options.with_meshes, options.limits));
  asset.document = std::make_shared<GltfDocument>(std::move(document), options.limits);
  return {};
}

Result<Output> glbIn(Bytes glb, const std::filesystem::path& output_path, const Limits& limits) {
  if (output_path.extension() != ".gltf") return Output{std::move(glb), {}};
  CLIPMILL_TRY(auto document,
               gltf::parseDocument(std::move(glb), output_path.parent_path(), limits));
  const Scene no_scene;  // without edits it is not looked at
  return GltfDocument(std::move(document), limits).render(no_scene, {}, output_path, {}, {});
}

}  // namespace clipmill::io
