// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// clipmill-import FILE MAX_FILE_BYTES MAX_DECODED_BYTES MAX_SECONDS: reads FILE with Assimp and
// writes its scene, or the error, to standard output in the form of io/imported/import_message.h. A
// program of its own because the library ends the process at some inputs, and needs minutes or
// never ends at others: this process ends with its parent, and by its own clock.
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>

#include "core/console.h"
#include "core/system.h"
#include "core/text.h"
#include "io/assimp/read.h"
#include "io/imported/import_message.h"

namespace {

using namespace clipmill;
using namespace clipmill::io::assimp;
using namespace clipmill::io::imported;

Bytes responseFor(const char* path, const io::Limits& limits) {
  try {
    auto imported = io::assimp::readWithAssimp(path, limits);
    return imported ? io::imported::writeImportMessage(*imported)
                    : io::imported::writeImportMessage(imported.error());
  } catch (const std::bad_alloc&) {
    return io::imported::writeImportMessage(
        Error{ErrorCode::kLimit, "", "decodes to more than the limit",
              "raise --max-decoded-mb if the file is meant to be that large"});
  } catch (const std::exception&) {
    return io::imported::writeImportMessage(Error{
        ErrorCode::kMalformed, "", "is damaged, or uses a part of its format that cannot be read",
        "open it in the program that made it and save it as glTF"});
  }
}

}  // namespace

int main(int argc, char** argv) {
  const auto seconds = parseNumber(argc == 5 ? argv[4] : "");
  if (!seconds || !(*seconds > 0.0)) {
    std::fprintf(stderr,
                 "usage: clipmill-import FILE MAX_FILE_BYTES MAX_DECODED_BYTES MAX_SECONDS\n"
                 "clipmill runs it; do not run it by hand\n");
    return 2;
  }
  system::prepareStandardStreams();
  system::endWithParent();
  // The parent's clock comes first: it reports what happened.
  constexpr double kLater_s = 5.0;
  system::endAfter(*seconds + kLater_s);
  std::setlocale(LC_ALL, "C");
  io::Limits limits;
  limits.max_file_bytes = std::strtoull(argv[2], nullptr, 10);
  limits.max_decoded_bytes = std::strtoull(argv[3], nullptr, 10);
  const Bytes bytes = responseFor(argv[1], limits);
  const bool written = std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size() &&
                       std::fflush(stdout) == 0;
  // Skips the destructors of the library: the message is complete, and some of them crash.
  std::_Exit(written ? 0 : 3);
}
