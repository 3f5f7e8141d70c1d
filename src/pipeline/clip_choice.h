// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "anim/motion.h"
#include "core/limits.h"
#include "core/result.h"
#include "scene/scene.h"

namespace clipmill::pipeline {

/// Indices of the clips that the selectors match, ascending: "all", an index, a name, or a glob of
/// names. `location` is the setting that has them. Error: kNotFound with the nearest name.
Result<std::vector<int>> selectClips(const Scene& scene, const std::vector<std::string>& selectors,
                                     const std::string& location = "--clip");

/// The names of those clips; the index of one without a name.
std::vector<std::string> clipLabels(const Scene& scene, const std::vector<int>& clips);

/// Those clips on their own frames, or at `fps` where that is above 0. Error: kLimit where they
/// need more memory than `limits` allow.
Result<std::vector<Motion>> sampleClips(const Scene& scene, const std::vector<int>& clips,
                                        double fps, int threads, const io::Limits& limits);

}  // namespace clipmill::pipeline
