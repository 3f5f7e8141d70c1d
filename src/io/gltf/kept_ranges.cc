// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/gltf/kept_ranges.h"

#include <algorithm>
#include <cassert>

namespace clipmill::io::gltf {
namespace {

constexpr std::size_t kRangeAlignment = 4;

}  // namespace

void KeptRanges::add(std::size_t start, std::size_t end) {
  assert(start <= end);
  ranges_.push_back({start / kRangeAlignment * kRangeAlignment, end, 0});
}

void KeptRanges::finish() {
  std::sort(ranges_.begin(), ranges_.end(),
            [](const Range& a, const Range& b) { return a.start < b.start; });
  std::vector<Range> merged;
  for (const Range& range : ranges_) {
    // Adjacent ranges stay together.
    const auto reach = [](std::size_t end) {
      return (end + kRangeAlignment - 1) / kRangeAlignment * kRangeAlignment;
    };
    if (!merged.empty() && range.start <= reach(merged.back().end)) {
      merged.back().end = std::max(merged.back().end, range.end);
    } else {
      const std::size_t moved_to =
          merged.empty() ? 0
                         : reach(merged.back().moved_to + merged.back().end - merged.back().start);
      merged.push_back({range.start, range.end, moved_to});
    }
  }
  ranges_ = std::move(merged);
}

std::size_t KeptRanges::newOffset(std::size_t offset) const {
  const auto after = std::upper_bound(ranges_.begin(), ranges_.end(), offset,
                                      [](std::size_t x, const Range& r) { return x < r.start; });
  assert(after != ranges_.begin());
  const Range& range = *(after - 1);
  return range.moved_to + (offset - range.start);
}

std::size_t KeptRanges::size() const {
  return ranges_.empty() ? 0 : ranges_.back().moved_to + ranges_.back().end - ranges_.back().start;
}

Bytes KeptRanges::bytesOf(std::span<const std::byte> buffer) const {
  Bytes bytes(size());
  for (const Range& range : ranges_) {
    std::copy(buffer.begin() + static_cast<std::ptrdiff_t>(range.start),
              buffer.begin() + static_cast<std::ptrdiff_t>(range.end),
              bytes.begin() + static_cast<std::ptrdiff_t>(range.moved_to));
  }
  return bytes;
}

}  // namespace clipmill::io::gltf
