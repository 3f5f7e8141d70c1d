// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/imported/imported_format.h"

#include <algorithm>
#include <array>
#include <utility>

#include "io/imported/import_child.h"
#include "io/imported/imported_document.h"

namespace clipmill::io::imported {
namespace {

constexpr std::array<std::string_view, 22> kExtensions = {
    ".dae", ".x",   ".md5mesh", ".smd", ".b3d", ".ms3d", ".ase", ".lws", ".lwo", ".3ds", ".md2",
    ".md3", ".mdl", ".ac",      ".cob", ".irr", ".ogex", ".obj", ".ply", ".stl", ".iqm", ".mesh"};

std::string lowerCase(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

bool looksImportable(std::span<const std::byte> bytes, const std::filesystem::path& path) {
  constexpr std::size_t kHead = 4096;
  const std::string_view head = asText(bytes.first(std::min(bytes.size(), kHead)));
  if (head.empty()) return false;
  if (head.starts_with("xof ") || head.starts_with("MD5Version")) return true;
  if (head.find("<COLLADA") != std::string_view::npos) return true;
  const std::string extension = lowerCase(path.extension().string());
  return std::find(kExtensions.begin(), kExtensions.end(), extension) != kExtensions.end();
}

Status loadImported(Bytes, const LoadOptions& options, Asset& asset) {
  CLIPMILL_TRY(ImportedScene imported, importInChild(asset.path, options.limits));
  fillAsset(std::move(imported), options, asset);
  return {};
}

}  // namespace

FormatType importedFormat() { return {"imported", kExtensions, looksImportable, loadImported}; }

}  // namespace clipmill::io::imported
