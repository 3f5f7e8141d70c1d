// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// clipmill-import FILE MAX_FILE_BYTES MAX_DECODED_BYTES: reads FILE with Assimp and writes its
// scene, or the error, to standard output in the form of io/import/scene_wire.h. A program of its
// own because the library ends the process at some inputs.
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>

#include "io/assimp/read.h"
#include "io/import/scene_wire.h"

namespace {

using namespace clipmill;

Bytes answer(const char* path, const io::Limits& limits) {
  try {
    auto imported = io::readWithAssimp(path, limits);
    return imported ? io::writeWire(*imported) : io::writeWire(imported.error());
  } catch (const std::bad_alloc&) {
    return io::writeWire(Error{ErrorCode::kLimit, "", "decodes to more than the limit",
                               "raise --max-decoded-mb if the file is meant to be that large"});
  } catch (const std::exception& fault) {
    return io::writeWire(Error{ErrorCode::kMalformed, "", fault.what(), ""});
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr,
                 "usage: clipmill-import FILE MAX_FILE_BYTES MAX_DECODED_BYTES\n"
                 "clipmill runs it; there is no reason to do so by hand\n");
    return 2;
  }
  std::setlocale(LC_ALL, "C");
  io::Limits limits;
  limits.max_file_bytes = std::strtoull(argv[2], nullptr, 10);
  limits.max_decoded_bytes = std::strtoull(argv[3], nullptr, 10);
  const Bytes bytes = answer(argv[1], limits);
  const bool written = std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size() &&
                       std::fflush(stdout) == 0;
  // Without the destructors of the library: all is said, and some of them break too.
  std::_Exit(written ? 0 : 3);
}
