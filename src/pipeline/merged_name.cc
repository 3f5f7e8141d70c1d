// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "core/text.h"
#include "pipeline/merge.h"

namespace clipmill::pipeline {
namespace {

void replaceAll(const std::string& field, const std::string& value, std::string& text) {
  for (std::size_t at = text.find(field); at != std::string::npos;
       at = text.find(field, at + value.size())) {
    text.replace(at, field.size(), value);
  }
}

}  // namespace

std::string withoutPrefix(const std::string& name, const std::string& glob) {
  if (glob.empty()) return name;
  for (std::size_t length = 1; length < name.size(); ++length) {
    if (matchesGlob(glob, std::string_view(name).substr(0, length))) return name.substr(length);
  }
  return name;
}

std::string mergedName(const std::string& pattern, const std::string& prefix,
                       const io::Asset& source, int clip) {
  const std::string of_clip = withoutPrefix(clipNameOf(source, clip), prefix);
  const std::string of_file = withoutPrefix(source.path.stem().string(), prefix);
  std::string name = pattern == "file" ? "{file}" : pattern == "clip" ? "{clip}" : pattern;
  const bool is_one = source.scene.clips.size() == 1;
  if (!is_one && name.find("{clip}") == std::string::npos) name += "_{clip}";
  replaceAll("{file}", of_file, name);
  replaceAll("{clip}", of_clip, name);
  return name;
}

}  // namespace clipmill::pipeline
