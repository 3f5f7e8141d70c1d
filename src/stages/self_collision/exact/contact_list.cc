// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact/contact_list.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/text.h"
#include "stages/self_collision/exact/clip_samples.h"

namespace clipmill::stages::self_collision {
namespace {

constexpr double kToMillimetres = 1000.0;
constexpr double kEqualTime_s = 1e-6;
constexpr const char* kHands = "left hand - right hand";

bool isOfArm(const penetration::PartPair& pair) {
  return pair.limb == humanoid::BodyPart::kLeftForearm ||
         pair.limb == humanoid::BodyPart::kRightForearm;
}

std::string namesOfPairs(const penetration::SelfPenetration& skin) {
  std::string names;
  for (const penetration::PartPair& pair : skin.pairs()) {
    if (isOfArm(pair)) names += (names.empty() ? "" : ", ") + pair.name;
  }
  return names;
}

// The pair that a contact names; the number of pairs for none.
std::size_t pairOf(const ContactSettings& contact, const penetration::SelfPenetration& skin) {
  const auto pairs = skin.pairs();
  const auto found = std::find_if(pairs.begin(), pairs.end(), [&](const auto& pair) {
    return isOfArm(pair) && pair.name == contact.parts;
  });
  return static_cast<std::size_t>(found - pairs.begin());
}

std::vector<bool> samplesIn(const ContactSettings& contact, const ClipSamples& samples) {
  std::vector<bool> is_in;
  for (std::size_t s = 0; s < samples.count(); ++s) {
    const double time_s = samples.timeOf(s);
    is_in.push_back(time_s >= contact.start_s && (!contact.end_s || time_s <= *contact.end_s));
  }
  return is_in;
}

bool isOfClip(const ContactSettings& contact, const Motion& motion) {
  return contact.clip == motion.clip_name || matchesGlob(contact.clip, motion.clip_name);
}

}  // namespace

bool areContactsListed(std::span<const ContactSettings> contacts, const Motion& motion) {
  return std::any_of(contacts.begin(), contacts.end(),
                     [&](const ContactSettings& contact) { return isOfClip(contact, motion); });
}

Status checkListedContacts(std::span<const ContactSettings> contacts,
                           const penetration::SelfPenetration& skin, const LimbPoser& poser) {
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const ContactSettings& contact = contacts[i];
    const std::string location = "contact[" + std::to_string(i) + "]";
    if (contact.end_s && *contact.end_s < contact.start_s) {
      return Error{ErrorCode::kRecipe, location + ".end_s", "is before start_s",
                   "give a later time, or leave it out"};
    }
    if (contact.kind == ContactKind::kContact && pairOf(contact, skin) == skin.pairs().size()) {
      return Error{ErrorCode::kRecipe, location + ".parts",
                   "'" + contact.parts + "' is no pair of parts with an arm",
                   "use one of: " + namesOfPairs(skin)};
    }
    if (contact.kind == ContactKind::kGrip && !poser.hands()) {
      return Error{ErrorCode::kRecipe, location + ".kind", "the character has no two hands",
                   "name the joints of its hands by humanoid_map"};
    }
  }
  return {};
}

void useListedContacts(std::span<const ContactSettings> contacts, const Scene& scene,
                       const penetration::SelfPenetration& skin, const Motion& motion,
                       ClipMeasures& source) {
  if (!areContactsListed(contacts, motion)) return;
  ClipSamples samples(scene, motion);
  source.contacts.assign(skin.pairs().size(), std::vector<bool>(samples.count(), false));
  source.grips.clear();
  for (const ContactSettings& contact : contacts) {
    if (!isOfClip(contact, motion) || contact.kind == ContactKind::kNone) continue;
    const std::vector<bool> is_in = samplesIn(contact, samples);
    if (contact.kind == ContactKind::kGrip) {
      for (const Window& window : findWindows(is_in, samples.step_s(), 0.0, false)) {
        source.grips.push_back({window, GripKind::kGiven, -1});
      }
      continue;
    }
    std::vector<bool>& of_pair = source.contacts[pairOf(contact, skin)];
    for (std::size_t s = 0; s < is_in.size(); ++s) of_pair[s] = of_pair[s] || is_in[s];
  }
  source.is_gripped = grippedSamples(source.grips, samples.count());
}

void useSourceContacts(const retarget::ClipContacts& contacts, const Scene& scene,
                       const penetration::SelfPenetration& skin, const LimbPoser& poser,
                       const Motion& motion, ClipMeasures& source) {
  std::vector<ContactSettings> list{{"*", ContactKind::kNone, "", 0.0, {}}};
  for (const retarget::ContactGoal& goal : contacts.goals) {
    const ContactSettings contact{"*", goal.is_grip ? ContactKind::kGrip : ContactKind::kContact,
                                  goal.parts, goal.start_s, goal.end_s};
    if (goal.is_grip ? !poser.hands() : pairOf(contact, skin) == skin.pairs().size()) continue;
    list.push_back(contact);
  }
  useListedContacts(list, scene, skin, motion, source);
}

std::optional<retarget::ClipContacts> sourceContactsOf(
    const std::vector<retarget::ClipContacts>* contacts, std::span<const ContactSettings> listed,
    const Motion& motion) {
  if (!contacts) return std::nullopt;
  const auto known =
      std::find_if(contacts->begin(), contacts->end(), [&](const retarget::ClipContacts& one) {
        return one.clip == motion.clip_name &&
               std::fabs(one.start_s - motion.grid.start_s) < kEqualTime_s &&
               std::fabs(one.end_s - motion.grid.end_s) < kEqualTime_s;
      });
  if (known == contacts->end()) return std::nullopt;
  if (!areContactsListed(listed, motion)) return *known;
  retarget::ClipContacts limited = *known;
  limited.goals.clear();
  for (const ContactSettings& contact : listed) {
    if (!isOfClip(contact, motion) || contact.kind == ContactKind::kNone) continue;
    const bool is_grip = contact.kind == ContactKind::kGrip;
    for (retarget::ContactGoal goal : known->goals) {
      if (goal.is_grip != is_grip || (!is_grip && goal.parts != contact.parts)) continue;
      goal.start_s = std::max(goal.start_s, contact.start_s);
      goal.end_s = std::min(goal.end_s, contact.end_s.value_or(goal.end_s));
      if (goal.start_s <= goal.end_s) limited.goals.push_back(std::move(goal));
    }
  }
  return limited;
}

std::vector<StageContact> listContacts(const penetration::SelfPenetration& skin,
                                       const ClipMeasures& source, const ContactErrors& after,
                                       ClipSamples& samples, const std::string& clip_name) {
  std::vector<StageContact> list;
  const auto add = [&](const std::vector<bool>& is_in, const char* kind, const std::string& parts,
                       const auto& before_m, const auto& after_m) {
    for (const Window& window : findWindows(is_in, samples.step_s(), 0.0, false)) {
      StageContact contact{clip_name, kind, parts, samples.timeOf(window.first),
                           samples.timeOf(window.last)};
      for (std::size_t s = window.first; s <= window.last; ++s) {
        if (!ClipSamples::isFrame(s)) continue;
        contact.before_mm = std::max(contact.before_mm, kToMillimetres * before_m(s));
        contact.after_mm = std::max(contact.after_mm, kToMillimetres * after_m(s));
      }
      list.push_back(std::move(contact));
    }
  };
  add(
      source.is_gripped, "grip", kHands, [](std::size_t) { return 0.0; },
      [&](std::size_t s) { return after.grip[s].distance_m; });
  for (std::size_t pair = 0; pair < skin.pairs().size(); ++pair) {
    add(
        source.contacts[pair], "contact", skin.pairs()[pair].name,
        [&](std::size_t s) { return std::max(0.0, source.clearance_m[pair][s]); },
        [&](std::size_t s) { return after.gap_m[pair][s]; });
  }
  return list;
}

}  // namespace clipmill::stages::self_collision
