// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "core/result.h"
#include "core/settings.h"

/// Recipes as JSON: what their readers share.
namespace clipmill {

Error recipeError(const std::string& place, std::string message, std::string remedy = "");

/// The dotted path of a key: `place`.key, or `place`key behind "file: ".
std::string keyPlace(const std::string& place, std::string_view key);

/// TOML in the shape of JSON, or JSON where the text begins with '{'. Error: kRecipe.
Result<nlohmann::ordered_json> recipeJson(std::string_view text, const std::string& place);

/// The value as `field` wants it. Error: kRecipe where it is of another kind or out of bounds.
Result<SettingValue> settingValueOf(const SettingField& field, const nlohmann::ordered_json& value,
                                    const std::string& place);

}  // namespace clipmill
