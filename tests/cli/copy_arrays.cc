// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// Reads all arrays of a file and writes them again, for NumPy to compare: copy_arrays IN OUT
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "core/file.h"
#include "io/arrays/array_file.h"

namespace {

using namespace clipmill;
using namespace clipmill::io::arrays;

Status copyArrays(const char* from, const char* to) {
  constexpr io::Limits kLimits{std::uint64_t{1} << 30, std::uint64_t{1} << 26, 64};
  CLIPMILL_TRY(const Bytes bytes, readFile(from, kLimits.max_file_bytes));
  if (!looksLikeArrays(bytes)) return Error{ErrorCode::kUnsupported, from, "has no arrays", ""};
  CLIPMILL_TRY(ArrayFile file, ArrayFile::open(bytes, kLimits));
  std::vector<std::pair<std::string, Array>> arrays;
  for (const std::string& name : file.names()) {
    CLIPMILL_TRY(Array array, file.read(name));
    arrays.emplace_back(name.empty() ? "array" : name, std::move(array));
  }
  CLIPMILL_TRY(const Bytes npz, writeNpz(arrays));
  return writeFileAtomically(to, npz);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const Status done = copyArrays(argv[1], argv[2]);
  if (done) return 0;
  std::fprintf(stderr, "%s\n", describe(done.error()).c_str());
  return 3;
}
