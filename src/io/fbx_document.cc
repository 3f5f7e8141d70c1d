// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/fbx_document.h"

#include "io/conversion.h"
#include "io/fbx/lost.h"
#include "io/fbx/patch.h"
#include "io/fbx/patch_joints.h"
#include "io/fbx/read.h"

namespace clipmill::io {
namespace {

class FbxDocument : public Document {
 public:
  FbxDocument(std::shared_ptr<const fbx::Document> document, fbx::ReadScene read, Limits limits)
      : document_(std::move(document)), read_(std::move(read)), limits_(limits) {}

  std::string formatName() const override { return "FBX"; }

  std::vector<std::filesystem::path> referencedFiles() const override { return {}; }

  OutputFormat nativeFormat() const override { return OutputFormat::kFbx; }

  Result<Output> render(const Scene& scene, std::span<const ClipTracks> edits,
                        const std::filesystem::path& output_path, const ConversionKeys& keys,
                        const Additions& additions) const override {
    if (outputFormatOf(output_path) != OutputFormat::kFbx) {
      return convertScene(scene, edits, keys, fbx::lostInScene(*document_), output_path, limits_,
                          additions);
    }
    if (!additions.changesSkins())
      return patched(*document_, read_, scene, edits, additions.morphs);
    // Keys and morphs go into the file that has the new joints.
    CLIPMILL_TRY(Bytes bytes, fbx::patchJoints(*document_, read_, scene, additions));
    CLIPMILL_TRY(auto tree, fbx::parseTree(std::move(bytes), limits_));
    CLIPMILL_TRY(const auto document, fbx::readDocument(std::move(tree)));
    CLIPMILL_TRY(const fbx::ReadScene read, fbx::readScene(*document, false, limits_));
    const Scene wide = withAdditions(scene, {{}, {}, additions.joints});
    return patched(*document, read, wide, edits, additions.morphs);
  }

 private:
  static Result<Output> patched(const fbx::Document& document, const fbx::ReadScene& read,
                                const Scene& scene, std::span<const ClipTracks> edits,
                                std::span<const AddedMorph> morphs) {
    std::vector<fbx::ClipEdit> clip_edits;
    for (const ClipTracks& edit : edits) {
      clip_edits.push_back({edit.clip, edit.tracks, edit.span_s, edit.name});
    }
    CLIPMILL_TRY(Bytes bytes, fbx::patchDocument(document, read, scene, clip_edits, morphs));
    return Output{std::move(bytes), {}, fbx::drivenAnew(document, read, scene, clip_edits)};
  }

  std::shared_ptr<const fbx::Document> document_;
  fbx::ReadScene read_;
  Limits limits_;
};

}  // namespace

Status loadFbx(Bytes bytes, const LoadOptions& options, Asset& asset) {
  CLIPMILL_TRY(auto tree, fbx::parseTree(std::move(bytes), options.limits));
  CLIPMILL_TRY(auto document, fbx::readDocument(std::move(tree)));
  CLIPMILL_TRY(fbx::ReadScene read, fbx::readScene(*document, options.with_meshes, options.limits,
                                                   asset.path.parent_path()));
  asset.scene = std::move(read.scene);
  asset.document =
      std::make_shared<FbxDocument>(std::move(document), std::move(read), options.limits);
  return {};
}

}  // namespace clipmill::io
