// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "checks.h"
#include "stages/self_collision/box_character.h"
#include "stages/self_collision/exact/clip_context.h"

namespace clipmill::test {

/// The box character with both forearms stretched forward, side by side. The shoulders are 0.4 m
/// apart; the arms are rotated inwards until the forearms are in contact.
struct Forearms {
  explicit Forearms(double inwards_deg = kInwards_deg)
      : motion(character.still(kFrames)),
        skin(penetration::SelfPenetration::make(character.scene(), character.map).value()) {
    const Vec3 up(0.0, 1.0, 0.0);
    for (std::size_t frame = 0; frame < kFrames; ++frame) {
      const auto rotate = [&](humanoid::HumanoidRole role, double angle_deg) {
        localAt(motion, frame, character.at(role)).rotation =
            rotationAbout(up, angle_deg * kDegree);
      };
      rotate(humanoid::HumanoidRole::kLeftUpperArm, -inwards_deg);
      rotate(humanoid::HumanoidRole::kRightUpperArm, inwards_deg);
    }
    settings.max_ease_s = settings.ease_s;
  }

  stages::self_collision::ClipContext clip() const {
    return stages::self_collision::ClipContext(character.scene(), character.map, skin, settings,
                                               motion);
  }

  std::size_t pairNamed(const std::string& name) const {
    for (std::size_t pair = 0; pair < skin.pairs().size(); ++pair) {
      if (skin.pairs()[pair].name == name) return pair;
    }
    FAIL("no pair " << name);
    return 0;
  }

  static constexpr double kInwards_deg = 105.0;
  static constexpr std::size_t kFrames = 12;

  BoxCharacter character = boxCharacter();
  Motion motion;
  penetration::SelfPenetration skin;
  stages::self_collision::SelfCollisionSettings settings;
};

/// The group of this name without links.
inline stages::self_collision::PairGroup groupNamed(const stages::self_collision::ClipContext& clip,
                                                    const std::string& name) {
  for (const auto& group : stages::self_collision::groupPairs(clip.skin.pairs(), clip.poser)) {
    if (group.name == name && group.links.empty()) return group;
  }
  FAIL("no group " << name);
  return {};
}

inline stages::self_collision::PairGroup armsGroup(
    const stages::self_collision::ClipContext& clip) {
  return groupNamed(clip, "left arm and right arm");
}

/// A layer with one amount at all samples of the clip.
inline stages::self_collision::CorrectionLayer constantLayer(
    const stages::self_collision::ClipContext& clip, stages::self_collision::CorrectionMode mode,
    double amount = 1.0) {
  stages::self_collision::CorrectionLayer layer;
  layer.mode = std::move(mode);
  layer.required.assign(clip.base.count(), amount);
  layer.amounts = layer.required;
  return layer;
}

inline stages::self_collision::LimbChange shiftBy(const Vec3& shift) {
  stages::self_collision::LimbChange change;
  change.shift = shift;
  return change;
}

}  // namespace clipmill::test
