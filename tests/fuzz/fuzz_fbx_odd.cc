// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// As fuzz_fbx.cc, over files that stay valid trees: libFuzzer's own changes of bytes come in now
// and then, so that both kinds meet.
#include <cstring>

#include "fbx_mutator.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  constexpr unsigned kBytesNowAndThen = 16;
  if (seed % kBytesNowAndThen == 0) return LLVMFuzzerMutate(data, size, max_size);
  const auto* start = reinterpret_cast<const std::byte*>(data);
  clipmill::fuzz::FbxMutator mutator(seed);
  const clipmill::Bytes changed = mutator.mutated(clipmill::Bytes(start, start + size));
  if (changed.empty() || changed.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::memcpy(data, changed.data(), changed.size());
  return changed.size();
}
