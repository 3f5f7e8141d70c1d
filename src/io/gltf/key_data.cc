// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/gltf/key_data.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/cancel.h"
#include "core/short_rounding.h"
#include "core/text.h"
#include "core/to_size.h"

namespace clipmill::io::gltf {
namespace {

// glTF 2.0, 3.6.2.2.
constexpr int kShort = 5122, kFloat = 5126;

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

// Rotations of few digits, such as the identity, are short by chance: they stay floats.
bool areShorts(const Track& track) {
  if (track.path != TrackPath::kRotation || track.interpolation == Interpolation::kCubicSpline) {
    return false;
  }
  const auto is_short = [](double x) { return roundedToShort(x) == x; };
  const auto is_whole = [](double x) { return x == std::round(x); };
  return std::all_of(track.values.begin(), track.values.end(), is_short) &&
         !std::all_of(track.values.begin(), track.values.end(), is_whole);
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
  CLIPMILL_TRY(const std::vector<float> values, asFloats(track.values));
  if (areShorts(track)) return addShorts(track.values, accessorTypeOf(track.path));
  const std::size_t width = track.path == TrackPath::kWeights ? 1 : toSize(track.width);
  return addAccessor(values, values.size() / width, accessorTypeOf(track.path), false);
}

std::size_t KeyData::addAccessor(std::span<const float> numbers, std::size_t count,
                                 const char* type, bool with_bounds) {
  std::string text = startOfAccessor(count, type, kFloat);
  const auto raw = std::as_bytes(numbers);
  bytes_.insert(bytes_.end(), raw.begin(), raw.end());
  if (with_bounds) {
    text += ",\"min\":[" + numberText(numbers.front()) + "],\"max\":[" +
            numberText(numbers.back()) + "]";
  }
  accessor_texts_.push_back(text + "}");
  return next_accessor_++;
}

std::size_t KeyData::addShorts(std::span<const double> values, const char* type) {
  constexpr std::size_t kWidth = 4;
  accessor_texts_.push_back(startOfAccessor(values.size() / kWidth, type, kShort) +
                            ",\"normalized\":true}");
  for (const double value : values) {
    const auto number = static_cast<std::int16_t>(std::round(value * kShortParts));
    const auto raw = std::as_bytes(std::span(&number, 1));
    bytes_.insert(bytes_.end(), raw.begin(), raw.end());
  }
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
