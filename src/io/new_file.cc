// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/new_file.h"

#include <utility>

namespace clipmill::io {
namespace {

class NewDocument : public Document {
 public:
  std::string formatName() const override { return "a scene"; }
  std::vector<std::filesystem::path> referencedFiles() const override { return {}; }
  OutputFormat nativeFormat() const override { return OutputFormat::kNone; }
  bool isReadOnly() const override { return true; }
  Result<Output> render(const Scene&, std::span<const ClipEdit>, const std::filesystem::path&,
                        const Additions&, bool) const override {
    return Error{ErrorCode::kInternal, "", "a new file has no native format", ""};
  }
};

}  // namespace

Asset newAsset(Scene scene, const Limits& limits) {
  Asset asset;
  asset.scene = std::move(scene);
  asset.document = std::make_shared<NewDocument>();
  asset.limits = limits;
  return asset;
}

}  // namespace clipmill::io
