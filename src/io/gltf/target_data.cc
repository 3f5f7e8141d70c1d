// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/gltf/target_data.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/text.h"
#include "io/gltf/accessor.h"
#include "io/gltf/glb.h"
#include "scene/integer_deltas.h"

namespace clipmill::io::gltf {
namespace {

using Components = TargetData::Components;

constexpr std::size_t kFloatBytes = 4;
constexpr std::size_t kVectorBytes = 3 * kFloatBytes;
constexpr int kShortComponent = 5123, kIntComponent = 5125;
constexpr std::size_t kMostForShort = 65535;
constexpr int kSignedShortComponent = 5122;
constexpr std::size_t kShortBytes = 2;
// Vertices in a row start at multiples of four bytes.
constexpr std::size_t kShortStride = 8;

// The numbers as floats.
Result<Components> floatsOfDeltas(std::span<const Vec3> deltas) {
  Components components;
  for (std::size_t v = 0; v < deltas.size(); ++v) {
    if (deltas[v] == Vec3(0.0)) continue;
    components.vertices.push_back(static_cast<std::uint32_t>(v));
    for (int i = 0; i < 3; ++i) {
      // Adding zero converts -0 to 0.
      const float value = static_cast<float>(deltas[v][i]) + 0.0f;
      if (!std::isfinite(value)) {
        return Error{ErrorCode::kUnsupported, "",
                     "has a new morph with a displacement that a 32-bit float cannot store", ""};
      }
      components.values.push_back(value);
      components.bits.push_back(std::bit_cast<std::uint32_t>(value));
    }
  }
  return components;
}

// Converts floats to parts of `scale`, as normalized integers represent them (chapter 3.11).
void makeShorts(double scale, Components& components) {
  components.is_integer = true;
  for (std::size_t i = 0; i < components.values.size(); ++i) {
    const double steps = static_cast<double>(components.values[i]) / scale * kLargestShort;
    const auto integer = static_cast<std::int32_t>(std::floor(steps + 0.5));
    components.values[i] = static_cast<float>(integer);
    components.bits[i] = static_cast<std::uint32_t>(integer) & 0xFFFFu;
  }
}

// Leaves out vertices that move by so little that nothing is left of it.
void dropStill(Components& components) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < components.vertices.size(); ++i) {
    const auto own = components.bits.begin() + static_cast<std::ptrdiff_t>(3 * i);
    if (std::all_of(own, own + 3, [](std::uint32_t bits) { return bits == 0; })) continue;
    components.vertices[kept] = components.vertices[i];
    for (std::size_t c = 0; c < 3; ++c) {
      components.values[3 * kept + c] = components.values[3 * i + c];
      components.bits[3 * kept + c] = components.bits[3 * i + c];
    }
    ++kept;
  }
  components.vertices.resize(kept);
  components.values.resize(3 * kept);
  components.bits.resize(3 * kept);
}

// Of `count` vertices, those that are not in `components` at zero.
std::string boundsText(const Components& components, std::size_t count) {
  const std::vector<float>& values = components.values;
  float low[3] = {}, high[3] = {};
  if (components.vertices.size() == count) {
    std::copy_n(values.begin(), 3, low);
    std::copy_n(values.begin(), 3, high);
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    low[i % 3] = std::min(low[i % 3], values[i]);
    high[i % 3] = std::max(high[i % 3], values[i]);
  }
  const auto text = [](const float* v) {
    return "[" + numberText(v[0]) + "," + numberText(v[1]) + "," + numberText(v[2]) + "]";
  };
  return ",\"min\":" + text(low) + ",\"max\":" + text(high);
}

void pad(Bytes& bytes) { bytes.resize(padded(bytes.size())); }

void appendBits(Bytes& bytes, std::uint32_t bits, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    bytes.push_back(static_cast<std::byte>(bits >> (8 * i)));
  }
}

}  // namespace

std::size_t TargetData::Components::bytes() const { return is_integer ? kShortBytes : kFloatBytes; }

Result<std::size_t> TargetData::add(std::span<const Vec3> deltas, bool with_bounds, double scale) {
  CLIPMILL_TRY(Components components, floatsOfDeltas(deltas));
  const bool is_integer = scale > 0.0 && longestComponent(deltas) <= scale;
  if (is_integer) makeShorts(scale, components);
  dropStill(components);
  if (components.vertices.empty()) return addZeros(deltas.size(), with_bounds);
  has_integers_ = has_integers_ || is_integer;
  const std::size_t index_bytes = deltas.size() <= kMostForShort ? 2 : 4;
  const std::size_t stride = is_integer ? kShortStride : kVectorBytes;
  const bool is_sparse =
      components.vertices.size() * (index_bytes + 3 * components.bytes()) < deltas.size() * stride;
  const std::string data =
      is_sparse ? sparse(components, index_bytes) : dense(components, deltas.size());
  return addAccessor(deltas.size(), is_integer,
                     data + (with_bounds ? boundsText(components, deltas.size()) : ""));
}

std::size_t TargetData::addZeros(std::size_t count, bool with_bounds) {
  const auto known = zeros_.find({count, with_bounds});
  if (known != zeros_.end()) return known->second;
  const char* bounds = with_bounds ? ",\"min\":[0,0,0],\"max\":[0,0,0]" : "";
  const std::size_t accessor = addAccessor(count, false, bounds);
  zeros_.emplace(std::pair(count, with_bounds), accessor);
  return accessor;
}

TargetBytes TargetData::finish() {
  TargetBytes result;
  std::map<std::size_t, const View*> in_order;
  for (const View* view : {&dense_, &dense_integers_, &sparse_}) {
    if (view->index) in_order[*view->index] = view;
  }
  for (const auto& [index, view] : in_order) {
    const std::size_t stride = view == &dense_            ? kVectorBytes
                               : view == &dense_integers_ ? kShortStride
                                                          : 0;
    const std::string members =
        stride > 0 ? ",\"byteStride\":" + std::to_string(stride) + ",\"target\":34962" : "";
    result.views.push_back({result.bytes.size(), view->bytes.size(), members});
    result.bytes.insert(result.bytes.end(), view->bytes.begin(), view->bytes.end());
  }
  result.accessors = std::move(accessors_);
  result.has_integers = has_integers_;
  return result;
}

std::string TargetData::locationIn(View& view) {
  if (!view.index) view.index = next_view_++;
  return "\"bufferView\":" + std::to_string(*view.index) +
         ",\"byteOffset\":" + std::to_string(view.bytes.size());
}

std::string TargetData::dense(const Components& components, std::size_t count) {
  View& view = components.is_integer ? dense_integers_ : dense_;
  const std::string location = locationIn(view);
  std::size_t next = 0;  // of the vertices that move
  for (std::size_t v = 0; v < count; ++v) {
    const bool moves = next < components.vertices.size() && components.vertices[next] == v;
    for (std::size_t i = 0; i < 3; ++i) {
      appendBits(view.bytes, moves ? components.bits[3 * next + i] : 0, components.bytes());
    }
    if (moves) ++next;
    pad(view.bytes);
  }
  return "," + location;
}

std::string TargetData::indicesOf(const std::vector<std::uint32_t>& vertices,
                                  std::size_t index_bytes) {
  const int type = index_bytes == 2 ? kShortComponent : kIntComponent;
  if (vertices == indices_.vertices && index_bytes == indices_.bytes) return indices_.members;
  indices_ = {vertices, index_bytes,
              locationIn(sparse_) + ",\"componentType\":" + std::to_string(type)};
  for (const std::uint32_t vertex : vertices) appendBits(sparse_.bytes, vertex, index_bytes);
  pad(sparse_.bytes);
  return indices_.members;
}

std::string TargetData::sparse(const Components& components, std::size_t index_bytes) {
  const std::string indices = indicesOf(components.vertices, index_bytes);
  const std::string values = locationIn(sparse_);
  for (const std::uint32_t bits : components.bits) {
    appendBits(sparse_.bytes, bits, components.bytes());
  }
  pad(sparse_.bytes);
  return ",\"sparse\":{\"count\":" + std::to_string(components.vertices.size()) + ",\"indices\":{" +
         indices + "},\"values\":{" + values + "}}";
}

std::size_t TargetData::addAccessor(std::size_t count, bool is_integer,
                                    const std::string& members) {
  const std::string type = is_integer
                               ? std::to_string(kSignedShortComponent) + ",\"normalized\":true"
                               : std::to_string(kFloatComponent);
  accessors_.push_back("{\"componentType\":" + type + ",\"count\":" + std::to_string(count) +
                       ",\"type\":\"VEC3\"" + members + "}");
  return next_accessor_++;
}

}  // namespace clipmill::io::gltf
