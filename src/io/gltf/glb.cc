// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/gltf/glb.h"

#include <cstdint>
#include <limits>

namespace clipmill::io::gltf {
namespace {

void appendWord(Bytes& bytes, std::uint32_t word) {
  for (int shift = 0; shift < 32; shift += 8)
    bytes.push_back(static_cast<std::byte>(word >> shift & 255));
}

void appendChunkHeader(Bytes& bytes, std::uint32_t type, std::size_t size) {
  appendWord(bytes, static_cast<std::uint32_t>(padded(size)));
  appendWord(bytes, type);
}

void appendChunk(Bytes& bytes, std::uint32_t type, std::span<const std::byte> content,
                 std::byte padding) {
  appendChunkHeader(bytes, type, content.size());
  bytes.insert(bytes.end(), content.begin(), content.end());
  bytes.resize(padded(bytes.size()), padding);
}

}  // namespace

Result<Bytes> assembleGlb(std::string_view json_text, const Bytes* bin,
                          std::span<const ExtraChunk> extra_chunks, ByteBlocks bin_end) {
  constexpr std::size_t kHeaderBytes = 12, kChunkHeaderBytes = 8;
  std::size_t total = kHeaderBytes + kChunkHeaderBytes + padded(json_text.size());
  const std::size_t bin_bytes = bin ? bin->size() + bin_end.size() : 0;
  if (bin) total += kChunkHeaderBytes + padded(bin_bytes);
  for (const ExtraChunk& chunk : extra_chunks)
    total += kChunkHeaderBytes + padded(chunk.bytes.size());
  if (total > std::numeric_limits<std::uint32_t>::max()) {
    return Error{ErrorCode::kLimit, "", "exceeds the 4 GiB that a GLB can store",
                 "write fewer keys with --keys reduced"};
  }
  Bytes bytes;
  bytes.reserve(total);
  appendWord(bytes, kGlbMagic);
  appendWord(bytes, 2);
  appendWord(bytes, static_cast<std::uint32_t>(total));
  appendChunk(bytes, kJsonChunk, asBytes(json_text), std::byte{' '});
  if (bin) {
    appendChunkHeader(bytes, kBinChunk, bin_bytes);
    bytes.insert(bytes.end(), bin->begin(), bin->end());
    bin_end.moveTo(bytes);
    bytes.resize(padded(bytes.size()), std::byte{0});
  }
  for (const ExtraChunk& chunk : extra_chunks) {
    appendChunk(bytes, chunk.type, chunk.bytes, std::byte{0});
  }
  return bytes;
}

}  // namespace clipmill::io::gltf
