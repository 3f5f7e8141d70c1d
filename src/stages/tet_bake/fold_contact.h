// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stages/tet_bake/bake.h"
#include "stages/tet_bake/clip_baker.h"
#include "stages/tet_bake/limb_state.h"
#include "stages/tet_bake/surface/skin_overlap.h"

/// Contact of the skin with itself.
namespace clipmill::stages::tet_bake {

/// A point that is within other skin in a frame.
struct FoldPoint {
  std::uint32_t point = 0;
  Overlap overlap;       ///< Before contact.
  double plain_m = 0.0;  ///< Depth with plain skinning.
};

/// Moves the surface of a clip out of other skin, in every frame that is a multiple of a step, and
/// in the last one. Points of both sides move until none is farther within other skin than eight
/// tenths of what plain skinning has there; those that are hardly corrected may be as far as with
/// plain skinning, and those that are within other skin at rest nearly so. Paths lead to the
/// nearest point of the other side (projected constraints of distance; M. Mueller et al., Position
/// based dynamics, 2007, section 3.3), are smoothed over the surface, and shorter where they would
/// flip edges.
class FoldContact {
 public:
  /// Keeps references to its arguments.
  FoldContact(const Scene& scene, const BakeRig& rig, const SkinTools& tools, const Motion& motion,
              std::size_t index, std::size_t step, int threads, ClipBaker& baker, Baked& baked);

  void separate();
  /// The same of the points that separate() found, in the frames where they are still nearly as
  /// far within other skin as with plain skinning: an average over time leaves such frames.
  void separateAgain();

 private:
  std::size_t frameOf(std::size_t number) const;
  void shift(std::size_t frame, const BakedSurface& surface, const std::vector<Vec3>& paths);

  const Scene& scene_;
  const BakeRig& rig_;
  const SkinTools& tools_;
  const Motion& motion_;
  std::size_t index_, step_;
  int threads_;
  ClipBaker& baker_;
  Baked& baked_;
  std::vector<std::vector<FoldPoint>> found_;  // by frame that is looked at
};

}  // namespace clipmill::stages::tet_bake
