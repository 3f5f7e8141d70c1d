// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/result.h"
#include "render/clip_view.h"
#include "render/stage.h"

namespace clipmill::render {

/// Camera, light and ground of all frames of a movie. The camera keeps its direction and its
/// distance from the position that it follows.
struct MovieStage {
  Stage first;                 ///< Of frame 0.
  std::vector<Vec3> followed;  ///< Position that the camera follows, one a frame [m].
  double size_m = 1.0;         ///< Diagonal of the box about all characters, seen from `followed`.

  /// The stage of a frame.
  Stage at(std::size_t frame) const;
};

/// Positions for a camera that follows `roots_m` (one a frame, `fps` of them a second) without
/// shaking: means under a raised cosine of 1 s. Along the ground they are constant where the roots
/// stay within a third of `character_m`; in height they are constant where the roots rise and fall
/// by less than `character_m`, so that a jump stays visible as a jump.
std::vector<Vec3> followedPositions(const std::vector<Vec3>& roots_m, double fps,
                                    double character_m);

/// The stage on which the characters and shadows of all `views` fall into `frame` [px] at all
/// times, which are `1 / fps` apart. The camera follows the mean of the roots, and its direction is
/// that of axesFor(). Of views with a focus only what is in it has to fall into `frame`;
/// `follow_focus`: the camera keeps the focus in place. Error:
/// kUnsupported where there is nothing that can be shown.
Result<MovieStage> makeMovieStage(std::span<const ClipView> views, std::span<const double> times_s,
                                  double fps, const Frame& frame, View view, int threads,
                                  bool follow_focus = false);

}  // namespace clipmill::render
