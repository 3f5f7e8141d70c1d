// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "anim/motion.h"
#include "humanoid/humanoid.h"
#include "locomotion/foot_contacts.h"
#include "scene/scene.h"

namespace clipmill::locomotion {

/// The limbs whose contacts count.
enum class ContactLimbs { kFeet, kFeetHands, kFeetHandsKnees };

/// The values of ContactLimbs as settings name them.
inline const std::pair<std::string, ContactLimbs> kContactLimbs[] = {
    {"feet", ContactLimbs::kFeet},
    {"feet_hands", ContactLimbs::kFeetHands},
    {"feet_hands_knees", ContactLimbs::kFeetHandsKnees}};

enum class LimbPart { kHand, kKnee };

/// A hand (its wrist) or a knee along a clip, at the samples of a FeetTrace.
struct LimbTrace {
  LimbPart part = LimbPart::kHand;
  BodySide side = BodySide::kLeft;
  int node = 0;                   ///< Index in Skeleton::nodes.
  std::vector<Vec3> positions_m;  ///< Metric world.
  std::vector<Vec3> on_ground_m;  ///< FeetTrace::onGround() of them.
  double level_m = 0.0;           ///< The height that is passed for a twentieth of the clip.
  std::vector<TimeSpan> low_on;   ///< Contacts with the ground, ascending.
  std::vector<TimeSpan> on;       ///< These, and the times in which a hand holds still elsewhere.
};

/// The hands, and the knees, that the map names, as `limbs` asks for them; none for kFeet. They are
/// on the ground where they are low and slow, by limits that are fitted as those of feet are
/// (fitContacts()). A hand is low within 0.3 of a leg of the ground, a knee within 0.25: higher
/// ones never bear. A hand that rests for at least a quarter of a second anywhere has a
/// hold, except in clips on the spot, where hands swing back as the ground moves.
std::vector<LimbTrace> traceLimbs(const Scene& scene, const humanoid::HumanoidMap& map,
                                  const Motion& motion, const FeetTrace& feet, ContactLimbs limbs);

}  // namespace clipmill::locomotion
