// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/math.h"
#include "render/image.h"

/// The colours of a contact sheet.
namespace clipmill::render::palette {

inline const Vec3 kPaper = colorOf(0xFFFFFF);
inline const Vec3 kCell = colorOf(0xE9EDF1);
inline const Vec3 kFloor = colorOf(0xF6F8FA);
inline const Vec3 kGridLine = colorOf(0xCBD3DC);
inline const Vec3 kShadow = colorOf(0x46587A);
inline const Vec3 kPath = colorOf(0x2F80C0);
inline const Vec3 kBone = colorOf(0x1F3047);
inline const Vec3 kAccent = colorOf(0xE2571E);
inline const Vec3 kText = colorOf(0x232D3A);
inline const Vec3 kQuietText = colorOf(0x66717F);

}  // namespace clipmill::render::palette
