// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <span>

#include "core/result.h"
#include "core/warnings.h"
#include "io/io.h"

namespace clipmill::pipeline {

/// True where `output` is a .vrma file and `asset` is none: saveVrmAnimation() writes it.
bool isNewVrmAnimation(const io::Asset& asset, const std::filesystem::path& output);

/// Writes the clips `clips` of `asset`, edited by `edits`, as a VRMA file (vrmAnimationOf()).
/// Returns warnings. Errors: those of vrmAnimationOf() and io::save().
Result<Warnings> saveVrmAnimation(const io::Asset& asset, std::span<const io::ClipEdit> edits,
                                  const Additions& additions, std::span<const int> clips,
                                  const std::filesystem::path& output,
                                  const io::ConversionKeys& keys);

}  // namespace clipmill::pipeline
