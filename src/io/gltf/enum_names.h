// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string_view>

#include "anim/track.h"

namespace clipmill::io::gltf {

/// The glTF names of channel paths ("translation") and of interpolations ("CUBICSPLINE"), and the
/// reverse; empty for unknown names.
const char* nameOf(TrackPath path);
const char* nameOf(Interpolation interpolation);
std::optional<TrackPath> trackPathOf(std::string_view name);
std::optional<Interpolation> interpolationOf(std::string_view name);

}  // namespace clipmill::io::gltf
