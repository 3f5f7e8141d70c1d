// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// Any bytes as tetrahedra in a clip (.tets). They are refused with one line, or the file is as long
// as its header requires, so that a page may read it without looking.
#include <cstdint>
#include <span>

#include "fuzz_checks.h"
#include "mesh/tet_motion.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace clipmill;
  const auto info = checkTetMotion(std::as_bytes(std::span(data, size)));
  if (!info) {
    fuzz::requireOneLine(info.error());
    return 0;
  }
  const std::size_t head = (76 + info->clip.size() + 3) / 4 * 4;
  const std::size_t tets = (17 * info->tets + 3) / 4 * 4;
  fuzz::require(head + tets + 6 * info->corners * (info->frames + 1) == size, "another length");
  return 0;
}
