// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "locomotion/limb_contacts.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/to_size.h"
#include "locomotion/ground.h"
#include "locomotion/ground_motion.h"
#include "scene/point_paths.h"

namespace clipmill::locomotion {
namespace {

// The joint of a bearing hand or knee is no higher over the ground than this share of a leg.
constexpr double kMaxHandLevel = 0.3, kMaxKneeLevel = 0.25;

// A hand that rests for this long has a hold.
constexpr double kShortestHold_s = 0.25;

std::vector<LimbTrace> limbsOf(const humanoid::HumanoidMap& map, ContactLimbs limbs) {
  using Role = humanoid::HumanoidRole;
  std::vector<LimbTrace> all;
  const auto add = [&](LimbPart part, BodySide side, Role role) {
    if (map[role] >= 0) all.push_back({part, side, map[role], {}, {}, 0.0, {}, {}});
  };
  if (limbs == ContactLimbs::kFeet) return all;
  add(LimbPart::kHand, BodySide::kLeft, Role::kLeftHand);
  add(LimbPart::kHand, BodySide::kRight, Role::kRightHand);
  if (limbs == ContactLimbs::kFeetHands) return all;
  add(LimbPart::kKnee, BodySide::kLeft, Role::kLeftLowerLeg);
  add(LimbPart::kKnee, BodySide::kRight, Role::kRightLowerLeg);
  return all;
}

// Contacts with the ground of the limbs of one part, with limits that are fitted to them.
void findLowContacts(const FeetTrace& feet, LimbPart part, std::vector<LimbTrace>& limbs) {
  const double max_height_m =
      (part == LimbPart::kHand ? kMaxHandLevel : kMaxKneeLevel) * feet.leg_m;
  std::vector<FootPath> paths;
  std::vector<LimbTrace*> low;
  for (LimbTrace& limb : limbs) {
    if (limb.part != part || limb.level_m > feet.ground_m + max_height_m) continue;
    paths.push_back({limb.on_ground_m, limb.level_m, limb.side});
    low.push_back(&limb);
  }
  const ContactSettings fitted = fitContacts(paths, feet.step_s, feet.leg_m, 0.0, false);
  for (LimbTrace* limb : low) {
    limb->low_on =
        findContacts(feet.start_s, feet.step_s, limb->on_ground_m, limb->level_m, fitted);
  }
}

void findHolds(const FeetTrace& feet, LimbTrace& limb) {
  if (feet.treadmill_mps != Vec3(0.0)) return;
  const ContactSettings still{std::numeric_limits<double>::infinity(), feet.contact.speed_mps,
                              kShortestHold_s};
  limb.on = unionOf(limb.low_on,
                    findContacts(feet.start_s, feet.step_s, limb.positions_m, 0.0, still), 0.0);
}

}  // namespace

std::vector<LimbTrace> traceLimbs(const Scene& scene, const humanoid::HumanoidMap& map,
                                  const Motion& motion, const FeetTrace& feet, ContactLimbs limbs) {
  std::vector<LimbTrace> traces = limbsOf(map, limbs);
  std::vector<NodePoint> points;
  for (const LimbTrace& limb : traces) points.push_back({limb.node, Vec3(0.0)});
  if (points.empty()) return traces;
  PointPaths paths = samplePoints(scene, motion, points);
  for (std::size_t k = 0; k < traces.size(); ++k) {
    LimbTrace& limb = traces[k];
    limb.positions_m = std::move(paths.positions_m[k]);
    for (std::size_t i = 0; i < limb.positions_m.size(); ++i) {
      limb.on_ground_m.push_back(feet.onGround(limb.positions_m[i], feet.timeOf(i)));
    }
    limb.level_m = levelOf(limb.on_ground_m);
  }
  findLowContacts(feet, LimbPart::kHand, traces);
  findLowContacts(feet, LimbPart::kKnee, traces);
  for (LimbTrace& limb : traces) {
    limb.on = limb.low_on;
    if (limb.part == LimbPart::kHand) findHolds(feet, limb);
  }
  return traces;
}

}  // namespace clipmill::locomotion
