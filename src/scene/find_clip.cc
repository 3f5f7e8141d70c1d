// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "scene/find_clip.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "core/text.h"
#include "core/to_size.h"

namespace clipmill {

std::vector<int> clipsMatching(const Scene& scene, std::string_view selector) {
  std::vector<int> found;
  const int count = static_cast<int>(scene.clips.size());
  for (int i = 0; i < count; ++i) {
    const std::string& name = scene.clips[toSize(i)].name;
    if (selector == "all" || name == selector || matchesGlob(selector, name)) found.push_back(i);
  }
  const auto index = parseNumber(selector);
  if (found.empty() && index && *index >= 0 && *index < count && *index == std::floor(*index)) {
    found.push_back(static_cast<int>(*index));
  }
  return found;
}

Error noSuchClip(const Scene& scene, const std::string& selector, const std::string& location) {
  std::vector<std::string> names;
  for (const Clip& clip : scene.clips) names.push_back(clip.name);
  const auto nearest = nearestWord(selector, names);
  return Error{ErrorCode::kNotFound, location, "no clip has the name or index '" + selector + "'",
               nearest ? "did you mean '" + *nearest + "'?"
                       : "the file has " + counted(names.size(), "clip")};
}

Result<int> findOneClip(const Scene& scene, const std::string& selector,
                        const std::string& location) {
  const std::vector<int> found = clipsMatching(scene, selector);
  if (found.empty()) return noSuchClip(scene, selector, location);
  if (found.size() == 1) return found.front();
  std::vector<int> namesakes;
  std::copy_if(found.begin(), found.end(), std::back_inserter(namesakes),
               [&](int clip) { return scene.clips[toSize(clip)].name == selector; });
  if (namesakes.size() == 1) return namesakes.front();
  return Error{ErrorCode::kRecipe, location, "matches " + counted(found.size(), "clip"),
               "name one of them"};
}

std::string patternedName(const std::string& pattern, const std::string& name) {
  constexpr std::string_view kOwn = "{}";
  std::string result = pattern;
  for (std::size_t at = result.find(kOwn); at != std::string::npos;
       at = result.find(kOwn, at + name.size())) {
    result.replace(at, kOwn.size(), name);
  }
  return result;
}

}  // namespace clipmill
