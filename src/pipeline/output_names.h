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

namespace clipmill::pipeline {

/// Endings of files beside an output: the report of its run, and the page that shows it before and
/// after.
inline constexpr const char* kReportEnding = ".report.json";
inline constexpr const char* kPreviewEnding = ".preview.html";

/// The name of one of several outputs: every {} of `pattern` is `label`; in a name without {} the
/// label is before the extension, after an underscore. The label stays as it is, in UTF-8, but
/// for what file systems forbid: see fitForFileName() and withoutDeviceName(). An empty label gives
/// `pattern` itself.
std::filesystem::path outputNameOf(const std::filesystem::path& pattern, std::string_view label);

/// Whether the name has a field for labels.
bool isOutputPattern(const std::filesystem::path& path);

/// outputNameOf() for each label. Of names that differ in nothing, or in the case of letters alone,
/// the first stays; the labels of the others get a number that makes them differ: "walk",
/// "Walk_2".
std::vector<std::filesystem::path> distinctOutputNamesOf(const std::filesystem::path& pattern,
                                                         std::span<const std::string> labels);

/// distinctOutputNamesOf() for the variants. Error: kUsage where two have the same label.
Result<std::vector<std::filesystem::path>> outputNamesOf(
    const std::filesystem::path& pattern, std::span<const stages::StageVariant> variants);

/// A make rule with the files that the outputs were made from, for build systems.
std::string dependencyRule(const std::vector<std::filesystem::path>& outputs,
                           const std::vector<std::filesystem::path>& inputs);

}  // namespace clipmill::pipeline
