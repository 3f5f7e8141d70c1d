// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// Any bytes as .npy or .npz: refused with one line, or a scene that is consistent and poses.
#include <cstdint>
#include <string>

#include "anim/pose.h"
#include "core/file.h"
#include "fuzz_checks.h"
#include "fuzz_scene.h"
#include "io/arrays/array_file.h"
#include "io/arrays/arrays_format.h"

namespace {

using namespace clipmill;
using namespace clipmill::io::arrays;
using fuzz::requireOneLine;

constexpr io::Limits kLimits{std::uint64_t{1} << 20, std::uint64_t{8} << 20, 64};

void readAll(std::span<const std::byte> bytes) {
  auto file = ArrayFile::open(bytes, kLimits);
  if (!file) {
    requireOneLine(file.error());
    return;
  }
  for (const std::string& name : file->names()) {
    const auto array = file->read(name);
    if (!array) {
      requireOneLine(array.error());
      continue;
    }
    static_cast<void>(numbersOf(*array));
    static_cast<void>(textsOf(*array));
    const auto again = readNpy(writeNpy(*array), kLimits.max_decoded_bytes);
    fuzz::require(again && again->data == array->data, "an array is not read as it is written");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data), size);
  looksLikeArrays(bytes);
  readAll(bytes);
  auto made = readArrays(bytes, "clip", {}, kLimits);
  if (!made) {
    requireOneLine(made.error());
    return 0;
  }
  if (const Status checked = io::imported::checkImported(*made); !checked) {
    requireOneLine(checked.error());
    return 0;
  }
  io::imported::addClips(made->clips, made->scene);
  fuzz::sampleClips(made->scene);
  return 0;
}
