// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/gltf/byte_blocks.h"

#include <algorithm>

#include "core/system.h"

namespace clipmill::io::gltf {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 20;

// So many are given back at a time.
constexpr std::size_t kBlocksBack = 8;

}  // namespace

void ByteBlocks::append(std::span<const std::byte> bytes) {
  size_ += bytes.size();
  while (!bytes.empty()) {
    if (blocks_.empty() || blocks_.back().size() == kBlockBytes) blocks_.emplace_back();
    Bytes& block = blocks_.back();
    const auto fitting = bytes.first(std::min(bytes.size(), kBlockBytes - block.size()));
    block.insert(block.end(), fitting.begin(), fitting.end());
    bytes = bytes.subspan(fitting.size());
  }
}

void ByteBlocks::moveTo(Bytes& bytes) {
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    bytes.insert(bytes.end(), blocks_[i].begin(), blocks_[i].end());
    Bytes().swap(blocks_[i]);
    const bool is_last = i + 1 == blocks_.size();
    if ((i + 1) % kBlocksBack == 0 || (is_last && i > 0)) system::returnMemory();
  }
  blocks_.clear();
  size_ = 0;
}

}  // namespace clipmill::io::gltf
