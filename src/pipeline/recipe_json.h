// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "core/result.h"
#include "core/settings.h"

/// Recipes as JSON: what their readers share.
namespace clipmill::pipeline {

Error recipeError(const std::string& location, std::string message, std::string remedy = "");

/// The dotted path of a key: `location`.key, or `location`key after "file: ".
std::string keyLocation(const std::string& location, std::string_view key);

/// TOML in the shape of JSON, or JSON where the text starts with '{'. Error: kRecipe.
Result<nlohmann::ordered_json> recipeJson(std::string_view text, const std::string& location);

/// The value as `field` wants it. Error: kRecipe where it is of another kind or out of bounds.
Result<SettingValue> settingValueOf(const SettingField& field, const nlohmann::ordered_json& value,
                                    const std::string& location);

}  // namespace clipmill::pipeline
