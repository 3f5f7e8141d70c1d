// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "locomotion/limb_contacts.h"

#include <algorithm>
#include <cmath>

#include "anim/pose.h"
#include "checks.h"
#include "core/to_size.h"
#include "human_scene.h"
#include "locomotion/foot_lock.h"
#include "locomotion/foot_slide.h"
#include "locomotion/stretched_travel.h"

TEST_SUITE_BEGIN("locomotion.limb_contacts");

using namespace clipmill;
using namespace clipmill::humanoid;
using namespace clipmill::locomotion;
using namespace clipmill::test;

namespace {

// A motion on hands and knees or up a wall whose contacts are known: each hand and each knee (with
// its foot) rests for the first 0.6 of its cycle, and moves to its next position in the remainder,
// with the speed of a half sine. Left hand and right knee rest together.
struct MadeCrawl {
  double cycle_s = 1.2, stance = 0.6, stride_m = 0.5, lift_m = 0.08, length_s = 6.0;
  Vec3 ahead{0.0, 0.0, 1.0}, out{0.0, 1.0, 0.0};  // along the ground or wall, and away from it
  double hands_m = 0.5, knees_m = -0.05, body_m = 0.45, hands_up_m = 0.04;
  bool on_spot = false;  // on ground that moves back

  Vec3 back(double time_s) const {
    return on_spot ? -stride_m / cycle_s * time_s * ahead : Vec3(0.0);
  }

  double shift(LimbPart part, BodySide side) const {
    const bool first = (part == LimbPart::kHand) == (side == BodySide::kLeft);
    return first ? 0.0 : 0.5 * cycle_s;
  }

  Vec3 jointAt(LimbPart part, BodySide side, double time_s) const {
    const double cycles = (time_s + shift(part, side)) / cycle_s;
    const double n = std::floor(cycles), phase = cycles - n;
    const double u = std::max(0.0, phase - stance) / (1.0 - stance);
    const double half = shift(part, side) > 0.0 ? 0.5 : 0.0;
    const double along = stride_m * (n - half + 0.5 - 0.5 * std::cos(kPi * u));
    const bool is_hand = part == LimbPart::kHand;
    const double x = (is_hand ? 0.18 : 0.1) * (side == BodySide::kLeft ? 1.0 : -1.0);
    const double up =
        (is_hand ? hands_up_m : 0.07) + lift_m * std::sin(kPi * u) * std::sin(kPi * u);
    return Vec3(x, 0.0, 0.0) + (along + (is_hand ? hands_m : knees_m)) * ahead + up * out +
           back(time_s);
  }

  Vec3 bodyAt(double time_s) const {
    return stride_m / cycle_s * (time_s - 0.2 * cycle_s) * ahead + body_m * out + back(time_s);
  }

  std::vector<TimeSpan> contacts(LimbPart part, BodySide side) const {
    std::vector<TimeSpan> spans;
    for (double n = -1.0; n * cycle_s < length_s + cycle_s; n += 1.0) {
      const double start_s = n * cycle_s - shift(part, side), end_s = start_s + stance * cycle_s;
      const TimeSpan span{std::max(0.0, start_s), std::min(length_s, end_s)};
      if (span.length() > 1e-9) spans.push_back(span);
    }
    return spans;
  }
};

struct MadeScene {
  Scene scene;
  HumanoidMap map;
  Motion motion;

  Vec3 positionOf(const Motion& shown, int node, std::size_t frame) const {
    std::vector<Affine> worlds;
    computeWorlds(scene.skeleton, shown.localsOf(frame), scene.metric_from_file, worlds);
    return worlds[toSize(node)].translation;
  }
  FeetTrace feet() const { return traceFeet(scene, map, motion); }
};

// Bones get longer and shorter: only positions of joints matter.
class Poser {
 public:
  Poser(const MadeScene& made, std::vector<Transform>& locals) : made_(made), locals_(locals) {}

  void rotate(HumanoidRole role, double angle) {
    locals_[toSize(made_.map[role])].rotation = rotationAbout(Vec3(1, 0, 0), angle);
  }
  void move(HumanoidRole role, const Vec3& world) {
    std::vector<Affine> worlds;
    computeWorlds(made_.scene.skeleton, locals_, made_.scene.metric_from_file, worlds);
    const int node = made_.map[role];
    const int parent = made_.scene.skeleton.nodes[toSize(node)].parent;
    locals_[toSize(node)].translation = transformPoint(inverse(worlds[toSize(parent)]), world);
  }

 private:
  const MadeScene& made_;
  std::vector<Transform>& locals_;
};

MadeScene make(const MadeCrawl& crawl) {
  using enum HumanoidRole;
  HumanScene human = humanScene(plainNames());
  MadeScene made;
  made.scene = std::move(human.scene);
  for (std::size_t i = 0; i < kHumanoidRoleCount; ++i) made.map.nodes[i] = human.nodes[i];
  made.map.origin = HumanoidMap::Origin::kGiven;
  made.map.confidence = 1.0;
  Motion& motion = made.motion;
  motion.clip_name = "crawl";
  motion.grid = makeGrid(0.0, crawl.length_s, 30.0);
  motion.node_count = made.scene.skeleton.size();
  motion.modified = TrackMask(motion.node_count);
  const bool on_all_fours = crawl.ahead.z > 0.5;
  for (std::size_t i = 0; i < motion.grid.frame_count; ++i) {
    std::vector<Transform> locals;
    for (const Node& node : made.scene.skeleton.nodes) locals.push_back(node.rest);
    Poser pose(made, locals);
    const double time_s = motion.grid.timeOf(i);
    pose.move(kHips, crawl.bodyAt(time_s));
    if (on_all_fours) pose.rotate(kSpine, 80.0 * kDegree);
    for (const BodySide side : kBodySides) {
      const bool is_left = side == BodySide::kLeft;
      const Vec3 knee = crawl.jointAt(LimbPart::kKnee, side, time_s);
      const HumanoidRole foot = is_left ? kLeftFoot : kRightFoot;
      pose.move(is_left ? kLeftLowerLeg : kRightLowerLeg, knee);
      pose.move(foot, knee - 0.42 * crawl.ahead - 0.02 * crawl.out);
      if (on_all_fours) pose.rotate(foot, 150.0 * kDegree);
      pose.move(is_left ? kLeftHand : kRightHand, crawl.jointAt(LimbPart::kHand, side, time_s));
    }
    motion.locals.insert(motion.locals.end(), locals.begin(), locals.end());
  }
  return made;
}

MadeCrawl climb() {
  MadeCrawl wall;
  wall.ahead = Vec3(0, 1, 0);
  wall.out = Vec3(0, 0, -1);
  wall.hands_m = 1.6;
  wall.knees_m = 0.5;
  wall.body_m = 0.35;
  return wall;
}

void checkSpans(const std::vector<TimeSpan>& found, const std::vector<TimeSpan>& known) {
  constexpr double kSlack_s = 2.0 / 30.0;
  REQUIRE(found.size() == known.size());
  for (std::size_t i = 0; i < known.size(); ++i) {
    CHECK(std::abs(found[i].start_s - known[i].start_s) < kSlack_s);
    CHECK(std::abs(found[i].end_s - known[i].end_s) < kSlack_s);
  }
}

// The largest distance of a joint from its mean position along the ground in a known contact.
double driftOf(const MadeScene& made, const Motion& shown, const MadeCrawl& crawl, LimbPart part,
               BodySide side, HumanoidRole role) {
  double most = 0.0;
  for (const TimeSpan& span : crawl.contacts(part, side)) {
    std::vector<Vec3> at;
    for (std::size_t i = 0; i < shown.grid.frame_count; ++i) {
      const double time_s = shown.grid.timeOf(i);
      if (time_s < span.start_s + 0.05 || time_s > span.end_s - 0.05) continue;
      at.push_back(made.positionOf(shown, made.map[role], i));
      at.back() -= glm::dot(at.back(), crawl.out) * crawl.out;
    }
    Vec3 mean(0.0);
    for (const Vec3& p : at) mean += p / static_cast<double>(at.size());
    for (const Vec3& p : at) most = std::max(most, glm::length(p - mean));
  }
  return most;
}

struct Drifts {
  double hands_m = 0.0, knees_m = 0.0;
  double knees_up_m = 0.0;  // the largest change of their height
};

Drifts driftsOf(const MadeScene& made, const Motion& shown, const MadeCrawl& crawl) {
  using enum HumanoidRole;
  Drifts drifts;
  for (const BodySide side : kBodySides) {
    const bool is_left = side == BodySide::kLeft;
    drifts.hands_m = std::max(drifts.hands_m, driftOf(made, shown, crawl, LimbPart::kHand, side,
                                                      is_left ? kLeftHand : kRightHand));
    drifts.knees_m = std::max(drifts.knees_m, driftOf(made, shown, crawl, LimbPart::kKnee, side,
                                                      is_left ? kLeftLowerLeg : kRightLowerLeg));
  }
  for (const HumanoidRole knee : {kLeftLowerLeg, kRightLowerLeg}) {
    for (std::size_t i = 0; i < shown.grid.frame_count; ++i) {
      const int node = made.map[knee];
      const double up_m =
          made.positionOf(shown, node, i).y - made.positionOf(made.motion, node, i).y;
      drifts.knees_up_m = std::max(drifts.knees_up_m, std::abs(up_m));
    }
  }
  return drifts;
}

// The motion with its travel multiplied.
Motion stretchedBy(const MadeScene& made, double factor) {
  return stretchedTravel(made.motion, made.map[HumanoidRole::kHips], factor);
}

}  // namespace

TEST_CASE("contacts of hands and knees of a made crawl are found to within two frames") {
  const MadeCrawl crawl;
  const MadeScene made = make(crawl);
  const auto limbs =
      traceLimbs(made.scene, made.map, made.motion, made.feet(), ContactLimbs::kFeetHandsKnees);
  REQUIRE(limbs.size() == 4);
  for (const LimbTrace& limb : limbs) {
    INFO("part " << static_cast<int>(limb.part) << " side " << static_cast<int>(limb.side));
    checkSpans(limb.on, crawl.contacts(limb.part, limb.side));
  }
}

TEST_CASE("only the limbs that are asked for have traces") {
  const MadeScene made = make({});
  const auto count = [&](ContactLimbs limbs) {
    return traceLimbs(made.scene, made.map, made.motion, made.feet(), limbs).size();
  };
  CHECK(count(ContactLimbs::kFeet) == 0);
  CHECK(count(ContactLimbs::kFeetHands) == 2);
  CHECK(count(ContactLimbs::kFeetHandsKnees) == 4);
}

TEST_CASE("hands have holds on a wall, and knees above the ground do not bear") {
  const MadeCrawl wall = climb();
  const MadeScene made = make(wall);
  const auto limbs =
      traceLimbs(made.scene, made.map, made.motion, made.feet(), ContactLimbs::kFeetHandsKnees);
  for (const LimbTrace& limb : limbs) {
    if (limb.part == LimbPart::kKnee) {
      CHECK(limb.on.empty());
    } else {
      checkSpans(limb.on, wall.contacts(limb.part, limb.side));
    }
  }
}

TEST_CASE("a crawl on the spot has its contacts, a walk on the spot no holds") {
  MadeCrawl crawl;
  crawl.on_spot = true;
  crawl.cycle_s = 0.8;
  const MadeScene made = make(crawl);
  const FeetTrace feet = made.feet();
  CHECK(distance(feet.treadmill_mps, Vec3(0, 0, -crawl.stride_m / crawl.cycle_s)) < 0.02);
  for (const LimbTrace& limb :
       traceLimbs(made.scene, made.map, made.motion, feet, ContactLimbs::kFeetHandsKnees)) {
    checkSpans(limb.on, crawl.contacts(limb.part, limb.side));
  }
  crawl.hands_up_m = 0.6;
  const MadeScene walk = make(crawl);
  CHECK(traceLimbs(walk.scene, walk.map, walk.motion, walk.feet(), ContactLimbs::kFeetHands)[0]
            .on.empty());
}

TEST_CASE("hands and knees of a crawl that is stretched are held where contact_limbs asks for it") {
  const MadeCrawl crawl;
  const MadeScene made = make(crawl);
  CHECK(driftsOf(made, made.motion, crawl).hands_m < 1e-6);
  for (const double factor : {0.7, 1.3}) {
    INFO("factor " << factor);
    FootLockSettings settings;
    Motion feet_only = stretchedBy(made, factor), held = feet_only;
    lockFeet(made.scene, made.map, made.motion, feet_only, settings);
    CHECK(driftsOf(made, feet_only, crawl).hands_m > 0.02);
    settings.contact_limbs = ContactLimbs::kFeetHandsKnees;
    const FootLockReport report = lockFeet(made.scene, made.map, made.motion, held, settings);
    CHECK(report.changed);
    const Drifts drifts = driftsOf(made, held, crawl);
    INFO("knees " << drifts.knees_m << " m, up " << drifts.knees_up_m << " m");
    CHECK(drifts.hands_m < 0.005);
    CHECK(drifts.knees_m < 0.005);
    CHECK(drifts.knees_up_m < 0.04);  // the hips stay
    const bool has_knee = std::any_of(report.plants.begin(), report.plants.end(),
                                      [](const Plant& plant) { return plant.limb == "left knee"; });
    CHECK(has_knee);
  }
}

TEST_CASE("hands on a wall that is climbed farther are held") {
  const MadeCrawl wall = climb();
  const MadeScene made = make(wall);
  FootLockSettings settings;
  settings.contact_limbs = ContactLimbs::kFeetHands;
  Motion held = stretchedBy(made, 1.15);
  lockFeet(made.scene, made.map, made.motion, held, settings);
  CHECK(driftsOf(made, held, wall).hands_m < 0.005);
}

TEST_CASE("drift of hands and knees counts where they bear, by name") {
  const MadeScene made = make({});
  const FeetTrace feet = made.feet();
  const FootSlide slide = measureFootSlide(
      feet, traceLimbs(made.scene, made.map, made.motion, feet, ContactLimbs::kFeetHandsKnees));
  const auto count = [&](ContactPart part) {
    return std::count_if(slide.contacts.begin(), slide.contacts.end(),
                         [&](const FootSpan& span) { return span.part == part; });
  };
  CHECK(count(ContactPart::kHand) == 11);
  CHECK(count(ContactPart::kKnee) == 11);
  CHECK(nameOf(ContactPart::kKnee) == "knee");
}

TEST_SUITE_END();
