// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/result.h"
#include "pipeline/recipe.h"

namespace clipmill {

/// Reads the [[rule]] tables of a recipe whose stages are known: `clips`, a glob or several, and
/// `set`, values by dotted keys or nested tables. Errors (kRecipe) as for all keys of a recipe; a
/// rule that can set nothing is one too.
Status readRules(const nlohmann::ordered_json& rules, const std::string& place, Recipe& recipe);

/// Indices of the rules that are meant for a file, first to last. `name` is its name below the
/// folder that was asked for, with '/'; a * of a glob stands for folders too.
std::vector<std::size_t> rulesFor(const Recipe& recipe, std::string_view name);

/// The recipe with what these rules set, and without rules. Its settings are its own.
Result<Recipe> withRules(const Recipe& recipe, std::span<const std::size_t> rules);

/// The recipe as it is for the file of that name.
Result<Recipe> recipeFor(const Recipe& recipe, std::string_view name);

/// For people: each rule that is meant for the file, what it sets, and which of that a later rule
/// sets again.
std::string explainRules(const Recipe& recipe, std::string_view name);

}  // namespace clipmill
