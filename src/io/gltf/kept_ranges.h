// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/file.h"

namespace clipmill::io::gltf {

/// The bytes of a buffer that something refers to, and where they are once the others are gone.
/// Offsets keep their remainder by 4, the largest size of a component.
class KeptRanges {
 public:
  void add(std::size_t start, std::size_t end);

  /// Sorts and merges the ranges; nothing can be added afterwards.
  void finish();

  /// The new offset of a byte within a range, or of the end of one.
  std::size_t newOffset(std::size_t offset) const;

  /// The bytes of all ranges, one behind the other.
  Bytes bytesOf(std::span<const std::byte> buffer) const;
  std::size_t size() const;

 private:
  struct Range {
    std::size_t start, end, moved_to;
  };
  std::vector<Range> ranges_;
};

}  // namespace clipmill::io::gltf
