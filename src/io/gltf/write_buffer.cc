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

int bytesOf(Component component) {
  if (component == Component::kU8) return 1;
  return component == Component::kU16 ? 2 : 4;
}

void widenBounds(Accessor& accessor, std::size_t component, double value) {
  accessor.min[component] = std::min(accessor.min[component], value);
  accessor.max[component] = std::max(accessor.max[component], value);
}

}  // namespace

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
