// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/gltf/convert.h"

#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

#include "core/text.h"
#include "core/to_size.h"
#include "io/gltf/data_uri.h"
#include "io/gltf/glb.h"
#include "io/gltf/image_type.h"
#include "io/gltf/json_fields.h"
#include "io/gltf/json_text.h"

namespace clipmill::io::gltf {
namespace {

using json_text::Edits;
using json_text::Span;
using Changes = std::vector<Edits::Change>;

void align(Bytes& bytes) { bytes.resize((bytes.size() + 3) / 4 * 4); }

// Where a buffer of the source ends up: another index, further along.
struct Moved {
  std::size_t buffer = 0;
  std::size_t base = 0;
};

bool warnsOfMissing(const Result<Bytes>& file, const std::string& uri, Warnings* warnings) {
  if (file || file.error().code != ErrorCode::kNotFound || !warnings) return false;
  warnings->add("missing_file",
                "a file that the input refers to does not exist; the reference is kept", uri);
  return true;
}

class GlbJoiner {
 public:
  GlbJoiner(const Document& document, std::uint64_t max_file_bytes, Warnings* warnings)
      : document_(document),
        text_(document.text),
        json_(*document.json),
        max_file_bytes_(max_file_bytes),
        warnings_(warnings),
        edits_(text_),
        root_span_(json_text::rootOf(text_)),
        root_(json_text::membersOf(text_, root_span_)) {}

  Result<Bytes> join() {
    joinBuffers();
    editViews();
    CLIPMILL_CHECK(embedImages());
    writeBuffers();
    if (!missing_.empty()) edits_.changeObject(root_span_, missing_);
    return assembleGlb(edits_.apply(), bin_.empty() ? nullptr : &bin_, {});
  }

 private:
  // Buffer 0 of the result is the BIN chunk, joined from all that have bytes; placeholders follow.
  void joinBuffers() {
    for (const Buffer& buffer : document_.buffers) {
      if (buffer.bytes.empty() && buffer.uri.empty()) {
        moved_.push_back({1 + placeholders_.size(), 0});
        placeholders_.push_back(moved_.size() - 1);
        continue;
      }
      align(bin_);
      moved_.push_back({0, bin_.size()});
      bin_.insert(bin_.end(), buffer.bytes.begin(), buffer.bytes.end());
    }
  }

  void editViews() {
    const auto array = json_text::findMember(root_, "bufferViews");
    if (!array) return;
    const auto spans = json_text::elementsOf(text_, *array);
    for (std::size_t i = 0; i < spans.size(); ++i) {
      moveReference(json_.at("bufferViews")[i], spans[i]);
      const auto members = json_text::membersOf(text_, spans[i]);
      const auto extensions = json_text::findMember(members, "extensions");
      if (!extensions) continue;
      // Of an extension given twice only the last counts, and the first may be anything.
      std::map<std::string, Span> span_of;
      for (auto& member : json_text::membersOf(text_, *extensions)) {
        span_of.insert_or_assign(std::move(member.key), member.value);
      }
      for (const auto& [name, span] : span_of) {
        moveReference(json_.at("bufferViews")[i].at("extensions").at(name), span);
      }
    }
  }

  void moveReference(const Json& object, Span span) {
    Fields fields(object, "");
    const int buffer = fields.index("buffer", moved_.size());
    if (buffer < 0) return;
    const Moved& moved = moved_[toSize(buffer)];
    const auto offset = toSize(fields.integer("byteOffset", 0));
    Changes changes;
    if (moved.buffer != toSize(buffer)) {
      changes.emplace_back("buffer", std::to_string(moved.buffer));
    }
    if (moved.base != 0) changes.emplace_back("byteOffset", std::to_string(offset + moved.base));
    if (!changes.empty()) edits_.changeObject(span, changes);
  }

  Status embedImages() {
    Fields root(json_, "");
    const Json& images = root.array("images");
    std::size_t next_view = root.array("bufferViews").size();
    std::vector<std::string> views;
    std::vector<Span> spans;
    if (!images.empty())
      spans = json_text::elementsOf(text_, *json_text::findMember(root_, "images"));
    std::uint64_t embedded_bytes = 0;
    for (std::size_t i = 0; i < images.size(); ++i) {
      const std::string uri = Fields(images[i], "").text("uri", "");
      if (uri.empty() || isDataUri(uri)) continue;
      const std::string location = elementLocation("images", i);
      auto path = fileOfUri(uri, document_.folder);
      if (!path) return within(location, path.error());
      auto bytes = readFile(*path, max_file_bytes_);
      if (warnsOfMissing(bytes, uri, warnings_)) continue;
      if (!bytes) return within(location, bytes.error());
      embedded_bytes += bytes->size();
      if (embedded_bytes > max_file_bytes_) {
        return Error{ErrorCode::kLimit, location, "makes the file larger than the limit",
                     "raise --max-file-mb if it is meant to be that large"};
      }
      align(bin_);
      views.push_back("{\"buffer\":0,\"byteOffset\":" + std::to_string(bin_.size()) +
                      ",\"byteLength\":" + std::to_string(bytes->size()) + "}");
      bin_.insert(bin_.end(), bytes->begin(), bytes->end());
      Changes changes = {{"uri", std::nullopt}, {"bufferView", std::to_string(next_view++)}};
      if (!images[i].contains("mimeType")) {
        const std::string_view detected_type = mimeTypeOf(*bytes);
        changes.emplace_back("mimeType",
                             jsonString(detected_type.empty() ? "image/png" : detected_type));
      }
      edits_.changeObject(spans[i], changes);
    }
    if (views.empty()) return {};
    if (const auto array = json_text::findMember(root_, "bufferViews")) {
      edits_.appendElements(*array, views);
    } else {
      missing_.emplace_back("bufferViews", joined(views));
    }
    return {};
  }

  void writeBuffers() {
    // Placeholders keep their indices after buffer 0, which must not be empty.
    if (bin_.empty() && !placeholders_.empty()) bin_.resize(4);
    const auto array = json_text::findMember(root_, "buffers");
    if (!array) {
      if (!bin_.empty()) missing_.emplace_back("buffers", joined({lengthText()}));
      return;
    }
    const auto spans = json_text::elementsOf(text_, *array);
    std::vector<std::string> elements;
    if (!bin_.empty() || !placeholders_.empty()) elements.push_back(binBufferText(spans));
    for (std::size_t placeholder : placeholders_) {
      elements.emplace_back(text_.substr(spans[placeholder].start,
                                         spans[placeholder].end - spans[placeholder].start));
    }
    edits_.replace(*array, joined(elements));
  }

  // The first buffer with bytes keeps its name and extras.
  std::string binBufferText(std::span<const Span> spans) const {
    for (std::size_t i = 0; i < moved_.size(); ++i) {
      if (moved_[i].buffer != 0) continue;
      const std::string_view element = text_.substr(spans[i].start, spans[i].end - spans[i].start);
      Edits edits(element);
      const Changes changes = {{"uri", std::nullopt}, {"byteLength", std::to_string(bin_.size())}};
      edits.changeObject(json_text::rootOf(element), changes);
      return edits.apply();
    }
    return lengthText();
  }

  std::string lengthText() const { return "{\"byteLength\":" + std::to_string(bin_.size()) + "}"; }

  static std::string joined(const std::vector<std::string>& elements) {
    std::string text;
    for (const std::string& element : elements) text += (text.empty() ? "" : ",") + element;
    return "[" + text + "]";
  }

  const Document& document_;
  std::string_view text_;
  const Json& json_;
  std::uint64_t max_file_bytes_;
  Warnings* warnings_;
  Edits edits_;
  Span root_span_;
  std::vector<json_text::Member> root_;
  Bytes bin_;
  std::vector<Moved> moved_;
  std::vector<std::size_t> placeholders_;
  Changes missing_;
};

}  // namespace

Result<Bytes> toGlb(const Document& document, std::uint64_t max_file_bytes, Warnings* warnings) {
  return GlbJoiner(document, max_file_bytes, warnings).join();
}

Result<TextAndBin> toText(const Document& document, const std::string& bin_name) {
  // Without the padding of the chunk.
  const std::string_view text = document.text.substr(0, json_text::rootOf(document.text).end);
  Edits edits(text);
  TextAndBin result;
  if (document.has_bin && !document.buffers.empty() && document.buffers.front().uri.empty()) {
    const auto root = json_text::membersOf(text, json_text::rootOf(text));
    const auto spans = json_text::elementsOf(text, *json_text::findMember(root, "buffers"));
    const Changes changes = {{"uri", jsonString(uriOfFile(bin_name))}};
    edits.changeObject(spans.front(), changes);
    const auto bytes = document.buffers.front().bytes;
    result.bin.assign(bytes.begin(), bytes.end());
  }
  const std::string edited = edits.apply();
  const auto bytes = asBytes(edited);
  result.text.assign(bytes.begin(), bytes.end());
  return result;
}

Result<std::vector<OutputFile>> externalFiles(const Document& document,
                                              std::uint64_t max_file_bytes, Warnings* warnings) {
  std::vector<OutputFile> files;
  for (const std::string& uri : document.external_uris) {
    CLIPMILL_TRY(const std::filesystem::path relative, fileOfUri(uri, {}));
    const std::filesystem::path normal = relative.lexically_normal();
    if (*normal.begin() == "..") {
      return Error{ErrorCode::kUnsupported, uri,
                   "is outside the folder of the file that refers to it",
                   "write the output into the same folder, or as .glb"};
    }
    const bool known = std::any_of(files.begin(), files.end(),
                                   [&](const OutputFile& r) { return r.relative_path == normal; });
    if (known) continue;
    auto bytes = readFile(document.folder / normal, max_file_bytes);
    if (warnsOfMissing(bytes, uri, warnings)) continue;
    if (!bytes) return bytes.error();
    files.push_back({normal, std::move(*bytes)});
  }
  return files;
}

}  // namespace clipmill::io::gltf
