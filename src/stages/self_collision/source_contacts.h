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

  /// Contacts by measureClip(), each run of samples one contact. Its point on the arm is the mean
  /// of the vertices that are nearest to the other part, or within it, over the run; its
  /// point on the other part is the mean of their nearest points, one for each sample. Points
  /// correspond as in retarget::SkinMap. `motion` is a clip of the source.
  retarget::ClipContacts of(const Motion& motion) const;

 private:
  struct Model;

  explicit SourceContacts(std::shared_ptr<const Model> model) : model_(std::move(model)) {}

  std::shared_ptr<const Model> model_;
};

}  // namespace clipmill::stages::self_collision
