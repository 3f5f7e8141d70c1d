// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string_view>

#include "anim/track.h"

namespace clipmill::gltf {

/// The words by which glTF names what a channel moves ("translation") and how a sampler
/// interpolates ("CUBICSPLINE"); nothing for words that it does not have.
const char* wordOf(TrackPath path);
const char* wordOf(Interpolation interpolation);
std::optional<TrackPath> pathOfWord(std::string_view word);
std::optional<Interpolation> interpolationOfWord(std::string_view word);

}  // namespace clipmill::gltf
