// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/gltf/byte_blocks.h"

#include "checks.h"

TEST_SUITE_BEGIN("gltf.byte_blocks");

using namespace clipmill;

TEST_CASE("Bytes come out of blocks in order, behind those that are there") {
  Bytes expected{std::byte{7}};
  Bytes bytes = expected;
  io::gltf::ByteBlocks blocks;
  CHECK(blocks.empty());
  // About 12 blocks in parts that do not divide them.
  for (std::size_t part = 0; part < 40; ++part) {
    Bytes more(300'001 + part, static_cast<std::byte>(part));
    more.front() = std::byte{255};
    blocks.append(more);
    expected.insert(expected.end(), more.begin(), more.end());
  }
  CHECK(blocks.size() + 1 == expected.size());
  blocks.moveTo(bytes);
  CHECK(bytes == expected);
  CHECK(blocks.empty());
  blocks.moveTo(bytes);
  CHECK(bytes == expected);
}
