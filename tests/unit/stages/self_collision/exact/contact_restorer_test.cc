// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact/contact_restorer.h"

#include <algorithm>

#include "stages/self_collision/exact/forearms.h"

TEST_SUITE_BEGIN("self_collision.contact_restorer");

using namespace clipmill;
using namespace clipmill::stages::self_collision;
using namespace clipmill::test;
using namespace clipmill::stages::self_collision;

namespace {

std::vector<std::size_t> marked(const std::vector<bool>& flags) {
  std::vector<std::size_t> samples;
  for (std::size_t s = 0; s < flags.size(); ++s) {
    if (flags[s]) samples.push_back(s);
  }
  return samples;
}

}  // namespace

TEST_CASE("forearms in contact that a layer separates are brought into contact again") {
  const Forearms arms;
  ClipContext clip = arms.clip();
  REQUIRE(clip.source.contacts[arms.pairNamed("left arm - right arm")][4]);
  const PairGroup group = armsGroup(clip);
  ContactRestorer restorer(clip);
  CHECK(marked(restorer.openContacts(group)).empty());

  clip.stack.layers().push_back(
      constantLayer(clip, {{group.limbs[0]}, {shiftBy(Vec3(0.2, 0.0, 0.0))}, 1.0}));
  const std::vector<bool> is_open = restorer.openContacts(group);
  for (std::size_t s = 0; s < is_open.size(); ++s) {
    CHECK(is_open[s] == clip.source.hasContactAt(group.pairs, s));
  }
  const std::vector<std::size_t> samples = marked(is_open);
  REQUIRE_FALSE(samples.empty());

  std::vector<CorrectionLayer> layers = restorer.candidateLayers(group, samples);
  REQUIRE_FALSE(layers.empty());
  layers.front().amounts = layers.front().required;
  clip.stack.layers().push_back(layers.front());
  CHECK(marked(restorer.openContacts(group)).empty());
  for (const std::size_t sample : samples) {
    clip.setTrial(sample);
    for (const std::size_t pair : group.pairs) {
      CHECK(clip.trial.measure(pair).depth_m <= clip.source.restoredDepth_m());
    }
  }
}

TEST_CASE("a contact that is open at the last sample of a cycle only is restored there") {
  const Forearms arms;
  ClipContext clip = arms.clip();
  REQUIRE(clip.is_cycle);
  const PairGroup group = armsGroup(clip);
  CorrectionLayer separating =
      constantLayer(clip, {{group.limbs[0]}, {shiftBy(Vec3(0.2, 0.0, 0.0))}, 1.0}, 0.0);
  separating.required.back() = 1.0;
  separating.amounts = separating.required;
  clip.stack.layers().push_back(separating);
  ContactRestorer restorer(clip);
  const auto windows = clip.windowsOf(restorer.openContacts(group));
  REQUIRE(windows.size() == 1);
  REQUIRE(windows[0] == std::vector<std::size_t>{clip.base.count() - 1});
  const std::vector<CorrectionLayer> layers = restorer.candidateLayers(group, windows[0]);
  REQUIRE_FALSE(layers.empty());
  CHECK(layers.front().required.back() > 0.0);
}

TEST_CASE("there are no candidate layers for no samples") {
  const Forearms arms;
  ClipContext clip = arms.clip();
  CHECK(ContactRestorer(clip).candidateLayers(armsGroup(clip), {}).empty());
}

TEST_CASE("gaps that are too wide stay open, and each outcome has a text of its own") {
  const Forearms arms;
  ClipContext clip = arms.clip();
  const PairGroup group = armsGroup(clip);
  LimbChange left, right;  // both arms back to the sides
  left.rotation = Vec3(0.0, Forearms::kInwards_deg * kDegree, 0.0);
  right.rotation = -left.rotation;
  clip.stack.layers().push_back(constantLayer(clip, {group.limbs, {left, right}, 1.0}));
  ContactRestorer restorer(clip);
  const std::size_t sample = 8;
  CHECK(restorer.openContacts(group)[sample]);
  CHECK(restorer.candidateLayers(group, std::vector<std::size_t>{sample}).empty());
  CHECK(std::string(textOf(RestoreOutcome::kNoCandidate)) != textOf(RestoreOutcome::kTooMuchJerk));
}
