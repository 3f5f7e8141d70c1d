// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// Chapters 3.6.2 (accessors) and 5.11 (buffer views) of the glTF 2.0 specification.
#include "io/gltf/replaceable_data.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/to_size.h"
#include "io/gltf/accessor.h"
#include "io/gltf/data_uses.h"
#include "io/gltf/json_fields.h"

namespace clipmill::io::gltf {
namespace {

using glb_writer::Component;

constexpr std::size_t kWidth = 4;

bool isReplaceable(Component component) {
  return component == Component::kU8 || component == Component::kU16 ||
         component == Component::kF32;
}

bool hasOneBin(const Document& document) {
  return document.container == Container::kGlb && document.has_bin && !document.buffers.empty() &&
         document.buffers.front().uri.empty();
}

}  // namespace

ReplaceableData::ReplaceableData(const Document& document) : document_(document) {
  if (!hasOneBin(document) || mayHaveUnknownUses(document)) return;
  std::vector<int> views;
  forEachDataUse(document, [&](DataKind kind, int index, json_text::Span) {
    if (kind == DataKind::kAccessor) ++uses_[index];
    if (kind == DataKind::kView) views.push_back(index);
  });
  if (!addRanges(views)) uses_.clear();
}

// False where a range is not known: then nothing is replaced.
bool ReplaceableData::addRanges(const std::vector<int>& views) {
  Fields root(*document_.json, "");
  const Json& accessors = root.array("accessors");
  const Json& all_views = root.array("bufferViews");
  const AccessorReader reader(document_, io::Limits());
  for (const Json& view : all_views) {
    if (view.contains("extensions")) return false;
  }
  const auto startOf = [&](const Json& view) {
    return toSize(Fields(view, "").integer("byteOffset", 0));
  };
  for (std::size_t a = 0; a < accessors.size(); ++a) {
    if (accessors[a].contains("sparse")) return false;
    Fields fields(accessors[a], "");
    const int view = fields.index("bufferView", all_views.size());
    if (view < 0) continue;
    const auto length = reader.bytesInView(static_cast<int>(a));
    if (!length || !fields.status()) return false;
    const std::size_t start =
        startOf(all_views[toSize(view)]) + toSize(fields.integer("byteOffset", 0));
    ranges_.push_back({start, start + *length, static_cast<int>(a)});
  }
  for (const int view : views) {
    const Json& json = all_views[toSize(view)];
    const auto length = toSize(Fields(json, "").integer("byteLength", 0));
    ranges_.push_back({startOf(json), startOf(json) + length, -1});
  }
  return true;
}

bool ReplaceableData::isShared(const Range& range) const {
  return std::any_of(ranges_.begin(), ranges_.end(), [&](const Range& other) {
    return other.accessor != range.accessor && other.start < range.end && range.start < other.end;
  });
}

std::optional<ReplaceableData::Location> ReplaceableData::locationOf(int accessor,
                                                                     std::size_t uses) const {
  const auto known_uses = uses_.find(accessor);
  if (known_uses == uses_.end() || known_uses->second != uses) return std::nullopt;
  const auto range = std::find_if(ranges_.begin(), ranges_.end(),
                                  [&](const Range& r) { return r.accessor == accessor; });
  if (range == ranges_.end() || isShared(*range)) return std::nullopt;
  Fields root(*document_.json, "");
  Fields fields(root.array("accessors")[toSize(accessor)], "");
  Fields view(root.array("bufferViews")[toSize(fields.integer("bufferView", 0))], "");
  const auto component = static_cast<Component>(fields.integer("componentType", 0));
  const bool is_plain = isReplaceable(component) && fields.text("type", "") == "VEC4" &&
                        !fields.has("min") && !fields.has("max") &&
                        !fields.boolean("normalized", false) && view.integer("buffer", 0) == 0;
  if (!is_plain) return std::nullopt;
  const std::size_t element_bytes = kWidth * toSize(glb_writer::bytesOf(component));
  const std::size_t count = (range->end - range->start) / element_bytes;
  const bool is_dense = range->end - range->start == count * element_bytes &&
                        count == toSize(fields.integer("count", 0));
  const bool is_within = range->end <= document_.bin.size();
  if (!is_dense || !is_within) return std::nullopt;
  return Location{range->start, count, component};
}

}  // namespace clipmill::io::gltf
