// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "anim/skeleton.h"

namespace clipmill::io::gltf {

/// A member of the extras of a node; nothing where other formats could not store it (objects,
/// null, lists other than of three numbers).
std::optional<CustomProperty> customPropertyOf(const std::string& name,
                                               const nlohmann::json& value);

/// The member's value for such a property.
nlohmann::ordered_json jsonOf(const CustomProperty& property);

/// What of a node's JSON is no transform: its custom properties, and whether it is visible. Faults
/// are ignored: they concern no pose.
void readNodeExtras(const nlohmann::json& json, Node& node);

}  // namespace clipmill::io::gltf
