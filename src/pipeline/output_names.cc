// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "pipeline/output_names.h"

#include <algorithm>
#include <set>

#include "core/file_names.h"
#include "core/text.h"

namespace clipmill::pipeline {
namespace {

constexpr std::string_view kLabelField = "{}";

// One part of a path, with the label in it.
std::string withLabel(std::string_view part, const std::string& label) {
  std::string name(part);
  std::size_t at = name.find(kLabelField);
  if (at == std::string::npos) return name;
  while (at != std::string::npos) {
    name.replace(at, kLabelField.size(), label);
    at = name.find(kLabelField, at + label.size());
  }
  return withoutDeviceName(name);
}

std::string escapedForMake(const std::filesystem::path& path) {
  // The colon behind a volume letter separates nothing for make on Windows, where backslashes that
  // separate folders become slashes: elsewhere a backslash is a letter of a name.
  std::string text = path.root_name().generic_string();
  std::size_t backslashes = 0;  // at the end of `text`, and the path's own
  for (char c : path.generic_string().substr(text.size())) {
    // Before a space or a number sign make takes pairs of backslashes for one; elsewhere they are
    // kept for themselves.
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
  const std::string word = fitForFileName(label);
  if (!isOutputPattern(pattern)) {
    return pattern.parent_path() /
           (pattern.stem().string() + "_" + word + pattern.extension().string());
  }
  const std::string path = pattern.generic_string();
  std::string name;
  for (std::string_view part : splitText(path, '/')) {
    name += withLabel(part, word) + '/';
  }
  name.pop_back();
  return name;
}

bool isOutputPattern(const std::filesystem::path& path) {
  return path.string().find(kLabelField) != std::string::npos;
}

std::vector<std::filesystem::path> distinctOutputNamesOf(const std::filesystem::path& pattern,
                                                         std::span<const std::string> labels) {
  std::vector<std::filesystem::path> names;
  std::set<std::string> taken;
  const auto take = [&](const std::filesystem::path& name) {
    return taken.insert(smallLetters(name.generic_string())).second;
  };
  // Numbers are given to no name that a label has by itself.
  std::vector<std::size_t> later;
  for (const std::string& label : labels) {
    names.push_back(outputNameOf(pattern, label));
    if (!take(names.back())) later.push_back(names.size() - 1);
  }
  for (std::size_t i : later) {
    for (int number = 2; !take(names[i]); ++number) {
      names[i] = outputNameOf(pattern, labels[i] + "_" + std::to_string(number));
    }
  }
  return names;
}

Result<std::vector<std::filesystem::path>> outputNamesOf(
    const std::filesystem::path& pattern, std::span<const stages::StageVariant> variants) {
  std::vector<std::string> labels;
  for (const stages::StageVariant& variant : variants) {
    if (std::find(labels.begin(), labels.end(), variant.label) != labels.end()) {
      return Error{ErrorCode::kUsage, outputNameOf(pattern, variant.label).string(),
                   "would be written twice", "ask for outputs that differ"};
    }
    labels.push_back(variant.label);
  }
  return distinctOutputNamesOf(pattern, labels);
}

std::string dependencyRule(const std::vector<std::filesystem::path>& outputs,
                           const std::vector<std::filesystem::path>& inputs) {
  std::string rule;
  for (const std::filesystem::path& output : outputs) {
    rule += (rule.empty() ? "" : " ") + escapedForMake(output);
  }
  rule += ":";
  for (const std::filesystem::path& input : inputs) rule += " " + escapedForMake(input);
  return rule + "\n";
}

}  // namespace clipmill::pipeline
