// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/file.h"
#include "core/limits.h"
#include "core/result.h"
#include "core/warnings.h"
#include "io/gltf/json_text.h"

namespace clipmill::io::gltf {

enum class Container { kGlb, kText };

/// One buffer of the file: its bytes, where they live, and whether they were there to be read.
struct Buffer {
  std::span<const std::byte>
      bytes;        ///< Empty for the placeholder that compressed views decode into.
  std::string uri;  ///< As written; empty for the BIN chunk and for placeholders.
};

/// A GLB chunk that is neither the JSON nor the first BIN chunk.
struct ExtraChunk {
  std::uint32_t type = 0;
  std::span<const std::byte> bytes;
};

/// A parsed glTF file, kept as long as new keys may be written into it.
class Document {
 public:
  Document();
  ~Document();
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;

  Container container = Container::kGlb;
  Bytes original;         ///< The whole file; empty after parseBorrowed().
  std::string_view text;  ///< The JSON, a view into the file.
  std::unique_ptr<const nlohmann::json> json;
  /// Where the animations are in `text` if `json` is without them (parseBorrowed()): each is parsed
  /// when it is read.
  std::vector<json_text::Span> animation_spans;
  bool has_bin = false;
  std::span<const std::byte> bin;  ///< The BIN chunk with its padding.
  std::vector<ExtraChunk> extra_chunks;
  std::vector<Buffer> buffers;
  std::vector<std::string> external_uris;  ///< Relative URIs of buffers and images, as written.
  std::filesystem::path folder;            ///< Where relative URIs are looked up.
  Warnings warnings;

 private:
  friend class DocumentParser;
  std::vector<Bytes> owned_;  // contents of data URIs and external files
};

/// True where the bytes start like a GLB or like the text of a JSON object.
bool looksLikeGltf(std::span<const std::byte> bytes);

/// Takes the container apart, parses the JSON and loads all buffers. Errors: kMalformed,
/// kUnsupported (glTF 1, URIs that are no relative files), kLimit, kNotFound (a buffer's file).
Result<std::shared_ptr<const Document>> parseDocument(Bytes bytes,
                                                      const std::filesystem::path& folder,
                                                      const io::Limits& limits);

/// The same of bytes that belong to the caller, and outlive the document, without a copy of them:
/// to check thousands of clips. Document::json is without their animations.
Result<std::shared_ptr<const Document>> parseBorrowed(std::span<const std::byte> bytes,
                                                      const std::filesystem::path& folder,
                                                      const io::Limits& limits);

inline constexpr std::uint32_t kGlbMagic = 0x46546C67;  // "glTF"
inline constexpr std::uint32_t kJsonChunk = 0x4E4F534A;
inline constexpr std::uint32_t kBinChunk = 0x004E4942;

}  // namespace clipmill::io::gltf
