// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/edit/each_motion.h"

#include "core/parallel.h"

namespace clipmill::stages::edit {

Result<std::vector<StageResult>> eachMotion(
    const StageInput& input, const std::function<Status(const Motion&, StageResult&)>& edit) {
  std::vector<StageResult> results(input.motions.size());
  std::vector<Status> done(input.motions.size());
  parallelFor(results.size(), 1, input.threads, [&](std::size_t start, std::size_t end) {
    for (std::size_t i = start; i < end; ++i) done[i] = edit(input.motions[i], results[i]);
  });
  for (const Status& status : done) CLIPMILL_CHECK(status);
  return results;
}

}  // namespace clipmill::stages::edit
