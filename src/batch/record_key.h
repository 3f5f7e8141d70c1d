// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <vector>

#include "batch/work.h"
#include "io/io.h"
#include "pipeline/recipe.h"

namespace clipmill::batch {

/// Versions of all code that makes results: each is raised whenever the same input gives another
/// result.
struct ResultVersions {
  std::string program;
  int key_reduction = 0;
  std::map<io::OutputFormat, int> writers;
  std::map<std::string, int> stages;  ///< By StageType::name.
};

/// Those of this program.
ResultVersions currentVersions();

/// What an output of that format depends on besides files, as a hash (XXH3-128): all settings of
/// `recipe`, which has no rules left, the choice of clips, what is written beside the output, and
/// the versions of the program, of key reduction, of the stages of the recipe and of the writers
/// that are used. The hash is of bytes: each field follows its length, and numbers are their
/// bits, so that two different requests have different bytes.
std::string recordKey(const pipeline::Recipe& recipe, io::OutputFormat format,
                      const std::vector<std::string>& clips, const BesideOutputs& beside,
                      const ResultVersions& versions);

}  // namespace clipmill::batch
