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

namespace clipmill::pipeline {

/// Reads the [[rule]] tables of a recipe whose stages are known: `clips`, a glob or several, and
/// `set`, values by dotted keys or nested tables. Errors (kRecipe) as for all keys of a recipe; a
/// rule that sets nothing is an error too.
Status readRules(const nlohmann::ordered_json& rules, const std::string& location, Recipe& recipe);

/// Indices of the rules that apply to a file, first to last. `name` is its name below the
/// folder that was asked for, with '/'; a * of a glob matches folders too.
std::vector<std::size_t> rulesFor(const Recipe& recipe, std::string_view name);

/// The recipe with what these rules set, and without rules. Its settings are its own.
Result<Recipe> withRules(const Recipe& recipe, std::span<const std::size_t> rules);

/// The recipe for the file of that name, with its rules applied.
Result<Recipe> recipeFor(const Recipe& recipe, std::string_view name);

/// Text: each rule that applies to the file, the values it sets, and which of them a later rule
/// overrides.
std::string explainRules(const Recipe& recipe, std::string_view name);

}  // namespace clipmill::pipeline
