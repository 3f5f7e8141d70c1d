// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/result.h"
#include "scene/additions.h"
#include "stages/stage.h"
#include "stages/tet_bake/bake.h"
#include "stages/tet_bake/drivers/driver_frames.h"
#include "stages/tet_bake/drivers/region_joints.h"
#include "stages/tet_bake/settings.h"

namespace clipmill::stages::tet_bake {

/// What drivers are fitted to and measured on: all clips, and behind them `pose_samples` poses
/// between and around theirs (samplePoses()).
class DrivenData {
 public:
  /// `input`, `settings` and `rig` outlive it.
  DrivenData(const StageInput& input, const TetBakeSettings& settings, const BakeRig& rig);

  /// Solves all of it. Errors: those of bakeMotions().
  Result<Baked> solve() const;

  const Scene& scene() const { return scene_; }
  const BakeRig& rig() const { return rig_; }
  const TetBakeSettings& settings() const { return settings_; }
  int threads() const { return threads_; }
  const BindRotations& bind() const { return bind_; }
  /// Of each region, those on which its skin may depend (jointsOfRegions()).
  std::span<const std::vector<int>> joints() const { return joints_; }
  /// One per frame of all motions.
  const RelativePoses& poses() const { return poses_; }
  std::span<const Motion> motions() const { return motions_; }
  std::span<const Motion> clips() const { return motions().first(clip_count_); }

  /// Where each clip starts, and the end of the last one.
  std::span<const std::size_t> clipStarts(const Baked& baked) const {
    return std::span(baked.start).first(clip_count_ + 1);
  }
  /// worldsAt() of a column of the bake.
  std::vector<Affine> worldsOf(const Baked& baked, std::size_t column) const;

  /// The frames to fit to: all but those of the half `left_out` of the clips (by number, modulo
  /// kClipHalves) and the samples from it; of many frames some.
  DriverFrames framesFor(const Baked& baked, std::optional<std::size_t> left_out) const;

  /// The text of drivers as a file beside the output and as extras; nothing without drivers.
  void addDriverFiles(std::span<const PoseDriver> drivers, std::span<const std::string> constant,
                      Additions& additions) const;

 private:
  void addSamples();
  void addPoses(const Motion& motion);
  void addSamplesTo(const Baked& baked, std::optional<std::size_t> left_out,
                    DriverFrames& frames) const;

  const Scene& scene_;
  const TetBakeSettings& settings_;
  const BakeRig& rig_;
  int threads_;
  std::size_t clip_count_;
  BindRotations bind_;
  std::vector<std::vector<int>> joints_;  // by region
  std::vector<Motion> motions_;           // of the clips, then the samples
  RelativePoses poses_;
};

}  // namespace clipmill::stages::tet_bake
