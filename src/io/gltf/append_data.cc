// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/gltf/append_data.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/to_size.h"
#include "io/gltf/data_uri.h"
#include "io/gltf/glb.h"
#include "io/gltf/json_fields.h"

namespace clipmill::io::gltf {
namespace {

using json_text::arrayText;
using json_text::Edits;
using json_text::Span;
using Changes = std::vector<Edits::Change>;

std::string bufferText(const Bytes& bytes) {
  return "{\"byteLength\":" + std::to_string(bytes.size()) +
         ",\"uri\":\"data:application/octet-stream;base64," + encodeBase64(bytes) + "\"}";
}

class Appender {
 public:
  Appender(const Document& document, Edits edits)
      : document_(document),
        edits_(std::move(edits)),
        root_span_(json_text::rootOf(document.text)),
        root_(json_text::membersOf(document.text, root_span_)) {}

  // What is copied is given back at once: the keys of thousands of clips are in memory as few times
  // as can be.
  Result<Bytes> append(NewData data) {
    const bool grow_bin =
        document_.container == Container::kGlb &&
        (document_.buffers.empty() || (document_.has_bin && document_.buffers.front().uri.empty()));
    const std::size_t start = padded(document_.bin.size());
    const std::size_t offset = grow_bin ? start : 0;
    const bool has_bytes = !data.bytes.empty() || !data.more.empty();
    Bytes bin;
    bin.reserve(start + (grow_bin ? data.bytes.size() : 0));
    bin.assign(document_.bin.begin(), document_.bin.end());
    bin.resize(start);
    for (const auto& [at, bytes] : data.replaced) {
      std::copy(bytes.begin(), bytes.end(), bin.begin() + static_cast<std::ptrdiff_t>(at));
    }
    if (grow_bin && has_bytes) {
      bin.insert(bin.end(), data.bytes.begin(), data.bytes.end());
      growFirstBuffer(bin.size() + data.more.size());
    } else if (has_bytes) {
      data.more.moveTo(data.bytes);
      appendElements("buffers", {bufferText(data.bytes)});
    }
    Bytes().swap(data.bytes);
    const std::size_t buffer = grow_bin ? 0 : document_.buffers.size();
    appendElements("bufferViews", viewTexts(data.views, buffer, offset));
    for (auto& [key, elements] : data.elements) {
      appendElements(key.c_str(), elements);
      std::vector<std::string>().swap(elements);
    }
    missing_.insert(missing_.end(), data.members.begin(), data.members.end());
    if (!missing_.empty()) edits_.changeObject(root_span_, missing_);

    std::vector<std::pair<std::string, std::vector<std::string>>>().swap(data.elements);
    const std::string text = appliedEdits();
    if (document_.container == Container::kText) {
      const auto bytes = asBytes(text);
      return Bytes(bytes.begin(), bytes.end());
    }
    const bool with_bin = grow_bin || document_.has_bin;
    return assembleGlb(text, with_bin ? &bin : nullptr, document_.extra_chunks,
                       std::move(data.more));
  }

 private:
  std::string appliedEdits() {
    const Edits edits = std::move(edits_);
    return edits.apply();
  }

  void growFirstBuffer(std::size_t size) {
    if (document_.buffers.empty()) {
      appendElements("buffers", {"{\"byteLength\":" + std::to_string(size) + "}"});
      return;
    }
    const Changes changes = {{"byteLength", std::to_string(size)}};
    edits_.changeObject(elementSpan(document_, "buffers", 0), changes);
  }

  static std::vector<std::string> viewTexts(std::span<const NewView> views, std::size_t buffer,
                                            std::size_t offset) {
    std::vector<std::string> texts;
    for (const NewView& view : views) {
      texts.push_back("{\"buffer\":" + std::to_string(buffer) +
                      ",\"byteOffset\":" + std::to_string(offset + view.offset) +
                      ",\"byteLength\":" + std::to_string(view.length) + view.members + "}");
    }
    return texts;
  }

  void appendElements(const char* key, const std::vector<std::string>& elements) {
    if (elements.empty()) return;
    if (const auto array = json_text::findMember(root_, key)) {
      edits_.appendElements(*array, elements);
    } else {
      missing_.emplace_back(key, arrayText(elements));
    }
  }

  const Document& document_;
  Edits edits_;
  Span root_span_;
  std::vector<json_text::Member> root_;
  Changes missing_;
};

}  // namespace

std::vector<Span> elementSpans(const Document& document, const char* array) {
  const auto root = json_text::membersOf(document.text, json_text::rootOf(document.text));
  return json_text::elementsOf(document.text, *json_text::findMember(root, array));
}

Span elementSpan(const Document& document, const char* array, std::size_t index) {
  return elementSpans(document, array)[index];
}

std::size_t nodesShowing(const Document& document, std::size_t mesh) {
  const Json& nodes = Fields(*document.json, "").array("nodes");
  return toSize(std::count_if(nodes.begin(), nodes.end(), [&](const Json& node) {
    const auto found = node.find("mesh");
    return found != node.end() && *found == mesh;
  }));
}

Result<Bytes> appendData(const Document& document, Edits edits, NewData data) {
  return Appender(document, std::move(edits)).append(std::move(data));
}

}  // namespace clipmill::io::gltf
