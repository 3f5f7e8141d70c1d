// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "scene/scene.h"

namespace clipmill {

/// Indices of the clips that `selector` means, ascending: a name, a glob of names, or an index
/// where no clip is called so; "all". Empty where there is none.
std::vector<int> clipsMatching(const Scene& scene, std::string_view selector);

/// The Error for a selector that means no clip, with the nearest name as remedy.
Error noSuchClip(const Scene& scene, const std::string& selector, const std::string& place);

/// The only clip that `selector` means; of several the one with that very name. Errors, with
/// `place`: kNotFound for none, kRecipe for several.
Result<int> findOneClip(const Scene& scene, const std::string& selector, const std::string& place);

/// What `pattern` calls a clip: each {} in it stands for the name that the clip has.
std::string patternedName(const std::string& pattern, const std::string& name);

}  // namespace clipmill
