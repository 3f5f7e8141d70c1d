// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/file.h"

namespace clipmill::io::gltf {

/// Many bytes in blocks, which grow without a copy of those before, and are moved to the end of
/// other bytes without both in memory.
class ByteBlocks {
 public:
  void append(std::span<const std::byte> bytes);
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  /// Copies all to the end of `bytes`; gives each block back once it is copied.
  void moveTo(Bytes& bytes);

 private:
  std::vector<Bytes> blocks_;
  std::size_t size_ = 0;
};

}  // namespace clipmill::io::gltf
