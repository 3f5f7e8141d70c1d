// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/gltf/document.h"

#include <algorithm>
#include <cstring>

#include <nlohmann/json.hpp>

#include "core/to_size.h"
#include "io/gltf/data_uri.h"
#include "io/gltf/json_fields.h"

namespace clipmill::io::gltf {
namespace {

constexpr std::size_t kGlbHeaderBytes = 12;
constexpr std::size_t kChunkHeaderBytes = 8;
// What the parser holds for one JSON value, a generous mean over objects, strings and numbers.
constexpr std::uint64_t kBytesPerJsonValue = 96;
constexpr const char* kAnimations = "animations";

std::uint32_t wordAt(std::span<const std::byte> bytes, std::size_t at) {
  std::uint32_t word = 0;
  for (std::size_t i = 0; i < 4; ++i)
    word |= std::to_integer<std::uint32_t>(bytes[at + i]) << (8 * i);
  return word;
}

Error malformedDocument(std::string message) {
  return {ErrorCode::kMalformed, "", std::move(message), "export the file again"};
}

// The parser does not recurse, but code that walks the result does; and a short text can decode to
// many values.
Status checkJsonSize(std::string_view text, const io::Limits& limits) {
  int depth = 0;
  std::uint64_t values = 1;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
      continue;
    }
    if (c == '"') in_string = true;
    if (c == ',' || c == '[' || c == '{') ++values;
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
    if (depth > limits.max_depth) {
      return Error{ErrorCode::kLimit, "",
                   "nests JSON to more than " + std::to_string(limits.max_depth) + " levels", ""};
    }
  }
  if (values * kBytesPerJsonValue > limits.max_decoded_bytes) {
    return Error{ErrorCode::kLimit, "", "has more JSON values than the memory limit allows",
                 "raise --max-decoded-mb if the file is meant to be that large"};
  }
  return {};
}

// The library's message without its own prefix, cut to a line.
std::string parseFault(const std::exception& fault) {
  std::string text = fault.what();
  const std::size_t prefix = text.find("] ");
  if (prefix != std::string::npos) text.erase(0, prefix + 2);
  std::string clean;
  for (char c : text.substr(0, 160)) {
    clean += static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7e ? '?' : c;
  }
  return clean;
}

Status checkVersion(const Json& json) {
  if (!json.is_object()) return malformedDocument("is JSON, but not a glTF object");
  Fields root(json, "");
  Fields asset(root.object("asset"), "asset");
  const std::string version = asset.requiredText("version");
  CLIPMILL_CHECK(root.status());
  CLIPMILL_CHECK(asset.status());
  if (!version.starts_with("2.")) {
    return Error{ErrorCode::kUnsupported, "",
                 "is glTF version " + version.substr(0, 20) + ", not 2",
                 "convert it to glTF 2.0 first"};
  }
  return {};
}

// What those who edit the text rely on: these members are arrays of objects.
Status checkArrays(const Json& json) {
  Fields root(json, "");
  for (const char* name : {"accessors", "animations", "bufferViews", "buffers", "images", "meshes",
                           "nodes", "skins"}) {
    const Json& array = root.array(name);
    CLIPMILL_CHECK(root.status());
    for (std::size_t i = 0; i < array.size(); ++i) {
      if (!array[i].is_object())
        return within(elementLocation(name, i), malformedDocument("is not an object"));
    }
  }
  for (std::size_t i = 0; const Json& view : root.array("bufferViews")) {
    Fields fields(view, elementLocation("bufferViews", i++));
    fields.object("extensions");
    CLIPMILL_CHECK(fields.status());
  }
  return {};
}

}  // namespace

class DocumentParser {
 public:
  DocumentParser(std::shared_ptr<Document> document, std::span<const std::byte> file,
                 const io::Limits& limits, bool keeps_animations)
      : document_(std::move(document)),
        file_(file),
        limits_(limits),
        keeps_animations_(keeps_animations) {}

  Status parse() {
    CLIPMILL_CHECK(splitContainer());
    CLIPMILL_CHECK(parseJson());
    CLIPMILL_CHECK(checkVersion(*document_->json));
    CLIPMILL_CHECK(checkArrays(*document_->json));
    CLIPMILL_CHECK(loadBuffers());
    return listImages();
  }

 private:
  Status splitContainer() {
    const std::span<const std::byte> all = file_;
    if (all.size() < 4 || wordAt(all, 0) != kGlbMagic) {
      document_->container = Container::kText;
      document_->text = asText(all);
      return {};
    }
    document_->container = Container::kGlb;
    if (all.size() < kGlbHeaderBytes) return malformedDocument("ends inside its GLB header");
    if (wordAt(all, 4) != 2) {
      return Error{ErrorCode::kUnsupported, "",
                   "is GLB version " + std::to_string(wordAt(all, 4)) + ", not 2", ""};
    }
    const std::size_t length = wordAt(all, 8);
    if (length > all.size()) {
      return malformedDocument("is truncated: " + std::to_string(all.size()) + " bytes of " +
                               std::to_string(length));
    }
    if (length < all.size()) {
      document_->warnings.add("bytes_after_end", "bytes after the end of the GLB are dropped", "");
    }
    return splitChunks(all.first(length));
  }

  Status splitChunks(std::span<const std::byte> all) {
    std::size_t at = kGlbHeaderBytes;
    for (int number = 0; at < all.size(); ++number) {
      if (all.size() - at < kChunkHeaderBytes)
        return malformedDocument("ends inside a chunk header");
      const std::size_t size = wordAt(all, at);
      const std::uint32_t type = wordAt(all, at + 4);
      at += kChunkHeaderBytes;
      if (size > all.size() - at) {
        return malformedDocument("has chunk " + std::to_string(number) + " of " +
                                 std::to_string(size) + " bytes where " +
                                 std::to_string(all.size() - at) + " are left");
      }
      const auto bytes = all.subspan(at, size);
      at += size;
      if (number == 0) {
        if (type != kJsonChunk) return malformedDocument("does not start with a JSON chunk");
        document_->text = asText(bytes);
      } else if (type == kBinChunk && !document_->has_bin) {
        document_->has_bin = true;
        document_->bin = bytes;
      } else {
        document_->extra_chunks.push_back({type, bytes});
      }
    }
    if (document_->text.empty()) return malformedDocument("has no JSON chunk");
    return {};
  }

  // The JSON without its animations, which are far the largest part of files with many clips.
  // False where they are no list: the reader of all reports that.
  bool parseWithoutAnimations() {
    const auto keeps = [](int depth, Json::parse_event_t event, Json& parsed) {
      return !(depth == 1 && event == Json::parse_event_t::key && parsed == kAnimations);
    };
    document_->json = std::make_unique<const Json>(Json::parse(document_->text, keeps));
    if (!document_->json->is_object()) return false;
    const std::string_view text = document_->text;
    const auto root = json_text::membersOf(text, json_text::rootOf(text));
    const auto animations = json_text::findMember(root, kAnimations);
    if (!animations) return true;
    if (text[animations->start] != '[') return false;
    document_->animation_spans = json_text::elementsOf(text, *animations);
    return true;
  }

  Status parseJson() {
    CLIPMILL_CHECK(checkJsonSize(document_->text, limits_));
    try {
      if (!keeps_animations_ && parseWithoutAnimations()) return {};
      document_->json = std::make_unique<const Json>(Json::parse(document_->text));
    } catch (const Json::exception& fault) {
      return malformedDocument("is not valid JSON (" + parseFault(fault) + ")");
    }
    return {};
  }

  Status loadBuffers() {
    Fields root(*document_->json, "");
    const Json& buffers = root.array("buffers");
    CLIPMILL_CHECK(root.status());
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      const std::string location = elementLocation("buffers", i);
      Fields fields(buffers[i], location);
      const auto length = toSize(fields.requiredInteger("byteLength", 0));
      Buffer buffer;
      buffer.uri = fields.text("uri", "");
      const bool has_uri = fields.has("uri");
      CLIPMILL_CHECK(fields.status());
      if (has_uri) {
        CLIPMILL_TRY(buffer.bytes, loadUri(buffer.uri, location));
      } else if (i == 0 && document_->has_bin) {
        buffer.bytes = document_->bin;
      } else {
        document_->buffers.push_back(buffer);  // a placeholder; reading it is a fault
        continue;
      }
      if (buffer.bytes.size() < length) {
        return within(location, malformedDocument("is " + std::to_string(buffer.bytes.size()) +
                                                  " bytes long where " + std::to_string(length) +
                                                  " are declared"));
      }
      buffer.bytes = buffer.bytes.first(length);
      document_->buffers.push_back(buffer);
    }
    return {};
  }

  Result<std::span<const std::byte>> loadUri(const std::string& uri, const std::string& location) {
    if (isDataUri(uri)) {
      auto bytes = decodeDataUri(uri);
      if (!bytes) return within(location, bytes.error());
      CLIPMILL_CHECK(own(std::move(*bytes), location));
    } else {
      auto path = fileOfUri(uri, document_->folder);
      if (!path) return within(location, path.error());
      auto bytes = readFile(*path, limits_.max_file_bytes);
      if (!bytes) return within(location, bytes.error());
      CLIPMILL_CHECK(own(std::move(*bytes), location));
      document_->external_uris.push_back(uri);
    }
    return std::span<const std::byte>(document_->owned_.back());
  }

  // Many buffers may name the same large file: together they stay within what may be decoded.
  Status own(Bytes bytes, const std::string& location) {
    owned_bytes_ += bytes.size();
    if (owned_bytes_ > limits_.max_decoded_bytes) {
      return Error{ErrorCode::kLimit, location,
                   "makes the buffers larger than the memory limit allows",
                   "raise --max-decoded-mb if the file is meant to be that large"};
    }
    document_->owned_.push_back(std::move(bytes));
    return {};
  }

  Status listImages() {
    Fields root(*document_->json, "");
    const Json& images = root.array("images");
    CLIPMILL_CHECK(root.status());
    for (std::size_t i = 0; i < images.size(); ++i) {
      Fields image(images[i], elementLocation("images", i));
      const std::string uri = image.text("uri", "");
      CLIPMILL_CHECK(image.status());
      if (!uri.empty() && !isDataUri(uri)) document_->external_uris.push_back(uri);
    }
    return {};
  }

  std::shared_ptr<Document> document_;
  std::span<const std::byte> file_;
  const io::Limits& limits_;
  bool keeps_animations_;
  std::uint64_t owned_bytes_ = 0;
};

Document::Document() = default;
Document::~Document() = default;

bool looksLikeGltf(std::span<const std::byte> bytes) {
  if (bytes.size() >= 4 && wordAt(bytes, 0) == kGlbMagic) return true;
  const std::string_view text = asText(bytes);
  const std::size_t first = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  return first != std::string_view::npos && text[first] == '{';
}

Result<std::shared_ptr<const Document>> parseDocument(Bytes bytes,
                                                      const std::filesystem::path& folder,
                                                      const io::Limits& limits) {
  auto document = std::make_shared<Document>();
  document->original = std::move(bytes);
  document->folder = folder;
  CLIPMILL_CHECK(DocumentParser(document, document->original, limits, true).parse());
  return std::shared_ptr<const Document>(document);
}

Result<std::shared_ptr<const Document>> parseBorrowed(std::span<const std::byte> bytes,
                                                      const std::filesystem::path& folder,
                                                      const io::Limits& limits) {
  auto document = std::make_shared<Document>();
  document->folder = folder;
  CLIPMILL_CHECK(DocumentParser(document, bytes, limits, false).parse());
  return std::shared_ptr<const Document>(document);
}

}  // namespace clipmill::io::gltf
