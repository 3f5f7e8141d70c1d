// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/math.h"
#include "scene/scene.h"
#include "stages/dynamic_bones/rig/attachment.h"
#include "stages/dynamic_bones/rig/rig.h"
#include "stages/dynamic_bones/rods/rod_contact.h"
#include "stages/dynamic_bones/skin/chain_skin.h"
#include "stages/dynamic_bones/springs/spring_bones.h"

namespace clipmill::stages::dynamic_bones {

/// Contacts of the skin that chains move with the body, step by step.
class SkinContacts {
 public:
  /// `rig` has a skin.
  SkinContacts(const Rig& rig, const Scene& scene, const std::vector<SpringBone>& bones);

  /// Poses the body at rest. `worlds`: one a slot, metric_from_node; likewise below.
  void start(std::span<const Affine> worlds);
  /// Moves the body to its pose at the end of a step.
  void startStep(std::span<const Affine> worlds, double step_s);
  /// Applies `map` to the last pose of the body, as for the state of the simulation (loops).
  void carry(const Carry& map);

  /// Where the bones of a rig are; one a bone.
  struct Bones {
    std::span<const Vec3> heads_m, ends_m;
  };
  /// Appends where bones bring their skin into the body: for both halves of each bone the largest
  /// point. What was in it at the start leaves slowly. `carries`: one a chain setting.
  void find(std::span<const Affine> worlds, const Bones& bones,
            std::span<const std::optional<Carry>> carries, double step_s,
            std::vector<RodContact>& contacts);

 private:
  struct PointState {
    Vec3 position_m{0.0};  // where it was asked last
    double clear_m = 0.0;  // by how far it was too far away for a contact
    double depth_m = 0.0;  // where it was asked last
    double stays_m = 0.0;  // of what it was in at the start, what it may still be in
  };

  void takeWorlds(std::span<const Affine> worlds);
  void poseBody();
  bool isClear(PointState& state, const Vec3& position_m) const;
  void hold(const SkinPoint& point, const SkinDistance& found, double correction_m,
            const std::optional<Carry>& carry, double step_s);

  const Rig& rig_;
  const Scene& scene_;
  const ChainSkin& skin_;
  const std::vector<SpringBone>& bones_;
  std::vector<ClosedSurface::Posed> surfaces_;  // as in the skin
  std::vector<Affine> metric_from_node_;
  std::vector<Vec3> body_m_, body_before_m_, strips_m_;
  double body_step_m_ = 0.0;  // the farthest that a vertex of the body moves in this step
  std::vector<PointState> states_;
  std::vector<RodContact> largest_;  // two a bone
  bool is_first_ = true;
};

}  // namespace clipmill::stages::dynamic_bones
