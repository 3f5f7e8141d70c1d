// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <cstdio>
#include <filesystem>

#include "core/file.h"
#include "make_samples/samples.h"

namespace {

clipmill::Status writeSample(const clipmill::samples::Sample& sample,
                             const std::filesystem::path& folder) {
  CLIPMILL_TRY(const clipmill::Bytes bytes, clipmill::samples::fileOf(sample));
  const std::filesystem::path path = folder / sample.path;
  std::error_code failure;
  std::filesystem::create_directories(path.parent_path(), failure);
  if (failure) {
    return clipmill::Error{clipmill::ErrorCode::kWrite, path.parent_path().string(),
                           "the folder could not be made: " + failure.message(), ""};
  }
  CLIPMILL_CHECK(clipmill::writeFileAtomically(path, bytes));
  std::printf("%s: %zu bytes\n", path.string().c_str(), bytes.size());
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: make_samples OUT_DIR\n");
    return 2;
  }
  for (const clipmill::samples::Sample& sample : clipmill::samples::makeSamples()) {
    if (const clipmill::Status status = writeSample(sample, argv[1]); !status) {
      std::fprintf(stderr, "make_samples: %s\n", clipmill::describe(status.error()).c_str());
      return 1;
    }
  }
  return 0;
}
