// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/fbx/fbx_document.h"

#include <array>

#include "io/fbx/conversion_loss.h"
#include "io/fbx/patch.h"
#include "io/fbx/patch_joints.h"
#include "io/fbx/read.h"

namespace clipmill::io::fbx {
namespace {

class FbxDocument : public io::Document {
 public:
  FbxDocument(std::shared_ptr<const fbx::Document> document, ReadScene read, Limits limits)
      : document_(std::move(document)), read_(std::move(read)), limits_(limits) {}

  std::string formatName() const override { return "FBX"; }

  std::vector<std::filesystem::path> referencedFiles() const override { return {}; }

  OutputFormat nativeFormat() const override { return OutputFormat::kFbx; }

  Status checkGrowth() const override { return document_->checkGrowth(); }

  Warnings conversionLoss() const override { return conversionLossOf(*document_); }

  Result<Output> render(const Scene& scene, std::span<const ClipEdit> edits,
                        const std::filesystem::path&, const Additions& additions,
                        bool) const override {
    if (!additions.changesSkins())
      return patched(*document_, read_, scene, edits, additions.morphs);
    // Keys and morphs go into the file that has the new joints.
    CLIPMILL_TRY(Bytes bytes, patchJoints(*document_, read_, scene, additions));
    CLIPMILL_TRY(auto tree, parseTree(std::move(bytes), limits_));
    CLIPMILL_TRY(const auto document, readDocument(std::move(tree)));
    CLIPMILL_TRY(const ReadScene read, readScene(*document, false, limits_));
    const Scene wide = withAdditions(scene, {{}, {}, additions.joints});
    return patched(*document, read, wide, edits, additions.morphs);
  }

 private:
  static Result<Output> patched(const fbx::Document& document, const ReadScene& read,
                                const Scene& scene, std::span<const ClipEdit> edits,
                                std::span<const AddedMorph> morphs) {
    CLIPMILL_TRY(Bytes bytes, patchDocument(document, read, scene, edits, morphs));
    return Output{std::move(bytes), {}, constraintWarnings(document, read, scene, edits)};
  }

  std::shared_ptr<const fbx::Document> document_;
  ReadScene read_;
  Limits limits_;
};

constexpr std::array<std::string_view, 1> kExtensions = {".fbx"};

Status loadFbx(Bytes bytes, const LoadOptions& options, Asset& asset) {
  CLIPMILL_TRY(auto tree, parseTree(std::move(bytes), options.limits));
  CLIPMILL_TRY(auto document, readDocument(std::move(tree)));
  CLIPMILL_TRY(ReadScene read,
               readScene(*document, options.with_meshes, options.limits, asset.path.parent_path()));
  asset.scene = std::move(read.scene);
  asset.document =
      std::make_shared<FbxDocument>(std::move(document), std::move(read), options.limits);
  return {};
}

}  // namespace

FormatType fbxFormat() {
  return {"FBX", kExtensions,
          [](std::span<const std::byte> bytes, const std::filesystem::path&) {
            return looksLikeFbx(bytes);
          },
          loadFbx};
}

}  // namespace clipmill::io::fbx
