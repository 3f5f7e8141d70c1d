// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "anim/motion.h"
#include "core/result.h"
#include "penetration/self_penetration.h"
#include "retarget/contact_goals.h"
#include "scene/scene.h"
#include "stages/self_collision/exact/clip_measures.h"
#include "stages/self_collision/settings.h"
#include "stages/stage.h"

namespace clipmill::stages::self_collision {

/// What became of the contacts of a clip, per sample; frames only.
struct ContactErrors {
  std::vector<std::vector<double>> gap_m;  ///< [pair][sample]: 0 where the parts penetrate.
  std::vector<GripError> grip;             ///< [sample]
};

/// Errors: kRecipe for a pair of parts of which none is an arm of the character, with the pairs
/// that there are; for a span that ends before it starts; for a grip of a character without two
/// hands.
Status checkListedContacts(std::span<const ContactSettings> contacts,
                           const penetration::SelfPenetration& skin, const LimbPoser& poser);

/// Replaces the contacts and grips that were found in the clip by those that the settings list for
/// it; keeps the found ones where they list none.
void useListedContacts(std::span<const ContactSettings> contacts, const Scene& scene,
                       const penetration::SelfPenetration& skin, const Motion& motion,
                       ClipMeasures& source);

/// Replaces the contacts and grips that were found in the clip by those of the character from which
/// it was retargeted. Parts that this character does not have are left out.
void useSourceContacts(const retarget::ClipContacts& contacts, const Scene& scene,
                       const penetration::SelfPenetration& skin, const LimbPoser& poser,
                       const Motion& motion, ClipMeasures& source);

/// The contacts of the source character for a clip: those with the name and the times of `motion`;
/// none where there are none. If the settings list contacts for the clip, goals are limited to the
/// listed parts and times.
std::optional<retarget::ClipContacts> sourceContactsOf(
    const std::vector<retarget::ClipContacts>* contacts, std::span<const ContactSettings> listed,
    const Motion& motion);

/// Whether the settings list contacts for a clip.
bool areContactsListed(std::span<const ContactSettings> contacts, const Motion& motion);

/// The contacts and grips of a clip, by pair and time, with their largest gap or error.
std::vector<StageContact> listContacts(const penetration::SelfPenetration& skin,
                                       const ClipMeasures& source, const ContactErrors& after,
                                       ClipSamples& samples, const std::string& clip_name);

}  // namespace clipmill::stages::self_collision
