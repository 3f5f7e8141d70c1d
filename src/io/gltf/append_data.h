// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/file.h"
#include "core/result.h"
#include "io/gltf/byte_blocks.h"
#include "io/gltf/document.h"
#include "io/gltf/json_text.h"

/// Functions of all patchers: appending data to a document.
namespace clipmill::io::gltf {

/// A range of new bytes that becomes a bufferView.
struct NewView {
  std::size_t offset = 0;  ///< From the first new byte.
  std::size_t length = 0;
  std::string members;  ///< Text of further members, with a comma before each.
};

/// Data appended to a document's arrays and bytes.
struct NewData {
  Bytes bytes;
  std::vector<NewView> views;
  /// The texts of new elements of arrays of the root, other than buffers and bufferViews.
  std::vector<std::pair<std::string, std::vector<std::string>>> elements;
  /// Members that the root does not have yet, and the texts of their values.
  std::vector<std::pair<std::string, std::string>> members = {};
  /// Bytes in place of others in the BIN chunk, by their offset in it.
  std::vector<std::pair<std::size_t, Bytes>> replaced = {};
  /// Bytes behind `bytes`, many of them.
  ByteBlocks more = {};
};

/// The document with `edits` of its text and `data`. The BIN chunk of a GLB grows, as does its
/// buffer; other files get a buffer in a data URI. All else stays. Error: kLimit above 4 GiB.
Result<Bytes> appendData(const Document& document, json_text::Edits edits, NewData data);

/// Text spans of the elements of a root array, which must exist.
std::vector<json_text::Span> elementSpans(const Document& document, const char* array);

/// Text span of the element `index` of a root array, which must exist.
json_text::Span elementSpan(const Document& document, const char* array, std::size_t index);

/// Number of nodes with the mesh of that index.
std::size_t nodesShowing(const Document& document, std::size_t mesh);

}  // namespace clipmill::io::gltf
