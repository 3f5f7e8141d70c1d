// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/gltf/compact.h"

#include <algorithm>
#include <map>
#include <optional>

#include <nlohmann/json.hpp>

#include "core/text.h"
#include "core/to_size.h"
#include "io/gltf/accessor.h"
#include "io/gltf/data_uri.h"
#include "io/gltf/data_uses.h"
#include "io/gltf/glb.h"
#include "io/gltf/json_fields.h"
#include "io/gltf/kept_ranges.h"

namespace clipmill::io::gltf {
namespace {

using json_text::Edits;
using json_text::Span;
using Changes = std::vector<Edits::Change>;

constexpr std::size_t kLargestComponent = 4;  // bytes
// A buffer must not be empty.
constexpr std::size_t kLeastBufferBytes = 4;
constexpr const char* kMeshoptNames[] = {"EXT_meshopt_compression", "KHR_meshopt_compression"};

// A range of a buffer that a view, or the compressed data of one, refers to.
struct ViewRange {
  int buffer = -1;
  std::size_t start = 0, length = 0;

  std::size_t end() const { return start + length; }
};

// What stays of a view: the bytes from `start` to `end` of its buffer.
struct KeptView {
  ViewRange own;
  std::optional<ViewRange> compressed;
  const char* extension = nullptr;  // of `compressed`
  bool is_whole = false;
  std::size_t start = 0, end = 0;
};

class Compactor {
 public:
  explicit Compactor(const Document& document)
      : document_(document),
        json_(*document.json),
        uses_(usesOf(document)),
        accessors_(document, io::Limits()),
        ranges_(document.buffers.size()),
        is_kept_whole_(document.buffers.size(), false) {}

  Status plan() {
    keepSharedFiles();
    CLIPMILL_CHECK(useViewsOfAccessors());
    CLIPMILL_CHECK(findViews());
    CLIPMILL_CHECK(findPieces());
    for (std::size_t v = 0; v < views_.size(); ++v) {
      if (uses_.views[v]) keepRangesOf(views_[v]);
    }
    for (KeptRanges& ranges : ranges_) ranges.finish();
    return {};
  }

  std::size_t droppedBytes() const {
    std::size_t dropped = 0;
    for (std::size_t b = 0; b < ranges_.size(); ++b) {
      const std::size_t before = document_.buffers[b].bytes.size(), after = newSize(b);
      if (!is_kept_whole_[b] && after < before) dropped += before - after;
    }
    return dropped;
  }

  Result<CompactedDocument> write() const {
    CompactedDocument result;
    if (droppedBytes() == 0) {
      result.main = document_.original;
      return result;
    }
    Edits edits(document_.text);
    const Span root = json_text::rootOf(document_.text);
    const auto members = json_text::membersOf(document_.text, root);
    Changes removed;
    writeArray(members, "accessors", keptAccessors(members), edits, removed);
    writeArray(members, "bufferViews", keptViews(members), edits, removed);
    const Bytes bin = writeBuffers(members, edits, result);
    renumberUses(edits);
    if (!removed.empty()) edits.changeObject(root, removed);
    const std::string text = edits.apply();
    if (document_.container == Container::kGlb) {
      const bool has_bin = document_.has_bin;
      CLIPMILL_TRY(result.main,
                   assembleGlb(text, has_bin ? &bin : nullptr, document_.extra_chunks));
      return result;
    }
    const auto bytes = asBytes(text);
    result.main.assign(bytes.begin(), bytes.end());
    return result;
  }

 private:
  // -- What is kept

  // Several buffers may be one file: it stays as it is. So do buffers that are not there, and files
  // that a GLB refers to.
  void keepSharedFiles() {
    std::map<std::string, int> count;
    for (const Buffer& buffer : document_.buffers) {
      if (!buffer.uri.empty() && !isDataUri(buffer.uri)) ++count[buffer.uri];
    }
    for (std::size_t b = 0; b < document_.buffers.size(); ++b) {
      const Buffer& buffer = document_.buffers[b];
      const bool is_file = !buffer.uri.empty() && !isDataUri(buffer.uri);
      const bool is_of_glb = is_file && document_.container == Container::kGlb;
      is_kept_whole_[b] = buffer.bytes.empty() || is_of_glb || (is_file && count[buffer.uri] > 1);
    }
  }

  const Json& accessor(std::size_t i) const { return Fields(json_, "").array("accessors")[i]; }

  Status useViewsOfAccessors() {
    for (std::size_t a = 0; a < uses_.accessors.size(); ++a) {
      if (!uses_.accessors[a]) continue;
      Fields fields(accessor(a), elementLocation("accessors", a));
      const int view = fields.index("bufferView", uses_.views.size());
      CLIPMILL_CHECK(fields.status());
      if (view >= 0) users_[toSize(view)].push_back(a);
      if (!fields.has("sparse")) continue;
      for (const char* part : {"indices", "values"}) {
        Fields sparse(fields.object("sparse"), fields.location() + ".sparse");
        Fields inner(sparse.object(part), sparse.location() + "." + part);
        const int inner_view = inner.requiredIndex("bufferView", uses_.views.size());
        CLIPMILL_CHECK(inner.status());
        uses_.views[toSize(inner_view)] = true;  // kept whole
      }
    }
    return {};
  }

  Result<ViewRange> rangeOf(const Json& object, const std::string& location) const {
    Fields fields(object, location);
    ViewRange range;
    range.buffer = fields.requiredIndex("buffer", document_.buffers.size());
    range.start = toSize(fields.integer("byteOffset", 0));
    range.length = toSize(fields.requiredInteger("byteLength", 0));
    CLIPMILL_CHECK(fields.status());
    const std::size_t size = document_.buffers[toSize(range.buffer)].bytes.size();
    const bool is_placeholder = size == 0;
    if (!is_placeholder && (range.start > size || range.length > size - range.start)) {
      return Error{ErrorCode::kMalformed, location, "extends past the end of its buffer", ""};
    }
    return range;
  }

  // Views that no accessor uses but something else does are kept whole.
  Status findViews() {
    const Json& views = Fields(json_, "").array("bufferViews");
    views_.resize(views.size());
    for (std::size_t v = 0; v < views.size(); ++v) {
      const bool has_other_use = uses_.views[v];
      uses_.views[v] = uses_.views[v] || users_.contains(v);
      if (!uses_.views[v]) continue;
      const std::string location = elementLocation("bufferViews", v);
      KeptView& view = views_[v];
      CLIPMILL_TRY(view.own, rangeOf(views[v], location));
      view.start = view.own.start;
      view.end = view.own.end();
      view.is_whole = has_other_use || is_kept_whole_[toSize(view.own.buffer)];
      const Json& extensions = Fields(views[v], "").object("extensions");
      for (const char* name : kMeshoptNames) {
        if (!extensions.contains(name)) continue;
        CLIPMILL_TRY(view.compressed, rangeOf(extensions[name], location + "." + name));
        view.extension = name;
        view.is_whole = true;
      }
    }
    return {};
  }

  // Of a view that only accessors use, what they use.
  Status findPieces() {
    for (auto& [v, users] : users_) {
      KeptView& view = views_[v];
      if (view.is_whole) continue;
      view.start = view.own.end();
      view.end = view.own.start;
      for (const std::size_t a : users) {
        Fields fields(accessor(a), elementLocation("accessors", a));
        const auto offset = toSize(fields.integer("byteOffset", 0));
        CLIPMILL_CHECK(fields.status());
        CLIPMILL_TRY(const std::size_t bytes, accessors_.bytesInView(static_cast<int>(a)));
        if (offset > view.own.length || bytes > view.own.length - offset) {
          return Error{ErrorCode::kMalformed, fields.location(),
                       "extends past the end of its bufferView", ""};
        }
        const std::size_t start = view.own.start + offset;
        ranges_[toSize(view.own.buffer)].add(start, start + bytes);
        view.start = std::min(view.start, start / kLargestComponent * kLargestComponent);
        view.end = std::max(view.end, start + bytes);
      }
    }
    return {};
  }

  void keepRangesOf(const KeptView& view) {
    if (view.compressed) {
      ranges_[toSize(view.compressed->buffer)].add(view.compressed->start, view.compressed->end());
    }
    const bool has_bytes = !document_.buffers[toSize(view.own.buffer)].bytes.empty();
    if (view.is_whole && has_bytes) ranges_[toSize(view.own.buffer)].add(view.start, view.end);
  }

  // -- Where it goes

  std::size_t newOffset(int buffer, std::size_t offset) const {
    return is_kept_whole_[toSize(buffer)] ? offset : ranges_[toSize(buffer)].newOffset(offset);
  }

  std::size_t newSize(std::size_t buffer) const {
    return std::max(ranges_[buffer].size(), kLeastBufferBytes);
  }

  static int newIndex(const std::vector<bool>& kept, std::size_t index) {
    return static_cast<int>(
        std::count(kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(index), true));
  }

  // -- The text

  std::string textOf(Span span) const {
    return std::string(document_.text.substr(span.start, span.end - span.start));
  }

  std::vector<Span> spansOf(std::span<const json_text::Member> members, const char* key) const {
    const auto array = json_text::findMember(members, key);
    return array ? json_text::elementsOf(document_.text, *array) : std::vector<Span>();
  }

  // The element at `span` with changes to itself, and to the objects within it at `path`.
  static std::string changed(
      const std::string& text, const Changes& changes,
      const std::vector<std::pair<std::vector<const char*>, Changes>>& inner) {
    Edits edits(text);
    const Span root = json_text::rootOf(text);
    if (!changes.empty()) edits.changeObject(root, changes);
    for (const auto& [path, inner_changes] : inner) {
      Span span = root;
      for (const char* key : path) {
        span = *json_text::findMember(json_text::membersOf(text, span), key);
      }
      if (!inner_changes.empty()) edits.changeObject(span, inner_changes);
    }
    return edits.apply();
  }

  std::vector<std::string> keptAccessors(std::span<const json_text::Member> members) const {
    std::vector<std::string> texts;
    const auto spans = spansOf(members, "accessors");
    for (std::size_t a = 0; a < spans.size(); ++a) {
      if (!uses_.accessors[a]) continue;
      Fields fields(accessor(a), "");
      Changes changes;
      if (const int view = fields.index("bufferView", views_.size()); view >= 0) {
        setNumber("bufferView", toSize(view), toSize(newIndex(uses_.views, toSize(view))), changes);
        const KeptView& kept = views_[toSize(view)];
        const auto offset = toSize(fields.integer("byteOffset", 0));
        if (!kept.is_whole) {
          const std::size_t moved = newOffset(kept.own.buffer, kept.own.start + offset) -
                                    newOffset(kept.own.buffer, kept.start);
          setNumber("byteOffset", offset, moved, changes);
        }
      }
      std::vector<std::pair<std::vector<const char*>, Changes>> inner;
      if (fields.has("sparse")) {
        for (const char* part : {"indices", "values"}) {
          const auto view = accessor(a).at("sparse").at(part).at("bufferView").get<std::size_t>();
          Changes sparse;
          setNumber("bufferView", view, toSize(newIndex(uses_.views, view)), sparse);
          inner.push_back({{"sparse", part}, sparse});
        }
      }
      texts.push_back(changed(textOf(spans[a]), changes, inner));
    }
    return texts;
  }

  static void setNumber(const char* key, std::size_t before, std::size_t after, Changes& changes) {
    if (before != after) changes.emplace_back(key, std::to_string(after));
  }

  std::vector<std::string> keptViews(std::span<const json_text::Member> members) const {
    std::vector<std::string> texts;
    const auto spans = spansOf(members, "bufferViews");
    for (std::size_t v = 0; v < spans.size(); ++v) {
      if (!uses_.views[v]) continue;
      const KeptView& view = views_[v];
      Changes changes;
      const bool has_bytes = !document_.buffers[toSize(view.own.buffer)].bytes.empty();
      if (has_bytes) {
        const std::size_t start = newOffset(view.own.buffer, view.start);
        setNumber("byteOffset", view.own.start, start, changes);
        setNumber("byteLength", view.own.length, newOffset(view.own.buffer, view.end) - start,
                  changes);
      }
      std::vector<std::pair<std::vector<const char*>, Changes>> inner;
      if (view.compressed) {
        Changes moved;
        setNumber("byteOffset", view.compressed->start,
                  newOffset(view.compressed->buffer, view.compressed->start), moved);
        inner.push_back({{"extensions", view.extension}, moved});
      }
      texts.push_back(changed(textOf(spans[v]), changes, inner));
    }
    return texts;
  }

  // An array without elements is not allowed: it is removed.
  void writeArray(std::span<const json_text::Member> members, const char* key,
                  const std::vector<std::string>& elements, Edits& edits, Changes& removed) const {
    const auto array = json_text::findMember(members, key);
    if (!array) return;
    if (elements.empty()) {
      removed.emplace_back(key, std::nullopt);
    } else {
      edits.replace(*array, json_text::arrayText(elements));
    }
  }

  Bytes writeBuffers(std::span<const json_text::Member> members, Edits& edits,
                     CompactedDocument& result) const {
    Bytes bin(document_.bin.begin(), document_.bin.end());
    const auto spans = spansOf(members, "buffers");
    for (std::size_t b = 0; b < spans.size(); ++b) {
      if (is_kept_whole_[b]) continue;
      Bytes bytes = ranges_[b].bytesOf(document_.buffers[b].bytes);
      bytes.resize(newSize(b));
      Changes changes;
      setNumber("byteLength", document_.buffers[b].bytes.size(), bytes.size(), changes);
      const std::string& uri = document_.buffers[b].uri;
      if (uri.empty()) {
        bin = std::move(bytes);
      } else if (isDataUri(uri)) {
        const std::string head = uri.substr(0, uri.find(',') + 1);
        const std::string type = head.find(";base64") == std::string::npos
                                     ? "data:application/octet-stream;base64,"
                                     : head;
        changes.emplace_back("uri", jsonString(type + encodeBase64(bytes)));
      } else {
        result.buffer_files.emplace_back(uri, std::move(bytes));
      }
      if (!changes.empty()) edits.changeObject(spans[b], changes);
    }
    return bin;
  }

  void renumberUses(Edits& edits) const {
    forEachDataUse(document_, [&](DataKind kind, int index, Span number) {
      const std::vector<bool>& kept = kind == DataKind::kAccessor ? uses_.accessors : uses_.views;
      const int moved = newIndex(kept, toSize(index));
      if (moved != index) edits.replace(number, std::to_string(moved));
    });
  }

  const Document& document_;
  const Json& json_;
  DataUses uses_;
  mutable AccessorReader accessors_;
  std::map<std::size_t, std::vector<std::size_t>> users_;  // accessors of a view
  std::vector<KeptView> views_;
  std::vector<KeptRanges> ranges_;   // of each buffer
  std::vector<bool> is_kept_whole_;  // likewise
};

}  // namespace

Result<CompactedDocument> compactDocument(const Document& document) {
  Compactor compactor(document);
  CLIPMILL_CHECK(compactor.plan());
  return compactor.write();
}

std::size_t unreferencedBytes(const Document& document) {
  Compactor compactor(document);
  return compactor.plan() ? compactor.droppedBytes() : 0;
}

}  // namespace clipmill::io::gltf
