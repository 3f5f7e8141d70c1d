// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// Any text as a table of face weights: refused with one line, or a scene that is consistent and
// poses.
#include <cstdint>
#include <string_view>

#include "core/file.h"
#include "fuzz_checks.h"
#include "fuzz_scene.h"
#include "io/face_csv/face_csv_format.h"

namespace {

using namespace clipmill;
using fuzz::require;
using fuzz::requireOneLine;

constexpr io::Limits kLimits{std::uint64_t{1} << 20, std::uint64_t{8} << 20, 64};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const bool is_table = io::face_csv::looksLikeFaceCsv(text);
  auto made = io::face_csv::readFaceCsv(text, "talk", {}, kLimits);
  if (!made) {
    requireOneLine(made.error());
    return 0;
  }
  constexpr std::size_t kFewestShapes = 10, kMostOfHeader = 1 << 14;
  require(is_table || size > kMostOfHeader || made->scene.face.expressions.size() < kFewestShapes,
          "a table that is read is not known as one");
  const Status checked = io::imported::checkImported(*made);
  require(checked.ok(),
          "a scene that contradicts itself:", checked ? "" : describe(checked.error()));
  io::imported::addClips(made->clips, made->scene);
  fuzz::sampleClips(made->scene);
  return 0;
}
