// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/file.h"
#include "core/result.h"
#include "core/warnings.h"
#include "render/camera.h"
#include "render/sheet.h"

namespace clipmill::render {

struct MovieSettings {
  double fps = 25.0;    ///< Frames a second, kMinMovieFps..kMaxMovieFps.
  int width = 320;      ///< Of a panel [px], kMinPanel_px..kMaxPanel_px.
  int height = 320;     ///< Of a panel [px], the same range.
  double max_s = 10.0;  ///< Maximum length [s], kMinMovie_s..kMaxMovie_s.
  double quality =
      65.0;  ///< Of lossy WebP, 0..100. What is drawn is smooth: 65 is enough for most.
  bool has_labels = true;   ///< "before" and "after", clip name, grid spacing and time.
  bool has_joints = false;  ///< Joints over the character; in orange those that differ.
  std::string focus;        ///< Name or glob of a node: a close-up of it and of all below it.
  bool follow = false;      ///< The camera keeps the focus in place, not the root's smoothed path.
  View view = View::kAuto;
  int threads = 0;  ///< Below 1 for one a core; the bytes do not depend on it.
};

/// A frame rate above 50 Hz is no use: browsers slow down frames of 10 ms and less.
inline constexpr double kMinMovieFps = 1.0, kMaxMovieFps = 50.0;
inline constexpr int kMinPanel_px = 64, kMaxPanel_px = 1920;
inline constexpr double kMinMovie_s = 0.1, kMaxMovie_s = 120.0;

/// The frames of a movie: the frame `i` shows the clip at `i / fps` seconds, from `start_ms[i]` to
/// the next start or to `end_ms`.
struct MovieFrames {
  std::vector<double> times_s;  ///< After the start of the clip.
  std::vector<int> start_ms;
  int end_ms = 0;
};

/// The frames of a movie of that length. Starts are rounded times, so that no error accumulates.
/// The last frame is at least half as long as the others, and at least 20 ms where the movie is.
MovieFrames movieFrames(double duration_s, double fps);

/// An animated WebP that plays in an endless loop.
struct Movie {
  Bytes webp;
  MovieFrames frames;
  Warnings warnings;
};

/// Draws the clip of each row as a panel, left to right, at the same times and seen by the same
/// camera: shaded characters with their planar shadow, in later rows the joints that differ from
/// the first row in an accent colour, the root trajectory and a grid in metres on the ground. The
/// camera follows the characters (makeMovieStage). A clip that ends before the others holds its
/// last pose. Warnings: movie_shortened, triangle_not_shown, those of reading materials. Errors:
/// kUsage for settings out of range; kUnsupported where no clip has a length, or there is nothing
/// to show; those of focusOn() and WebpWriter.
Result<Movie> drawMovie(const std::vector<SheetRow>& rows, const MovieSettings& settings);

}  // namespace clipmill::render
