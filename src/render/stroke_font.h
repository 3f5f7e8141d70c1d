// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "render/film.h"

namespace clipmill::render {

/// Letters drawn as strokes, in a face of our own. Printable ASCII has a shape; every other
/// character, and every UTF-8 sequence as a whole, is shown as '?'.
struct TextStyle {
  double cap_height = 9.0;  ///< Of capitals and digits, in pixels; letters with tails reach lower.
  double weight = 1.3;      ///< Width of the strokes in pixels.
  Vec3 color{0.0};          ///< Linear.
  double alpha = 1.0;
};

/// From the start of the first character to the end of the last, in pixels.
double textWidth(std::string_view text, const TextStyle& style);

/// Draws `text` with its first character start at `baseline_left`.
void drawText(Film& film, const Vec2& baseline_left, std::string_view text, const TextStyle& style);

/// `text` as the face shows it (one '?' for what it lacks), with its middle replaced by ".." where
/// it is wider than `max_width` pixels.
std::string fittedText(std::string_view text, double max_width, const TextStyle& style);

}  // namespace clipmill::render
