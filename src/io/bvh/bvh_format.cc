// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/bvh/bvh_format.h"

#include <array>
#include <utility>

#include "io/bvh/read.h"
#include "io/imported/imported_document.h"

namespace clipmill::io::bvh {
namespace {

constexpr std::array<std::string_view, 1> kExtensions = {".bvh"};

Status loadBvh(Bytes bytes, const LoadOptions& options, Asset& asset) {
  CLIPMILL_TRY(imported::ImportedScene imported,
               readBvh(asText(bytes), asset.path.stem().string(), options.limits));
  CLIPMILL_CHECK(imported::checkImported(imported));
  imported::fillAsset(std::move(imported), options, asset);
  return {};
}

}  // namespace

FormatType bvhFormat() {
  return {"BVH", kExtensions,
          [](std::span<const std::byte> bytes, const std::filesystem::path&) {
            return looksLikeBvh(bytes);
          },
          loadBvh};
}

}  // namespace clipmill::io::bvh
