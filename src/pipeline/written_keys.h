// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "anim/motion.h"
#include "io/io.h"
#include "pipeline/recipe.h"
#include "pipeline/report.h"

namespace clipmill::pipeline {

/// The keys to write for `motions`, one ClipEdit each; `reports`, one each too, receive how many
/// there are and how far they are off. The same for any number of threads.
/// Weights of nodes to which stages added morphs may move a vertex by the tolerance of the output,
/// those of others may be off as KeyReductionSettings has it.
std::vector<io::ClipEdit> keysToWrite(const Scene& scene, const OutputSettings& output,
                                      std::span<const AddedMorph> added,
                                      const std::vector<Motion>& motions, int threads,
                                      std::vector<ClipReport>& reports);

}  // namespace clipmill::pipeline
