// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "scene/custom_property.h"

#include <algorithm>
#include <iterator>

namespace clipmill {

bool isCustomName(std::string_view name) {
  constexpr std::string_view kTaken[] = {
      "RotationActive", "InheritType",  "DefaultAttributeIndex",
      "Visibility",     "Show",         "RotationOrder",
      "PreRotation",    "PostRotation", "Visibility Inheritance"};
  return !name.empty() && !name.starts_with("Lcl ") &&
         std::find(std::begin(kTaken), std::end(kTaken), name) == std::end(kTaken);
}

}  // namespace clipmill
