// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "pipeline/output_names.h"

#include <algorithm>

namespace clipmill {
namespace {

constexpr std::string_view kPlaceForLabel = "{}";

bool isFitForNames(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         std::string_view("._+-").find(c) != std::string_view::npos;
}

std::string labelForNames(std::string_view label) {
  std::string text(label);
  std::replace_if(
      text.begin(), text.end(), [](char c) { return !isFitForNames(c); }, '_');
  return text;
}

std::string escapedForMake(const std::string& path) {
  std::string text;
  std::size_t backslashes = 0;  // at the end of `text`, and the path's own
  for (char c : path) {
    // Before a space or a number sign make takes pairs of backslashes for one; elsewhere they stand
    // for themselves.
    if (c == ' ' || c == '#') text += std::string(backslashes + 1, '\\');
    if (c == ':' || c == '%') text += '\\';
    if (c == '$') text += '$';
    text += c;
    backslashes = c == '\\' ? backslashes + 1 : 0;
  }
  return text;
}

}  // namespace

std::filesystem::path outputNameOf(const std::filesystem::path& pattern, std::string_view label) {
  if (label.empty()) return pattern;
  const std::string word = labelForNames(label);
  std::string name = pattern.string();
  std::size_t at = name.find(kPlaceForLabel);
  if (at == std::string::npos) {
    return pattern.parent_path() /
           (pattern.stem().string() + "_" + word + pattern.extension().string());
  }
  while (at != std::string::npos) {
    name.replace(at, kPlaceForLabel.size(), word);
    at = name.find(kPlaceForLabel, at + word.size());
  }
  return name;
}

bool isOutputPattern(const std::filesystem::path& path) {
  return path.string().find(kPlaceForLabel) != std::string::npos;
}

Result<std::vector<std::filesystem::path>> outputNamesOf(const std::filesystem::path& pattern,
                                                         std::span<const StageVariant> variants) {
  std::vector<std::filesystem::path> names;
  for (const StageVariant& variant : variants) {
    const std::filesystem::path name = outputNameOf(pattern, variant.label);
    if (std::find(names.begin(), names.end(), name) != names.end()) {
      return Error{ErrorCode::kUsage, name.string(), "would be written twice",
                   "ask for outputs that differ"};
    }
    names.push_back(name);
  }
  return names;
}

std::string dependencyRule(const std::vector<std::filesystem::path>& outputs,
                           const std::vector<std::filesystem::path>& inputs) {
  std::string rule;
  for (const std::filesystem::path& output : outputs) {
    rule += (rule.empty() ? "" : " ") + escapedForMake(output.string());
  }
  rule += ":";
  for (const std::filesystem::path& input : inputs) rule += " " + escapedForMake(input.string());
  return rule + "\n";
}

}  // namespace clipmill
