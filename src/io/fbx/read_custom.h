// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "anim/skeleton.h"
#include "io/fbx/document.h"

namespace clipmill::io::fbx {

/// User properties of a Model.
struct CustomProperties {
  std::vector<CustomProperty> carried;
  std::vector<std::string> dropped;  ///< Names of those that other formats could not store.
};

/// Those of the object's own block: properties with the flag "U".
CustomProperties customPropertiesOf(const Object& object);

/// Whether the Model is hidden with all below it: `Visibility` is 0, or `Show` is and no Model is
/// below it.
bool isHidden(const Document& document, int model);

}  // namespace clipmill::io::fbx
