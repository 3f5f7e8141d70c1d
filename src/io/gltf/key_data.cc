// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/gltf/key_data.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/cancel.h"
#include "core/float_rounding.h"
#include "core/integer_rounding.h"
#include "core/text.h"
#include "core/to_size.h"
#include "io/gltf/glb.h"

namespace clipmill::io::gltf {
namespace {

// glTF 2.0, 3.6.2.2.
constexpr int kByte = 5121, kShort = 5122, kFloat = 5126;

Result<std::vector<float>> asFloats(std::span<const double> numbers) {
  std::vector<float> floats;
  floats.reserve(numbers.size());
  for (double number : numbers) {
    const float rounded = static_cast<float>(number);
    if (!std::isfinite(rounded)) {
      return Error{ErrorCode::kUnsupported, "", "a key's value is too large for a 32-bit float",
                   ""};
    }
    floats.push_back(rounded);
  }
  return floats;
}

const char* accessorTypeOf(TrackPath path) {
  if (path == TrackPath::kWeights) return "SCALAR";
  return path == TrackPath::kRotation ? "VEC4" : "VEC3";
}

// How numbers are stored: their component type and, of integers, the parts of 1.
struct Storage {
  int component_type = kFloat;
  double parts = 0.0;
};

// Numbers of few digits, such as those of the identity, are integers by chance: they stay floats.
Storage storageOf(const Track& track) {
  if (track.interpolation == Interpolation::kCubicSpline) return {};
  const auto all = [&](auto&& holds) {
    return std::all_of(track.values.begin(), track.values.end(), holds);
  };
  if (all([](double x) { return x == std::round(x); })) return {};
  if (track.path == TrackPath::kRotation && all([](double x) { return roundedToShort(x) == x; })) {
    return {kShort, kShortParts};
  }
  const auto is_byte = [](double x) {
    return roundedToFloat(roundedToByte(x)) == roundedToFloat(x);
  };
  if (track.path == TrackPath::kWeights && all(is_byte)) return {kByte, kByteParts};
  return {};
}

template <typename Integer>
Bytes integersOf(std::span<const double> values, double parts) {
  Bytes bytes;
  for (const double value : values) {
    const auto number = static_cast<Integer>(std::round(value * parts));
    const auto raw = std::as_bytes(std::span(&number, 1));
    bytes.insert(bytes.end(), raw.begin(), raw.end());
  }
  bytes.resize(padded(bytes.size()));
  return bytes;
}

}  // namespace

Result<std::size_t> KeyData::addTimes(std::span<const double> times_s) {
  CLIPMILL_TRY(std::vector<float> times, asFloats(times_s));
  for (std::size_t i = 1; i < times.size(); ++i) {
    if (times[i] <= times[i - 1]) {
      return Error{ErrorCode::kUnsupported, "",
                   "keys at " + numberText(times_s[i]) +
                       " s are too close for the precision of 32-bit floats",
                   "choose a lower --fps, or a clip that starts nearer to 0"};
    }
  }
  const auto known = known_times_.find(times);
  if (known != known_times_.end()) return known->second;
  const std::size_t accessor = addAccessor(times, times.size(), "SCALAR", true);
  known_times_.emplace(std::move(times), accessor);
  return accessor;
}

Result<std::size_t> KeyData::addValues(const Track& track) {
  pollCancel();
  CLIPMILL_TRY(std::vector<float> values, asFloats(track.values));
  if (track.times_s->size() > 1) return addNewValues(track, values);
  std::pair constant(track.path, std::move(values));
  const auto known = known_constants_.find(constant);
  if (known != known_constants_.end()) return known->second;
  const std::size_t accessor = addNewValues(track, constant.second);
  known_constants_.emplace(std::move(constant), accessor);
  return accessor;
}

std::size_t KeyData::addNewValues(const Track& track, std::span<const float> values) {
  const std::size_t width = track.path == TrackPath::kWeights ? 1 : toSize(track.width);
  const std::size_t count = values.size() / width;
  const char* type = accessorTypeOf(track.path);
  const Storage storage = storageOf(track);
  if (storage.component_type == kFloat) return addAccessor(values, count, type, false);
  accessor_texts_.push_back(startOfAccessor(count, type, storage.component_type) +
                            ",\"normalized\":true}");
  bytes_.append(storage.component_type == kByte
                    ? integersOf<std::uint8_t>(track.values, storage.parts)
                    : integersOf<std::int16_t>(track.values, storage.parts));
  return next_accessor_++;
}

std::size_t KeyData::addAccessor(std::span<const float> numbers, std::size_t count,
                                 const char* type, bool with_bounds) {
  std::string text = startOfAccessor(count, type, kFloat);
  bytes_.append(std::as_bytes(numbers));
  if (with_bounds) {
    text += ",\"min\":[" + numberText(numbers.front()) + "],\"max\":[" +
            numberText(numbers.back()) + "]";
  }
  accessor_texts_.push_back(text + "}");
  return next_accessor_++;
}

// The text of an accessor of what is appended next, without its end.
std::string KeyData::startOfAccessor(std::size_t count, const char* type, int component) const {
  return "{\"bufferView\":" + std::to_string(buffer_view_) +
         ",\"byteOffset\":" + std::to_string(bytes_.size()) +
         ",\"componentType\":" + std::to_string(component) + ",\"count\":" + std::to_string(count) +
         ",\"type\":\"" + type + "\"";
}

}  // namespace clipmill::io::gltf
