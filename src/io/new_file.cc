// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/new_file.h"

#include <utility>

#include "io/conversion.h"

namespace clipmill::io {
namespace {

class NewDocument : public Document {
 public:
  explicit NewDocument(const Limits& limits) : limits_(limits) {}

  std::string formatName() const override { return "a scene"; }
  std::vector<std::filesystem::path> referencedFiles() const override { return {}; }
  OutputFormat nativeFormat() const override { return OutputFormat::kNone; }
  bool isReadOnly() const override { return true; }
  Result<Output> render(const Scene& scene, std::span<const ClipTracks> edits,
                        const std::filesystem::path& output_path, const ConversionKeys& keys,
                        const Additions& additions) const override {
    return convertScene(scene, edits, keys, {}, output_path, limits_, additions);
  }

 private:
  Limits limits_;
};

}  // namespace

Asset newAsset(Scene scene, const Limits& limits) {
  Asset asset;
  asset.scene = std::move(scene);
  asset.document = std::make_shared<NewDocument>(limits);
  return asset;
}

}  // namespace clipmill::io
