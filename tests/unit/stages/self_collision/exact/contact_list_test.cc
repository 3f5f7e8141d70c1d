// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact/contact_list.h"

#include <algorithm>

#include "stages/self_collision/exact/forearms.h"

TEST_SUITE_BEGIN("self_collision.contact_list");

using namespace clipmill;
using namespace clipmill::stages;
using namespace clipmill::stages::self_collision;
using namespace clipmill::test;

namespace {

ContactSettings contactOf(const std::string& parts) {
  ContactSettings contact;
  contact.parts = parts;
  return contact;
}

}  // namespace

TEST_CASE("listed contacts replace those that are found, in the clips that they name") {
  const Forearms arms;
  ClipContext clip = arms.clip();
  const std::size_t pair = arms.pairNamed("left arm - right arm"),
                    trunk = arms.pairNamed("left arm - trunk");
  CHECK(clip.source.contacts[pair][0]);
  ClipMeasures other = clip.source;
  ContactSettings contact = contactOf("left arm - trunk");
  contact.clip = "another clip";
  useListedContacts({&contact, 1}, clip.scene, clip.skin, clip.source_motion, other);
  CHECK(other.contacts == clip.source.contacts);

  contact.clip = "*";
  contact.start_s = clip.base.timeOf(4);
  contact.end_s = clip.base.timeOf(8);
  useListedContacts({&contact, 1}, clip.scene, clip.skin, clip.source_motion, other);
  CHECK_FALSE(other.contacts[pair][0]);
  for (std::size_t s = 0; s < clip.base.count(); ++s) {
    CHECK(other.contacts[trunk][s] == (s >= 4 && s <= 8));
  }
  CHECK(other.grips.empty());

  ContactSettings grip;
  grip.kind = ContactKind::kGrip;
  grip.start_s = clip.base.timeOf(6);
  useListedContacts({&grip, 1}, clip.scene, clip.skin, clip.source_motion, other);
  REQUIRE(other.grips.size() == 1);
  CHECK(other.grips[0].kind == GripKind::kGiven);
  CHECK(other.grips[0].window == Window{6, clip.base.count() - 1});
  CHECK_FALSE(other.is_gripped[5]);
  CHECK(other.is_gripped[6]);

  ContactSettings none;
  none.kind = ContactKind::kNone;
  useListedContacts({&none, 1}, clip.scene, clip.skin, clip.source_motion, other);
  CHECK(other.grips.empty());
  CHECK_FALSE(other.contacts[trunk][5]);
}

TEST_CASE("a list of contacts can be given back") {
  const Forearms arms;
  ClipContext clip = arms.clip();
  ContactErrors after;
  after.gap_m.assign(clip.skin.pairs().size(), std::vector<double>(clip.base.count(), 0.012));
  after.grip.resize(clip.base.count());
  const auto list =
      listContacts(clip.skin, clip.source, after, clip.base, clip.source_motion.clip_name);
  REQUIRE_FALSE(list.empty());
  std::vector<ContactSettings> given;
  for (const StageContact& contact : list) {
    CHECK(contact.kind == "contact");
    CHECK(contact.before_mm < 1e3 * clip.source.contact_distance_m);
    CHECK(contact.after_mm == doctest::Approx(12.0));
    given.push_back(
        {contact.clip, ContactKind::kContact, contact.parts, contact.start_s, contact.end_s});
  }
  ClipMeasures other = clip.source;
  useListedContacts(given, clip.scene, clip.skin, clip.source_motion, other);
  CHECK(other.contacts == clip.source.contacts);
}

TEST_CASE("contacts of unknown parts, spans that end early and grips without hands are errors") {
  const Forearms arms;
  const ClipContext clip = arms.clip();
  const auto errorOf = [&](const ContactSettings& contact) {
    const Status status = checkListedContacts({&contact, 1}, clip.skin, clip.poser);
    return status ? std::string() : status.error().location;
  };
  CHECK(errorOf(contactOf("left arm - trunk")).empty());
  CHECK(errorOf(contactOf("left shin - right leg")) == "contact[0].parts");
  CHECK(errorOf(contactOf("")) == "contact[0].parts");
  ContactSettings early = contactOf("left arm - trunk");
  early.start_s = 1.0;
  early.end_s = 0.5;
  CHECK(errorOf(early) == "contact[0].end_s");
  BoxCharacterOptions options;
  options.without_hands = true;
  const BoxCharacter handless = boxCharacter(options);
  const LimbPoser poser(handless.scene(), handless.map,
                        movableLimbs(handless.scene().skeleton, handless.map));
  ContactSettings grip;
  grip.kind = ContactKind::kGrip;
  const Status status = checkListedContacts({&grip, 1}, clip.skin, poser);
  REQUIRE_FALSE(status);
  CHECK(status.error().location == "contact[0].kind");
}
