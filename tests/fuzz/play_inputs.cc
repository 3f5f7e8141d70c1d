// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// play_TARGET FILE_OR_FOLDER..: gives each file to a fuzz target instead of libFuzzer, so that
// every compiler and every platform can play what fuzzing kept.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <vector>

#include "core/file.h"
#include "core/utf8_path.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

// Mutators of targets refer to it. Nothing is mutated here.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t*, std::size_t size, std::size_t) {
  return size;
}

namespace {

// Sorted, so that every run plays the same.
std::vector<std::filesystem::path> filesOf(const std::filesystem::path& path) {
  if (!std::filesystem::is_directory(path)) return {path};
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(path)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

bool play(const std::filesystem::path& path) {
  const auto bytes = clipmill::readFile(path, std::uint64_t{1} << 30);
  if (!bytes) {
    std::fprintf(stderr, "%s\n", clipmill::describe(bytes.error()).c_str());
    return false;
  }
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes->data()), bytes->size());
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t count = 0;
  for (int i = 1; i < argc; ++i) {
    for (const std::filesystem::path& file : filesOf(clipmill::utf8Path(argv[i]))) {
      if (!play(file)) return 1;
      ++count;
    }
  }
  std::printf("%zu inputs\n", count);
  return count == 0;
}
