// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "anim/motion.h"
#include "scene/scene.h"
#include "stages/self_collision/exact_limb.h"
#include "stages/self_collision/exact_modes.h"
#include "stages/self_collision/exact_settings.h"

namespace clipmill::collision {

/// One mode over a part of a clip.
struct Layer {
  std::size_t group = 0;
  Mode mode;
  std::vector<double> required;  ///< Amount, one a sample; 0 where nothing is needed.
  double ease_s = 0.0;
  double hold_s = 0.0;          ///< How much longer than required each amount is held.
  std::vector<double> amounts;  ///< The envelope of `required`.

  bool isActive(std::size_t sample) const { return amounts[sample] > 0.0; }
};

/// All changes of a clip: the sum of layers, which may overlap.
class LayerStack {
 public:
  /// All must outlive it.
  LayerStack(const Scene& scene, const LimbPoser& poser, const Motion& source,
             const ExactSettings& settings, bool is_cycle);

  std::vector<Layer>& layers() { return layers_; }
  const std::vector<Layer>& layers() const { return layers_; }
  /// One change a limb.
  std::vector<LimbChange> at(std::size_t sample) const;

  /// Makes the envelope of a layer anew (what a cycle requires at its two ends is one), with the
  /// shortest ease under which no shoulder or hip that it moves gets too rough; never a shorter one
  /// than it had. Where the longest is not enough, amounts are held for longer than required.
  /// Returns the jerk of the roughest of them over what is allowed: 1 or less where that is kept.
  double shape(std::size_t layer);
  /// The same for all limbs that are moved.
  double roughness() const;
  /// The source with all changes, the tracks of changed limbs marked as touched.
  Motion apply() const;

 private:
  void shapeWith(Layer& layer, double ease_s, double hold_s) const;
  double jerkOf(std::size_t limb) const;
  double roughnessOf(std::span<const std::size_t> limbs) const;

  const Scene& scene_;
  const LimbPoser& poser_;
  const Motion& source_;
  const ExactSettings& settings_;
  bool is_cycle_;
  double step_s_;
  std::vector<double> source_jerk_;  // one a limb
  std::vector<Layer> layers_;
};

}  // namespace clipmill::collision
