// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/file.h"
#include "core/result.h"
#include "io/document.h"
#include "io/gltf/document.h"

namespace clipmill::io::gltf {

/// The document as one GLB that refers to no file: its buffers are joined in the BIN chunk,
/// image files are appended to it. Members that need no change keep their text. Errors:
/// kNotFound (an image file), where `warnings` is null, else the reference is kept, with a warning;
/// kLimit where an image, or all of them, are larger than `max_file_bytes`.
Result<Bytes> toGlb(const Document& document, std::uint64_t max_file_bytes,
                    Warnings* warnings = nullptr);

/// The document as glTF text that refers to its BIN chunk as the file `bin_name`; `bin` is empty
/// where the GLB has none.
struct TextAndBin {
  Bytes text;
  Bytes bin;
};
Result<TextAndBin> toText(const Document& document, const std::string& bin_name);

/// The external files of the document, for a copy of it in another folder. Error: kUnsupported for
/// a URI that leads out of the document's folder, which a copy could not keep; kNotFound for a file
/// that does not exist, where `warnings` is null. Else that file is left out, with a warning.
Result<std::vector<OutputFile>> externalFiles(const Document& document,
                                              std::uint64_t max_file_bytes,
                                              Warnings* warnings = nullptr);

}  // namespace clipmill::io::gltf
