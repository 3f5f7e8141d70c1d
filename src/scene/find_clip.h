// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "scene/scene.h"

namespace clipmill {

/// Indices of the clips that `selector` selects, ascending: a name, a glob of names, or an index
/// where no clip has that name; "all". Empty where there is none.
std::vector<int> clipsMatching(const Scene& scene, std::string_view selector);

/// The Error for a selector that selects no clip, with the nearest name as remedy.
Error noSuchClip(const Scene& scene, const std::string& selector, const std::string& location);

/// The only clip that `selector` selects; of several the one with that very name. Errors, with
/// `location`: kNotFound for none, kRecipe for several.
Result<int> findOneClip(const Scene& scene, const std::string& selector,
                        const std::string& location);

/// The name that `pattern` gives to a clip: each {} in it is replaced by the name of the clip.
std::string patternedName(const std::string& pattern, const std::string& name);

}  // namespace clipmill
