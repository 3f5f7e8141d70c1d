// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "anim/motion.h"
#include "core/result.h"
#include "humanoid/humanoid.h"
#include "retarget/contact_goals.h"
#include "scene/scene.h"

namespace clipmill::stages::self_collision {

/// Finds the deliberate contacts of arms and the grips in clips of one character, on its own skin,
/// and where they are on the skin of another character. Const, and shared by threads.
class SourceContacts {
 public:
  /// Both scenes have their meshes and outlive it. Errors: kUnsupported where one of them has no
  /// humanoid, or no skin on trunk and limbs.
  static Result<SourceContacts> make(const Scene& source, const humanoid::HumanoidMap& source_map,
                                     const Scene& target, const humanoid::HumanoidMap& target_map);

  /// Contacts by measureClip() of which the hand is a part, each run of samples of at least 0.15 s
  /// one contact. Those of forearms alone are not among them, nor those of an arm that hangs (both
  /// bones within 37 degrees of straight down): a stout body has them without a purpose. The point
  /// on the hand is the mean of the vertices that are nearest to the other part, or within it, over
  /// the run; the point on the other part is the mean of their nearest points, one for each sample.
  /// Points correspond as in retarget::SkinMap. Of a grip the points are the middles of the palms,
  /// and the gap is the vector from the right one to the left one. `motion` is a clip of the
  /// source.
  retarget::ClipContacts of(const Motion& motion) const;

 private:
  struct Model;
  class Finder;

  explicit SourceContacts(std::shared_ptr<const Model> model) : model_(std::move(model)) {}

  std::shared_ptr<const Model> model_;
};

}  // namespace clipmill::stages::self_collision
