// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "anim/track.h"
#include "core/result.h"
#include "io/gltf/byte_blocks.h"

namespace clipmill::io::gltf {

/// Collects keys as 32-bit floats for one new bufferView, and the accessors that describe them.
/// Rotations that normalised 16-bit integers express to the last bit (see roundedToShort()) are
/// stored as these, and weights that 8-bit integers without sign express to the last bit of a float
/// (see roundedToByte()); not where all numbers are whole.
class KeyData {
 public:
  /// `buffer_view` and `first_accessor` are the indices that the new view and the first new
  /// accessor will have.
  KeyData(std::size_t buffer_view, std::size_t first_accessor)
      : buffer_view_(buffer_view), next_accessor_(first_accessor) {}

  /// Index of an accessor with these key times; equal times share one.
  Result<std::size_t> addTimes(std::span<const double> times_s);
  /// Index of an accessor with the track's values; equal values of one key share one.
  Result<std::size_t> addValues(const Track& track);

  /// All bytes of the new view, and the texts of its accessors.
  struct Parts {
    ByteBlocks bytes;
    std::vector<std::string> accessor_texts;
  };
  /// Moves out what was added; nothing can be added after that.
  Parts take() {
    known_times_.clear();
    known_constants_.clear();
    return {std::move(bytes_), std::move(accessor_texts_)};
  }

 private:
  std::size_t addNewValues(const Track& track, std::span<const float> values);
  std::size_t addAccessor(std::span<const float> numbers, std::size_t count, const char* type,
                          bool with_bounds);
  std::string startOfAccessor(std::size_t count, const char* type, int component) const;

  std::size_t buffer_view_;
  std::size_t next_accessor_;
  ByteBlocks bytes_;
  std::vector<std::string> accessor_texts_;
  std::map<std::vector<float>, std::size_t> known_times_;
  std::map<std::pair<TrackPath, std::vector<float>>, std::size_t> known_constants_;  // of one key
};

}  // namespace clipmill::io::gltf
