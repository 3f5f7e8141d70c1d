// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/file.h"
#include "core/result.h"
#include "io/gltf/document.h"

/// Buffers without what nothing refers to: keys and meshes that edits have replaced.
namespace clipmill::io::gltf {

/// A document without them.
struct CompactedDocument {
  Bytes main;  ///< The container of the input.
  /// New content of the files that buffers are in, by their URIs. The others stay as they are.
  std::vector<std::pair<std::string, Bytes>> buffer_files;
};

/// Drops accessors and buffer views that nothing refers to, and the bytes that no others use; all
/// else keeps its text and its order. A file with an extension that may refer to data in a form
/// that is not known keeps all accessors and views, and loses only bytes outside of them. Errors:
/// kMalformed for views and accessors that extend past their buffers, kLimit.
Result<CompactedDocument> compactDocument(const Document& document);

/// How many bytes compactDocument() drops from buffers; 0 where it has an error.
std::size_t unreferencedBytes(const Document& document);

}  // namespace clipmill::io::gltf
