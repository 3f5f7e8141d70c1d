// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "io/gltf/document.h"
#include "io/gltf/write_buffer.h"

namespace clipmill::io::gltf {

/// Finds the accessors of a GLB whose numbers can be replaced where they are, so that the file does
/// not keep data that nothing refers to.
class ReplaceableData {
 public:
  explicit ReplaceableData(const Document& document);

  /// Elements one behind the other in the BIN chunk.
  struct Location {
    std::size_t offset = 0;  ///< In bytes, from the start of the chunk.
    std::size_t count = 0;   ///< Of elements.
    glb_writer::Component component = glb_writer::Component::kF32;
  };
  /// Where the numbers of an accessor are, four plain ones an element, when `uses` references to it
  /// are all that get others. None where the file refers to it, or to any of its bytes, elsewhere
  /// too.
  std::optional<Location> locationOf(int accessor, std::size_t uses) const;

 private:
  struct Range {
    std::size_t start = 0, end = 0;
    int accessor = -1;  // -1: a view that something other than accessors refers to
  };

  bool addRanges(const std::vector<int>& views);
  bool isShared(const Range& range) const;

  const Document& document_;
  std::map<int, std::size_t> uses_;  // references to an accessor
  // Within their buffers, as if these were one: at worst too much counts as shared.
  std::vector<Range> ranges_;
};

}  // namespace clipmill::io::gltf
