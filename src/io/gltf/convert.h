// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/file.h"
#include "core/result.h"
#include "io/gltf/document.h"

namespace clipmill::gltf {

/// A file that a glTF text refers to, by its path relative to the text.
struct Resource {
  std::filesystem::path relative_path;
  Bytes bytes;
};

/// The document as one GLB that refers to no file: its buffers are joined in the BIN chunk,
/// pictures in files come behind them. Members that need no change keep their text. Errors:
/// kNotFound (a picture's file), kLimit where a picture, or all of them, are larger than
/// `max_file_bytes`.
Result<Bytes> toGlb(const Document& document, std::uint64_t max_file_bytes);

/// The document as glTF text that refers to its BIN chunk as the file `bin_name`; `bin` is empty
/// where the GLB has none.
struct TextAndBin {
  Bytes text;
  Bytes bin;
};
Result<TextAndBin> toText(const Document& document, const std::string& bin_name);

/// The external files of the document, for a copy of it in another folder. Error: kUnsupported for
/// a URI that leads out of the document's folder, which a copy could not keep.
Result<std::vector<Resource>> externalResources(const Document& document,
                                                std::uint64_t max_file_bytes);

}  // namespace clipmill::gltf
