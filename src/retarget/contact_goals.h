// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "core/math.h"
#include "humanoid/body_parts.h"
#include "penetration/body_skin.h"
#include "penetration/self_penetration.h"
#include "retarget/skin_map.h"

namespace clipmill::retarget {

/// Where a contact of the source character is at one time, on the skin of the target.
struct ContactMoment {
  double time_s = 0.0;
  SkinPoint other;  ///< Of the part that the limb is in contact with.
  /// From there to the point of the limb in the source, along the lateral, up and forward axes of
  /// the body, in heights; 0 where the limb penetrates.
  Vec3 gap{0.0};
};

/// A contact of an arm of the source character, on the skin of the target. Its kind, parts and
/// times are those of the setting `contact` of self-collision.
struct ContactGoal {
  /// Both hands hold one thing: the points are the palms, and `gap` leads from the right one to the
  /// left one.
  bool is_grip = false;
  std::string parts;  ///< "left arm - trunk"
  double start_s = 0.0, end_s = 0.0;
  humanoid::BodyPart other_part = humanoid::BodyPart::kTrunk;  ///< Of most of the moments.
  SkinPoint limb;
  std::vector<ContactMoment> moments;  ///< Ascending; none where the target has no such region.
};

/// The contacts of one clip of another character.
struct ClipContacts {
  std::string clip;  ///< Its name on the target.
  double start_s = 0.0, end_s = 0.0;
  std::vector<ContactGoal> goals;
  std::shared_ptr<const penetration::BodySkin> skin;  ///< Of the target; has all the points.
  /// Of the target, with the pairs of upper arms.
  std::shared_ptr<const penetration::SelfPenetration> with_upper_arms;
};

}  // namespace clipmill::retarget
