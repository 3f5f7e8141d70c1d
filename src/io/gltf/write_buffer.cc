// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/gltf/write_buffer.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>

#include "core/to_size.h"

namespace clipmill::io::gltf::glb_writer {
namespace {

constexpr std::size_t kAlignment = 4;
constexpr std::size_t kMostForU16 = 65535;
// What a sparse accessor has more of in the JSON.
constexpr std::size_t kSparseJsonBytes = 150;

void widenBounds(Accessor& accessor, std::size_t component, double value) {
  accessor.min[component] = std::min(accessor.min[component], value);
  accessor.max[component] = std::max(accessor.max[component], value);
}

}  // namespace

int bytesOf(Component component) {
  if (component == Component::kU8) return 1;
  return component == Component::kU16 ? 2 : 4;
}

int BufferBuilder::startView(ViewTarget target) {
  pad();
  views_.push_back({bytes_.size(), 0, target});
  return static_cast<int>(views_.size()) - 1;
}

int BufferBuilder::addFloats(std::span<const double> values, int width, Bounds bounds) {
  const auto components = toSize(width);
  Accessor& accessor = startAccessor(Component::kF32, width, values.size() / components);
  if (bounds == Bounds::kMinMax) {
    accessor.min.assign(components, INFINITY);
    accessor.max.assign(components, -INFINITY);
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    // Adding zero converts -0 to 0: one spelling for one value.
    const float value = static_cast<float>(values[i]) + 0.0f;
    if (!std::isfinite(value)) all_finite_ = false;
    if (bounds == Bounds::kMinMax) widenBounds(accessor, i % components, value);
    append(std::bit_cast<std::uint32_t>(value), 4);
  }
  return endAccessor();
}

int BufferBuilder::addZeros(std::size_t count, int width, Bounds bounds) {
  Accessor& accessor = accessors_.emplace_back();
  accessor.view = -1;
  accessor.width = width;
  accessor.count = count;
  if (bounds == Bounds::kMinMax)
    accessor.min = accessor.max = std::vector<double>(toSize(width), 0.0);
  return static_cast<int>(accessors_.size()) - 1;
}

int BufferBuilder::addFewFloats(std::span<const double> values, int width, Bounds bounds) {
  const auto components = toSize(width);
  const std::size_t count = values.size() / components;
  std::vector<std::uint32_t> indices;
  for (std::size_t element = 0; element < count; ++element) {
    const auto own = values.subspan(element * components, components);
    // What is 0 as a float; no number is not, and is found below.
    const bool is_zero = std::all_of(
        own.begin(), own.end(), [](double value) { return static_cast<float>(value) == 0.0f; });
    if (!is_zero) indices.push_back(static_cast<std::uint32_t>(element));
  }
  const Component component = count <= kMostForU16 ? Component::kU16 : Component::kU32;
  const std::size_t element_bytes = 4 * components;
  const std::size_t sparse_bytes =
      indices.size() * (toSize(bytesOf(component)) + element_bytes) + kSparseJsonBytes;
  if (indices.empty()) return addZeros(count, width, bounds);
  if (sparse_bytes >= count * element_bytes) {
    startView(ViewTarget::kVertices);
    return addFloats(values, width, bounds);
  }
  std::vector<double> few;
  for (const std::uint32_t element : indices) {
    const auto own = values.subspan(element * components, components);
    few.insert(few.end(), own.begin(), own.end());
  }
  startView(ViewTarget::kData);
  for (const std::uint32_t index : indices) append(index, bytesOf(component));
  pad();
  const std::size_t values_offset = bytes_.size() - views_.back().offset;
  const int index = addFloats(few, width, bounds);
  Accessor& accessor = accessors_.back();
  accessor.sparse_count = indices.size();
  accessor.indices = component;
  accessor.values_offset = values_offset;
  accessor.offset = 0;
  accessor.count = count;
  for (double& bound : accessor.min) bound = std::min(bound, 0.0);
  for (double& bound : accessor.max) bound = std::max(bound, 0.0);
  return index;
}

int BufferBuilder::addIntegers(std::span<const std::uint32_t> values, int width,
                               Component component) {
  startAccessor(component, width, values.size() / toSize(width));
  for (const std::uint32_t value : values) append(value, bytesOf(component));
  return endAccessor();
}

int BufferBuilder::addBytes(std::span<const std::byte> bytes) {
  const int view = startView(ViewTarget::kData);
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  views_.back().length = bytes.size();
  pad();
  return view;
}

Accessor& BufferBuilder::startAccessor(Component component, int width, std::size_t count) {
  assert(!views_.empty() && "no view is open");
  pad();
  Accessor& accessor = accessors_.emplace_back();
  accessor.view = static_cast<int>(views_.size()) - 1;
  accessor.offset = bytes_.size() - views_.back().offset;
  accessor.component = component;
  accessor.width = width;
  accessor.count = count;
  return accessor;
}

int BufferBuilder::endAccessor() {
  views_.back().length = bytes_.size() - views_.back().offset;
  pad();
  return static_cast<int>(accessors_.size()) - 1;
}

void BufferBuilder::append(std::uint32_t bits, int byte_count) {
  for (int i = 0; i < byte_count; ++i) bytes_.push_back(static_cast<std::byte>(bits >> (8 * i)));
}

void BufferBuilder::pad() {
  while (bytes_.size() % kAlignment != 0) bytes_.push_back(std::byte{0});
}

}  // namespace clipmill::io::gltf::glb_writer
