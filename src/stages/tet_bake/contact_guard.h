// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "anim/motion.h"
#include "scene/scene.h"
#include "stages/tet_bake/bake.h"
#include "stages/tet_bake/kept_clip.h"
#include "stages/tet_bake/skin_fallback.h"

/// Contact only where it makes nothing else worse.
namespace clipmill::stages::tet_bake {

/// Remembers the surface of a clip before contact, to go back to it in part.
class ContactGuard {
 public:
  /// Keeps references to its arguments.
  ContactGuard(const Scene& scene, const BakeRig& rig, const Motion& motion, std::size_t index,
               int threads, Baked& baked);

  /// The clip without contact.
  const KeptClip& before() const { return before_; }

  /// Shows less of the change since construction about joints and frames in which worseFrames()
  /// finds edges worse than those of plain skinning, or more flipped ones, or a limb lacks volume,
  /// and all of these were better without the change. Halves it twice, then leaves it out; it fades
  /// over a fifth of a second. The result is for withdrawContact().
  ContactLayer takeBack();

 private:
  struct FrameState {
    std::vector<RegionQuality> regions;
    std::vector<double> volumes;  // one per limb
  };

  std::vector<FrameState> measure() const;
  // Lowers limits to `factor` of theirs. False if none has to be lower.
  bool lower(const std::vector<FrameState>& now, double factor, ContactLayer& layer) const;

  const Scene& scene_;
  const BakeRig& rig_;
  const Motion& motion_;
  std::size_t index_;
  int threads_;
  Baked& baked_;
  KeptClip before_;
  std::vector<FrameState> states_;  // before
  double wanted_volume_ = 0.0;
};

/// Takes contact back to `factor` of what is shown, about the joints and frames that `skins` (one
/// per clip) holds back or fades, and where nothing of it is left there, about the joints around.
/// False if that changes nothing.
bool withdrawContact(const Scene& scene, const BakeRig& rig, std::span<const Motion> motions,
                     std::span<const FallbackSkin> skins, double factor, int threads, Baked& baked);

}  // namespace clipmill::stages::tet_bake
