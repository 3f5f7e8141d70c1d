// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/limits.h"
#include "core/result.h"
#include "pipeline/recipe.h"

namespace clipmill::pipeline {

/// A recipe with the springs of a file, and notes, one line each.
struct FoundSprings {
  Recipe recipe;  ///< One stage, dynamic-bones with the method spring.
  std::vector<std::string> notes;
};

/// The springs in a model (VRM, or glTF with extras.dynbone) or in the text of a Unity scene or
/// prefab, detected by content. Errors: those of io::load(), addFileSprings() and
/// stages::dynamic_bones::unity::addUnitySprings(), and kNotFound where there is no spring.
Result<FoundSprings> findSprings(const std::filesystem::path& path, const io::Limits& limits);

}  // namespace clipmill::pipeline
