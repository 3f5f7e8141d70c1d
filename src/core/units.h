// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

namespace clipmill {

inline constexpr double kMillimetresInMetre = 1000.0;
inline constexpr double kMetresInMillimetre = 0.001;
inline constexpr double kSecondsInMillisecond = 0.001;
inline constexpr double kPercent = 100.0;  ///< Of one.

}  // namespace clipmill
