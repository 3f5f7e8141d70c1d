// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "stages/stage.h"

namespace clipmill {

/// The name of one of several outputs: every {} of `pattern` is `label`; in a name without {} the
/// label stands before the extension, after an underscore. What a file name should not hold becomes
/// '_' in the label. An empty label gives `pattern` itself.
std::filesystem::path outputNameOf(const std::filesystem::path& pattern, std::string_view label);

/// True for a name with a place for labels.
bool isOutputPattern(const std::filesystem::path& path);

/// outputNameOf() for each variant. Error: kUsage where two get the same name.
Result<std::vector<std::filesystem::path>> outputNamesOf(const std::filesystem::path& pattern,
                                                         std::span<const StageVariant> variants);

/// A make rule that says what the outputs were made from, for build systems.
std::string dependencyRule(const std::vector<std::filesystem::path>& outputs,
                           const std::vector<std::filesystem::path>& inputs);

}  // namespace clipmill
